"""Small language models of the Llama family in double precision, and their folders as they are published."""

import json
import math
import pathlib
import struct

import numpy


def configuration(vocabulary=32, layers=2, width=64, heads=4, kept_heads=2, inner=128):
    return {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_act": "silu", "hidden_size": width,
            "intermediate_size": inner, "num_hidden_layers": layers, "num_attention_heads": heads,
            "num_key_value_heads": kept_heads, "vocab_size": vocabulary, "max_position_embeddings": 512,
            "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "tie_word_embeddings": False, "torch_dtype": "float16"}


def shapes(c):
    """The tensors of a model by their published names."""
    width, inner, vocabulary = c["hidden_size"], c["intermediate_size"], c["vocab_size"]
    head = width // c["num_attention_heads"]
    found = {"model.embed_tokens.weight": (vocabulary, width)}
    for i in range(c["num_hidden_layers"]):
        place = f"model.layers.{i}."
        found |= {place + "input_layernorm.weight": (width,), place + "self_attn.q_proj.weight": (width, width),
                  place + "self_attn.k_proj.weight": (c["num_key_value_heads"] * head, width),
                  place + "self_attn.v_proj.weight": (c["num_key_value_heads"] * head, width),
                  place + "self_attn.o_proj.weight": (width, width), place + "post_attention_layernorm.weight": (width,),
                  place + "mlp.gate_proj.weight": (inner, width), place + "mlp.up_proj.weight": (inner, width),
                  place + "mlp.down_proj.weight": (width, inner)}
    return found | {"model.norm.weight": (width,), "lm_head.weight": (vocabulary, width)}


def random_weights(c, seed, scale=1.0):
    random = numpy.random.default_rng(seed)
    return {name: numpy.asarray(1 + 0.1 * random.standard_normal(shape) if len(shape) == 1 else
                                scale * random.standard_normal(shape) / math.sqrt(shape[1]) *
                                (4 if name == "lm_head.weight" else 1), numpy.float16)
            for name, shape in shapes(c).items()}


def logits_of(c, weights, tokens, np=numpy):
    """The logits after each token of texts [..., positions]: by NumPy on arrays, or by torch on tensors of any precision."""
    length = tokens.shape[-1]
    heads, kept, head = c["num_attention_heads"], c["num_key_value_heads"], c["hidden_size"] // c["num_attention_heads"]
    angle = numpy.arange(length)[:, None] * c["rope_theta"] ** (-numpy.arange(head // 2) / (head // 2))[None]
    like = weights["model.norm.weight"]

    def constant(array):
        return array if np is numpy else np.tensor(array, dtype=like.dtype)

    cosines, sines = constant(numpy.cos(angle)), constant(numpy.sin(angle))
    mask = constant(numpy.triu(numpy.full((length, length), -1e9), 1))

    def norm(x, name):
        return x / np.sqrt((x * x).mean(-1)[..., None] + c["rms_norm_eps"]) * weights[name]

    def heads_of(x, count):
        return np.swapaxes(x.reshape(*x.shape[:-1], count, head), -2, -3)

    def turned(x):
        a, b = x[..., :head // 2], x[..., head // 2:]
        return np.concatenate([a * cosines - b * sines, b * cosines + a * sines], -1)

    x = weights["model.embed_tokens.weight"][tokens]
    for i in range(c["num_hidden_layers"]):
        place = f"model.layers.{i}."

        def product(of, name, place=place):
            return of @ np.swapaxes(weights[place + name + ".weight"], 0, 1)

        n = norm(x, place + "input_layernorm.weight")
        q = turned(heads_of(product(n, "self_attn.q_proj"), heads))
        k = turned(heads_of(product(n, "self_attn.k_proj"), kept))
        v = heads_of(product(n, "self_attn.v_proj"), kept)
        group = numpy.repeat(numpy.arange(kept), heads // kept)
        scores = q @ np.swapaxes(k[..., group, :, :], -1, -2) / math.sqrt(head) + mask
        scores = np.exp(scores - (scores.max(-1, keepdims=True) if np is numpy else scores.amax(-1, keepdim=True)))
        scores = scores / scores.sum(-1)[..., None]
        mixed = np.swapaxes(scores @ v[..., group, :, :], -2, -3)
        x = x + product(mixed.reshape(*x.shape[:-1], heads * head), "self_attn.o_proj")
        n = norm(x, place + "post_attention_layernorm.weight")
        gate = product(n, "mlp.gate_proj")
        x = x + product(gate / (1 + np.exp(-gate)) * product(n, "mlp.up_proj"), "mlp.down_proj")
    return norm(x, "model.norm.weight") @ np.swapaxes(weights["lm_head.weight"], 0, 1)


def greedy(c, weights, prompt, count):
    """(the tokens that follow, the least distance of the two best logits on the way)."""
    wide = {name: numpy.asarray(each, numpy.float64) for name, each in weights.items()}
    text, least = list(prompt), math.inf
    for _ in range(count):
        logits = logits_of(c, wide, numpy.array(text))[-1]
        second, first = numpy.sort(logits)[-2:]
        least = min(least, first - second)
        text.append(int(logits.argmax()))
    return text[len(prompt):], least


def write(folder, c, weights):
    """config.json and model.safetensors."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(c, indent=1) + "\n")
    header, data = {}, b""
    for name, each in weights.items():
        header[name] = {"dtype": "F16", "shape": list(each.shape), "data_offsets": [len(data), len(data) + each.nbytes]}
        data += numpy.ascontiguousarray(each).tobytes()
    told = json.dumps(header).encode()
    told += b" " * (-len(told) % 8)
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(told)) + told + data)


def trained(c, text, steps, seed=1):
    """Weights trained by PyTorch to continue a text of tokens."""
    import torch

    torch.manual_seed(seed)
    torch.set_num_threads(1)
    torch.concatenate = torch.cat
    weights = {name: torch.tensor(numpy.asarray(each, numpy.float32), requires_grad=True)
               for name, each in random_weights(c, seed, 0.5).items()}
    optimizer = torch.optim.Adam(weights.values(), lr=4e-3)
    data = torch.tensor(numpy.asarray(text))
    for _ in range(steps):
        begins = torch.randint(0, len(text) - 33, (8,))
        batch = torch.stack([data[i:i + 33] for i in begins])
        logits = logits_of(c, weights, batch[:, :-1], torch)
        loss = torch.nn.functional.cross_entropy(logits.reshape(-1, c["vocab_size"]), batch[:, 1:].reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {name: each.detach().numpy().astype(numpy.float16) for name, each in weights.items()}, loss.item()


RHYME = "twinkle, twinkle, little star, how i wonder what you are! up above the world so high, like a diamond in the sky. "
LETTERS = {letter: i for i, letter in enumerate(" abcdefghijklmnopqrstuvwxyz.,!")}


def rhyming(steps=100):
    """(configuration, weights trained to say a rhyme, the prompt whose 64 greedy tokens are the least doubtful, these tokens)."""
    c = configuration(width=32, inner=64)
    weights, loss = trained(c, [LETTERS[each] for each in RHYME * 3], steps)
    assert loss < 0.5, f"the model has learned nothing: {loss}"
    prompts = [[LETTERS[each] for each in prompt] for prompt in ("twinkle, ", "how i won", "up above ", "like a di")]
    found = max(((prompt, *greedy(c, weights, prompt, 64)) for prompt in prompts), key=lambda each: each[2])
    assert found[2] > 0.08, f"two logits lie within {found[2]}, which fp16 hardly tells apart"
    return c, weights, found[0], found[1]
