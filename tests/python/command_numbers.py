"""Numbers that fp16 does not hold, in files and in arrays, through every subcommand that reads them."""

import json
import math
import pathlib
import struct
import sys
import tempfile

import _harness
from _arrays import npy, npz
from _harness import ROOT, command, expect, verdict

GATHERED = ROOT / "tests" / "readers" / "cases" / "gather_ids.mil"


def floats(values, shape=None):
    return npy("<f4", shape or (len(values),), struct.pack(f"<{len(values)}f", *values))


def longs(values):
    return npy("<i8", (len(values),), struct.pack(f"<{len(values)}q", *values))


def halves(values, shape=None):
    return npy("<f2", shape or (len(values),), struct.pack(f"<{len(values)}e", *values))


def numbers_in(data):
    """The elements of a .npy file of fp16."""
    return [each[0] for each in struct.iter_unpack("<e", data[10 + int.from_bytes(data[8:10], "little"):])]


class Command:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def __call__(self, *arguments, code=0, words=()):
        done = _harness.run(self.program, [str(each) for each in arguments], self.folder)
        told = done.stdout + done.stderr
        expect(code in (None, done.returncode) and all(each in told for each in words), f"{arguments}: {done}, wanted {code}, {words}")
        return told

    def write(self, name, data):
        (self.folder / name).write_bytes(data.encode() if isinstance(data, str) else data)
        return name

    def output(self, *arguments):
        self("run", *arguments, "-o", "out.npy")
        return numbers_in((self.folder / "out.npy").read_bytes())


# ---- indices ------------------------------------------------------------------------------------------------------------

# Rows of a table by ids of fp16, which a file of an older exporter has: nothing says that they are integers but `gather`.
BY_FLOATS = """program(1.3)
{
 func main<ios17>(tensor<fp16, [1, 4096]> table, tensor<fp16, [1, 2]> ids, tensor<fp16, [2]> bias) {
  tensor<fp16, [2]> flat = reshape(x = ids, shape = [2])[name = string("flat")];
  tensor<fp16, [2]> moved = add(x = flat, y = fp16(0x1p+0))[name = string("moved")];
  tensor<int32, [2]> places = cast(x = moved, dtype = string("int32"))[name = string("places")];
  tensor<fp16, [1, 2]> rows = gather(x = table, indices = places, axis = 1)[name = string("rows")];
  tensor<fp16, [1, 2]> y = add(x = rows, y = bias)[name = string("y")];
 } -> (y);
}
"""


def integers(run):
    for value in (2049, 30001, 50256, -2051, 70000):
        for file in (run.write("ids.npy", longs([1, 2, value, 4])), run.write("ids32.npy", floats([1, 2, value, 4]))):
            words = (f"x: element 2 of 'x' is {value}: an integer that fp16 cannot hold exactly", "2048")
            run("run", GATHERED, "-i", f"x={file}", code=2, words=words)
            run("run", GATHERED, "-b", "oracle:h13", "-i", f"x={file}", code=2, words=words)
        run.write("ids.npz", npz({"x": longs([1, 2, value, 4])}))
        run("diff", GATHERED, "-i", "ids.npz", code=2, words=words)
        run("diff", GATHERED, "--reference", "f64", "--data", "ids.npz", code=2, words=words)
    exact = run.write("exact.npy", longs([2048, 2050, 0, 30016]))
    expect(run.output(GATHERED, "-i", f"x={exact}") == [2048, 30016], "integers that fp16 has")

    # Halves: 2048 is also what 2049 is rounded to, and 4096 what 4097 is.
    for value in (2048, 4096, -2050, 65504):
        run.write("ids.npy", halves([1, 2, value, 4]))
        words = (f"x: element 2 of 'x' is {value} in fp16, which is also what an integer beside it is rounded to", "float32")
        run("run", GATHERED, "-i", "x=ids.npy", code=2, words=words)
        run.write("ids.npz", npz({"x": halves([1, 2, value, 4])}))
        run("diff", GATHERED, "-i", "ids.npz", code=2, words=words)
    expect(run.output(GATHERED, "-i", f"x={run.write('few.npy', halves([2047, 0, 1, -2047]))}") == [2047, -2047], "halves that are told apart")

    run.write("floats.mil", BY_FLOATS)
    run.write("table.npy", floats([i % 512 for i in range(4096)], (1, 4096)))
    run.write("bias.npy", floats([2049, 0.1]))  # no index: rounded as any number is
    run.write("near.npy", floats([2047, 2], (1, 2)))
    run.write("far.npy", floats([2, 2049], (1, 2)))
    others = ("floats.mil", "-i", "table=table.npy", "-i", "bias=bias.npy", "-i")
    expect(len(run.output(*others, "ids=near.npy")) == 2, "indices that fp16 has")
    run.write("halves.npy", halves([2, 2050], (1, 2)))
    run("run", *others, "ids=halves.npy", code=2, words=("ids: element 1 of 'ids' is 2050 in fp16",))
    run.write("bias.npy", halves([4096, 0.1]))  # no index
    expect(len(run.output(*others, "ids=near.npy")) == 2, "halves that are no indices")
    run("run", *others, "ids=far.npy", code=2, words=("ids: element 1 of 'ids' is 2049: an integer that fp16",))


