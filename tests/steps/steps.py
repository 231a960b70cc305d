#!/usr/bin/env python3
"""What each step of ./run test costs: files compiled and lines read by the compilers, which are counted, and the processor
time of the last run.

    steps.py                 judge the counts of the builds in build/: none may exceed its bound by a fifth
    steps.py --update WHY    take today's counts for bounds; those that had grown by more than a fifth get WHY for a reason
    steps.py --page          write the table of CONTRIBUTING.md, with the seconds of the last ./run test

A line counts once for each file that includes it; where headers are parsed once for many files, it counts there. The lists
of files are ninja's, of the last build, so the counts need one. bounds.json has each count with its reason.
"""

import argparse
import functools
import json
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
BOUNDS = pathlib.Path(__file__).with_name("bounds.json")
PAGE = ROOT / "CONTRIBUTING.md"
GROWTH = 1.2
# The builds of ./run test, and what each makes.
TARGETS = {"gcc": ["all", "anemone_all_headers"], "clang-asan": ["all"],
           "libcxx": ["test_header_only", "anemone_all_headers"]}
# The rows of the table: a step as ./run notes it, and what it is.
ROWS = [("format", "clang-format over all sources"),
        ("gcc, build", "g++: the library, kernels with -O2, command, C, Python, tests, examples"),
        ("gcc", "its tests, and what they compile: the package, a tenth of the mistakes; clang-tidy over all headers"),
        ("clang-asan, build", "clang++ with sanitizers: the library, tests of bytes, threads and handles"),
        ("clang-asan", "its tests, the corpus of the fuzz targets, all mistakes"),
        ("libcxx, build", "clang++ with libc++: all headers, a few tests header-only"),
        ("libcxx", "its tests")]


def ninja(preset, *arguments):
    done = subprocess.run(["ninja", "-C", BUILD / preset, "-t", *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"ninja -t {arguments[0]} in build/{preset}: {done.stderr}")
    return done.stdout


@functools.cache
def lines_of(path):
    """Of a text; what a compiler made of one before has none."""
    if path.suffix in (".gch", ".pch"):
        return 0
    try:
        return path.read_bytes().count(b"\n")
    except OSError:  # gone since, as a file of another compiler's version
        return 0


def counted(preset):
    """The files that a build compiles and the lines that they read, by name of the count."""
    outputs = set(re.findall(r" -o (\S+\.(?:o|gch|pch)) -c ", ninja(preset, "commands", *TARGETS[preset])))
    files, lines, output = 0, 0, None
    for line in ninja(preset, "deps").splitlines():
        if line.startswith("    "):
            lines += lines_of(BUILD / preset / line.strip()) if output in outputs else 0
        elif line:
            output = line.split(": #deps")[0]
            files += output in outputs
    if files < len(outputs):
        sys.exit(f"build/{preset}: {files} of {len(outputs)} files were compiled: build it first")
    return {"files": files, "lines": lines}


def judge(counts, bounds):
    """A sentence for each count that has outgrown its bound."""
    for preset, found in counts.items():
        for name, number in found.items():
            bound, why = bounds[preset][name]
            if number > GROWTH * bound:
                yield (f"{preset}: {number} {name}, more than a fifth above {bound} ({why}): compile less, or give the reason: "
                       f"tests/steps/steps.py --update 'why'")


def updated(counts, bounds, why):
    new = {preset: dict(named) for preset, named in bounds.items()}
    for preset, found in counts.items():
        for name, number in found.items():
            old, reason = new.setdefault(preset, {}).get(name, (0, ""))
            new[preset][name] = [number, why if number > GROWTH * old else reason]
    return new


def write_page(counts):
    seconds = {}
    for line in (BUILD / "steps.txt").read_text().splitlines():
        name, _, number = line.partition("\t")
        seconds[name] = seconds.get(name, 0) + float(number)
    rows = ["| Step | What | Files | Lines, thousands | Processor seconds |", "|---|---|---:|---:|---:|"]
    for step, what in ROWS:
        if step not in seconds:
            sys.exit(f"build/steps.txt has no '{step}': run ./run test first")
        found = counts.get(step.removesuffix(", build")) if step.endswith("build") else None
        files, lines = (str(found["files"]), str(round(found["lines"] / 1000))) if found else ("", "")
        rows.append(f"| {step} | {what} | {files} | {lines} | {seconds[step]:.0f} |")
    total = sum(seconds[step] for step, _ in ROWS)
    files, lines = (sum(found[name] for found in counts.values()) for name in ("files", "lines"))
    rows.append(f"| all | | {files} | {round(lines / 1000)} | {total:.0f} |")
    text = PAGE.read_text()
    new, found = re.subn(r"(<!-- written by tests/steps/steps.py --page -->\n).*?(<!-- end of the steps -->)",
                         lambda m: m[1] + "\n".join(rows) + "\n" + m[2], text, flags=re.S)
    if found != 1:
        sys.exit(f"{PAGE.name} has no place for the table")
    PAGE.write_text(new)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", metavar="WHY", help="write the bounds anew")
    parser.add_argument("--page", action="store_true", help="write the table of CONTRIBUTING.md")
    given = parser.parse_args()
    if shutil.which("ninja") is None:
        print("skipped: no ninja")
        return 0
    counts = {preset: counted(preset) for preset in TARGETS if (BUILD / preset / "build.ninja").exists()}
    for preset, found in counts.items():
        print(f"{preset}: " + ", ".join(f"{number} {name}" for name, number in found.items()))
    if given.page:
        write_page(counts)
        return 0
    bounds = json.loads(BOUNDS.read_text()) if BOUNDS.exists() else {}
    if given.update:
        BOUNDS.write_text(json.dumps(updated(counts, bounds, given.update), indent=1) + "\n")
        return 0
    faults = list(judge(counts, bounds))
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
