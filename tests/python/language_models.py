#!/usr/bin/env python3
"""Published language models against decoders in float64 that are written here from the papers: small random models of each
family, in folders as they are published (configuration, safetensors, shards), run by the command on the CPU in two chunks
with their caches; the logits and the keys and values of each layer. Then what is wrong with folders, by name.

Usage: language_models.py <command>"""

import json
import pathlib
import struct
import sys
import tempfile

import numpy as np

from _harness import ROOT, command, expect, run, skip, verdict

sys.path.insert(0, str(ROOT / "tests"))
import from_environment

try:
    import torch
except ImportError:
    skip("PyTorch is not installed")

PROGRAM = command()
THOROUGH = from_environment.thorough()
LENGTH, CHUNK, CONTEXT = 10, 5, 8
NOT_SEEN = -40000.0
torch.set_num_threads(1)


# ---- folders as they are published -----------------------------------------------------------------------------------------


def bytes_of(array, kind):
    """A tensor's bytes: fp32, fp16, or bf16, which is the upper half of fp32."""
    if kind == "BF16":
        return (np.ascontiguousarray(array, np.float32).view(np.uint32) >> 16).astype(np.uint16).tobytes()
    return np.ascontiguousarray(array, np.float16 if kind == "F16" else np.float32).tobytes()


def safetensors(path, tensors, kind):
    """The published form: the length of the header in 8 bytes, the header as JSON, the bytes of all tensors."""
    header, data = {}, b""
    for name, array in tensors.items():
        piece = bytes_of(array, kind)
        header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [len(data), len(data) + len(piece)]}
        data += piece
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def write_folder(folder, config, tensors, kind="F32", shards=1):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config))
    if shards == 1:
        safetensors(folder / "model.safetensors", tensors, kind)
        return
    names, places = sorted(tensors), {}
    for k in range(shards):
        file = f"model-{k + 1:05}-of-{shards:05}.safetensors"
        part = {name: tensors[name] for name in names[k::shards]}
        safetensors(folder / file, part, kind)
        places |= {name: file for name in part}
    index = {"metadata": {"total_size": sum(t.size for t in tensors.values())}, "weight_map": places}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))


# ---- configurations: small, with all that a family has ------------------------------------------------------------------------

LLAMA = {"hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2, "num_attention_heads": 4,
         "num_key_value_heads": 2, "vocab_size": 128, "max_position_embeddings": 64, "rms_norm_eps": 1e-5,
         "hidden_act": "silu", "rope_theta": 10000.0, "tie_word_embeddings": False}
GEMMA = LLAMA | {"head_dim": 32, "hidden_activation": "gelu_pytorch_tanh", "query_pre_attn_scalar": 16,
                 "tie_word_embeddings": True, "rms_norm_eps": 1e-6, "sliding_window": 4}
CONFIGURATIONS = {
    "gpt2": {"model_type": "gpt2", "n_embd": 64, "n_layer": 2, "n_head": 4, "n_positions": 64, "vocab_size": 128,
             "activation_function": "gelu_new", "layer_norm_epsilon": 1e-5},
    "llama": LLAMA | {"model_type": "llama"},
    "llama3": LLAMA | {"model_type": "llama", "tie_word_embeddings": True, "rope_theta": 500000.0,
                       "vocab_size": 16500,  # two parts of the head
                       "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
                                        "high_freq_factor": 4.0, "original_max_position_embeddings": 16}},
    "qwen2": LLAMA | {"model_type": "qwen2", "rope_theta": 1e6},
    "qwen3": LLAMA | {"model_type": "qwen3", "head_dim": 32, "tie_word_embeddings": True, "rope_theta": 1e6},
    "mistral": LLAMA | {"model_type": "mistral", "sliding_window": 4},
    "gemma2": GEMMA | {"model_type": "gemma2", "attn_logit_softcapping": 5.0, "final_logit_softcapping": 3.0},
    "gemma3": GEMMA | {"model_type": "gemma3_text", "num_hidden_layers": 3, "sliding_window_pattern": 3,
                       "rope_theta": 1e6, "rope_local_base_freq": 1e4},
}


