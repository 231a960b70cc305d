#!/usr/bin/env python3
"""Networks of texts against networks of torch.nn in float64 that are written from the papers: random weights under the names of
transformers, in folders of transformers and of sentence-transformers, run by the command on the CPU in both layouts. Padding that
changes nothing, pictures and texts of CLIP in the same order. Then what is wrong with folders, by name.

Usage: text_networks.py <command>"""

import json
import pathlib
import sys
import tempfile

import numpy as np

from _harness import command, expect, run, skip, verdict

try:
    import torch
except ImportError:
    skip("PyTorch is not installed")
from _published_networks import cosine, draw, folder_of
from _text_networks import BERT, NOT_SEEN, Bert, Clip, make_sentences, modules, of_distilbert, rows_of

import from_environment

PROGRAM = command()
torch.set_num_threads(1)

CLIP = {"model_type": "clip", "projection_dim": 16,
        "text_config": {"vocab_size": 30, "max_position_embeddings": 9, "num_hidden_layers": 2, "hidden_size": 24, "num_attention_heads": 3,
                        "intermediate_size": 40, "eos_token_id": 29},
        "vision_config": {"num_hidden_layers": 2, "hidden_size": 32, "num_attention_heads": 4, "intermediate_size": 48, "patch_size": 8,
                          "image_size": 40}}


# ---- runs -------------------------------------------------------------------------------------------------------


def found(place, made, layout, count, rows, beside, *more):
    """What the command computes of rows, padded to `count` tokens by numbers that must not matter."""
    x = np.full((count, rows.shape[1]), 7.0)
    x[:len(rows)] = rows
    np.save(made / "x.npy", np.ascontiguousarray(x.T[None, :, None] if layout == "channels" else x, np.float16))
    np.save(made / "beside.npy", np.float16(beside[1])[None])
    told = run(PROGRAM, ["run", str(place), "-i", "x=x.npy", "-i", f"{beside[0]}=beside.npy", "-o", "out.npz", "--layout", layout,
                         "--context", str(count), *more], made)
    expect(told.returncode == 0, f"{place.name}, {layout}: {told.stderr}")
    return dict(np.load(made / "out.npz")) if told.returncode == 0 else {}


def near(what, is_found, wanted):
    for name, value in wanted.items():
        expect(name in is_found, f"{what}: no output {name}, but {', '.join(is_found)}")
        if name in is_found:
            like = cosine(is_found[name], value)
            expect(like >= 0.99999, f"{what}, {name}: cosine {like:.6f}")  # found: 0.999996 and more; the other gelu of CLIP: 0.9999
    expect(set(is_found) == set(wanted), f"{what}: the outputs are {', '.join(is_found)}")


# ---- what they compute ------------------------------------------------------------------------------------------------------


def bert_cases():
    """(what it is called, the network, config.json, the names that tensors get, sentences: pooling and modules)."""
    plain = lambda t: t
    yield "bert", Bert(), BERT, lambda t: {"bert." + n.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta"): v
                                           for n, v in t.items()} | {"cls.predictions.bias": np.ones(30, np.float32)}, None
    yield "no pooler", Bert(pooler=False), BERT, plain, None
    yield ("roberta", Bert(types=1, first=2, epsilon=1e-5), {**BERT, "model_type": "roberta", "type_vocab_size": 1, "pad_token_id": 1, "layer_norm_eps": 1e-5},
           lambda t: {"roberta." + n: v for n, v in t.items()}, None)
    yield ("distilbert", Bert(types=0, pooler=False),
           {"model_type": "distilbert", "vocab_size": 30, "n_layers": 2, "dim": 32, "n_heads": 4, "hidden_dim": 48, "max_position_embeddings": 20},
           of_distilbert, None)
    yield "mean", Bert(), BERT, plain, ({"word_embedding_dimension": 32, "pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True,
                                         "pooling_mode_max_tokens": False}, modules(True))
    yield "first", Bert(), BERT, plain, ({"embedding_dimension": 32, "pooling_mode": "cls"}, modules(False))


