"""`anemone convert` and back: each model file of tests/ and examples/ becomes MIL text, an ML package and a netplist; the
command runs both and `anemone diff` compares them, in both directions. On an engine's arithmetic they have the same bits; on
the CPU too, or `diff` says that they differ by roundings alone. What `diff` calls the same, `run` gives the same arrays of.

Usage: round_trips.py [PROGRAM]; PROGRAM is the command of ANEMONE_BUILD_DIR where none is given."""

import concurrent.futures
import pathlib
import sys
import tempfile

from _harness import ROOT, command, expect, run, skip, verdict
from _onnx_messages import model, node, port

try:
    import numpy as np
except ImportError as missing:
    skip(f"{missing} (Debian package python3-numpy)")

FORMATS = ("mil", "mlpackage", "netplist")
TOO_LARGE = {"tests/c/huge.mil"}  # its values take 800 TB
SAME = "the outputs are the same"
ROUNDED = "by roundings alone"


def files():
    found = [p for folder in ("tests", "examples") for kind in ("onnx", "mil", "plist") for p in (ROOT / folder).rglob(f"*.{kind}")]
    return [p for p in sorted(found) if "fuzz" not in p.parts and str(p.relative_to(ROOT)) not in TOO_LARGE]


def arrays(program, model, folder, name):
    """What a run on random numbers gives: without extents of 1, which formats add; empty where it does not run."""
    done = run(program, ["run", model, "--seed", "7", "-o", folder / name], folder)
    if done.returncode != 0:
        return []
    with np.load(folder / name) as outputs:
        return [np.squeeze(outputs[key]) for key in outputs.files]


def round_trip(program, path, folder):
    """How many conversions were compared, and how many differ by roundings."""
    compared = rounded = 0
    first = arrays(program, path, folder, "first.npz")
    for kind in FORMATS:
        made = folder / kind
        if run(program, ["convert", path, "--to", kind, "-o", made], folder).returncode != 0:
            continue
        what = f"{path.relative_to(ROOT)} as {kind}"
        compared += 1
        for pair in ((path, made), (made, path)):
            done = run(program, ["diff", *pair, "--seed", "7"], folder)
            same = done.returncode == 0 and SAME in done.stdout
            expect(same or (done.returncode == 1 and ROUNDED in done.stdout), f"{what}: {done.stdout[-400:]}{done.stderr}")
            if not same:
                engine = run(program, ["diff", *pair, "--seed", "7", "--reference", "h13"], folder)
                expect(engine.returncode == 0 and SAME in engine.stdout, f"{what}, h13: {engine.stdout[-400:]}{engine.stderr}")
        rounded += not same
        same_numbers = "uint8" not in done.stdout and "int8" not in done.stdout and "is a state of" not in done.stdout
        if same and same_numbers and first:  # random numbers follow from the names and types of ports
            second = arrays(program, made, folder, "second.npz")
            alike = len(first) == len(second) and all(np.array_equal(a, b, equal_nan=True) for a, b in zip(first, second))
            expect(alike, f"{what}: diff says the same, the arrays are not")
    return compared, rounded


def program_of(inputs, body, outputs):
    return f"program(1.3)\n{{\n func main<ios18>({inputs}) {{\n{body}\n }} -> ({outputs});\n}}\n"


