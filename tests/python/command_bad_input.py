"""Bad input of the command `anemone`: hostile, huge and wrong files, and outputs that cannot be written.

Each is refused in one line on standard error (`error: file: what`), with exit code 2, within seconds and within memory that
RLIMIT_AS holds down, without a byte of control that a terminal would act on, and nothing is written. ONNX files are made
here, byte by byte (https://protobuf.dev/programming-guides/encoding)."""

import io
import os
import pathlib
import resource
import struct
import subprocess
import sys
import tempfile
import zipfile

from _arrays import npy
from _harness import PATIENCE, ROOT, command, expect, skip, verdict
from _onnx_messages import field, integers, model, node, port, tensor, varint

MB = 1 << 20


RELU = node("Relu", ["x"], ["y"])
HUGE = 1 << 40


def broken_onnx():
    """Name: bytes, and words of the sentence."""
    def computes(operator, weights, names):
        return model([node(operator, names, ["c"]), node("Relu", ["x"], ["y"])], weights)

    one = tensor("one", [1], raw=struct.pack("<f", 1))
    scalar = lambda name, value: tensor(name, [], 7, raw=struct.pack("<q", value))  # noqa: E731
    big = [1 << 12, 1 << 12, 1 << 12]
    yield "empty", b"", "is empty"
    yield "truncated", model([RELU])[:-7], "not all of one"
    yield "garbage", bytes(range(256)) * 40, "no ONNX model"
    yield "constant_of_shape", computes("ConstantOfShape", [integers("s", big)], ["s"]), "--max-memory"
    yield "expand", computes("Expand", [one, integers("s", big)], ["one", "s"]), "--max-memory"
    yield "tile", computes("Tile", [one, integers("s", [1 << 30])], ["one", "s"]), "--max-memory"
    yield "tile_overflow", computes("Tile", [one, integers("s", [1 << 62])], ["one", "s"]), ""
    yield "range", computes("Range", [scalar("a", 0), scalar("b", HUGE), scalar("c1", 1)], ["a", "b", "c1"]), "counts from"
    yield "eye", computes("EyeLike", [tensor("e", [HUGE, HUGE])], ["e"]), ""
    for operator in ("Transpose", "Concat"):  # no elements, but steps and sums beyond 64 bits
        for far in (1 << 31, 1 << 62, (1 << 63) - 1):
            for shape in ([0, far, far], [far, 0, far], [far, far, 0]):
                names = ["w"] if operator == "Transpose" else ["w", "w"]
                axis = b"" if operator == "Transpose" else field(5, field(1, "axis") + field(3, shape.index(far)) + field(20, 2))
                yield (f"{operator}_{far}_{shape.index(0)}",
                       model([node(operator, names, ["c"], attributes=axis), RELU], [tensor("w", shape)]),
                       "which no tensor has")
    u8 = 2
    byte, none = tensor("b", [4, 4], u8, raw=bytes(16)), tensor("n", [0], u8)
    image, step = tensor("i", [1, 1, 4, 4], u8, raw=bytes(16)), tensor("s", [], raw=struct.pack("<f", 1))
    for operator, names in (("ConvInteger", "iinn"), ("MatMulInteger", "bbnn"), ("QLinearConv", "isnisnsn"),
                            ("QLinearMatMul", "bsnbsnsn")):  # zero points without elements
        yield f"no_zero_point_{operator}", computes(operator, [byte, none, image, step], list(names)), "zero point"
    # Two faults in one node: the first operand's is told, in whatever order a compiler evaluates arguments.
    nothing = tensor("e", [0, 4])
    for operator, names, words in (("And", ["", ""], "no input 0"), ("Where", ["", "", ""], "no input 0"),
                                   ("Cast", [""], "no input 0"), ("CastLike", ["", ""], "no input 0"),
                                   ("Expand", ["", ""], "no input 0"), ("LRN", ["", ""], "no input 0"),
                                   ("DepthToSpace", [""], "no input 0"), ("Gather", ["b", ""], "no input 1"),
                                   ("SpaceToDepth", ["e"], "without elements")):
        yield f"first_of_two_{operator}", computes(operator, [byte, nothing], names), words
    yield "first_of_two_QLinearMatMul", computes("QLinearMatMul", [byte, step, integers("z", [1 << 40])],
                                                 list("bs") + [""] + list("bs") + ["", "s", "z"]), "quantises to int64"
    yield "one_hot", computes("OneHot", [integers("i", [1]), scalar("d", HUGE), tensor("v", [2], raw=bytes(8))],
                              ["i", "d", "v"]), ""
    yield "declared", model([node("Add", ["x", "w"], ["y"])], [tensor("w", [1 << 20, 1 << 20], raw=b"1234")]), "4 bytes"
    yield "negative", model([node("Add", ["x", "w"], ["y"])], [tensor("w", [-4], raw=b"1234")]), "no tensor has"
    yield "nodes", model([b""] * 1_500_000), "when it is decoded"
    yield "relus", model([node("Relu", [f"t{i}" if i else "x"], [f"t{i + 1}"]) for i in range(100_000)]), "when it is decoded"
    yield "tensors", model([RELU], [tensor(f"w{i}", [1], raw=bytes(4)) for i in range(100_000)]), "when it is decoded"
    yield "initialisers", model([RELU], [b""] * 500_000), "when it is decoded"
    yield "dims", model([RELU], [field(1, 1) * 8_000_000]), "when it is decoded"
    yield "attributes", model([node("Relu", ["x"], ["y"], attributes=field(5, b"") * 700_000)]), "when it is decoded"
    yield "outside", model([node("Add", ["x", "w"], ["y"])],
                           [tensor("w", [4], external={"location": "../secret"})]), "no path below"
    yield "absolute", model([node("Add", ["x", "w"], ["y"])],
                            [tensor("w", [4], external={"location": "/etc/passwd"})]), "no path below"
    yield "link", model([node("Add", ["x", "w"], ["y"])], [tensor("w", [4], external={"location": "link"})]), "leads out"
    yield "device", model([node("Add", ["x", "w"], ["y"])], [tensor("w", [4], external={"location": "fifo"})]), "regular"
    yield "missing_data", model([node("Add", ["x", "w"], ["y"])],
                                [tensor("w", [4], external={"location": "nothing"})]), "cannot be found"
    yield "short_data", model([node("Add", ["x", "w"], ["y"])],
                              [tensor("w", [4], external={"location": "short", "offset": str(HUGE)})]), "3 bytes"
    yield "missing", model([node("Add", ["x", "w"], ["y"])]), "which nothing gives"
    yield "cycle", model([node("Add", ["x", "b"], ["a"]), node("Add", ["a", "x"], ["b"]),
                          node("Neg", ["b"], ["y"])]), "a cycle"
    yield "free", model([RELU], inputs=(port("x", ["batch", 4]),)), "free"
    yield "zero", model([RELU], inputs=(port("x", [0, 4]),), outputs=(port("y", [0, 4]),)), ""
    yield "huge_input", model([RELU], inputs=(port("x", [1, 1 << 16, 1 << 16]),)), "--max-memory"
    yield "overflow", model([RELU], inputs=(port("x", [HUGE, HUGE]),)), ""
    yield "strings", model([RELU], inputs=(port("x", [1, 4], 8),)), "string"
    yield "axes", model([node("Unsqueeze", ["x", "i"], ["y"])], [tensor("i", [1], raw=struct.pack("<f", 0.5))]), "whole"
    yield "indices", model([node("Gather", ["x", "i"], ["y"])], [tensor("i", [1], raw=struct.pack("<f", 0.5))]), "must be a whole number"
    yield "beyond", model([node("Add", ["x", "w"], ["y"])], [tensor("w", [1], raw=struct.pack("<f", 1e9))]), "fp16"
    yield "nan", model([node("Add", ["x", "w"], ["y"])], [tensor("w", [1], raw=struct.pack("<f", float("nan")))]), "nan"
    yield "escapes", model([node("No\x1b[31m\x07such", ["x"], ["y"], "a\nb\x1b]0;title\x07\x9b")]), "u001b"
    yield "recursive", model([node("F", ["x"], ["y"], domain="d")]) + field(25, field(1, "F") + field(4, "x") + field(
        5, "y") + field(7, node("F", ["x"], ["y"], domain="d")) + field(10, "d")), ""


