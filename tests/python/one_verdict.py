"""One verdict, every way in: `anemone check`, C, Python and `judge_mil_file` agree on every model of tests and examples, and
what has a number that the graph does not hold is refused by whoever judges the file as by whoever runs it.

Usage: one_verdict.py [PROGRAM]; PROGRAM is the one of ANEMONE_BUILD_DIR where none is given. C is called through ctypes."""

import ctypes
import json
import pathlib
import subprocess
import sys
import tempfile

import _harness
import _networks
from _agreement_programs import CASES
from _harness import ROOT, command, expect, verdict
from _module import BUILD, anemone

sys.path.insert(0, str(ROOT / "tests"))
import from_environment

TARGETS = "macs"
EVERY = 1 if from_environment.thorough() else 3  # third program of one operation, in the usual test
NETWORKS = 36 // EVERY


class Policy(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("errors", ctypes.c_void_p), ("error_count", ctypes.c_size_t), ("waived", ctypes.c_void_p),
                ("waived_count", ctypes.c_size_t), ("route", ctypes.c_char_p), ("system", ctypes.c_char_p), ("profile", ctypes.c_char_p)]


class Reading(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("function", ctypes.c_char_p), ("shapes", ctypes.c_void_p), ("shape_count", ctypes.c_size_t),
                ("max_memory", ctypes.c_uint64), ("approximates", ctypes.c_int)]


def library():
    """The C interface, or None where it was not built."""
    for name in ("libanemone_c.so", "libanemone_c.dylib"):
        if (BUILD / "lib" / name).exists():
            of_c = ctypes.CDLL(str(BUILD / "lib" / name))
            of_c.anemone_report_json.restype = ctypes.c_char_p
            return of_c
    return None


def by_c(of_c, path, route):
    """What C says of a file, as the command prints it; None where it cannot be read."""
    model, report = ctypes.c_void_p(), ctypes.c_void_p()
    how = Reading(size=ctypes.sizeof(Reading), approximates=1) # to be judged, as the others read it
    if of_c.anemone_open(str(path).encode(), ctypes.byref(how), ctypes.byref(model)) != 0:
        return None
    wish = Policy(size=ctypes.sizeof(Policy), route=route.encode())
    try:
        if of_c.anemone_check(model, TARGETS.encode(), ctypes.byref(wish), ctypes.byref(report)) != 0:
            return None
        told = json.loads(of_c.anemone_report_json(report))
        of_c.anemone_report_free(report)
        return told
    finally:
        of_c.anemone_model_free(model)


def by_module(path, route):
    try:
        return json.loads(anemone.check(path, TARGETS, route=route).json)
    except anemone.Error:
        return None


def by_command(program, path, route, folder):
    done = _harness.run(program, ["check", str(path), "-t", TARGETS, "--route", route, "--format", "json"], folder)
    return json.loads(done.stdout) if done.stdout.startswith("{") else None


def judged(paths):
    """What `judge_mil_file` says: the reason by file and target, "" where there is none; None without its program."""
    program = BUILD / "bin" / "judge_files"
    if not program.exists():
        return None
    done = subprocess.run([program, *paths], capture_output=True, text=True, check=False)
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    return {(path, target): why for path, target, why in lines}


def numbers_of(told):
    """What a verdict says of numbers that fp16 does not hold."""
    kinds = ("file.number", "weights.not_finite")
    return [each["message"] for each in told["observations"] if each["id"] in kinds and each["level"] == "error"]


def why_not_run(path):
    """What keeps a file from being compiled as it is, to run it; "" where nothing does."""
    try:
        anemone.Model(path).compile()
    except anemone.Error as refused:
        return "" if "max_memory" in str(refused) else str(refused)  # what a machine has is no fault of the file
    return ""


def runs_as_judged(path, told):
    """A file is judged to have such numbers exactly where that keeps it from being run, in the same words."""
    why = why_not_run(path)
    if told is None or "verdicts" not in told:
        expect(why, f"{path.name} is unreadable, and can be run")
        return
    if any(each["id"] == "weights.missing" for each in told["observations"]):
        return # of which a run says so
    numbers = numbers_of(told)
    expect(bool(numbers) == bool(why), f"{path.name}: check says {numbers}, whoever runs it: {why}")
    for each in numbers:
        expect(each.split(": mend the file")[0].removeprefix("weights: ") in why or "more such numbers" in each, f"{path.name}: check says {each}, whoever runs it: {why}")
    expect(not numbers or not any(each["accepted"] for each in told["verdicts"]), f"{path.name} is accepted with {numbers}")


# Statements with a number that fp16 does not hold, and what is said of it; "" where it is held in some form.
NUMBERS = {
    "factor": ("y = mul(x = x, y = fp32(0x1p+20))", "y (mul): element 0 of a constant is 1048576"),
    "vector": ("y = add(x = x, y = tensor<fp32, [8]>([1, 2, -1e6, 4, 5, 6, 7, 8]))", "element 2 of a constant is -1000000"),
    "infinity": ("y = add(x = x, y = fp16(inf))", "element 0 of a constant is inf"),
    "no_number": ("y = add(x = x, y = fp16(nan))", "element 0 of a constant is nan"),
    "weight": ("y = linear(x = x, weight = tensor<fp32, [8, 8]>([" + ", ".join(8 * ["[1, 2, 3, 4, 1e5, 6, 7, 8]"]) + "]))",
               "y (linear): element 4 of a constant is 100000"),
    "many_weights": ("y = linear(x = x, weight = tensor<fp16, [1024, 8]>([" + ", ".join(1024 * ["[1, 2, 3, 4, nan, 6, 7, 8]"]) +
                     "]))", "y_constant: element 4 is nan, weights must be finite"),
    "open_ends": ("y = clip(x = x, alpha = fp16(-inf), beta = fp16(inf))", ""),
    "mask": ("m = add(x = x, y = tensor<fp32, [8]>([0, 0, 0, 0, 0, 0, -1e9, -inf]));\n  tensor<fp16, [1, 8]> "
             "y = softmax(x = m, axis = 1)", ""),
}


