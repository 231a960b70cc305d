#!/usr/bin/env python3
"""How many instructions the kernels of the CPU take: their speed, judged without a clock.

Portable code and AVX2 are counted by callgrind, a run of each kernel of kernel_run.cpp. It knows no AVX-512, and no Arm:
there the innermost loops of the tiles are disassembled, and what counts is how many of their instructions multiply and
add. Bounds are in bounds.json.

    instructions.py --program <kernel_run> [--objdump <objdump>] [--set avx512|neon]... [--quick] [--update]

--quick does not count portable code, which the same loops give.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BOUNDS = HERE / "bounds.json"
SLACK = 1.05  # of counts: other versions of the compiler and of libraries differ a little
COUNTED = ("generic", "avx2")
SKIPPED = 77
# By instruction set: what multiplies and adds, and the namespace of its kernels.
MULTIPLY_ADDS = {"avx512": r"\bv?fn?m(?:add|sub)\d*ps\b.*%zmm", "neon": r"\bfmla\b"}
TILES = ("tile", "stripe")  # functions that have this in their names
LOOPS_OF_A_TILE = 3  # as many as a loop must multiply at least to be a tile's


def counted(program, level, kernel):
    """Instructions of one run, by callgrind; None where the set is not there."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(["valgrind", "--tool=callgrind", "--toggle-collect=counted_run",
                               f"--callgrind-out-file={folder}/out", program, level, kernel],
                              capture_output=True, text=True)
    if done.returncode != 0:
        if "level" in done.stderr or "instruction set" in done.stderr:
            return None
        sys.exit(f"{kernel} on {level}: {done.stderr[-800:]}")
    found = re.search(r"Collected : (\d+)", done.stderr)
    if found is None or int(found.group(1)) == 0:
        sys.exit(f"{kernel} on {level}: callgrind has counted nothing")
    return int(found.group(1))


def innermost_loops(lines):
    """The bodies of backward jumps that hold no other one: lists of instructions."""
    places = {}
    code = []
    for line in lines:
        found = re.match(r"\s*([0-9a-f]+):\s+(.*)", line)
        if found:
            places[int(found.group(1), 16)] = len(code)
            code.append(found.group(2))
    loops = []
    for end, text in enumerate(code):
        jump = re.match(r"(?:j[a-z]+|b\.[a-z]+|cbnz|tbnz)\s+(?:[wx]\d+,\s*(?:#\d+,\s*)?)?(?:0x)?([0-9a-f]+)\b", text)
        begin = places.get(int(jump.group(1), 16)) if jump else None
        if begin is not None and begin <= end:
            loops.append((begin, end))
    return [code[b:e + 1] for b, e in loops
            if not any((b, e) != (c, f) and b <= c and f <= e for c, f in loops)]


def disassembled(program, objdump, level):
    """For each tile of a set of instructions, the share of multiply-adds in the loop that has most of them, in percent."""
    text = subprocess.run([objdump, "-d", "-C", "--no-show-raw-insn", program], capture_output=True, text=True,
                          check=True).stdout
    shares = {}
    for function in text.split("\n\n"):
        head, _, rest = function.partition("\n")
        name = re.search(r"<(.*)>:", head)
        if name is None or f"::{level}::" not in name.group(1) or not any(t in name.group(1) for t in TILES):
            continue
        best = (0, 0)
        for loop in innermost_loops(rest.splitlines()):
            multiply = sum(1 for line in loop if re.search(MULTIPLY_ADDS[level], line))
            best = max(best, (multiply, round(100 * multiply / len(loop))))
        if best[0] >= LOOPS_OF_A_TILE:
            short = re.sub(r"\(.*", "", name.group(1).split(f"::{level}::", 1)[1])
            shares[short] = max(shares.get(short, 0), best[1])
    return shares


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--program", required=True)
    options.add_argument("--objdump", default="objdump")
    options.add_argument("--set", action="append", choices=sorted(MULTIPLY_ADDS), default=[])
    options.add_argument("--quick", action="store_true")
    options.add_argument("--update", action="store_true")
    given = options.parse_args()
    bounds = json.loads(BOUNDS.read_text()) if BOUNDS.exists() else {"counts": {}, "shares": {}}
    faults = []
    native = not given.set or "neon" not in given.set
    if native:
        if shutil.which("valgrind") is None:
            print("valgrind is not installed")
            return SKIPPED
        kernels = subprocess.run([given.program, "--list"], capture_output=True, text=True, check=True).stdout.split()
        jobs = [(level, kernel) for level in COUNTED[given.quick:] for kernel in kernels]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            found = list(pool.map(lambda job: counted(given.program, *job), jobs))
        for (level, kernel), count in zip(jobs, found):
            if count is None:
                print(f"{level:8} {kernel:20} not on this machine")
                continue
            bound = bounds["counts"].get(level, {}).get(kernel, 0)
            if given.update:
                bounds["counts"].setdefault(level, {})[kernel] = int(count * SLACK)
            elif count > bound:
                faults.append(f"{kernel} on {level}: {count} instructions, the bound is {bound}")
            print(f"{level:8} {kernel:20} {count:12} instructions of {bound}")
    for level in given.set or ["avx512"]:
        shares = disassembled(given.program, given.objdump, level)
        if given.update:
            bounds["shares"][level] = {name: max(share - 3, 0) for name, share in sorted(shares.items())}
        wanted = bounds["shares"].get(level, {})
        for name, bound in wanted.items():
            share = shares.get(name)
            if share is None:
                faults.append(f"{name} for {level} is not in {given.program}: run with --update if that is meant")
            elif share < bound:
                faults.append(f"{name} for {level}: {share} % of its inner loop multiply and add, the bound is {bound} %")
            else:
                print(f"{level:8} {name:40} {share:3} % multiply-adds, at least {bound} %")
        if not shares:
            faults.append(f"no tile for {level} was found in {given.program}")
        if not wanted and not given.update:
            faults.append(f"{BOUNDS.name} has no bound for {level}: run with --update")
    if given.update:
        BOUNDS.write_text(json.dumps(bounds, indent=1, sort_keys=True) + "\n")
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