def broken_text():
    head = "program(1.3)\n{\n func main<ios18>(tensor<fp16, [1, 4]> x) {\n"
    end = " } -> (y);\n}\n"
    statement = ' tensor<fp16, [1, 4]> y = relu(x = x)[name = string("y")];\n'

    def with_weight(path, offset="64"):
        return head + (f' tensor<fp16, [1, 4]> w = const()[name = string("w"), val = tensor<fp16, [1, 4]>(BLOBFILE(path = '
                       f'string("{path}"), offset = uint64({offset})))];\n tensor<fp16, [1, 4]> y = add(x = x, y = w)'
                       f'[name = string("y")];\n') + end

    yield "empty.mil", "", ""
    yield "truncated.mil", head + statement[:30], ""
    many = "".join(f" tensor<fp16, [1, 4]> y{i} = relu(x = x);\n" for i in range(100_000))
    yield "many.mil", head + many + statement + end, "--max-memory"
    yield "many.plist", '<?xml version="1.0"?><plist><array>' + "<true/>" * 1_000_000 + "</array></plist>", "--max-memory"
    yield "escapes.mil", head + statement.replace("relu", "re\x1b[31mlu") + end, "\\u001b"
    yield "deep.mil", head + " tensor<fp16, [1]> y = f(x = " + "(" * 200_000, ""
    yield "weights.mil", with_weight("nothing.bin"), "nothing.bin"
    yield "offset.mil", with_weight("short", str(HUGE)), ""
    yield "fifo.mil", with_weight("fifo"), "regular"
    yield "zero.mil", with_weight("/dev/zero"), ""
    yield "tall.mil", (head + statement + end).replace("[1, 4]", f"[{1 << 30}, {1 << 30}]"), ""
    yield "wide.mil", (head + statement + end).replace("[1, 4]", "[1, 1, 65536, 65536]"), "--max-memory"
    yield "negative.mil", (head + statement + end).replace("[1, 4]", "[1, -4]"), ""
    yield "real.mil", (head + statement + end).replace("[1, 4]", "[1, 4.5]"), ""
    yield "folded.mil", head + (
        ' tensor<fp16, [1, 4]> c = const()[name = string("c"), val = tensor<fp16, [1, 4]>([1, 2, 3, 4])];\n'
        ' tensor<fp16, [1, 268435456]> t = tile(x = c, reps = [1, 67108864])[name = string("t")];\n'
        ' tensor<fp16, [1, 1]> s = reduce_max(x = t, axes = [1], keep_dims = true)[name = string("s")];\n'
        ' tensor<fp16, [1, 4]> y = add(x = x, y = s)[name = string("y")];\n') + end, "--max-memory"
    yield "binary.plist", b"bplist00" + b"\xff" * 64, ""
    yield "entities.plist", ('<?xml version="1.0"?><!DOCTYPE plist [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;">]>'
                             "<plist><string>&b;</string></plist>"), ""
    yield "nested.plist", '<?xml version="1.0"?><plist>' + "<array>" * 200_000, ""
    yield "words.txt", "what is this", "neither"


