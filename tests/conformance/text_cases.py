"""The program conformance_evaluate itself: what it reads, what it refuses, and that no text makes it crash. And the
comparison that judges its results.

    text_cases.py [--evaluate <program>] [--seed <number>] [--mutations <number>]

Mutations of good graphs are run many in one process; each has to end as ok, unsupported or error. Under the
sanitizers this is a small fuzzer of the shape rules and of `validate` too.
"""

import argparse
import random
import re
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("skipped: NumPy is not installed")
    sys.exit(77)

from harness import Evaluator, Graph, worst

# Lines behind `x input shape=1,2,4,4 at=0`, and what the message says.
REFUSED = [
    ("y relu", "wrong number of operands"),
    ("y relu x x", "wrong number of operands"),
    ("y relu z", "names no node"),
    ("y nothing x", "is no operation"),
    ("y relu x alpha=1", "no member"),
    ("y clamp x min=1 min=2", "given twice"),
    ("y clamp x min=1 max=0", "low end"),
    ("y clamp x min=one", "no number"),
    ("y clamp x min=1e400", "no number"),
    ("y clamp x min=nan", "no number"),
    ("y clamp x min=", "no number"),
    ("y softmax x index=4", "axis"),
    ("y softmax x index=-5", "axis"),
    ("y softmax x index=1.5", "is not an integer in range"),
    ("y softmax x index=99999999999999999999", "is not an integer in range"),
    ("y reduce_sum x list=-5", "axis"),
    ("y reduce_sum x list=1,1", "twice"),
    ("y transpose x order=0,1,2", "graph: transpose: the order must name every axis"),
    ("y reshape x", "element"),
    ("y reshape x shape=1,2,3,4", "element"),
    ("y reshape x shape=32,", "is not an integer in range"),
    ("y reshape x shape=1,1,1,1,1,1,1,1,32", "eight"),
    ("y tile x count=100000,100000,1,1", "shape"),
    ("y relu x shape=1,2,4,5", "not the requested shape"),
    ("y max_pool x kernel=2 stride=1,1", "height and width"),
    ("y max_pool x kernel=2,2 padding=1,1", "top, bottom"),
    ("y max_pool x kernel=2,2 stride=1,1 ceil_mode=yes", "true nor false"),
    ("y resize x extent=8,8 method=cubic", "no such name"),
    ("y logical_not x", "boolean"),
    ("y select x x x", "boolean"),
    ("k constant shape= values=1\ny dequantize x k", "does not read elements of type fp16"),
    ("b input shape=2 at=0 type=uint8\ny add b b", "does not read elements of type uint8"),
    ("x relu x", "taken as a name"),
    ("output relu x", "taken as a name"),
    ("y input shape=2", "is missing"),
    ("y input shape=2 at=-1", "is not an integer in range"),
    ("y input shape=2 at=8 type=f64", "no such name"),
    ("y input shape=2 at=8 type=bool", "no type of a tensor"),
    ("y weight shape=2 at=8 type=uint8", "no type of a tensor"),
    ("y constant shape=2 values=1,2,3", "as many values"),
    ("y constant shape=2", "is missing"),
    ("output x\noutput x", "output twice"),
    ("output y", "names no node"),
    ("y", "no line of a graph"),
]
# A result, what it is to be, the slack; whether it passes. An ulp of fp16 is 2^-10 at 1 and 2^-24 near 0.
JUDGED = [
    (1 + 2 * 2**-10, 1.0, 0.0, True),
    (1 + 3 * 2**-10, 1.0, 0.0, False),
    (1 + 3 * 2**-10, 1.0, 2**-10, True),
    (3 * 2**-24, 2**-24, 0.0, True),
    (4 * 2**-24, 2**-24, 0.0, False),
    (1.0, 1.0, np.nan, True),
    (2.0, 1.0, np.nan, False),
    (np.inf, 1e6, 0.0, True),
    (-np.inf, 1e6, 0.0, False),
    (np.inf, 60000.0, 0.0, False),
    (65504.0, 1e6, 0.0, False),
    (np.nan, 1.0, 1e9, False),
    (np.nan, np.nan, 0.0, True),
    (0.0, np.inf, 0.0, False),
    ([1.0, 1.0], 1.0, 0.0, False),
]
NUMBERS = ["-1", "0", "1", "2", "3", "4", "7", "-2147483648", "2147483647", "9223372036854775807"]
NUMBERS += ["99999999999999999999", "1e38", "nan", "", "x", "1,2,3,4,5,6,7,8,9"]