def judge_numbers(program, of_c):
    """Files with such numbers: the command, C and Python refuse them, with node, value, limit and a way out, as `run` does."""
    with tempfile.TemporaryDirectory() as folder:
        for name, (statement, said) in NUMBERS.items():
            path = pathlib.Path(folder) / f"{name}.mil"
            path.write_text("program(1.3)\n{\n func main<ios17>(tensor<fp16, [1, 8]> x) {\n  tensor<fp16, [1, 8]> "
                            f"{statement}[name = string(\"y\")];\n }} -> (y);\n}}\n")
            if name == "many_weights": # of another shape
                path.write_text(path.read_text().replace("tensor<fp16, [1, 8]> y", "tensor<fp16, [1, 1024]> y"))
            told = by_command(program, path, "any", folder)
            expect(told is not None and told == by_module(path, "any"), f"{name}: Python and the command differ")
            expect(of_c is None or told == by_c(of_c, path, "any"), f"{name}: C and the command differ")
            runs_as_judged(path, told)
            ran = _harness.run(program, ["run", str(path)], folder)
            expect((ran.returncode == 2) == bool(said) and said in ran.stderr, f"{name} runs: {ran.stderr}")
            numbers = numbers_of(told)
            expect(bool(numbers) == bool(said) and all(said in each for each in numbers), f"{name}: {numbers}")
            checked = _harness.run(program, ["check", str(path), "-t", TARGETS], folder)
            expect(checked.returncode == (1 if said else 0), f"{name}: check ends with {checked.returncode}")


def agrees(path, told, reasons):
    """The command and `judge_mil_file` on the route of the text: what the latter refuses is refused, and what it does not
    refuse is accepted, unless values may go wrong, which is not its matter."""
    pairs = 0
    for each in told["verdicts"]:
        why = reasons.get((str(path), each["target"]))
        if why is None:
            continue
        pairs += 1
        errors = [v for v in each["violations"] if v["level"] == "error"]
        of_form = [v["message"] for v in errors if v["severity"] != "hazard"]
        of_values = len(of_form) < len(errors) or bool(numbers_of(told))
        expect(not why or not each["accepted"], f"{path.name} on {each['target']}: accepted, though judge_mil_file says: {why}")
        expect(why or each["accepted"] or of_values, f"{path.name} on {each['target']}: refused, though judge_mil_file accepts it")
        expect(why or not of_form, f"{path.name} on {each['target']}: judge_mil_file accepts it, though {of_form}")
    return pairs


def made_programs(folder):
    """Programs of one operation of every kind, and small networks: more words of MIL than files of tests have."""
    for number, case in enumerate(CASES[::EVERY]):
        (folder / f"operation_{number}.mil").write_text(case.text())
    for number in range(NETWORKS):
        (folder / f"network_{number}.mil").write_text(_networks.network(1, number)[1])
    return sorted(folder.glob("*.mil"))


def judge_made_programs(program):
    """All of them by the command at once; how many pairs of program and target agree with `judge_mil_file`."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        paths = made_programs(folder)
        reasons = judged([str(each) for each in paths])
        done = _harness.run(program, ["check", str(folder), "-t", TARGETS, "--route", "mil", "--jobs", "2", "--format", "json"], name)
        pairs = 0
        for told in json.loads(done.stdout) if reasons else ():
            path = folder / pathlib.Path(told["model"]).name
            if told.get("verdicts"): # unreadable, and told so by both
                pairs += agrees(path, told, reasons)
            else:
                expect(all(why for (of, _), why in reasons.items() if of == str(path)), f"{path.name} is read by judge_mil_file alone")
    return pairs


def main():
    program, of_c = command(), library()
    found = [path for folder in ("tests", "examples") for ending in ("*.mil", "*.onnx", "net.plist", "*.mlpackage", "*.mlmodelc")
             for path in sorted((ROOT / folder).rglob(ending))]
    reasons = judged([str(path) for path in found if path.suffix == ".mil"]) or {}
    files, pairs, unread = 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for path in found:
            for route in ("any", "mil"):
                told = by_command(program, path, route, folder)
                ways = {"Python": by_module(path, route)}
                if of_c is not None:
                    ways["C"] = by_c(of_c, path, route)
                for way, other in ways.items():
                    expect(other == told, f"{path.name} by route {route}: {way} and the command differ")
                if told is None:
                    unread += route == "any"
                if route == "any":
                    runs_as_judged(path, told)
                elif told is not None and path.suffix == ".mil":
                    pairs += agrees(path, told, reasons)
            files += 1
    judge_numbers(program, of_c)
    pairs += judge_made_programs(program)
    expect(not reasons or pairs > 500, f"only {pairs} pairs of files and targets")
    return verdict(f"{files} files, {unread} of them read by none", f"{pairs} pairs with judge_mil_file")


if __name__ == "__main__":
    sys.exit(main())