# ---- running it ---------------------------------------------------------------------------------------------------------

PROGRAM = None
LIMIT = 400 * MB  # of addresses: the libraries alone take some 100
SANITIZED = False


def run(arguments, folder, limit=None, **how):
    def bounded():
        if not SANITIZED:  # sanitizers reserve terabytes
            resource.setrlimit(resource.RLIMIT_AS, (limit or LIMIT,) * 2)

    return subprocess.run([PROGRAM, *arguments], cwd=folder, capture_output="stdout" not in how, timeout=PATIENCE,
                          preexec_fn=bounded, **how)


def refused(what, done, words=""):
    """One line, exit code 2, no controls."""
    told = done.stderr.decode(errors="surrogateescape")
    expect(done.returncode == 2, f"{what}: exit code {done.returncode}, {told[:300]!r}")
    expect(told.startswith("error: ") and told.endswith("\n"), f"{what}: told {told[:200]!r}")
    expect(told.count("\n") == 1 or "unreadable" in what, f"{what}: told {told.count(chr(10))} lines: {told[:400]!r}")
    expect(words in told, f"{what}: {words!r} is not in {told[:300]!r}")
    expect("bad_alloc" not in told and "memory: the system" not in told, f"{what}: ran out of memory")
    expect(not any(c < " " and c != "\n" or "\x7f" <= c <= "\x9f" for c in told), f"{what}: controls in {told!r}")
    expect(not done.stdout, f"{what}: wrote {(done.stdout or b'')[:200]!r}")


def models(folder):
    for name, data, words in broken_onnx():
        path = folder / f"{name}.onnx"
        path.write_bytes(data)
        lines = run(["run", path.name, "--max-memory", "64MB"], folder)
        refused(f"{path.name} (unreadable)", lines, words)
        checked = run(["check", path.name, "--targets", "h13", "--max-memory", "64MB"], folder)
        expect(checked.returncode in (0, 1), f"check {path.name}: exit code {checked.returncode} {checked.stderr[:200]!r}")
        expect(b"\x1b" not in checked.stdout and b"\x07" not in checked.stdout, f"check {path.name}: controls")
        path.unlink()
    for name, text, words in broken_text():
        path = folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode("latin1"))
        refused(f"{name} (unreadable)", run(["run", name, "--max-memory", "64MB"], folder), words)
        checked = run(["check", name, "--targets", "h13", "--max-memory", "64MB"], folder)
        expect(checked.returncode in (0, 1, 2), f"check {name}: exit code {checked.returncode} {checked.stderr[:200]!r}")
        expect(b"\x1b" not in checked.stdout + checked.stderr, f"check {name}: controls")


