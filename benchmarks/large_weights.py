#!/usr/bin/env python3
"""Seconds and memory of `anemone check` on files of many gigabytes, which it reads piece by piece, and of a configuration alone.

Usage: large_weights.py PROGRAM [--gigabytes 2] [--folder-gigabytes 8] [--place FOLDER]; PROGRAM is an optimised build's
bin/anemone. Needs Debian's python3-numpy; the files take as much room on the disk, below --place or the folder for temporary
files. Prints a table.

Of each format there are two files: random weights, and zeros in a file with a hole, which takes no room."""

import argparse
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "python"))
from _onnx_messages import model, node, port, tensor

SIDE = 4096
QWEN3_4B = {"model_type": "qwen3", "num_hidden_layers": 36, "hidden_size": 2560, "num_attention_heads": 32,
            "num_key_value_heads": 8, "head_dim": 128, "intermediate_size": 9728, "vocab_size": 151936,
            "max_position_embeddings": 40960, "rms_norm_eps": 1e-6, "rope_theta": 1000000, "tie_word_embeddings": True,
            "hidden_act": "silu"}
# A Llama of 19 layers of 405 MB in bf16, and 0.5 GB of embedding and head.
LLAMA = {"model_type": "llama", "num_hidden_layers": 19, "hidden_size": SIDE, "num_attention_heads": 32,
         "num_key_value_heads": 32, "head_dim": 128, "intermediate_size": 11008, "vocab_size": 32000,
         "max_position_embeddings": 4096, "rms_norm_eps": 1e-6, "rope_theta": 10000, "tie_word_embeddings": False,
         "hidden_act": "silu"}

# What a parent has in memory counts among its children's peaks: a small process in between starts the command.
LAUNCHER = """import os, sys, time
quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
start = time.perf_counter()
_, status, usage = os.wait4(os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=quiet), 0)
print(time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status))"""


