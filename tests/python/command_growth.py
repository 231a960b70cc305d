"""What the command `anemone` takes of time and memory, by the size of what it is given.

Graphs of many nodes in the shapes that steps were quadratic or cubic in: chains, wide ones, deep residuals, many ports with
names that become alike, many weights, many functions in a file. Each command runs with an eighth of the nodes and with all
of them, 2,000, or 100,000 in `--all` (ANEMONE_TEST_NODES); judged is the ratio of processor times, not the time. (Steps are not
counted: not every machine counts instructions, and counters in the passes would tell of those that have one.) Files that are
larger than --max-memory allows are refused before they are read, and weights of those that are not stay in their files while
a model is checked."""

import multiprocessing
import os
import pathlib
import plistlib
import resource
import struct
import subprocess
import sys
import tempfile

from _arrays import npy, npz
from _harness import PATIENCE, command, expect, run, verdict
from _onnx_messages import field, model, node, port, tensor

NODES = int(os.environ.get("ANEMONE_TEST_NODES", "2000"))
HALF = 10  # the number of fp16 among ONNX's types
SHAPE = [1, 4]


def alike(i):
    """Names of ports that differ and become one identifier."""
    return "".join("./- "[i >> 2 * k & 3] for k in range(10)) + "x"


def chain(count):
    return model([node(("Relu", "Abs")[i % 2], [f"s{i}"], [f"s{i + 1}"], f"n{i}") for i in range(count)],
                 inputs=[port("s0", SHAPE, HALF)], outputs=[port(f"s{count}", SHAPE, HALF)])


def wide(count, shape=SHAPE):
    """All that is computed of the input lives until it is added."""
    half = count // 2
    nodes = [node("Relu", ["x"], [f"v{i}"], f"v{i}") for i in range(half)]
    nodes += [node("Add", [f"s{i}" if i else "v0", f"v{i + 1}"], [f"s{i + 1}"], f"s{i}") for i in range(half - 1)]
    return model(nodes, inputs=[port("x", shape, HALF)], outputs=[port(f"s{half - 1}", shape, HALF)])


def residual(count, shape=SHAPE):
    """Each value is added again, the first one last."""
    half = count // 2
    nodes = [node("Relu", [f"v{i}"], [f"v{i + 1}"], f"v{i}") for i in range(half)]
    nodes += [node("Add", [f"s{i}" if i else f"v{half}", f"v{half - 1 - i}"], [f"s{i + 1}"], f"s{i}") for i in range(half)]
    return model(nodes, inputs=[port("v0", shape, HALF)], outputs=[port(f"s{half}", shape, HALF)])


def ports(count):
    """Inputs that are added up, and every sum is a result."""
    nodes = [node("Add", [alike(0) if i == 0 else alike(i) + "y", alike(i + 1)], [alike(i + 1) + "y"], f"n{i}")
             for i in range(count - 1)]
    return model(nodes, inputs=[port(alike(i), SHAPE, HALF) for i in range(count)],
                 outputs=[port(alike(i) + "y", SHAPE, HALF) for i in range(1, count)])


def weights(count):
    one = struct.pack("<4e", 1, 1, 1, 1)
    nodes = [node(("Add", "Mul")[i % 2], [f"s{i}", f"w{i}"], [f"s{i + 1}"], f"n{i}") for i in range(count)]
    return model(nodes, [tensor(f"w{i}", SHAPE, HALF, raw=one) for i in range(count)],
                 inputs=[port("s0", SHAPE, HALF)], outputs=[port(f"s{count}", SHAPE, HALF)])


def products(count):
    """Matrices that a form is to be chosen for, each an eighth of the nodes of another form."""
    count //= 8
    one = struct.pack("<16e", *(i % 3 / 4 for i in range(16)))
    nodes = [node("MatMul", [f"s{i}", f"w{i}"], [f"s{i + 1}"], f"n{i}") for i in range(count)]
    return model(nodes, [tensor(f"w{i}", [4, 4], HALF, raw=one) for i in range(count)],
                 inputs=[port("s0", SHAPE, HALF)], outputs=[port(f"s{count}", SHAPE, HALF)])