def arrays(folder):
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        with archive.open("image.npy", "w", force_zip64=True) as entry:
            entry.write(npy("<f4", "(1, 1, 16384, 16384)"))
            for _ in range(1024):
                entry.write(bytes(MB))
    lying = bytearray(bomb.getvalue())
    at = lying.rfind(b"PK\x01\x02")
    lying[at + 24:at + 28] = struct.pack("<I", 100)  # the directory says 100 bytes
    files = {"bomb.npz": bomb.getvalue(), "lying.npz": bytes(lying), "shape.npy": npy("<f4", "(99999999999, 99999999999)"),
             "zero.npy": npy("<f4", "(0,)"), "many.npy": npy("<f4", "(" + "1, " * 40 + ")", bytes(4)),
             "nan.npy": npy("<f4", "(1, 1, 4, 4)", b"\xff" * 64),
             "escape\x1b[31m.npy": b"", "complex.npy": npy("<c8", "(1, 1, 4, 4)", bytes(128)),
             "big.png": b"\x89PNG\r\n\x1a\n" + bytes(100), "image.pgm": b"P5 99999999 99999999 255 ", "cut.pgm": b"P5",
             "cut2.pgm": b"P5 4 4 255\n123", "words.pgm": b"P2 4 4 255 1 2 x", "none.pgm": b"P5 0 4 255 "}
    for name, data in files.items():
        (folder / name).write_bytes(data)
        if name == "nan.npy":
            continue  # NaN is a value of fp16
        refused(name, run(["run", "classifier.mil", "-i", f"image={name}", "--max-memory", "64MB"], folder))
        if name in ("bomb.npz", "lying.npz", "shape.npy", "escape\x1b[31m.npy"):
            refused(name, run(["run", "classifier.mil", "--compare", name, "--max-memory", "64MB"], folder))


def core_ml(extents):
    """relu(x) of a tensor of fp16 with these extents, by the numbers of the schema."""
    dimensions = b"".join(field(3, field(1, field(1, e))) for e in extents)
    type_of_x = field(1, field(1, 10) + field(2, len(extents)) + dimensions)
    relu = (field(1, "relu") + field(2, field(1, "x") + field(2, field(1, field(1, "x")))) +
            field(3, field(1, "y") + field(2, type_of_x)))
    block = field(2, "y") + field(3, relu)
    function = (field(1, field(1, "x") + field(2, type_of_x)) + field(2, "CoreML8") +
                field(3, field(1, "CoreML8") + field(2, block)))
    program = field(1, 1) + field(2, field(1, "main") + field(2, function))
    array = field(3, field(5, field(1, b"".join(varint(e) for e in extents)) + field(2, 65552)))
    described = field(1, field(1, "x") + array) + field(10, field(1, "y") + array)
    return field(1, 9) + field(2, described) + field(502, program)


def packages(folder):
    """Extents of Core ML whose products are beyond 64 bits, or that are themselves."""
    (folder / "m.mlmodel").write_bytes(core_ml([2, 3]))
    done = run(["check", "m.mlmodel", "-q"], folder)
    expect(done.returncode in (0, 1) and b"m.mlmodel" in done.stdout and not done.stderr, f"relu of Core ML: {done}")
    for far in (1 << 31, 1 << 40, (1 << 40) + 1, 1 << 62, (1 << 63) - 1, 1 << 63, (1 << 64) - 1):
        for extents in ([far, far], [far, 0, far], [far, far, far, far], [2, far]):
            (folder / "far.mlmodel").write_bytes(core_ml(extents))
            for subcommand in ("cost", "run", "draw"):
                refused(f"{subcommand} of Core ML with {extents}", run([subcommand, "far.mlmodel"], folder))


def early(command, output, folder):
    done = run([*command, output], folder)
    expect(done.returncode == 2 and output.encode() in done.stderr and b"missing.mil" not in done.stderr and
           (b"cannot be written" in done.stderr or b"cannot be opened" in done.stderr),
           f"{command} {output[:40]}: {done}")


