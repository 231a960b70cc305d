#!/usr/bin/env python3
"""The same bits with every compiler, flag and machine.

Compiles digests.cpp several times and compares what the programs print. Arm takes part where Debian's cross compiler
and emulator are installed (g++-aarch64-linux-gnu, qemu-user). Flags that break IEEE 754 must be seen by the headers.
"""

import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BASE = ["-std=c++20", f"-I{ROOT / 'include'}"]
FAST = ["-O2", "-march=native", "-ffp-contract=fast"]  # less does not contract
VARIANTS = [
    ("g++", ["-O0"], []),
    ("g++", FAST, []),
    ("clang++", FAST, []),
    ("aarch64-linux-gnu-g++", ["-O2", "-static"], ["qemu-aarch64"]),
]
# clang++ 14 fuses with this flag where a pragma forbids it, so the CPU backend keeps its bits under its default only.
CHANGES_CPU = ("clang++", "-ffp-contract=fast")
REFUSED = ["-ffast-math", "-Ofast"]


def output_of(compiler, flags, runner, folder):
    program = folder / "-".join([compiler, *flags]).replace("/", "")
    subprocess.run([compiler, *BASE, *flags, str(HERE / "digests.cpp"), "-o", str(program)], check=True)
    return subprocess.run([*runner, str(program)], check=True, capture_output=True, text=True).stdout


def differences(name, lines, reference):
    found = [f"{name}: {ours.strip()}, expected {theirs.strip()}"
             for ours, theirs in zip(lines, reference) if ours != theirs]
    if len(lines) != len(reference):
        found.append(f"{name}: {len(lines)} lines, expected {len(reference)}")
    return found


def unseen_flags():
    """Flags under which the headers do not know that arithmetic is broken."""
    check = "#include <anemone/numerics/rounding.hpp>\nstatic_assert(!ane::numerics::ieee_arithmetic);\n"
    unseen = []
    for compiler in ("g++", "clang++"):
        if shutil.which(compiler):
            for flag in REFUSED:
                command = [compiler, *BASE, flag, "-x", "c++", "-fsyntax-only", "-"]
                done = subprocess.run(command, input=check, text=True)
                if done.returncode != 0:
                    unseen.append(f"{compiler} {flag}: not seen by the headers")
    return unseen


def main():
    variants = [v for v in VARIANTS if all(shutil.which(tool) for tool in [v[0], *v[2]])]
    for compiler, _, runner in VARIANTS:
        for tool in [compiler, *runner]:
            if not shutil.which(tool):
                print(f"left out: no {tool}")
    failures = unseen_flags()
    with tempfile.TemporaryDirectory() as folder:
        jobs = int(os.environ.get("ANEMONE_JOBS", "2"))
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            outputs = list(pool.map(lambda v: output_of(*v, pathlib.Path(folder)).splitlines(), variants))
    for (compiler, flags, _), lines in zip(variants, outputs):
        name = " ".join([compiler, *flags])
        # A line that says so: two instruction sets of one machine differ.
        failures += [f"{name}: {line}" for line in lines if " differs at " in line]
        oracle_only = all(part in [compiler, *flags] for part in CHANGES_CPU)
        both = (lines, outputs[0])
        kept = [[line for line in text if not (oracle_only and line.startswith("cpu "))] for text in both]
        failures += differences(name, *kept)
        print(f"{name}: {len(kept[0])} digests")
    print("\n".join(failures) if failures else "all the same")
    return 1 if failures or not outputs else 0


if __name__ == "__main__":
    sys.exit(main())
