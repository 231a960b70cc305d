"""The types of GGUF files, decoded by `anemone run --weights FILE.gguf` and by NumPy, and files that are none.

Usage: gguf.py [PROGRAM]; PROGRAM is the command of ANEMONE_BUILD_DIR where none is given."""

import pathlib
import sys
import tempfile

from _harness import command, expect, run, skip, verdict

try:
    import numpy as np
except ImportError as missing:
    skip(f"{missing} (Debian package python3-numpy)")

from _gguf import TYPES, decoded, random_blocks, written

draw = np.random.default_rng(20261127)


def model(folder, shape):
    """A program that adds a weight to zeros; the file of the weight is not there."""
    of = f"tensor<fp16, [{', '.join(map(str, shape))}]>"
    (folder / "weight.mil").write_text(
        f"program(1.3)\n{{\n    func main<ios18>({of} x) {{\n"
        f'        {of} w = const()[name = string("w"), val = {of}(BLOBFILE(path = string("@model_path/none.bin"), offset = uint64(64)))];\n'
        f'        {of} y = add(x = x, y = w)[name = string("y")];\n    }} -> (y);\n}}\n')
    np.savez(folder / "zeros.npz", x=np.zeros(shape, np.float16))


def types(program, folder):
    count = 0
    for kind, (_, elements, _) in TYPES.items():
        for shape in ((max(elements, 8),), (3, 2 * elements + (5 if elements == 1 else 0)), (2, 1, 3, elements * 2), (96, 1024)):
            data = random_blocks(draw, kind, int(np.prod(shape)))
            (folder / "w.gguf").write_bytes(written([("general.architecture", "text", "llama")], [("w", shape, kind, data)]))
            model(folder, shape)
            done = run(program, ["run", "weight.mil", "--weights", "w.gguf", "-i", "zeros.npz", "-o", "y.npz"], folder)
            expect(done.returncode == 0, f"{kind} {shape}: {done.stderr}")
            if done.returncode == 0:
                with np.load(folder / "y.npz") as outputs:
                    wanted = decoded(kind, data, shape).astype(np.float16)
                    expect(np.array_equal(outputs["y"].astype(np.float16), wanted), f"{kind} {shape}: other values than NumPy's")
            count += 1
    return count


def refused(program, folder):
    model(folder, (32,))
    good = written([], [("w", (32,), "F16", bytes(64))])
    for name, data, words in (("short", good[:-1], "tensor w has 64 bytes from offset 0 on"), ("other", b"GGML" + good[4:], "does not begin with GGUF"),
                              ("shape", written([], [("w", (16,), "F16", bytes(32))]), "is [16] in shape.gguf, the model has [32]"),
                              ("large", written([], [("w", (32,), "F32", np.full(32, 1e6, np.float32).tobytes())]), "w: element 0 is")):
        (folder / f"{name}.gguf").write_bytes(data)
        done = run(program, ["run", "weight.mil", "--weights", f"{name}.gguf", "-i", "zeros.npz", "-o", "y.npz"], folder)
        expect(done.returncode == 2 and words in done.stderr, f"{name}: {done.returncode} {done.stderr}")


def main():
    program = command()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        count = types(program, folder)
        refused(program, folder)
    return verdict(f"{count} tensors")


if __name__ == "__main__":
    sys.exit(main())