def measured(*command):
    """Seconds passed, seconds of processors, and the largest resident set in bytes."""
    done = subprocess.run([sys.executable, "-S", "-c", LAUNCHER, *map(str, command)], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{command}: {done.returncode}: {done.stderr}")
    wall, busy, peak = map(float, done.stdout.split())
    return wall, busy, peak * (1 if sys.platform == "darwin" else 1024)


class Block:
    """Random weights of 16 million elements, which files repeat."""

    def __init__(self):
        import numpy
        values = (numpy.random.default_rng(1).standard_normal(SIDE * SIDE, dtype=numpy.float32) / 64).astype(numpy.float32)
        self.f32 = values.tobytes()
        self.f16 = values.astype(numpy.float16).tobytes()
        self.bf16 = (values.view(numpy.uint32) >> 16).astype(numpy.uint16).tobytes()


def fill(file, size, block):
    """So many bytes of a block, or of a hole."""
    if block is None:
        file.truncate(file.tell() + size)
        file.seek(size, os.SEEK_CUR)
        return
    while size > 0:
        size -= file.write(block[:size])


def write_onnx(folder, size, block):
    """A chain of products, each with a matrix of 64 MB in fp32, whose data lie beside the file."""
    folder.mkdir()
    each = 4 * SIDE * SIDE
    count = size // each
    with open(folder / "weights.bin", "wb") as file:
        fill(file, each * count, block and block.f32)
    nodes = [node("MatMul", [f"s{i}", f"w{i}"], [f"s{i + 1}"], f"n{i}") for i in range(count)]
    tensors = [tensor(f"w{i}", [SIDE, SIDE], 1,
                      external={"location": "weights.bin", "offset": str(i * each), "length": str(each)}) for i in range(count)]
    (folder / "model.onnx").write_bytes(model(nodes, tensors, inputs=[port("s0", [1, SIDE])],
                                              outputs=[port(f"s{count}", [1, SIDE])]))
    return folder / "model.onnx", each * count


def write_mil(folder, size, block):
    """The same in fp16, in a blob."""
    folder.mkdir()
    each = 2 * SIDE * SIDE
    count = size // each
    lines, last = [], "x"
    of = f"tensor<fp16, [{SIDE}, {SIDE}]>"
    with open(folder / "weights.bin", "wb") as file:
        file.write(struct.pack("<II", count, 2) + bytes(56))
        for i in range(count):
            at = file.tell()
            file.write(struct.pack("<IIQQQ", 0xDEADBEEF, 1, each, at + 64, 0) + bytes(32))
            fill(file, each, block and block.f16)
            lines += [f'{of} w{i} = const()[name = string("w{i}"), val = {of}(BLOBFILE(path = '
                      f'string("@model_path/weights.bin"), offset = uint64({at})))];',
                      f'tensor<fp16, [1, {SIDE}]> y{i} = matmul(transpose_x = bool(false), transpose_y = bool(false), '
                      f'x = {last}, y = w{i})[name = string("y{i}")];']
            last = f"y{i}"
    body = "\n        ".join(lines)
    (folder / "model.mil").write_text(f"program(1.3)\n{{\n    func main<ios18>(tensor<fp16, [1, {SIDE}]> x) {{\n        {body}\n"
                                      f"    }} -> ({last});\n}}\n")
    return folder / "model.mil", each * count


def write_folder(folder, size, block):
    """A Llama in bf16, in shards of 2 GB at most."""
    folder.mkdir()
    layers = max(1, int((size - 0.52e9) / 0.405e9))
    configuration = LLAMA | {"num_hidden_layers": layers}
    (folder / "config.json").write_text(json.dumps(configuration))
    inner = configuration["intermediate_size"]
    shapes = {"model.embed_tokens.weight": [32000, SIDE], "lm_head.weight": [32000, SIDE], "model.norm.weight": [SIDE]}
    for i in range(layers):
        shapes |= {f"model.layers.{i}.self_attn.{p}_proj.weight": [SIDE, SIDE] for p in "qkvo"}
        shapes |= {f"model.layers.{i}.mlp.{p}_proj.weight": [inner, SIDE] for p in ("gate", "up")}
        shapes |= {f"model.layers.{i}.mlp.down_proj.weight": [SIDE, inner]}
        shapes |= {f"model.layers.{i}.{p}_layernorm.weight": [SIDE] for p in ("input", "post_attention")}
    shards, total = [{}], 0
    for name, shape in shapes.items():
        count = 2 * shape[0] * (shape[1] if len(shape) > 1 else 1)
        if shards[-1] and sum(shards[-1].values()) + count > 2e9:
            shards.append({})
        shards[-1][name] = count
        total += count
    places = {}
    for k, shard in enumerate(shards):
        file_name = f"model-{k + 1:05}-of-{len(shards):05}.safetensors"
        header, at = {}, 0
        for name, count in shard.items():
            header[name] = {"dtype": "BF16", "shape": shapes[name], "data_offsets": [at, at + count]}
            places[name] = file_name
            at += count
        text = json.dumps(header).encode()
        text += b" " * (-len(text) % 8)
        with open(folder / file_name, "wb") as file:
            file.write(struct.pack("<Q", len(text)) + text)
            for count in shard.values():
                fill(file, count, block and block.bf16)
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": places}))
    return folder, total


def rows_of(program, place, gigabytes, folder_gigabytes):
    block = Block()
    forms = [("ONNX, fp32", write_onnx, gigabytes), ("MIL, fp16", write_mil, gigabytes),
             ("safetensors in shards, bf16", write_folder, folder_gigabytes)]
    for name, write, size in forms:
        for kind, of in (("random", block), ("zeros", None)):
            with tempfile.TemporaryDirectory(dir=place) as each:
                path, total = write(pathlib.Path(each) / "model", int(size * 1e9), of)
                yield f"{name}, {kind}", total, measured(program, "check", path, "-t", "macs", "-q")
    with tempfile.TemporaryDirectory(dir=place) as each:
        (pathlib.Path(each) / "config.json").write_text(json.dumps(QWEN3_4B))
        yield "Qwen3-4B, the configuration alone", 0, measured(program, "check", each, "-t", "macs", "-q")


def table(program, place, gigabytes, folder_gigabytes):
    print("| Weights | GB | s | processor s | GB/s of a processor | largest resident set, MB |\n|---|---:|---:|---:|---:|---:|")
    for name, size, (wall, busy, peak) in rows_of(program, place, gigabytes, folder_gigabytes):
        rate = f"{size / busy / 1e9:.1f}" if size else ""
        print(f"| {name} | {size / 1e9:.1f} | {wall:.1f} | {busy:.1f} | {rate} | {peak / 1e6:.0f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--gigabytes", type=float, default=2)
    parser.add_argument("--folder-gigabytes", type=float, default=8)
    parser.add_argument("--place", type=pathlib.Path, default=None)
    given = parser.parse_args()
    table(given.program.resolve(), given.place, given.gigabytes, given.folder_gigabytes)


if __name__ == "__main__":
    main()