def integers_inside(run):
    """An index that the model itself computes beyond 2048: 2000 + 1001 is 3000 in fp16, and the row beside it another."""
    run.write("far.mil", BY_FLOATS.replace("fp16(0x1p+0)", "fp16(0x1.f48p+9)"))
    rows = {"table": floats([100 if i % 2 else -100 for i in range(4096)], (1, 4096)), "bias": floats([0, 0]),
            "ids": floats([2000, 2], (1, 2))}
    run.write("far.npz", npz(rows))
    wide = ("diff", "far.mil", "--reference", "f64", "--data", "far.npz")
    run(*wide, code=1, words=('first layer beyond the bound: gather "rows"',
                              "integer: it reads whole numbers above 2048, of which fp16 does not have every one"))
    causes = {layer["name"]: layer["cause"] for layer in json.loads(run(*wide, "--json", code=1))["layers"]}
    expect(causes['gather "rows"'] == "integer" and causes['add "y"'] == "inherited" and causes['add "moved"'] is None, causes)
    run.write("near.npz", npz({**rows, "ids": floats([999, 2], (1, 2))}))  # 999 + 1001 is a number of fp16
    run(*wide[:-1], "near.npz", words=("no layer is beyond the bound",))


# ---- masks --------------------------------------------------------------------------------------------------------------

MASKED = ROOT / "tests" / "onnx" / "cases" / "mask_lowest.onnx"
NOTE = "masks before a softmax that are beyond fp16, such as -3.40282e+38, are -30000 here"


def masks(run):
    """A mask of the least float, multiplied by what is masked and added to scores: every subcommand takes it, and says so."""
    if run("check", MASKED, "-q", code=None).find("built without ONNX") >= 0:
        return
    for more in (["check"], ["run"], ["run", "-b", "oracle:h13"], ["diff"], ["diff", "--reference", "f64"],
                 ["bench", "--seconds", "0.01", "--no-limits"], ["compress", "-t", "h13", "--random-runs", "2"],
                 ["optimize", "-t", "h13"], ["optimize", "-t", "h13", "--prove"], ["placement"], ["timeline"], ["cost"],
                 ["draw", "-o", "drawing.svg"], ["convert", "--to", "mil", "-o", "masked"],
                 ["convert", "--to", "netplist", "-o", "units"], ["convert", "--to", "mlpackage", "-o", "masked.mlpackage"],
                 ["convert", "--to", "cpp", "-o", "masked.hpp"]):
        told = run(more[0], MASKED, *more[1:], words=(NOTE,), code=None if more[0] == "diff" else 0)
        expect(told.count(NOTE) == 1 and "error:" not in told and "saturates" not in told, f"{more}: {told}")
    x = [((5 * i) % 7 - 3) / 4 for i in range(48)]
    run.write("x.npy", floats(x, (1, 6, 8)))
    run.write("kept.npy", floats([1, 1, 1, 1, 0, 0], (1, 1, 6)))
    ports = ("-i", "x=x.npy", "-i", "mask=kept.npy")
    rows = run.output(MASKED, *ports)
    expect(len(rows) == 36, f"{rows}")
    for row in (rows[i:i + 6] for i in range(0, 36, 6)):
        expect(row[4:] == [0, 0] and abs(sum(row) - 1) < 0.005 and min(row[:4]) > 0, f"a row of {row}")
    for file in ("masked", "units", "masked.mlpackage"): # which have the finite mask, and nothing to remark
        run("run", file, *ports, "-o", "again.npy")
        again = numbers_in((run.folder / "again.npy").read_bytes())
        expect(all(abs(a - b) < 0.002 for a, b in zip(again, rows)), f"{file}: {again}, {rows}")


# ---- batch norms --------------------------------------------------------------------------------------------------------

VARIED = ROOT / "tests" / "onnx" / "cases" / "bn_big_variance.onnx"
TOO_LARGE = """program(1.3)
{
 func main<ios17>(tensor<fp16, [1, 2]> x) {
  tensor<fp16, [1, 2]> y = mul(x = x, y = tensor<fp32, [2]>([0x1p+0, 0x1p+20]))[name = string("y")];
 } -> (y);
}
"""


def batch_norms(run):
    """A variance of 1e7 is infinite in fp16, its reciprocal root is not."""
    if run("check", VARIED, "-q", code=None).find("built without ONNX") >= 0:
        return
    x = [((i * 37) % 64 - 32) * 50.0 for i in range(256)]
    run.write("image.npy", floats(x, (1, 4, 8, 8)))
    wanted = [v / (d + 1e-5) ** 0.5 for v, d in zip(x, [d for d in (1, 4, 1e7, 1) for _ in range(64)])]
    for backend in ("cpu", "oracle:h13", "oracle:h16"):
        found = run.output(VARIED, "-i", "x=image.npy", "-b", backend)
        expect(all(abs(a - b) <= 0.002 * abs(b) for a, b in zip(found, wanted)), f"{backend}: {found}")
    run("check", VARIED, "-t", "h13", words=("a factor and an offset for each channel", "accepted"))
    run("diff", VARIED, "--reference", "f64", words=("no layer is beyond the bound",))
    for more in (["bench", "--seconds", "0.01", "--no-limits"], ["convert", "--to", "mil", "-o", "varied"]):
        run(more[0], VARIED, *more[1:])


