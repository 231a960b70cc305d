"""Language models in GGUF files, run by `anemone run` and by NumPy in double precision as ggml computes them: Llama's queries and
keys turned in pairs of neighbours, with the weights as they are stored; Qwen's in halves. Then what other commands say of them.

Usage: gguf_models.py [PROGRAM]; PROGRAM is the command of ANEMONE_BUILD_DIR where none is given."""

import json
import pathlib
import sys
import tempfile

from _harness import command, expect, run, skip, verdict

try:
    import numpy as np
except ImportError as missing:
    skip(f"{missing} (Debian package python3-numpy)")

from _gguf import decoded, random_blocks, written

draw = np.random.default_rng(20261127)
WIDTH, HEADS, KEPT, HEAD, INNER, WORDS, LAYERS = 256, 4, 2, 64, 512, 96, 2
POSITIONS, CAPACITY, BASE, EPSILON = 5, 8, 10000.0, 1e-5


class Model:
    """A file of random tensors, and their values."""

    def __init__(self, architecture, kind):
        self.architecture, self.values, self.tensors = architecture, {}, []
        self.put("token_embd.weight", (WORDS, WIDTH), "F16")
        self.norm("output_norm.weight")
        if architecture == "llama":
            self.put("output.weight", (WORDS, WIDTH), kind)
        for layer in range(LAYERS):
            at = f"blk.{layer}."
            self.norm(at + "attn_norm.weight")
            self.norm(at + "ffn_norm.weight")
            for name, out, of in (("attn_q", HEADS * HEAD, WIDTH), ("attn_k", KEPT * HEAD, WIDTH), ("attn_v", KEPT * HEAD, WIDTH),
                                  ("attn_output", WIDTH, HEADS * HEAD), ("ffn_gate", INNER, WIDTH), ("ffn_up", INNER, WIDTH),
                                  ("ffn_down", WIDTH, INNER)):
                self.put(at + name + ".weight", (out, of), kind)
                if architecture == "qwen2" and name in ("attn_q", "attn_k", "attn_v"):
                    self.keep(at + name + ".bias", (out,), "F32", draw.normal(size=out).astype(np.float32).tobytes())

    def keep(self, name, shape, kind, data):
        self.tensors.append((name, shape, kind, data))
        self.values[name] = decoded(kind, data, shape).astype(np.float16).astype(np.float64)

    def norm(self, name):
        self.keep(name, (WIDTH,), "F32", draw.uniform(0.5, 1.5, WIDTH).astype(np.float16).astype(np.float32).tobytes())

    def put(self, name, shape, kind):
        power = {"Q4_0": -7, "Q8_0": -11, "Q4_K": -13, "Q6_K": -16}.get(kind, 0)
        data = random_blocks(draw, kind, int(np.prod(shape)), (power, power + 1))
        if kind in ("F16", "BF16", "F32"):
            values = (decoded(kind, data, shape) / 16).astype(np.float32)
            data = {"F16": lambda: values.astype(np.float16), "F32": lambda: values,
                    "BF16": lambda: (values.view(np.uint32) >> 16).astype(np.uint16)}[kind]().tobytes()
        self.keep(name, shape, kind, data)

    def write(self, path):
        of = self.architecture + "."
        path.write_bytes(written([("general.architecture", "text", self.architecture), (of + "block_count", "u32", LAYERS),
                                  (of + "context_length", "u32", 64), (of + "embedding_length", "u32", WIDTH),
                                  (of + "feed_forward_length", "u32", INNER), (of + "attention.head_count", "u32", HEADS),
                                  (of + "attention.head_count_kv", "u32", KEPT), (of + "rope.freq_base", "f32", BASE),
                                  (of + "attention.layer_norm_rms_epsilon", "f32", EPSILON)], self.tensors))

    def rotated(self, x):
        """[heads, positions, width of a head]"""
        angles = np.arange(x.shape[1])[:, None] * BASE**(-np.arange(HEAD // 2) * 2 / HEAD)
        cosines, sines = np.cos(angles), np.sin(angles)
        first, second = (x[..., 0::2], x[..., 1::2]) if self.architecture == "llama" else (x[..., :HEAD // 2], x[..., HEAD // 2:])
        turned = first * cosines - second * sines, second * cosines + first * sines
        return np.stack(turned, -1).reshape(x.shape) if self.architecture == "llama" else np.concatenate(turned, -1)

    def logits(self, tokens):
        v = self.values

        def normed(x, name):
            return x / np.sqrt((x * x).mean(-1, keepdims=True) + EPSILON) * v[name]

        x = v["token_embd.weight"][tokens]
        count = len(tokens)
        mask = np.triu(np.full((count, count), -np.inf), 1)
        for layer in range(LAYERS):
            at = f"blk.{layer}."
            n = normed(x, at + "attn_norm.weight")
            q, k, w = (n @ v[at + part + ".weight"].T + v.get(at + part + ".bias", 0) for part in ("attn_q", "attn_k", "attn_v"))
            q, k, w = (each.reshape(count, -1, HEAD).swapaxes(0, 1) for each in (q, k, w))
            q, k, w = self.rotated(q), np.repeat(self.rotated(k), HEADS // KEPT, 0), np.repeat(w, HEADS // KEPT, 0)
            scores = q @ k.swapaxes(1, 2) / np.sqrt(HEAD) + mask
            weights = np.exp(scores - scores.max(-1, keepdims=True))
            mixed = weights / weights.sum(-1, keepdims=True) @ w
            x = x + mixed.swapaxes(0, 1).reshape(count, -1) @ v[at + "attn_output.weight"].T
            n = normed(x, at + "ffn_norm.weight")
            gate = n @ v[at + "ffn_gate.weight"].T
            x = x + gate / (1 + np.exp(-gate)) * (n @ v[at + "ffn_up.weight"].T) @ v[at + "ffn_down.weight"].T
        return normed(x, "output_norm.weight") @ v.get("output.weight", v["token_embd.weight"]).T


def inputs(model, tokens):
    """What the host makes: rows of the embedding, tables, the mask of empty caches."""
    angles = np.arange(POSITIONS)[:, None] * BASE**(-np.arange(HEAD // 2) * 2 / HEAD)
    mask = np.full((POSITIONS, CAPACITY + POSITIONS), -40000.0)
    mask[:, CAPACITY:] = np.triu(np.full((POSITIONS, POSITIONS), -40000.0), 1)
    given = {"x": model.values["token_embd.weight"][tokens], "cosines": np.tile(np.cos(angles), 2), "sines": np.tile(np.sin(angles), 2),
             "mask": mask}
    for layer in range(LAYERS):
        given[f"keys_{layer}"] = np.zeros((KEPT, HEAD, CAPACITY))
        given[f"values_{layer}"] = np.zeros((KEPT, CAPACITY, HEAD))
    return {name: value.astype(np.float16) for name, value in given.items()}


def main():
    program = command()
    form = ["--context", str(CAPACITY), "--chunk", str(POSITIONS)]
    count = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for architecture, kind in (("llama", "F16"), ("llama", "Q8_0"), ("llama", "Q4_K"), ("llama", "BF16"), ("qwen2", "Q6_K"), ("qwen2", "Q4_0")):
            model = Model(architecture, kind)
            model.write(folder / "model.gguf")
            tokens = draw.integers(0, WORDS, POSITIONS)
            np.savez(folder / "inputs.npz", **inputs(model, tokens))
            done = run(program, ["run", "model.gguf", *form, "-i", "inputs.npz", "-o", "outputs.npz"], folder)
            expect(done.returncode == 0, f"{architecture} {kind}: {done.stderr}")
            if done.returncode == 0:
                with np.load(folder / "outputs.npz") as outputs:
                    got, wanted = outputs["logits"].astype(np.float64), model.logits(tokens)
                cosine = (got * wanted).sum() / np.linalg.norm(got) / np.linalg.norm(wanted)
                expect(got.shape == wanted.shape and cosine >= 0.9999, f"{architecture} {kind}: cosine {cosine}")
            count += 1
        done = run(program, ["cost", "model.gguf", "-t", "h13,h17s", "--json"], folder)
        expect(done.returncode == 0, f"cost: {done.stderr}")
        if done.returncode == 0:
            for each in json.loads(done.stdout):
                of = each["decode"]
                expect(of["target"] == each["target"] and of["token_seconds"]["at_least"] < of["token_seconds"]["typical"], f"cost: {of}")
                expect(of["capacity"] == of["context"] + 256 and of["programs"] == 1, f"cost: {of}")
                expect(of["cache_bytes"] == 2 * 2 * LAYERS * KEPT * HEAD * of["capacity"], f"cost: {of}")
        done = run(program, ["cost", "model.gguf", "-t", "h13"], folder)
        for words in ("qwen2: layers 2, width 256", "tokens/s", "never run on Apple silicon", "to change the first"):
            expect(words in done.stdout, f"cost says nothing of '{words}': {done.stdout} {done.stderr}")
        done = run(program, ["check", "model.gguf", *form, "-t", "h15"], folder)
        expect(done.returncode in (0, 1), f"check: {done.returncode} {done.stderr}")
    return verdict(f"{count} models")


if __name__ == "__main__":
    sys.exit(main())