def ports(program, folder):
    """Ports that formats write in other ways, and models that are not the same."""
    x = "tensor<fp16, [4]> x"
    models = {
        "plain": program_of(x, ' tensor<fp16, [4]> y = mul(x = x, y = fp16(2))[name = string("y")];', "y"),
        "other": program_of(x, ' tensor<fp16, [4]> y = mul(x = x, y = fp16(3))[name = string("y")];', "y"),
        "two": program_of(x, ' tensor<fp16, [4]> y = mul(x = x, y = fp16(2))[name = string("y")];\n'
                             ' tensor<fp16, [4]> z = mul(x = x, y = fp16(2))[name = string("z")];', "y, z"),
        "ones": program_of("tensor<fp16, [1, 4, 1]> x",
                           ' tensor<fp16, [1, 4, 1]> y = mul(x = x, y = fp16(2))[name = string("y")];', "y"),
        "turned": program_of("tensor<fp16, [2, 2]> x",
                             ' tensor<fp16, [2, 2]> y = mul(x = x, y = fp16(2))[name = string("y")];', "y"),
    }
    for name, text in models.items():
        (folder / f"{name}.mil").write_text(text)

    def compared(first, second, code, words):
        done = run(program, ["diff", f"{first}.mil", f"{second}.mil"], folder)
        expect(done.returncode == code and words in done.stdout + done.stderr, f"{first} and {second}: {done}")

    compared("plain", "ones", 0, "x is fp16 [4] in the first and fp16 [1, 4, 1] in the second")
    compared("ones", "plain", 0, SAME)
    compared("plain", "other", 1, "the outputs differ\n")
    compared("plain", "two", 1, "the outputs differ: 1 in the first, 2 in the second")
    compared("plain", "turned", 2, "x: is fp16 [4] in the first model and fp16 [2, 2] in the second")
    counter = ROOT / "tests" / "c" / "counter.mil"
    fine = run(program, ["convert", counter, "--to", "mil", "-o", "counter"], folder)
    expect(fine.returncode == 0, f"counter: {fine}")
    for pair, words in (((counter, "counter"), "sum is a state of the first and an input of the second"),
                        (("counter", counter), "sum is a state of the second and an input of the first")):
        done = run(program, ["diff", *pair, "--seed", "7"], folder)
        expect(done.returncode == 0 and words in done.stdout, f"counter: {done}")
    np.savez(folder / "ones.npz", x=np.ones((1, 3), np.float16), sum=np.ones((1, 3), np.float16))
    done = run(program, ["diff", "counter", counter, "-i", "ones.npz"], folder)
    expect(done.returncode == 2 and "only zeros compare them" in done.stderr, f"counter from ones: {done}")


def free_shapes(program, folder):
    """An ONNX file that leaves its shapes free is compared with its conversions as these have them; with `--shape` as told."""
    (folder / "free.onnx").write_bytes(model([node("Relu", ["x"], ["h"], "h"), node("Add", ["h", "h"], ["y"], "y")],
                                             inputs=[port("x", ["n", 4], 10)], outputs=[port("y", ["n", 4], 10)]))
    for kind in FORMATS:
        done = run(program, ["convert", "free.onnx", "--shape", "x=3,4", "--to", kind, "-o", f"free_{kind}"], folder)
        if "built without ONNX" in done.stderr:
            return
        expect(done.returncode == 0, f"free as {kind}: {done.stderr}")
        for pair in (("free.onnx", f"free_{kind}"), (f"free_{kind}", "free.onnx")):
            same = run(program, ["diff", *pair], folder)
            expect(same.returncode == 0 and SAME in same.stdout, f"{pair}: {same.stdout}{same.stderr}")
    told = run(program, ["diff", "free.onnx", "free.onnx"], folder)
    expect(told.returncode == 2 and "leaves the extent of axis 0 free" in told.stderr, f"both free: {told}")
    other = run(program, ["diff", "free.onnx", "free_mil", "--shape", "x=2,4"], folder)
    expect(other.returncode == 2, f"another shape: {other}")


def main():
    program = command()
    everything = files()
    expect(len(everything) > 30, f"only {len(everything)} files")
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(2) as pool:
        folders = []
        for number in range(len(everything)):
            folders.append(pathlib.Path(name, str(number)))
            folders[-1].mkdir()
        counts = list(pool.map(lambda pair: round_trip(program, *pair), zip(everything, folders)))
        compared, rounded = (sum(each) for each in zip(*counts))
        expect(compared > 60, f"only {compared} conversions were compared")
        own = pathlib.Path(name, "ports")
        own.mkdir()
        ports(program, own)
        free_shapes(program, own)
    return verdict(f"{len(everything)} files", f"{compared} conversions", f"{rounded} of them differ by roundings on the CPU")


if __name__ == "__main__":
    sys.exit(main())
