"""One verdict, every way in: `anemone check`, C, Python and `judge_mil_file` agree on every model of tests and examples.

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
        of_values = len(of_form) < len(errors)
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
                elif route == "mil" and path.suffix == ".mil":
                    pairs += agrees(path, told, reasons)
            files += 1
    pairs += judge_made_programs(program)
    expect(not reasons or pairs > 500, f"only {pairs} pairs of files and targets")
    return verdict(f"{files} files, {unread} of them read by none", f"{pairs} pairs with judge_mil_file")


if __name__ == "__main__":
    sys.exit(main())