def others(run):
    """What is neither is refused with its node, its number and a way out: by `check` too, whose figures are with 65504."""
    run.write("large.mil", TOO_LARGE)
    run("run", "large.mil", code=2, words=("large.mil:4:", "y (mul): element 1 of a constant is 1048576", "65504", "scale"))
    run("check", "large.mil", "-t", "h13", code=1,
        words=("constants beyond fp16 are read as the largest finite number, 65504", "refused",
               "error: large.mil:4: y (mul): element 1 of a constant is 1048576", "65504", "scale", "file.number"))
    run.write("small.mil", TOO_LARGE.replace("0x1p+20", "0x1p-40"))
    run("check", "small.mil", "-t", "h13", words=("1 of its numbers are zero in fp16, which ends at 6e-8", "accepted"))


def free_shapes(run):
    """Sentences of the ONNX reader name options of the command, and no members of the library's structures."""
    def text(number, data):
        return bytes([number << 3 | 2, len(data)]) + data

    def port(name):
        extents = text(1, text(2, b"n"))  # one, by its name alone
        return text(1, name) + text(2, text(1, b"\x08\x01" + text(2, extents)))

    graph = text(1, text(1, b"x") + text(2, b"y") + text(4, b"Relu")) + text(11, port(b"x")) + text(12, port(b"y"))
    run.write("free.onnx", b"\x08\x08" + text(7, graph) + text(8, b"\x10\x11"))
    told = run("check", "free.onnx", code=None)
    if "built without ONNX" not in told:
        expect("leaves the extent of axis 0 free" in told and "--shape" in told and "::" not in told, told)


# ---- samples of 16 bits --------------------------------------------------------------------------------------------------

def front_end(scale, least):
    """The logarithm of the power of 16 bands in 64 samples, at least `least`: what stands before a detector of words."""
    basis = ", ".join(f"{math.cos(math.pi * (i + 0.5) * (k + 1) / 64):.4f}" for i in range(64) for k in range(16))
    statements = [
        f'tensor<fp16, [1, 64]> scaled = mul(x = x, y = fp16({scale!r}))[name = string("scaled")];' if scale else "",
        f'tensor<fp16, [64, 16]> basis = const()[name = string("basis"), val = tensor<fp16, [64, 16]>([{basis}])];',
        'bool no = const()[name = string("no"), val = bool(false)];',
        f'tensor<fp16, [1, 16]> bands = matmul(x = {"scaled" if scale else "x"}, y = basis, transpose_x = no, transpose_y = no)'
        '[name = string("bands")];',
        'tensor<fp16, [1, 16]> power = mul(x = bands, y = bands)[name = string("power")];',
        f'tensor<fp16, [1, 16]> floor = maximum(x = power, y = fp16({least!r}))[name = string("floor")];',
        'fp16 epsilon = const()[name = string("epsilon"), val = fp16(0)];',
        'tensor<fp16, [1, 16]> y = log(x = floor, epsilon = epsilon)[name = string("y")];']
    return "program(1.3)\n{\n func main<ios17>(tensor<fp16, [1, 64]> x) {\n" + "\n".join(statements) + "\n } -> (y);\n}\n"


def samples(run):
    """Powers of samples of 16 bits leave fp16; what `check` says helps, and the changed model is accepted and right."""
    x = [round(12000 * math.sin(2 * math.pi * 5 * i / 64)) + i * 7919 % 4001 - 2000 for i in range(64)]
    run.write("samples.npy", floats(x, (1, 64)))
    promised = ["--targets", "h13", "-r", "x=-32768,32767"]
    run("check", run.write("pcm.mil", front_end(None, 1e-10)), *promised, code=1,
        words=['matmul "bands"', "they become infinite", "scale the input or the weights by a power of two and the result back",
               'log "y"', "clamp the operand"])
    # Sums of 64 samples within a quarter: their squares fit. The logarithm of 2^34 goes back on the host.
    run("check", run.write("scaled.mil", front_end(2**-17, 1e-7)), *promised, words=["accepted"])
    y = run.output("scaled.mil", "-i", "x=samples.npy")
    for k in range(16):
        band = sum(x[i] * round(math.cos(math.pi * (i + 0.5) * (k + 1) / 64), 4) for i in range(64)) * 2**-17
        wanted = math.log(max(band * band, 1e-7))
        expect(abs(y[k] - wanted) < (0.05 if wanted > -10 else 0.5), f"band {k}: {y[k]}, wanted {wanted}")


def main():
    program = command()
    with tempfile.TemporaryDirectory() as folder:
        run = Command(program, pathlib.Path(folder))
        integers(run)
        integers_inside(run)
        masks(run)
        batch_norms(run)
        others(run)
        free_shapes(run)
        samples(run)
    return verdict()


if __name__ == "__main__":
    sys.exit(main())