def trained(count):
    """Weights of a training step, of which each has nodes and states of its own, a fortieth of the nodes of another form."""
    return weights(count // 40)


def functions(count):
    """MIL text of 1,000 functions, of an eighth where there are few nodes: a file is read once, not once for each."""
    programs = 1000 * count // NODES
    bodies = []
    for i in range(programs):
        bodies.append(f"func f{i}<ios18>(tensor<fp16, [1, 4]> s0) {{\n")
        bodies += [f'tensor<fp16, [1, 4]> s{k + 1} = relu(x = s{k})[name = string("n{k}")];\n' for k in range(NODES // 1000)]
        bodies.append(f"}} -> (s{NODES // 1000});\n")
    return ("program(1.3)\n{\n" + "".join(bodies) + "}\n").encode()


def codes(count):
    """Products of values that are quantized, whose scales a compiler exchanges."""
    scales = [tensor(f"scale{k}", [], HALF, raw=struct.pack("<e", 1 / 2**(6 + k))) for k in range(2)]
    nodes = []
    for i in range(count // 5):
        nodes += [node("QuantizeLinear", [f"s{i}", f"scale{k}", "zero"], [f"q{i}_{k}"], f"q{i}_{k}") for k in range(2)]
        nodes += [node("DequantizeLinear", [f"q{i}_{k}", f"scale{k}", "zero"], [f"d{i}_{k}"], f"d{i}_{k}") for k in range(2)]
        nodes.append(node("Mul", [f"d{i}_0", f"d{i}_1"], [f"s{i + 1}"], f"n{i}"))
    return model(nodes, [*scales, tensor("zero", [], 3, raw=b"\0")],
                 inputs=[port("s0", SHAPE, HALF)], outputs=[port(f"s{count // 5}", SHAPE, HALF)])


def large(form):
    """Values for which the GPU leads here and the engine there, so that placement has something to weigh."""
    return lambda count: form(count, [1, 64, 64, 64])


COMMANDS = [["check", "-q", "--targets", "h13"], ["run"], ["diff"], ["cost"], ["placement"], ["placement", "--goal", "energy"],
            ["timeline"], ["optimize"], ["draw", "-o", "m.svg"], ["convert", "--to", "mil", "-o", "mil"],
            ["convert", "--to", "netplist", "-o", "netplist"], ["convert", "--to", "mlpackage", "-o", "m.mlpackage"],
            ["convert", "--to", "cpp", "-o", "m.hpp"]]
# Arrays of all ports by name: {} is few or all.
ARRAYS = [["run", "-i", "{}.npz", "-o", "{}_y.npz"], ["run", "-i", "{}.npz", "--compare", "{}_y.npz"],
          ["check", "-q", "--targets", "h13", "--ranges", "{}.npz"]]
REPORTS = [["check", "--all"], ["check", "--format", "json"], ["check", "--format", "sarif"], ["check", "--format", "html"],
           ["cost", "--layers"], ["diff", "--reference", "f64"]]
TRAINING = [["train", "-d", "{}.npz", "--steps", "1", "--loss", "mean_squared", "-o", "{}.safetensors"]]
FUNCTIONS = [["check", "-q", "--targets", "h13"]]
BENCH = [["bench", "--seconds", "0.001", "--no-limits"]]
COMPRESSION = [["compress", "--random-runs", "2", "--most-loss", "1"]]
CODES = [["check", "-q", "--targets", "h17s"], ["optimize", "--values"], ["diff", "--target", "h17s"]]
PLACEMENT = [["placement"], ["placement", "--goal", "energy"], ["placement", "--target", "h13"]]
FORMS = [("chain", chain, COMMANDS + BENCH + REPORTS), ("wide", wide, COMMANDS), ("residual", residual, COMMANDS),
         ("ports", ports, COMMANDS + ARRAYS), ("weights", weights, COMMANDS + BENCH), ("products", products, COMPRESSION),
         ("trained weights", trained, TRAINING), ("functions", functions, FUNCTIONS), ("codes", codes, CODES),
         ("wide images", large(wide), PLACEMENT), ("residual images", large(residual), PLACEMENT)]


def arrays_of(form, count):
    """What is read beside a model: arrays of its inputs, or samples of one."""
    names = [alike(i) for i in range(count)] if form == "ports" else ["s0", "wanted"]
    return npz({name: npy("<f4", "(1, 4)", struct.pack("<4f", 0, 0.25, 0.5, 1)) for name in names})


def processor_seconds(program, arguments, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = run(program, arguments, folder)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def is_limit(text):
    """Whether more was asked for than a format's reader takes: arrays of a file, inputs of MIL text."""
    return "arrays, at most 65536 are read" in text or "a function has more than 4096 inputs" in text


def asked(words, size, ending):
    return [words[0], size + ending, *(each.replace("{}", size) for each in words[1:])]


def grows_in_proportion(program, folder):
    pairs = 0
    for name, form, commands in FORMS:
        ending = ".mil" if name == "functions" else ".onnx"
        for count, file in ((NODES // 8, "few"), (NODES, "all")):
            (folder / f"{file}{ending}").write_bytes(form(count))
            (folder / f"{file}.npz").write_bytes(arrays_of(name, count))
        for words in commands:
            pairs += 1
            for _ in range(3):
                _, few = processor_seconds(program, asked(words, "few", ending), folder)
                done, seconds = processor_seconds(program, asked(words, "all", ending), folder)
                # A step in proportion takes eight times as long, a quadratic one 64 times; what is over in no time is not judged.
                # What is between is tried again: caches that others fill cost time of processors too, but not each time.
                if seconds < 24 * few + 0.5:
                    break
            else:
                expect(False, f"{' '.join(words)} of {name}: {few:.2f} s for {NODES // 8} nodes, {seconds:.2f} s for {NODES}")
            expect(done.returncode in (0, 1) or is_limit(done.stderr), f"{' '.join(words)} of {name}: {done.stderr[:300]}")
    return pairs


class Most:
    """The most memory that a program took, in bytes, and what it said."""

    def __init__(self, program, arguments, folder):
        with subprocess.Popen([program, *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as child:
            self.text = child.stdout.read().decode(errors="replace")
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        self.code = child.returncode
        self.memory = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def bounded(program, folder):
    """Limits hold before anything is read: of 3 GB of zeros, which take no room on the disk, not a tenth is looked at."""
    huge = 3 << 30
    limit = ["--targets", "h13", "--max-memory", "64MB"]

    def refused(what, file):
        found = Most(program, ["check", file, *limit], folder)
        expect(found.code in (1, 2) and "memory" in found.text, f"{what}: exit code {found.code}, {found.text[:300]}")
        expect(found.memory < 120 << 20, f"{what}: took {found.memory >> 20} MB")

    big = [1024, huge // 2048]
    for name in ("a", "b"):
        with open(folder / f"{name}.bin", "wb") as file:
            file.truncate(huge)
    external = tensor("w", big, HALF, external={"location": "a.bin", "offset": "0", "length": str(huge)})
    (folder / "external.onnx").write_bytes(model([node("Relu", ["w"], ["y"])], [external], inputs=[],
                                                 outputs=[port("y", big, HALF)]))
    refused("external data", "external.onnx")
    (folder / "few.onnx").write_bytes(model([node("MatMul", ["x", "w"], ["y"])],
                                            [tensor("w", [64, 64], HALF, raw=struct.pack("<e", 1) * 4096)],
                                            inputs=[port("x", [1, 64], HALF)], outputs=[port("y", [1, 64], HALF)]))
    made = run(program, ["convert", "few.onnx", "--to", "netplist", "-o", "netplist"], folder)
    expect(made.returncode == 0, made.stderr)
    for each in (folder / "netplist").glob("weights.*"):
        with open(each, "r+b") as file:
            file.truncate(huge)
    refused("weights of a netplist", "netplist")
    made = run(program, ["convert", "few.onnx", "--to", "mil", "-o", "mil"], folder)
    expect(made.returncode == 0, made.stderr)
    refused("a property list of shared values", shared_values(folder))


class LargeWeights:
    """A product with a matrix of this many MB, in each format that weights come in, in a folder of its own."""

    def __init__(self, program, folder, megabytes):
        self.folder = folder / f"weights_{megabytes}"
        self.folder.mkdir()
        # In a process of its own: what a parent has in memory counts among its children's peaks.
        writer = multiprocessing.Process(target=self.write, args=(megabytes,))
        writer.start()
        writer.join()
        self.files = ["external.onnx", "inside.onnx"]
        for form in ("mil", "netplist", "mlpackage"):
            self.files.append(f"as.{form}")
            made = run(program, ["convert", "external.onnx", "--to", form, "-o", f"as.{form}"], self.folder)
            expect(made.returncode == 0, made.stderr)

    def write(self, megabytes):
        rows, columns = megabytes << 7, 4096
        weights = struct.pack("<4096e", *(i % 3 / 1024 for i in range(columns))) * rows
        (self.folder / "weights.bin").write_bytes(weights)
        external = {"location": "weights.bin", "offset": "0", "length": str(len(weights))}
        for name, kept in (("external.onnx", {"external": external}), ("inside.onnx", {"raw": weights})):
            (self.folder / name).write_bytes(model(
                [node("MatMul", ["x", "w"], ["y"])], [tensor("w", [rows, columns], HALF, **kept)],
                inputs=[port("x", [1, rows], HALF)], outputs=[port("y", [1, columns], HALF)]))


def stays_in_files(program, folder):
    """A check looks at weights piece by piece: whatever their format, more of them take no more memory."""
    few = LargeWeights(program, folder, 1)
    more = 512 if NODES >= 100_000 else 16
    many = LargeWeights(program, folder, more)
    for file in few.files:
        words = ["check", "-q", "--targets", "h13", "--ranges", "x=-1,1", file]
        least, found = Most(program, words, few.folder), Most(program, words, many.folder)
        expect(found.code in (0, 1), f"{file}: exit code {found.code}, {found.text[:300]}")
        expect(found.memory < least.memory + (12 << 20),
               f"{file}: {found.memory >> 20} MB for {more} MB of weights, {least.memory >> 20} MB for 1 MB")


def shared_values(folder):
    """A binary property list of 0.8 KB that says more than a million values: arrays of references to one another."""
    path = folder / "shared.plist"
    value = True
    for _ in range(5):
        value = [value] * 16
    path.write_bytes(plistlib.dumps([value] * 2, fmt=plistlib.FMT_BINARY))
    return path.name


def main():
    program = command()
    with tempfile.TemporaryDirectory(prefix="anemone_growth_") as place:
        folder = pathlib.Path(place)
        probe = folder / "probe.onnx"
        probe.write_bytes(chain(2))
        if "built without ONNX" in run(program, ["check", "probe.onnx"], folder).stderr:
            from _harness import skip
            skip("the command has no ONNX")
        pairs = grows_in_proportion(program, folder)
        bounded(program, folder)
        stays_in_files(program, folder)
    return verdict(f"{pairs} pairs of runs, {NODES // 8} and {NODES} nodes")


if __name__ == "__main__":
    sys.exit(main())
