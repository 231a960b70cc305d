#!/usr/bin/env python3
"""Random graphs on the CPU and in the oracle, and as MIL text and netplists, against interpreters of these.

    differential.py [--graphs <number>] [--seed <number>] [--keep <folder>] [--program <path>]

differential_graphs makes the graphs, compares the two backends and writes files. The two interpreters evaluate those
over sets of numbers (sets.py), and every value that the CPU returned must lie in its set. Each file is also read back
by the library, and what the CPU returns for that graph must lie in the same sets; where everything is only moved and
compared, differential_graphs holds it to the bits of the graph that was written. The seed is printed; graph n
of a run has seed + n, and `--seed <that> --graphs 1 --keep <folder>` makes it again. Without --seed it is
ANEMONE_TEST_SEED or 1, and another one each time where ANEMONE_FRESH_SEEDS is set.

The CPU runs each graph twice: as it is, and lowered to what the formats have. The lowered one follows IEEE 754 to the
last infinity and NaN. A composed operation and its parts may treat values that are not finite in different ways (a
cumsum is a product with ones and zeros, a norm squares; a netplist selects by products with a mask), so a model with
such operations is only held to its sets where everything on the way is finite for certain, and there constants may be
what folding rounded; one whose composed operations work on constants alone is not. What the engine does with infinities
and NaN is another matter (docs/oracle.md): the oracle is compared with the CPU on ordinary numbers, one operation at a
time (closeness.hpp), and otherwise only has to run.

Ends with 1 if there was a fault, with 77 where NumPy is missing.
"""

import argparse
import collections
import functools
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing} (Debian package python3-numpy)")
    sys.exit(77)

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import from_environment
import mil_interpreter
import mil_text
import netplist_interpreter
import sets

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(os.environ.get("ANEMONE_BUILD_DIR", HERE.parent.parent / "build"))
BATCH = 500
TYPES = {"fp16": np.dtype("<f2"), "uint8": np.dtype("u1")}
LEAST_SHARP = 0.8  # of the elements compared, the share whose set says something
# What comes back as other operations than it was written from, with the same results: everything else comes back as
# itself. MIL text has a word for each operation that is written. A netplist has no unit for these and says them by
# others:
READ_AS_OTHERS = {
    "MIL text": set(),
    "netplist": {
        # sums, products, comparisons and functions of one operand, a unit each
        *"""div pow floor_div greater_equal less_equal logical_not select exp log relu6 thresholded_relu clamped_relu
        hard_sigmoid scaled_tanh gelu_sigmoid silu softplus softsign prelu parametric_softplus l2_pool""".split(),
        # views of parts, joined: slices and concatenations
        *"strided_slice slice_update pad reflect_pad symmetric_pad replicate_pad reverse gather".split(),
        "identity",  # a product with one
        "resize",  # a transposed convolution with ones
    },
}
COLUMNS = (
    "made",
    "compared with the oracle",
    "written as MIL",
    "written as a netplist",
    "read back from MIL as itself",
    "read back from a netplist as itself",
)
# Graphs in which every operation occurs, and is written and read back: but, measured in 40 runs, `affine` (in 9 of them)
# and `strided_slice` (7) of MIL text and `top_k` and its indices (2) of a netplist. Where one is missing, more are made.
ENOUGH = 800
MORE = 200
PLENTY = 4000  # in which whatever is missing is a fault: the rarest of them occurs 9 times on average