def tensors_of(c, random):
    """Random tensors under the published names; matrices keep the variance."""
    def matrix(rows, columns):
        return (random.standard_normal((rows, columns)) / np.sqrt(columns)).astype(np.float32)

    def vector(size, around=0.0):
        return (around + 0.2 * random.standard_normal(size)).astype(np.float32)

    kind, t = c["model_type"], {}
    if kind == "gpt2":
        width, inner = c["n_embd"], 4 * c["n_embd"]
        t["wte.weight"], t["wpe.weight"] = matrix(c["vocab_size"], width) * 8, matrix(c["n_positions"], width)
        for i in range(c["n_layer"]):
            at = f"h.{i}."
            t[at + "attn.bias"] = np.tril(np.ones((1, 1, c["n_positions"], c["n_positions"]), np.float32))
            for name, source, to in (("attn.c_attn", width, 3 * width), ("attn.c_proj", width, width),
                                     ("mlp.c_fc", width, inner), ("mlp.c_proj", inner, width)):
                t[at + name + ".weight"] = np.ascontiguousarray(matrix(to, source).T)  # Conv1D: [in, out]
                t[at + name + ".bias"] = vector(to)
            for name in ("ln_1", "ln_2"):
                t[at + name + ".weight"], t[at + name + ".bias"] = vector(width, 1.0), vector(width)
        t["ln_f.weight"], t["ln_f.bias"] = vector(width, 1.0), vector(width)
        return t
    width, heads, kept = c["hidden_size"], c["num_attention_heads"], c["num_key_value_heads"]
    head, inner = c.get("head_dim", width // heads), c["intermediate_size"]
    gemma = kind.startswith("gemma")
    around = 0.0 if gemma else 1.0
    t["model.embed_tokens.weight"] = matrix(c["vocab_size"], width) * (1 if gemma else 8)
    for i in range(c["num_hidden_layers"]):
        at = f"model.layers.{i}."
        for name, to, source in (("self_attn.q_proj", heads * head, width), ("self_attn.k_proj", kept * head, width),
                                 ("self_attn.v_proj", kept * head, width), ("self_attn.o_proj", width, heads * head),
                                 ("mlp.gate_proj", inner, width), ("mlp.up_proj", inner, width),
                                 ("mlp.down_proj", width, inner)):
            t[at + name + ".weight"] = matrix(to, source)
            if kind == "qwen2" and name[-6:] in ("q_proj", "k_proj", "v_proj"):
                t[at + name + ".bias"] = vector(to)
        norms = ["input_layernorm", "post_attention_layernorm"]
        norms += ["pre_feedforward_layernorm", "post_feedforward_layernorm"] if gemma else []
        for name in norms:
            t[at + name + ".weight"] = vector(width, around)
        if kind in ("qwen3", "gemma3_text"):
            t[at + "self_attn.q_norm.weight"], t[at + "self_attn.k_norm.weight"] = vector(head, around), vector(head, around)
    t["model.norm.weight"] = vector(width, around)
    if not c["tie_word_embeddings"]:
        t["lm_head.weight"] = matrix(c["vocab_size"], width)
    return t


# ---- decoders in float64 ---------------------------------------------------------------------------------------------------


def rms(x, weight, epsilon):
    return x / torch.sqrt((x * x).mean(-1, keepdim=True) + epsilon) * weight


def frequencies(c, base, scaling):
    head = c.get("head_dim", c["hidden_size"] // c["num_attention_heads"])
    plain = base ** (-torch.arange(0, head, 2, dtype=torch.float64) / head)
    if not scaling:
        return plain
    original, low, high = scaling["original_max_position_embeddings"], scaling["low_freq_factor"], scaling["high_freq_factor"]
    wavelength = 2 * np.pi / plain
    smooth = (original / wavelength - low) / (high - low)
    mixed = (1 - smooth) * plain / scaling["factor"] + smooth * plain
    return torch.where(wavelength > original / low, plain / scaling["factor"], torch.where(wavelength < original / high, plain, mixed))


def turned(x, cosines, sines):
    """x e^(i angle), where element k and element k + n / 2 are one complex number."""
    first, second = x.chunk(2, -1)
    return torch.cat([first * cosines - second * sines, second * cosines + first * sines], -1)


def seen(length, window):
    distance = torch.arange(length)[:, None] - torch.arange(length)[None, :]
    return (distance >= 0) & ((distance < window) if window else torch.full_like(distance, True, dtype=torch.bool))


def attention(query, key, value, visible, scale, cap=None):
    """Of [heads, positions, width]; a kept head serves several queries, which follow each other."""
    group = query.shape[0] // key.shape[0]
    scores = query @ key.repeat_interleave(group, 0).transpose(-1, -2) * scale
    scores = cap * torch.tanh(scores / cap) if cap else scores
    weights = torch.softmax(scores.masked_fill(~visible, -torch.inf), -1)
    return weights @ value.repeat_interleave(group, 0)


def heads_of(x, count):
    return x.reshape(x.shape[0], count, -1).transpose(0, 1)


def joined(x):
    return x.transpose(0, 1).reshape(x.shape[1], -1)


def gpt2(c, t, tokens):
    length, heads = len(tokens), c["n_head"]

    def product(x, name):
        return x @ t[name + ".weight"] + t[name + ".bias"]

    def norm(x, name):
        return torch.nn.functional.layer_norm(x, x.shape[-1:], t[name + ".weight"], t[name + ".bias"], c["layer_norm_epsilon"])

    rows = t["wte.weight"][tokens] + t["wpe.weight"][:length]
    x, kept = rows, []
    for i in range(c["n_layer"]):
        q, k, v = (heads_of(each, heads) for each in product(norm(x, f"h.{i}.ln_1"), f"h.{i}.attn.c_attn").chunk(3, -1))
        kept.append((k, v))
        mixed = attention(q, k, v, seen(length, None), q.shape[-1] ** -0.5)
        x = x + product(joined(mixed), f"h.{i}.attn.c_proj")
        inner = product(norm(x, f"h.{i}.ln_2"), f"h.{i}.mlp.c_fc")
        inner = 0.5 * inner * (1 + torch.tanh(np.sqrt(2 / np.pi) * (inner + 0.044715 * inner**3)))
        x = x + product(inner, f"h.{i}.mlp.c_proj")
    return rows, norm(x, "ln_f") @ t["wte.weight"].T, kept


def llama_like(c, t, tokens):
    kind, length, heads, kept_heads = c["model_type"], len(tokens), c["num_attention_heads"], c["num_key_value_heads"]
    gemma, epsilon = kind.startswith("gemma"), c["rms_norm_eps"]
    head = c.get("head_dim", c["hidden_size"] // heads)
    scale = (c["query_pre_attn_scalar"] if gemma else head) ** -0.5

    def norm(x, name):
        weight = t[name + ".weight"]
        return rms(x, 1 + weight if gemma else weight, epsilon)

    def product(x, name):
        return x @ t[name + ".weight"].T + t.get(name + ".bias", 0)

    def gelu(x):
        return 0.5 * x * (1 + torch.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))

    rows = t["model.embed_tokens.weight"][tokens] * (c["hidden_size"] ** 0.5 if gemma else 1)
    x, kept = rows, []
    for i in range(c["num_hidden_layers"]):
        at = f"model.layers.{i}."
        has_window = kind == "mistral" or (kind == "gemma2" and i % 2 == 0) or \
            (kind == "gemma3_text" and (i + 1) % c["sliding_window_pattern"] != 0)
        base = c["rope_local_base_freq"] if kind == "gemma3_text" and has_window else c["rope_theta"]
        angles = torch.arange(length, dtype=torch.float64)[:, None] * frequencies(c, base, c.get("rope_scaling"))
        y = norm(x, at + "input_layernorm")
        q, k, v = (heads_of(product(y, at + f"self_attn.{name}_proj"), n)
                   for name, n in (("q", heads), ("k", kept_heads), ("v", kept_heads)))
        if kind in ("qwen3", "gemma3_text"):
            q, k = norm(q, at + "self_attn.q_norm"), norm(k, at + "self_attn.k_norm")
        q, k = turned(q, torch.cos(angles), torch.sin(angles)), turned(k, torch.cos(angles), torch.sin(angles))
        kept.append((k, v))
        mixed = attention(q, k, v, seen(length, c.get("sliding_window") if has_window else None), scale,
                          c.get("attn_logit_softcapping"))
        mixed = product(joined(mixed), at + "self_attn.o_proj")
        x = x + (norm(mixed, at + "post_attention_layernorm") if gemma else mixed)
        y = norm(x, at + ("pre_feedforward_layernorm" if gemma else "post_attention_layernorm"))
        gate = product(y, at + "mlp.gate_proj")
        gate = gelu(gate) if gemma else torch.nn.functional.silu(gate)
        inner = product(gate * product(y, at + "mlp.up_proj"), at + "mlp.down_proj")
        x = x + (norm(inner, at + "post_feedforward_layernorm") if gemma else inner)
    logits = norm(x, "model.norm") @ t["model.embed_tokens.weight" if c["tie_word_embeddings"] else "lm_head.weight"].T
    cap = c.get("final_logit_softcapping")
    return rows, cap * torch.tanh(logits / cap) if cap else logits, kept


# ---- the host of a run -----------------------------------------------------------------------------------------------------


def texts_of_a_batch(folder, given, alone):
    """A batch of two texts, of which the second has other rows and an empty cache, gives the first what it gets alone."""
    other = {name: np.zeros_like(a) if name.startswith(("keys", "values")) else np.asarray(a)[::-1] for name, a in given.items()}
    np.savez(folder / "texts.npz", **{name: np.asarray(np.concatenate([a, other[name]]), np.float16) for name, a in given.items()})
    told = run(PROGRAM, ["run", ".", "--context", str(CONTEXT), "--chunk", str(CHUNK), "--batch", "2", "-i", "texts.npz",
                         "-o", "texts_out.npz"], folder)
    expect(told.returncode == 0, f"{folder.name} runs two texts: {told.stderr}")
    if told.returncode == 0:
        both = np.load(folder / "texts_out.npz")
        for name in alone.files:
            expect(both[name].shape[0] == 2 * alone[name].shape[0], f"{folder.name}, {name}: {both[name].shape}")
            one, largest = both[name][:alone[name].shape[0]], np.abs(alone[name].astype(float)).max()
            expect(np.abs(one.astype(float) - alone[name]).max() <= 2**-8 * largest, f"{folder.name}: the first of two texts, {name}")


def run_folder(folder, c, rows):
    """The logits of all rows, in chunks, and the keys and values of each layer, as the command computes them."""
    gpt, layers = c["model_type"] == "gpt2", c.get("num_hidden_layers", c.get("n_layer"))
    kept_heads = c.get("num_key_value_heads", c.get("n_head"))
    head = c.get("head_dim") or c.get("hidden_size", c.get("n_embd")) // c.get("num_attention_heads", c.get("n_head"))
    keys = np.zeros((layers, kept_heads, head, CONTEXT), np.float16)
    values = np.zeros((layers, kept_heads, CONTEXT, head), np.float16)
    logits, all_keys, all_values = [], [[] for _ in range(layers)], [[] for _ in range(layers)]
    windowed = c["model_type"] in ("mistral", "gemma2", "gemma3_text")
    for first in range(0, LENGTH, CHUNK):
        given = {"x": rows[first:first + CHUNK]}
        if not gpt:
            for before, base in (("", c["rope_theta"]), ("local_", c.get("rope_local_base_freq"))):
                if base:
                    angles = np.arange(first, first + CHUNK)[:, None] * frequencies(c, base, c.get("rope_scaling")).numpy()
                    given[before + "cosines"], given[before + "sines"] = (np.tile(f(angles), 2) for f in (np.cos, np.sin))
        position = np.concatenate([np.arange(CONTEXT), first + np.arange(CHUNK)])  # of each column
        stands = np.concatenate([np.arange(CONTEXT) < first, np.full(CHUNK, True)])
        for name, window in (("mask", None), ("local_mask", c.get("sliding_window"))):
            is_read = c["model_type"] != "mistral" if name == "mask" else windowed
            if is_read:
                distance = (first + np.arange(CHUNK))[:, None] - position[None, :]
                visible = stands[None, :] & (distance >= 0) & (distance < (window or 1 << 30))
                given[name] = np.where(visible, 0.0, NOT_SEEN)
        for i in range(layers):
            given[f"keys_{i}"], given[f"values_{i}"] = keys[i], values[i]
        np.savez(folder / "in.npz", **{name: np.asarray(a, np.float16) for name, a in given.items()})
        told = run(PROGRAM, ["run", ".", "--context", str(CONTEXT), "--chunk", str(CHUNK), "-i", "in.npz", "-o", "out.npz"], folder)
        expect(told.returncode == 0, f"{folder.name} runs: {told.stderr}")
        if told.returncode != 0:
            return None
        out = np.load(folder / "out.npz")
        if first == CHUNK:
            texts_of_a_batch(folder, given, out)
        parts = [out[f"logits_{k}"] for k in range(2)] if "logits_0" in out else [out["logits"]]
        logits.append(np.concatenate(parts, 1))
        for i in range(layers):
            fresh_keys, fresh_values = out[f"new_keys_{i}"], out[f"new_values_{i}"]
            all_keys[i].append(fresh_keys)
            all_values[i].append(fresh_values)
            count = min(CHUNK, CONTEXT - first)
            keys[i][:, :, first:first + count] = fresh_keys[:, :count].transpose(0, 2, 1)
            values[i][:, first:first + count] = fresh_values[:, :count]
    return np.concatenate(logits), [np.concatenate(k, 1) for k in all_keys], [np.concatenate(v, 1) for v in all_values]


def cosine(a, b):
    a, b = np.asarray(a, np.float64).ravel(), np.asarray(b, np.float64).ravel()
    return float(a @ b / np.sqrt((a @ a) * (b @ b)))


def compare(name, c, folder, random, kind, shards):
    """A model of these tensors, whole and by block."""
    stored = tensors_of(c, random)
    if kind == "BF16":  # numbers that it has
        stored = {k: (a.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32) for k, a in stored.items()}
    prefix = "transformer." if c["model_type"] == "gpt2" and shards > 1 else ""  # as PyTorch saves the whole model
    write_folder(folder, c, {prefix + k: a for k, a in stored.items()}, kind, shards)
    t = {k: torch.from_numpy(a.astype(np.float64)) for k, a in stored.items()}
    tokens = torch.from_numpy(random.integers(0, c["vocab_size"], LENGTH))
    rows, logits, kept = (gpt2 if c["model_type"] == "gpt2" else llama_like)(c, t, tokens)
    found = run_folder(folder, c, rows.numpy())
    if found is None:
        return
    expect(cosine(found[0], logits) >= 0.9999, f"{name}: the logits, {cosine(found[0], logits)}")
    worst = np.abs(found[0] - logits.numpy()).max() / np.abs(logits.numpy()).max()
    expect(worst < 0.02, f"{name}: the largest difference of a logit is {worst} of the largest")
    for i, (k, v) in enumerate(kept):
        expect(cosine(found[1][i], k) >= 0.9999, f"{name}: the keys of layer {i}, {cosine(found[1][i], k)}")
        expect(cosine(found[2][i], v) >= 0.9999, f"{name}: the values of layer {i}, {cosine(found[2][i], v)}")


# ---- what is wrong -----------------------------------------------------------------------------------------------------------


def refused(folder, words, *more):
    told = run(PROGRAM, ["run", folder.name, "--context", "4", *more], folder.parent)
    expect(told.returncode not in (0, -6, -8, -11) and all(word in told.stderr for word in words),
           f"{folder.name} is refused with {words}: {told.returncode}, {told.stderr}")


def faults(above, random):
    c = CONFIGURATIONS["llama"]
    whole = tensors_of(c, random)
    name = "model.layers.1.mlp.up_proj.weight"

    # The cache of a hub: links to blobs of the model, and none that leaves it.
    hub = above / "hub" / "models--org--net"
    snapshot = hub / "snapshots" / "0123abcd"
    for place in (snapshot, hub / "blobs", hub / "refs"):
        place.mkdir(parents=True)
    write_folder(above / "plain", c, whole)
    for k, each in enumerate(sorted((above / "plain").iterdir())):
        (hub / "blobs" / f"{k:064x}").write_bytes(each.read_bytes())
        (snapshot / each.name).symlink_to(f"../../blobs/{k:064x}")
    for path in (hub, snapshot):
        told = run(PROGRAM, ["check", str(path), "-t", "h17s", "-q"], above)
        expect(told.returncode in (0, 1) and "0123abcd" in told.stdout and "not there" not in told.stdout,
               f"a snapshot of a hub: {told.stdout} {told.stderr}")
    (snapshot / "model.safetensors").unlink()
    (snapshot / "model.safetensors").symlink_to("../../../../plain/model.safetensors")
    refused(snapshot, ["model.safetensors", "is a link that leads out of the model's folder"])

    folder = above / "misshapen"
    write_folder(folder, c, whole | {name: whole[name][:5]})
    refused(folder, [name, "is [5, 64], the configuration says [96, 64]"])
    folder = above / "missing"
    write_folder(folder, c, {k: a for k, a in whole.items() if k != name})
    refused(folder, [name.replace(".", "_"), "is a weight of the model that its files do not have"])
    told = run(PROGRAM, ["check", "missing", "-t", "h17s"], above)
    expect(told.returncode in (0, 1), f"a model whose weights are missing is judged: {told.stderr}")
    folder = above / "joined"
    write_folder(folder, c, {k.replace("q_proj", "qkv_proj"): a for k, a in whole.items()})
    refused(folder, ["self_attn.qkv_proj.weight", "is several weights in one"])
    folder = above / "integers"
    write_folder(folder, c, whole)
    text = (folder / "model.safetensors").read_bytes()
    at = text.index(b'"dtype": "F32"')
    (folder / "model.safetensors").write_bytes(text[:at] + b'"dtype": "I32"' + text[at + 14:])
    refused(folder, ["is of I32: known are F32, F16 and BF16"])
    folder = above / "shortened"
    write_folder(folder, c, whole)
    text = (folder / "model.safetensors").read_bytes()
    for size in (0, 7, 8, 100, len(text) - 1):
        (folder / "model.safetensors").write_bytes(text[:size])
        refused(folder, ["model.safetensors"])
    folder = above / "elsewhere"
    write_folder(folder, c, whole, shards=2)
    index = json.loads((folder / "model.safetensors.index.json").read_text())
    other = {"model-00001-of-00002.safetensors": "model-00002-of-00002.safetensors",
             "model-00002-of-00002.safetensors": "model-00001-of-00002.safetensors"}
    for file, words in ((other[index["weight_map"][name]], ["which has no such tensor; it is in"]),
                        ("../outside.safetensors", ["is no path below the model's folder"]),
                        ("none.safetensors", ["none.safetensors", "cannot be found"])):
        (folder / "model.safetensors.index.json").write_text(
            json.dumps(index | {"weight_map": index["weight_map"] | {name: file}}))
        refused(folder, words)
    folder = above / "alone"
    write_folder(folder, c, whole)
    (folder / "model.safetensors").unlink()
    refused(folder, ["--weights random"])
    for subcommand in (["check", "-t", "h17s"], ["cost"], ["placement"], ["run", "--weights", "random"]):
        told = run(PROGRAM, [*subcommand, "alone"], above)
        expect(told.returncode in (0, 1) and "error" not in told.stderr, f"{subcommand} of a configuration: {told.stderr}")

    told = run(PROGRAM, ["check", "alone", "-t", "h17s"], above)
    figures = run(PROGRAM, ["cost", "alone", "-t", "h17s"], above).stdout.split("\nOne run")[0]
    expect("tokens/s" in figures and "memory" in figures and told.stdout.count(figures) == 1,
           f"check tells what a token takes: {told.stdout}")

    (above / "deep").mkdir()
    (above / "deep" / "config.json").write_text(json.dumps(c | {"num_hidden_layers": 26}))
    told = run(PROGRAM, ["check", "deep", "-t", "h17s", "-q"], above)
    expect(all(f"deep (program_{k})" in told.stdout for k in (1, 2)) and "program_3" not in told.stdout,
           f"a model in two programs: {told.stdout} {told.stderr}")
    # Programs of one form are judged once where there are no weights, however many layers a stranger's configuration has.
    (above / "many").mkdir()
    (above / "many" / "config.json").write_text(json.dumps(c | {
        "num_hidden_layers": 1000, "hidden_size": 1 << 24, "intermediate_size": 1 << 24, "vocab_size": 1 << 24,
        "num_attention_heads": 1024, "num_key_value_heads": 1024, "head_dim": 4096}))
    told = run(PROGRAM, ["check", "many", "-t", "h17s", "-q"], above)
    expect("many (program_1 to program_1000)" in told.stdout and "many (program_1001)" in told.stdout,
           f"1000 layers: {told.stdout[:2000]} {told.stderr}")
    expect(told.stdout.count("many (") <= 4, f"1000 layers of one form are judged once: {told.stdout[:2000]}")
    told = run(PROGRAM, ["check", "deep", "-t", "h17s", "--chunk", "1048576"], above)
    expect(told.returncode == 2 and "--chunk" in told.stderr and "4096" in told.stderr, f"a chunk too long: {told.stderr}")
    told = run(PROGRAM, ["cost", "deep", "-t", "h17s", "--function", "program_2"], above)
    expect(told.returncode == 0, f"the cost of a program: {told.stderr}")
    told = run(PROGRAM, ["cost", "deep", "-t", "h17s", "--function", "program_3"], above)
    expect("there is no program_3: the model has program_1 to program_2" in told.stderr, f"no such program: {told.stderr}")
    told = run(PROGRAM, ["cost", "deep/config.json"], above)
    expect("known are" in told.stderr and "folders with config.json" in told.stderr, f"a file of it: {told.stderr}")
    told = run(PROGRAM, ["cost", str(ROOT / "examples" / "reading" / "classifier.mil"), "--context", "8"], above)
    expect("is for folders with config.json" in told.stderr, f"an option of folders: {told.stderr}")

    folder = above / "large_numbers"
    edge = np.full_like(whole[name], 65280)  # the largest number of bf16 that fp16 has, but for 3
    edge.ravel()[:3] = 65536, -1e30, np.inf
    write_folder(folder, c, whole | {name: edge}, "BF16")
    told = run(PROGRAM, ["check", "large_numbers", "-t", "h17s"], above)
    expect("model_layers_1_mlp_up_proj_weight: fp16 cannot hold 3 of 6144 numbers" in told.stdout + told.stderr,
           f"numbers of bf16 beyond fp16: {told.stdout} {told.stderr}")
    write_folder(folder, c, whole | {name: whole[name] * 0 + 1e5})
    told = run(PROGRAM, ["check", "large_numbers", "-t", "h17s"], above)
    expect("model_layers_1_mlp_up_proj_weight: fp16 cannot hold 6144 of 6144 numbers" in told.stdout + told.stderr,
           f"numbers beyond fp16 are counted: {told.stdout} {told.stderr}")


def main():
    seed = from_environment.seed()
    print(f"ANEMONE_TEST_SEED={seed}")
    random = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as place:
        above = pathlib.Path(place)
        forms = [("F32", 1), ("BF16", 2), ("F16", 1)]
        models = 0
        for times in range(4 if THOROUGH else 1):
            for k, (name, c) in enumerate(CONFIGURATIONS.items()):
                kind, shards = forms[(k + times) % len(forms)]
                compare(f"{name} in {kind}, {shards} files", c, above / f"{name}_{times}", random, kind, shards)
                models += 1
        faults(above, random)
    return verdict(f"{models} models")


if __name__ == "__main__":
    sys.exit(main())