def compare_bert(made):
    for number, (name, network, config, names, sentences) in enumerate(bert_cases()):
        random = np.random.default_rng([from_environment.seed(), number])
        plain = draw(network, random)
        place = made / name
        folder_of(place, config, names(plain))
        if sentences:
            make_sentences(place, *sentences)
        tokens = random.integers(0, 30, 11)
        types = random.integers(0, 2, 11) if name == "bert" else None
        with torch.no_grad():
            hidden, pooled = network.double()(torch.from_numpy(tokens), None if types is None else torch.from_numpy(types))
        wanted = {"hidden": hidden.numpy()}
        if sentences:
            pooled = hidden.mean(0) if name == "mean" else hidden[0]
            wanted["embedding"] = (pooled / pooled.norm() if name == "mean" else pooled).numpy()
        elif pooled is not None:
            wanted["pooled"] = pooled.numpy()
        outputs = []
        for layout, count in (("rows", 11), ("rows", 16), ("channels", 16)):
            mask = np.where(np.arange(count) < 11, 0, NOT_SEEN)
            is_found = found(place, made, layout, count, rows_of(plain, tokens, network.first, types), ("mask", mask))
            if "hidden" in is_found:
                h = is_found["hidden"]
                is_found["hidden"] = (h[0, :, 0].T if layout == "channels" else h)[:11]
            near(f"{name}, {layout} of {count}", is_found, wanted)
            if "embedding" in is_found and name == "mean":
                length = np.linalg.norm(is_found["embedding"].astype(np.float64))
                expect(abs(length - 1) < 2e-3, f"{name}: the length of the embedding is {length}")
            outputs.append(is_found)
        exact, padded = outputs[:2]
        for each in wanted:
            if each in exact and each in padded:
                far = np.abs(exact[each].astype(np.float64) - padded[each]).max()
                expect(far <= 4e-3 * np.abs(exact[each]).max(), f"{name}: padding changes {each} by {far}")


def compare_clip(made):
    for quick in (True, False):
        random = np.random.default_rng([from_environment.seed(), 20 + quick])
        network = Clip(quick=quick)
        tensors = draw(network, random)
        place = made / f"clip, {'quick ' * quick}gelu"
        config = json.loads(json.dumps(CLIP))
        if not quick:
            config["text_config"]["hidden_act"] = config["vision_config"]["hidden_act"] = "gelu"
            config["text_config"]["eos_token_id"] = 2  # of older files: the largest token ends the text
        folder_of(place, config, {n: v for n, v in tensors.items() if "position_ids" not in n})
        network.double()
        images = random.uniform(-2, 2, (3, 1, 3, 40, 40)).astype(np.float16)
        texts = [[*random.integers(3, 29, count), 29] for count in (3, 8, 5)]
        with torch.no_grad():
            of_images = [network.image(torch.from_numpy(each.astype(np.float64))).numpy() for each in images]
            of_texts = [network.text(torch.tensor(each), len(each) - 1).numpy() for each in texts]
        table = lambda name: tensors[f"text_model.embeddings.{name}_embedding.weight"].astype(np.float64)
        for layout in ("rows", "channels"):
            embedded = []
            for image, wanted in zip(images, of_images):
                np.save(made / "image.npy", image)
                told = run(PROGRAM, ["run", str(place), "--function", "image", "-i", "image=image.npy", "-o", "out.npz", "--layout", layout], made)
                expect(told.returncode == 0, f"clip, image, {layout}: {told.stderr}")
                if told.returncode == 0:
                    is_found = dict(np.load(made / "out.npz"))
                    near(f"clip, image, {layout}", is_found, {"embedding": wanted})
                    embedded.append(is_found["embedding"][0])
            of = []
            for tokens, wanted in zip(texts, of_texts):
                rows = table("token")[tokens] + table("position")[:len(tokens)]
                is_found = found(place, made, layout, 9, rows, ("end", np.eye(9)[len(tokens) - 1]), "--function", "text")
                near(f"clip, text, {layout}", is_found, {"embedding": wanted})
                of.append(is_found["embedding"][0] if is_found else wanted)
            if len(embedded) == 3:  # which picture fits which text best
                likeness, wanted = np.float64(embedded) @ np.float64(of).T, np.array(of_images) @ np.array(of_texts).T
                expect(np.abs(likeness - wanted).max() < 3e-3, f"clip, {layout}: cosines differ by {np.abs(likeness - wanted).max()}")
                gaps = np.diff(np.sort(wanted, axis=None)).min()
                expect(gaps < 0.01 or (np.argsort(likeness, axis=None) == np.argsort(wanted, axis=None)).all(), f"clip, {layout}: another order of likeness")
        told = run(PROGRAM, ["check", str(place), "-t", "h13", "--function", "image"], made)
        expect("left out" not in told.stdout + told.stderr, f"tensors of the other part are told: {told.stdout}{told.stderr}")


# ---- what is wrong ----------------------------------------------------------------------------------------------------------