def good_graphs():
    """Texts with many operations and attributes, small enough to run thousands of."""
    graphs = []
    g = Graph("contractions")
    x, w = g.input(np.ones((1, 4, 5, 5))), g.weight(np.ones((4, 2, 3, 3)))
    y = g.conv2d(x, w, shape=(1, 4, 5, 5), stride=[1, 1], dilation=[1, 1], padding=[1, 1, 1, 1], groups=2)
    y = g.max_pool(y, shape=(1, 4, 3, 3), kernel=[2, 2], stride=[2, 2], padding=[0, 0, 0, 0], ceil_mode=True)
    g.output(g.matmul(y, y, a=True, b=False))
    graphs.append(g)
    g = Graph("movement")
    x = g.input(np.ones((2, 3, 4)))
    y = g.transpose(x, order=[2, 0, 1])
    y = g.slice(y, begin=[1, 0, 0], size=[2, 2, 3])
    y = g.pad(y, 0.5, before=[0, 1, 0], after=[1, 0, 2])
    y = g.concat(y, y, index=1)
    y = g.tile(y, count=[1, 2, 1])
    y = g.strided_slice(y, shape=(2, 3, 2), begin=[0, 1, 0], stride=[1, 2, 2])
    g.output(g.reverse(g.reduce_mean(y, list=[0, 2]), list=[1]))
    graphs.append(g)
    g = Graph("values")
    x, s = g.input(np.ones((2, 3))), g.weight(np.ones(3))
    y = g.select(g.greater(x, 0.5), g.clamp(x, min=-1.0, max=1.0), g.elu(x, alpha=0.5))
    y = g.layer_norm(y, s, s, epsilon=0.001, axis=1)
    g.output(g.softmax(g.cumsum(y, axis=1, exclusive=True, reverse=False), index=1))
    g.output(g.top_k_indices(y, k=2, axis=1, ascending=False))
    graphs.append(g)
    g = Graph("images")
    x = g.input(np.ones((1, 4, 3, 3)))
    y = g.resize(x, shape=(1, 4, 5, 4), extent=[5, 4], method="bilinear", grid="half_pixel")
    g.output(g.pixel_shuffle(y, by=[2, 2]))
    g.output(g.local_response_norm(x, size=3, alpha=0.5, beta=0.75, k=1.0))
    q = g.quantize(x, 0.25, 3.0, type="uint8", axis=1)
    g.output(g.dequantize(q, 0.25, 3.0, type="uint8", axis=1))
    g.output(g.cast(g.input(np.ones(3), "uint8")))
    graphs.append(g)
    return graphs


def mutated(draw, text):
    """One to three changes of a word, a number, a character or a line; numbers are what shape rules are about."""
    for _ in range(draw.choice((1, 1, 2, 3))):
        lines = text.splitlines()
        i = draw.randrange(1, len(lines))  # the first one is `case`
        how = draw.choice((0, 0, 0, 0, 1, 2, 3, 4, 5))
        if how == 0:
            numbers = list(re.finditer(r"(?<=[=,])-?[0-9][0-9.xp+-]*", lines[i]))
            if numbers:
                m = draw.choice(numbers)
                lines[i] = lines[i][: m.start()] + draw.choice(NUMBERS) + lines[i][m.end() :]
        elif how == 1:
            words = lines[i].split(" ")
            words[draw.randrange(len(words))] = draw.choice(draw.choice(lines).split(" "))
            lines[i] = " ".join(words)
        elif how == 2:
            at = draw.randrange(len(lines[i]) + 1)
            lines[i] = lines[i][:at] + draw.choice("=,-.0 \t\x00\xff") + lines[i][at + draw.randrange(2) :]
        elif how == 3:
            lines[i] = draw.choice(lines[1:])
        elif how == 4 and len(lines) > 2:
            del lines[i]
        else:
            words = lines[i].split(" ")
            del words[draw.randrange(len(words))]
            lines[i] = " ".join(words)
        text = "\n".join(lines) + "\n"
    return text


def run(program, text, folder):
    """The lines of a run, and how it ended."""
    command = [program, folder + "/tensors", folder + "/results"]
    done = subprocess.run(command, input=text.encode("latin-1"), capture_output=True, check=False)
    return done.stdout.decode("latin-1").splitlines(), done


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--evaluate", help="the program conformance_evaluate")
    parser.add_argument("--seed", type=int, default=20260101)
    parser.add_argument("--mutations", type=int, default=4000)
    given = parser.parse_args()
    program = Evaluator(given.evaluate).program
    if not program.exists():
        print(f"skipped: {program} is not built")
        return 77
    faults = [f"{case} is judged wrongly" for case in JUDGED if (worst(*case[:3]) is None) != case[3]]
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/tensors", "wb") as tensors:
            tensors.write(np.ones(4096, np.float16).tobytes())

        for lines, wanted in REFUSED:
            text = f"case one\nx input shape=1,2,4,4 at=0\n{lines}\noutput x\n"
            if lines.startswith("output ") and "relu" not in lines:
                text = f"case one\nx input shape=1,2,4,4 at=0\n{lines}\n"
            shown, done = run(program, text, folder)
            refused = len(shown) == 1 and shown[0].startswith("error one ") and wanted in shown[0]
            if done.returncode != 1 or not refused:
                faults.append(f"{lines!r} gives {shown} and ends with {done.returncode}, not an error with {wanted!r}")

        for text in ("x input shape=2 at=0\n", "case one\n"):
            shown, done = run(program, text, folder)
            if done.returncode == 0:
                faults.append(f"{text!r} is taken: {shown}")
        usage = subprocess.run([program], capture_output=True, check=False)
        if usage.returncode != 2 or b"usage" not in usage.stderr:
            faults.append(f"without arguments it ends with {usage.returncode}: {usage.stderr}")

        draw, texts = random.Random(given.seed), []
        for graph in good_graphs():
            offsets = [64 * i for i in range(len(graph.tensors))]
            text = graph.text(offsets)
            shown, done = run(program, text, folder)
            if done.returncode != 0:
                faults.append(f"{graph.name} gives {shown}")
            texts.append(text)
        mutations = [mutated(draw, draw.choice(texts)) for _ in range(given.mutations)]
        mutations = [m for m in mutations if m.count("case ") == 1]
        shown, done = run(program, "".join(mutations), folder)
        words = [line.split(" ")[0] for line in shown]
        if done.returncode != 1 or len(shown) != len(mutations) or not set(words) <= {"ok", "unsupported", "error"}:
            ending = f"{done.returncode} after {len(shown)}: {done.stderr[-2000:]!r}"
            faults.append(f"the mutations of seed {given.seed} end with {ending}")
            if len(shown) < len(mutations):
                faults.append("the next one is\n" + mutations[len(shown)])
    for fault in faults:
        print(fault)
    still = f"{words.count('ok')} of them still run"
    print(f"{len(REFUSED)} refusals, {len(mutations)} mutations of seed {given.seed} ({still})")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