class Run:
    """The ports of a graph with the inputs and both results."""

    def __init__(self, place):
        data, at = (place / "run.bin").read_bytes(), 0

        def take(port):
            nonlocal at
            _, kind, shape = port
            count = int(np.prod(shape))
            array = np.frombuffer(data, TYPES[kind], count, at).reshape(shape)
            at += count * TYPES[kind].itemsize
            return array

        ports = {"input": [], "output": []}
        for line in (place / "run.txt").read_text().splitlines():
            word, *rest = line.split(" ")
            if word == "composed":
                self.composed = rest[0]
            elif word == "blended":
                self.blended = rest[0] == "yes"
            else:
                name, kind, shape = rest
                ports[word].append((name, kind, tuple(int(e) for e in shape.split(","))))
        self.inputs, self.outputs = ports["input"], ports["output"]
        self.given = [take(p) for p in self.inputs]
        self.model = [take(p) for p in self.outputs]
        self.lowered = [take(p) for p in self.outputs]
        assert at == len(data)
        self.read = {}  # the results of what was read from the file of a format
        self.whole = {}  # the results of the graph that keeps composed operations in a format
        for label in ("MIL", "netplist"):
            for results, path in ((self.read, place / f"{label}.bin"), (self.whole, place / f"{label} whole.bin")):
                if path.exists():
                    data, at = path.read_bytes(), 0
                    results[label] = [take(p) for p in self.outputs]
                    assert at == len(data)


class Judge:
    """Holds results to their sets, and counts."""

    def __init__(self):
        self.faults = []
        self.elements = collections.Counter()

    def compare(self, seed, label, arrays, wanted, names):
        for array, exact, (name, _, _) in zip(arrays, wanted, names):
            got = array.astype(np.float64)
            exact = exact.move(lambda v: v.reshape(got.shape))
            bad = sets.outside(got, exact)
            self.elements[label] += got.size
            self.elements[label + " sharp"] += int(sets.is_sharp(exact).sum())
            if bad.any():
                at = tuple(int(i) for i in np.argwhere(bad)[0])
                wanted_there = f"[{exact.low[at]}, {exact.high[at]}]" + (" or NaN" if exact.nan[at] else "")
                self.faults.append(
                    f"{seed} {label}: {name}{list(at)} is {got[at]}, not in {wanted_there}; {int(bad.sum())} elements"
                )
                return

    def graph(self, seed, place):
        run = Run(place)
        for label, read in (("MIL", mil_of), ("netplist", netplist_of)):
            if label in run.whole:
                self.whole(seed, label, read, place / "whole", run)
            try:
                evaluate = read(place, run)
                if evaluate is None:
                    continue
                wanted, ordinary = evaluate(folded=False)
                if label == "MIL" or not run.blended or ordinary:
                    self.compare(seed, label, run.lowered, wanted, run.outputs)
                    if label in run.read:
                        if label == "netplist":
                            wanted, _ = evaluate(folded=False, read_back=True)
                        self.compare(seed, label + " read back", run.read[label], wanted, run.outputs)
                if run.composed == "yes":
                    wanted, ordinary = evaluate(folded=True)
            except Exception as e:  # whatever an interpreter cannot take is a fault of the text or of itself
                self.faults.append(f"{seed} {label}: {type(e).__name__}: {e}")
                continue
            if label == "netplist" and run.blended and not ordinary:
                continue
            if run.composed == "no" or (run.composed == "yes" and ordinary):
                self.compare(seed, label + " of the model", run.model, wanted, run.outputs)

    def whole(self, seed, label, read, place, run):
        """A file in which operations that lowering can take apart are one each, where all on the way is finite."""
        try:
            wanted, ordinary = read(place, run)(folded=run.composed == "yes")
        except Exception as e:
            self.faults.append(f"{seed} {label} whole: {type(e).__name__}: {e}")
            return
        if ordinary:
            self.compare(seed, label + " whole", run.whole[label], wanted, run.outputs)


def mil_of(place, run):
    text = place / "model.mil"
    if not text.exists():
        return None
    program = mil_interpreter.Program(text.read_text(), mil_text.Blob((place / "weights.bin").read_bytes()))
    return functools.partial(program.evaluate, run.given)


def netplist_of(place, run):
    if not (place / "net.plist").exists():
        return None
    inputs = {p[0]: a for p, a in zip(run.inputs, run.given)}
    return functools.partial(netplist_interpreter.Program(place).evaluate, inputs, [p[0] for p in run.outputs])