def paths(folder):
    """What is not a regular file, and what cannot be written."""
    (folder / "empty").mkdir()
    for place in ("empty", "fifo", "/dev/zero", "missing", "a\x1b[31mb", "closed/model.mil", "x" * 300):
        for subcommand in ("run", "cost", "diff", "draw", "bench", "check"):
            refused(f"{subcommand} {place}", run([subcommand, place], folder))
        refused(f"-i {place}", run(["run", "classifier.mil", "-i", place], folder))
        refused(f"@{place}", run([f"@{place}"], folder))
        expect(run(["--config", place, "targets"], folder).returncode == 2, f"--config {place}")
    net = (folder / "classifier.mil").read_bytes()
    for output in ("/dev/full", "classifier.mil", ".", "classifier.mil/x.npz", "x" * 300):
        refused(f"run -o {output}", run(["run", "classifier.mil", "-o", output], folder))
        refused(f"draw -o {output}", run(["draw", "classifier.mil", "-o", output], folder))
        refused(f"check -o {output}", run(["check", "classifier.mil", "-o", output], folder))
    # An output that cannot be written is told before a model is read: of one that is not there nothing is said.
    for output in ("none/y", "classifier.mil/y", "x" * 300):
        for command in (["run", "missing.mil", "-o"], ["run", "missing.mil", "-o", f"y={output}", "-o"],
                        ["check", "missing.mil", "-o"], ["draw", "missing.mil", "-o"], ["bench", "missing.mil", "--svg"],
                        ["diff", "missing.mil", "--svg"], ["timeline", "missing.mil", "--svg"],
                        ["compress", "missing.mil", "--most-loss", "1", "--svg"], ["optimize", "missing.mil", "--svg"],
                        ["convert", "missing.mil", "--to", "cpp", "-o"]):
            early(command, output, folder)
    for output in ("classifier.mil/y", "classifier.mil/y/z", "x" * 300 + "/y"):
        for command in (["convert", "missing.mil", "--to", "mil", "-o"], ["optimize", "missing.mil", "-o"],
                        ["compress", "missing.mil", "--most-loss", "1", "-o"]):
            early(command, output, folder)
    expect(not (folder / "none").exists(), "a refused output left its folder")
    for output in ("/dev/full", "classifier.mil"):
        refused(f"convert -o {output}", run(["convert", "classifier.mil", "--to", "mil", "-o", output], folder))
    (folder / "made").mkdir()
    (folder / "made" / "model.mil").write_bytes(net)
    for given in ("made", "made/model.mil"):
        refused(f"convert {given} over itself", run(["convert", given, "--to", "mil", "-o", "made"], folder))
    done = run(["convert", "made", "--to", "mlpackage", "-o", "own.mlpackage"], folder)
    expect(done.returncode == 0, f"convert to a package: {done}")
    inside = next(each.relative_to(folder) for each in (folder / "own.mlpackage").rglob("*.mlmodel"))
    for given in ("own.mlpackage", "own.mlpackage/Manifest.json", inside):
        done = run(["convert", given, "--to", "mlpackage", "-o", "own.mlpackage"], folder)
        refused(f"convert {given} over itself", done)
    with open("/dev/full", "wb") as full:
        for command in (["check", "classifier.mil"], ["rules"], ["completions", "bash"], ["manual"], ["--help"]):
            done = run(command, folder, stdout=full, stderr=subprocess.PIPE)
            expect(done.returncode == 2 and b"error: " in done.stderr, f"{command} to a full disk: {done}")
    expect((folder / "classifier.mil").read_bytes() == net, "the input was written over")
    expect((folder / "made" / "model.mil").read_bytes() == net, "the input was written over")


def main():
    global PROGRAM, SANITIZED
    PROGRAM = command()
    if sys.platform == "darwin":
        skip("RLIMIT_AS is not held here")
    SANITIZED = b"__asan_init" in PROGRAM.read_bytes()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) / "work"
        folder.mkdir()
        (folder.parent / "secret").write_bytes(bytes(16))
        (folder / "classifier.mil").write_bytes((ROOT / "examples" / "reading" / "classifier.mil").read_bytes())
        (folder / "link").symlink_to("../secret")
        (folder / "short").write_bytes(b"abc")
        os.mkfifo(folder / "fifo")
        models(folder)
        arrays(folder)
        paths(folder)
        packages(folder)
        left = {each.name for each in folder.iterdir()}
        expect(not any(each.startswith(".anemone") for each in left), f"left behind: {left}")
    return verdict()


if __name__ == "__main__":
    sys.exit(main())