def refuse(made):
    """What is wrong, and the words that must be said of it."""
    tensors = draw(Bert(), np.random.default_rng(1))
    clip = {n: v for n, v in draw(Clip(), np.random.default_rng(2)).items() if "position_ids" not in n}
    without = lambda of, part: {name: value for name, value in of.items() if part not in name}
    both = {"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": True}
    mean = {"pooling_mode_mean_tokens": True}
    cases = (
        (BERT | {"hidden_act": "gelu_new"}, tensors, None, ["hidden_act", "gelu_new"]),
        (BERT | {"position_embedding_type": "relative_key"}, tensors, None, ["position_embedding_type", "relative_key", "absolute"]),
        (BERT | {"is_decoder": True}, tensors, None, ["is_decoder", "true"]),
        (BERT | {"pruned_heads": {"0": [1]}}, tensors, None, ["pruned_heads"]),
        (BERT | {"quantization_config": {"quant_method": "gptq"}}, tensors, None, ["quantization_config", "gptq"]),
        (BERT | {"num_attention_heads": 5}, tensors, None, ["multiple of the heads"]),
        (BERT | {"model_type": "roberta", "pad_token_id": 30}, tensors, None, ["max_position_embeddings", "20", "31"]),
        (BERT, without(tensors, "layer.1.attention.self.key.weight"), None, ["encoder_layer_1_attention_self_key_weight", "do not have"]),
        (BERT, without(tensors, "pooler.dense.bias"), None, ["pooler_dense_bias", "do not have"]),
        (BERT, without(tensors, "position_embeddings"), None, ["embeddings_position_embeddings_weight", "table"]),
        (BERT | {"vocab_size": 31}, tensors, None, ["word_embeddings", "[30, 32]", "[31, 32]"]),
        (BERT, tensors, (both, modules(True)), ["1_Pooling", "pooling_mode_mean_tokens", "both"]),
        (BERT, tensors, ({**mean, "pooling_mode_max_tokens": True}, modules(True)), ["pooling_mode_max_tokens", "unknown"]),
        (BERT, tensors, ({"pooling_mode": "lasttoken"}, modules(True)), ["pooling_mode", "lasttoken", "mean"]),
        (BERT, tensors, ({**mean, "word_embedding_dimension": 31}, modules(True)), ["word_embedding_dimension", "31", "32"]),
        (BERT, tensors, (mean, modules(True)[:1]), ["no Pooling"]),
        (BERT, tensors, (mean, modules(True) + [{"type": "sentence_transformers.models.Dense", "path": "3_Dense"}]), ["3/type", "Dense"]),
        (BERT, tensors, (mean, modules(True), 21), ["max_seq_length", "21", "20"]),
        (CLIP | {"text_config_dict": {"hidden_size": 25}}, clip, None, ["text_config_dict/hidden_size", "25", "24"]),
        (CLIP | {"vision_config": CLIP["vision_config"] | {"hidden_act": "relu"}}, clip, None, ["vision_config/hidden_act", "relu", "quick_gelu"]),
        (CLIP, without(clip, "visual_projection"), None, ["visual_projection_weight", "do not have"]),
        (CLIP | {"text_config": CLIP["text_config"] | {"eos_token_id": 30}}, clip, None, ["ends a text", "vocabulary"]))
    for number, (config, stored, sentences, words) in enumerate(cases):
        place = made / f"refused {number}"
        folder_of(place, config, stored)
        if sentences:
            make_sentences(place, *sentences)
        more = ["--function", "image"] if config["model_type"] == "clip" else []
        told = run(PROGRAM, ["run", str(place), "-o", "out.npz", *more], made)
        expect(told.returncode == 2 and all(word in told.stderr for word in words), f"case {number}: {told.returncode}, {told.stderr}{told.stdout}")
    for arguments, words in ((["check", "all-MiniLM-L6-v2", "--context", "513"], ["--context", "513", "512"]),
                             (["check", "bert-base-uncased", "--function", "text"], ["--function", "one program"]),
                             (["run", "clip-vit-base-patch32", "-o", "out.npz", "--weights", "zeros"], ["--function", "image and text"]),
                             (["generate", "all-MiniLM-L6-v2", "--tokens", "1,2"], ["all-MiniLM-L6-v2", "language models"])):
        told = run(PROGRAM, arguments, made)
        expect(told.returncode != 0 and all(word in told.stderr for word in words), f"{arguments}: {told.stderr}")


def main():
    with tempfile.TemporaryDirectory() as made:
        compare_bert(pathlib.Path(made))
        compare_clip(pathlib.Path(made))
        refuse(pathlib.Path(made))
        for arguments in (["check", "all-MiniLM-L6-v2", "--layout", "channels", "-t", "macs"], ["cost", "clip-vit-base-patch32", "--function", "text", "-t", "h17s"]):
            told = run(PROGRAM, arguments, made)
            expect(told.returncode == 0, f"{arguments}: {told.stdout}{told.stderr}")
    return verdict()


if __name__ == "__main__":
    sys.exit(main())
