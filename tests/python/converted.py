"""`anemone convert` writes what `anemone check` accepts, or check says it first: each model file of tests/ and examples/ becomes
MIL text, an ML package and a netplist, and what is written is checked on the chips for which the model was accepted on that route.

Usage: converted.py [PROGRAM]; PROGRAM is the command of ANEMONE_BUILD_DIR where none is given."""

import concurrent.futures
import json
import pathlib
import struct
import sys
import tempfile

from _harness import ROOT, command, expect, run, verdict
from round_trips import TOO_LARGE

CHIPS = "h13,h15g,h17s"
UNWRITABLE = "anemone convert cannot write it"
ROUTES = {"mil": "mil", "mlpackage": "mil", "netplist": "netplist"}


def files():
    found = [p for folder in ("tests", "examples") for kind in ("onnx", "mil", "plist") for p in (ROOT / folder).rglob(f"*.{kind}")]
    return [p for p in sorted(found) if "fuzz" not in p.parts and str(p.relative_to(ROOT)) not in TOO_LARGE]


def judged(program, path, route, folder):
    """The chips on which a model is accepted, with the errors of the others; None where it cannot be read."""
    done = run(program, ["check", path, "--targets", CHIPS, "--route", route, "--format", "json"], folder)
    told = json.loads(done.stdout) if done.stdout.startswith("{") else {}
    if "verdicts" not in told:
        return None, done.stdout + done.stderr
    found = told["observations"] + [v for row in told["verdicts"] for v in row["violations"]]
    said = list(dict.fromkeys(each["message"] for each in found if each["level"] == "error" or UNWRITABLE in each["message"]))
    return {row["target"] for row in told["verdicts"] if row["accepted"]}, said


def converted(program, path, folder):
    """How many were written, and how many of the verdicts were kept."""
    written = kept = 0
    for kind, route in ROUTES.items():
        what = f"{path.relative_to(ROOT)} as {kind}"
        before, said = judged(program, path, route, folder)
        made = folder / kind
        done = run(program, ["convert", path, "--weights", "random", "--to", kind, "-o", made], folder)
        if done.returncode != 0:
            told = any(UNWRITABLE in each for each in said)
            expect(not before or told, f"{what}: accepted on {before}, and {done.stderr[-300:]}")
            continue
        written += 1
        after, errors = judged(program, made, route, folder)
        expect(after is not None, f"{what}: cannot be read: {errors[-300:]}")
        lost = (before or set()) - (after or set())
        kept += len((before or set()) & (after or set()))
        expect(not lost, f"{what}: accepted on {sorted(lost)} before, refused after: {errors[:2]}")
    return written, kept


INFO = '[buildInfo = dict<string, string>({{"coremlc-component-MIL", "3520.4.1"}})]'
X = "tensor<fp16, [1, 4, 8, 8]>"
POOLED = "tensor<fp16, [1, 4, 4, 4]>"
AT = 'tensor<fp16, [4]>(BLOBFILE(path = string("@model_path/weights.bin"), offset = uint64({})))'


def blob(begin, size):
    """One record of four numbers of fp16, at `begin`, which says that it has `size` bytes."""
    head = struct.pack("<II", 1, 2) + bytes(begin - 8)
    return head + struct.pack("<IIQQQ", 0xDEADBEEF, 1, size, begin + 64, 0) + bytes(32) + struct.pack("<4e", 1, 2, 3, 4)


