#!/usr/bin/env python3
"""What a user's file costs to compile, in counts that no clock decides.

Each gate is a number with a bound in bounds.json. A gate that breaks says who ate it: the functions, headers or
templates that are most of the number, and those that the last accepted build did not have (see --update).

    gates.py                   judge
    gates.py --update WHY      write the bounds anew, a tenth above what was counted; a bound that rises gets WHY for its reason,
                               and what the first program costs beside a file that prints a line, as measured then
"""

import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BOUNDS = HERE / "bounds.json"
FIRST = ROOT / "tests/package/main.cpp"
MODEL = HERE / "model.cpp"
WAYS = {"header-only": [], "compiled": ["-DANEMONE_COMPILED"]}
ENTRIES = ["model.hpp", "anemone.hpp"]
SLACK = 1.1
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]  # an optimiser warns of more
# What no update may exceed.
CEILINGS = {"functions of the first program, header-only": 700, "functions of the first program, compiled": 100}
HELLO = ROOT / "benchmarks/files/hello.cpp"


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr[-2000:]}")
    return done.stdout


def compile_flags(way):
    return ["-std=c++20", f"-I{ROOT / 'include'}", *WAYS[way]]


def most(counts, number=8):
    """The largest parts of a count, a line each."""
    return [f"{count:7d}  {name}" for name, count in collections.Counter(counts).most_common(number)]


# ---- functions that a file emits ------------------------------------------------------------------------------------


def family_of(symbol):
    """`std::vector<int>::push_back(int&&)` to `std::vector`, `ane::header_only::print<void>(...)` to itself, in short."""
    plain = re.sub(r"^(?:void|bool|int|auto|unsigned long|decltype\(auto\)) ", "", symbol)
    name = re.split(r"[<(\[]", plain, maxsplit=1)[0].strip()
    parts = name.split("::")
    return "::".join(parts[:2]) if parts[0] != "ane" else "::".join(parts[:4])


def emitted(way, scratch):
    target = scratch / "first.o"
    run("g++", *compile_flags(way), "-O2", *WARNINGS, "-c", FIRST, "-o", target)
    functions = [line.split(" ", 2)[2] for line in run("nm", "-C", target).splitlines() if re.match(r"\S+ [TtWw] ", line)]
    return len(functions), collections.Counter(map(family_of, functions))


# ---- headers and lines that a file reads ----------------------------------------------------------------------------


def reached(entry, way):
    """The headers of the library that an entry reaches, with the preprocessed lines of each file that it reads."""
    source = f"#include <anemone/{entry}>\n"
    text = subprocess.run(["g++", *compile_flags(way), "-E", "-x", "c++", "-"], input=source, capture_output=True,
                          text=True, check=True).stdout
    lines, current = collections.Counter(), ""
    for line in text.splitlines():
        marker = re.match(r'# \d+ "([^"]*)"', line)
        if marker:
            current = os.path.normpath(marker[1])
        elif line.strip():
            lines[current] += 1
    ours = {pathlib.Path(f).relative_to(ROOT / "include/anemone").as_posix(): n for f, n in lines.items()
            if f.startswith(str(ROOT / "include"))}
    theirs = {f"<{f.rpartition('/include/')[2]}>": n for f, n in lines.items() if not f.startswith(str(ROOT))}
    return ours, theirs


# ---- templates that a model instantiates ----------------------------------------------------------------------------


def instantiations(scratch):
    target = scratch / "model.o"
    run("clang++", "-std=c++20", f"-I{ROOT / 'include'}", "-ftime-trace", "-ftime-trace-granularity=0", "-c", MODEL, "-o",
        target)
    events = json.loads(target.with_suffix(".json").read_text())["traceEvents"]
    names = [e["args"]["detail"] for e in events if e.get("ph") == "X" and e["name"].startswith("Instantiate")]
    return len(names), collections.Counter(re.split(r"[<(]", name, maxsplit=1)[0] for name in names)


def of_hello():
    """What the first program costs header-only at -O2, as a multiple of a file that prints a line: of two runs the least."""
    def seconds(source):
        runs = []
        for _ in range(2):
            before = os.times().children_user
            run("g++", *compile_flags("header-only"), "-O2", "-c", source, "-o", os.devnull)
            runs.append(os.times().children_user - before)
        return min(runs)
    return round(seconds(FIRST) / seconds(HELLO))


# ---- judging --------------------------------------------------------------------------------------------------------


def measure():
    """Every gate: name, number, what it is a number of, and its parts."""
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        for way in WAYS:
            count, parts = emitted(way, scratch)
            yield f"functions of the first program, {way}", count, "functions emitted at -O2", parts
        for entry in ENTRIES:
            for way in WAYS if entry == "anemone.hpp" else ["header-only"]:
                ours, theirs = reached(entry, way)
                named = entry if entry == "model.hpp" else f"{entry}, {way}"
                yield f"headers of {named}", len(ours), "headers of the library", dict.fromkeys(ours, 1)
                yield f"lines of {named}", sum(ours.values()) + sum(theirs.values()), "preprocessed lines", ours | theirs
        if shutil.which("clang++") and "version 14." in run("clang++", "--version"):
            count, parts = instantiations(scratch)
            yield "templates of a model", count, "template instantiations", parts


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--update", metavar="WHY")
    update = arguments.parse_args().update
    if not shutil.which("g++") or not run("g++", "-dumpversion").startswith("12"):
        print("the bounds are those of g++ 12: skipped")
        sys.exit(77)
    old = json.loads(BOUNDS.read_text()) if BOUNDS.exists() else {}
    bounds = {} if update else old
    cost = f", {of_hello()} times hello" if update else ""
    broken = 0
    for name, count, unit, parts in measure():
        if update:
            bound = min(int(count * SLACK), CEILINGS.get(name, sys.maxsize))
            large = {part: n for part, n in sorted(parts.items()) if n * 300 >= count or count < 1000}
            before = old.get(name, {})
            rises = bound > before.get("bound", 0)
            bounds[name] = {"bound": bound, "why": update + cost if rises else before.get("why", ""), "parts": large}
        known = bounds[name]
        ok = count <= known["bound"]
        print(f"{'ok    ' if ok else 'BROKEN'} {name}: {count}, at most {known['bound']} ({known['why']})")
        if not ok:
            broken += 1
            more = {part: n - known["parts"].get(part, 0) for part, n in parts.items()}
            print(f"  {name} has {count} {unit}, {count - known['bound']} too many. Who ate it, beyond the last bound:")
            print("\n".join("  " + line for line in most({p: n for p, n in more.items() if n > 0})))
            print("  The largest parts:")
            print("\n".join("  " + line for line in most(parts)))
    if update:
        BOUNDS.write_text(json.dumps(bounds, indent=1) + "\n")
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