def uncovered(operations):
    """A fault for each operation that no graph has, or that a format has and that was never written and read back."""
    for name, (made, _, *formats, in_mil, in_netplist) in operations.items():
        if made == 0:
            yield f"{name} is in no graph"
        for has, written, read, what in zip((in_mil, in_netplist), formats[:2], formats[2:], ("MIL text", "netplist")):
            if has and written == 0:
                yield f"{name} is in no {what}"
            elif has and read == 0 and name not in READ_AS_OTHERS[what]:
                yield f"{name} is read back from no {what}"


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--graphs", type=int, default=ENOUGH)
    options.add_argument("--seed", type=int, default=None)
    options.add_argument("--keep", default=None, help="a folder for the files of the graphs")
    options.add_argument("--program", default=str(BUILD / "bin" / "differential_graphs"))
    given = options.parse_args()
    seed = from_environment.seed() if given.seed is None else given.seed
    print(f"seed {seed}, {given.graphs} graphs", flush=True)
    np.seterr(all="ignore")
    judge = Judge()
    operations = collections.defaultdict(lambda: np.zeros(8, int))
    refusals = collections.Counter()
    read = collections.defaultdict(lambda: np.zeros(2, int))
    made = 0

    def is_enough():
        if made < given.graphs:
            return False
        return given.graphs < ENOUGH or made >= PLENTY or judge.faults or not any(uncovered(operations))

    while not is_enough():
        first, count = seed + made, min(BATCH, given.graphs - made) if made < given.graphs else MORE
        made += count
        with tempfile.TemporaryDirectory() as folder:
            folder = given.keep or folder
            command = [given.program, folder, str(first), str(count)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode not in (0, 1):
                judge.faults.append(f"from {first}: {given.program} ended with {done.returncode}: {done.stderr}")
                break
            for line in done.stdout.splitlines():
                word, _, rest = line.partition(" ")
                if word == "fault":
                    judge.faults.append(rest)
                elif word == "refused":
                    refusals[rest.split(" ")[0]] += 1
                elif word == "read":
                    label, files, same = rest.split(" ")
                    read[label] += np.array([int(files), int(same)])
                elif word == "despite":
                    refusals["netplists written despite a fault"] += int(rest)
                elif word == "operation":
                    name, *numbers = rest.split(" ")
                    operations[name] += np.array([int(n) for n in numbers])
            for n in range(first, first + count):
                if (pathlib.Path(folder) / str(n) / "run.txt").exists():
                    judge.graph(n, pathlib.Path(folder) / str(n))
    for column, what in enumerate(COLUMNS):
        counts = [f"{name} {numbers[column]}" for name, numbers in operations.items() if numbers[column]]
        print(f"{what}: {', '.join(counts)}")
    print(f"netplists written although a fault was told: {refusals['netplists written despite a fault']}")
    for label in ("MIL", "netplist"):
        everything, sharp = judge.elements[label], judge.elements[label + " sharp"]
        share = sharp / max(everything, 1)
        print(f"{label}: {everything} elements, {share:.0%} of them held to a value; {refusals[label]} graphs refused")
        files, same = read[label]
        print(f"{label}: {files} files read back, {same} of them with the same results to the last bit")
        print(f"{label}: {judge.elements[label + ' whole']} elements of files with composed operations kept whole")
        if given.graphs >= ENOUGH and share < LEAST_SHARP:
            judge.faults.append(f"{label}: the sets say nothing of {1 - share:.0%} of the elements")
    if given.graphs >= ENOUGH:
        judge.faults += uncovered(operations)
    for fault in judge.faults[:40]:
        print("fault:", fault)
    print(f"{made} graphs, {len(judge.faults)} faults")
    return 1 if judge.faults else 0


if __name__ == "__main__":
    sys.exit(main())