# What Apple's parser is not known to take, or misses: the attribute of the program, the statements, a blob, and what check says.
FORMS = {
    "a list without a type": (INFO, f"{X} y = reverse(x = x, axes = [2])", None, "the value of axes has no type"),
    "a truth value without a type": (INFO, f"tensor<fp16, [1, 4, 8, 1]> y = reduce_sum(x = x, axes = tensor<int32, [1]>([3]), keep_dims = true)",
                                     None, "the value of keep_dims has no type"),
    "a string without a type": (INFO, f'{X} y = gelu(x = x, mode = "EXACT")', None, "the value of mode has no type"),
    "a number without a type": (INFO, f"{X} y = add(x = x, y = 2)", None, "the value of y has no type"),
    "results in brackets": (INFO, f"(tensor<fp16, [1, 2, 8, 8]> a, tensor<fp16, [1, 2, 8, 8]> b) = split(x = x, num_splits = int32(2), axis = int32(1))"
                                  '[name = string("a")];\n        tensor<fp16, [1, 2, 8, 8]> y = add(x = a, y = b)', None, "the results stand in brackets"),
    "buildInfo without braces": ('[buildInfo = dict<string, string>({"coremlc-component-MIL", "3520.4.1"})]', f"{X} y = relu(x = x)", None,
                                 "buildInfo is a dictionary"),
    "a record at an odd offset": (INFO, f"{X} y = prelu(x = x, alpha = {AT.format(96)})", blob(96, 8), "is no multiple of 64"),
    "a record without its size": (INFO, f"{X} y = prelu(x = x, alpha = {AT.format(64)})", blob(64, 0), "says no size"),
    "log without epsilon": (INFO, f"{X} y = log(x = x)", None, "no default for epsilon"),
    "rsqrt without epsilon": (INFO, f"{X} y = rsqrt(x = x)", None, "no default for epsilon"),
    "inverse without epsilon": (INFO, f"{X} y = inverse(x = x)", None, "no default for epsilon"),
    "gelu without mode": (INFO, f"{X} y = gelu(x = x)", None, "no default for mode"),
    "slice_by_index without end_mask": (INFO, "tensor<fp16, [1, 2, 8, 8]> y = slice_by_index(x = x, begin = tensor<int32, [4]>([0, 0, 0, 0]), "
                                              "end = tensor<int32, [4]>([1, 2, 8, 8]))", None, "no default for end_mask"),
    **{f"{pool} without pad": (INFO, f"{POOLED} y = {pool}(x = x, kernel_sizes = tensor<int32, [2]>([2, 2]), strides = tensor<int32, [2]>([2, 2]), "
                                     'pad_type = string("valid"))', None, "no default for pad") for pool in ("max_pool", "avg_pool", "l2_pool")},
    **{f"{pool} without pad_type": (INFO, f"{POOLED} y = {pool}(x = x, kernel_sizes = tensor<int32, [2]>([2, 2]), strides = tensor<int32, [2]>([2, 2]), "
                                          "pad = tensor<int32, [4]>([0, 0, 0, 0]))", None, "no default for pad_type") for pool in ("max_pool", "avg_pool", "l2_pool")},
}


def mended(program, folder):
    """Each such form is a finding, and nothing is found in what convert makes of it; diff calls both the same."""
    for number, (name, (info, statement, weights, words)) in enumerate(FORMS.items()):
        place = folder / f"form_{number}"
        place.mkdir()
        (place / "model.mil").write_text(f"program(1.3)\n{info}\n{{\n    func main<ios18>({X} x) {{\n        {statement}"
                                         '[name = string("y")];\n    } -> (y);\n}\n')
        if weights is not None:
            (place / "weights.bin").write_bytes(weights)
        found = run(program, ["check", place, "--targets", "h17s"], folder)
        expect(words in found.stdout, f"{name}: {found.stdout}{found.stderr}")
        made = folder / f"mended_{number}"
        done = run(program, ["convert", place, "--to", "mil", "-o", made], folder)
        expect(done.returncode == 0, f"{name}: {done.stderr}")
        after = run(program, ["check", made, "--targets", "h17s"], folder)
        expect(after.returncode == 0 and "file.form" not in after.stdout and "file.refused" not in after.stdout, f"{name}, mended: {after.stdout}")
        same = run(program, ["diff", place, made], folder)
        expect(same.returncode == 0 or "by roundings alone" in same.stdout, f"{name}, compared: {same.stdout}{same.stderr}")
    return len(FORMS)


def main():
    program = command()
    everything = files()
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(2) as pool:
        folders = []
        for number in range(len(everything)):
            folders.append(pathlib.Path(name, str(number)))
            folders[-1].mkdir()
        counts = list(pool.map(lambda pair: converted(program, *pair), zip(everything, folders)))
        written, kept = (sum(each) for each in zip(*counts))
        expect(written > 60, f"only {written} conversions were written")
        forms = mended(program, pathlib.Path(name))
    return verdict(f"{len(everything)} files", f"{written} conversions", f"{kept} verdicts kept", f"{forms} forms mended")


if __name__ == "__main__":
    sys.exit(main())
