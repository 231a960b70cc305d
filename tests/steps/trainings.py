#!/usr/bin/env python3
"""The trainings of examples/training to their ends, by an optimised build: each reaches what its program asks for, or this fails.
How long they take is told and not judged.

    tests/steps/trainings.py [--build build/trainings] [--page] [NAME...]

--page writes what the trainings that were run reached into docs/training.md: the digits hand by hand, the accuracies after 300 steps in
the arithmetic of chips and, where all were run, seconds."""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAMES = ("digits", "residual", "transformer", "llama", "text", "chips", "accuracies")
# Chapter 15, of another network and other digits: accuracies in the end, and every 50 steps.
GUIDE = {"the M1": "0.9080", "the M5": "0.9070"}
GUIDE_EVERY_50 = {"the M1": "0.879 0.902 0.905 0.907 0.908 0.908", "the M5": "0.881 0.902 0.903 0.907 0.907 0.907"}


def replaced(text, name, lines):
    mark = rf"(<!-- written by tests/steps/trainings.py --page: {name} -->\n).*?(<!-- end of the {name} -->)"
    text, count = re.subn(mark, lambda m: m[1] + "\n".join(lines) + "\n" + m[2], text, flags=re.DOTALL)
    if count != 1:
        sys.exit(f"docs/training.md has no place for the {name}")
    return text


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build/trainings")
    parser.add_argument("--page", action="store_true", help="write the tables into docs/training.md")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(NAMES)}; all by default")
    given = parser.parse_args()
    names = given.names or NAMES
    if unknown := [name for name in names if name not in NAMES]:
        parser.error(f"no training is called {unknown[0]}")
    program = ROOT / given.build / "bin" / "example_training"
    missed = []
    rows = ["| Command | What it reaches | At least | Seconds |", "|---|---:|---:|---:|"]
    accuracies = ["| 300 steps by | Loss scale | Digits of unseen hands that are right | In the guide | Losses at most from the first "
                  "chip's | On average |", "|---|---:|---:|---:|---:|---:|"]
    curves = ["| Right after so many steps | Loss scale | 50 | 100 | 150 | 200 | 250 | 300 |", "|---|---:|---:|---:|---:|---:|---:|---:|"]
    curves += [f"| {who}, in the guide |  | {' | '.join(found.split())} |" for who, found in GUIDE_EVERY_50.items()]
    hands = ["| Judged on | Digits | Right |", "|---|---:|---:|"]
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            start = time.monotonic()
            done = subprocess.run([program, name, folder], capture_output=True, text=True)
            took = time.monotonic() - start
            print(done.stdout + done.stderr, end="", flush=True)
            found = re.search(rf"^{name}\b.*: (-?[\d.]+), at least (-?[\d.]+) is wanted", done.stdout, re.MULTILINE)
            if done.returncode != 0 or found is None:
                missed.append(name)
                continue
            rows.append(f"| `example_training {name}` | {found[1]} | {found[2]} | {took:.0f} |")
            for who, scale, right, most, mean, curve in re.findall(
                    r"accuracies: 300 steps by (.+?), loss scale (.+?): ([\d.]+) of \d+ right; losses at most ([\d.]+) from "
                    r"the first chip's, on average ([-+\d.]+); every 50: (.+)", done.stdout):
                accuracies.append(f"| {who} | {scale} | {right} | {GUIDE.get(who, '')} | {most} | {mean} |")
                curves.append(f"| {who} | {scale} | {' | '.join(curve.split())} |")
            for who, right, count in re.findall(r"digits: ([^:]*hands?[^:]*): ([\d.]+) of (\d+) right", done.stdout):
                hands.append(f"| {who} | {count} | {right} |")
    if given.page and not missed:
        path = ROOT / "docs/training.md"
        text = path.read_text()
        for name, whole, lines in (("trainings", NAMES, rows), ("hands", ("digits",), hands), ("accuracies", ("accuracies",), accuracies),
                                   ("curves", ("accuracies",), curves)):
            if set(whole) <= set(names):
                text = replaced(text, name, lines)
        path.write_text(text)
    print(f"{len(names) - len(missed)} of {len(names)} trainings reach what they should, on {os.cpu_count()} processors"
          + (f"; not {', '.join(missed)}" if missed else ""))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
