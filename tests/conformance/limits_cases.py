"""The limits of the ONNX cases themselves: bounds on what fp16 rounds against NumPy's float16, and what may be refused.

    limits_cases.py [--seed <number>]

Ends with 1 if a bound is exceeded or says nothing, or if a refusal is sorted wrongly; with 77 where NumPy or ONNX's
Python package is missing.
"""

import argparse
import sys

try:
    import numpy as np
    import onnx  # noqa: F401 (what is imported below needs it)
except ImportError as missing:
    print(f"skipped: {missing} (Debian packages python3-onnx and python3-numpy)")
    sys.exit(77)

import onnx_definitions
import onnx_reference as reference
from harness import ulp
from onnx_refusals import sorted_refusal
from onnx_tolerances import composed, tolerances

COUNT = 4000
# A bound that says anything: the worst error comes to this part of the bound beside it.
LEAST_PART = 0.25
ONE = np.float16(1)

# The operator, the range of its operands, and its definition in NumPy's float16, which rounds after every operation.
STEPS = [
    ("Tan", (-1.5, 1.5), lambda x: np.sin(x) / np.cos(x)),
    ("Asin", (-0.999, 0.999), lambda x: np.arctan(x / np.sqrt((ONE - x) * (ONE + x)))),
    ("Acos", (-0.999, 0.999), lambda x: np.float16(2) * np.arctan(np.sqrt((ONE - x) / (ONE + x)))),
    ("Sinh", (-4, 4), lambda x: (np.exp(x) - np.exp(-x)) * np.float16(0.5)),
    ("Cosh", (-4, 4), lambda x: (np.exp(x) + np.exp(-x)) * np.float16(0.5)),
    ("Asinh", (-100, 100), lambda x: np.sign(x) * np.log(np.abs(x) + np.sqrt(x * x + ONE))),
    ("Acosh", (1.001, 100), lambda x: np.log(x + np.sqrt((x - ONE) * (x + ONE)))),
    ("Atanh", (-0.99, 0.99), lambda x: np.log((ONE + x) / (ONE - x)) * np.float16(0.5)),
    ("Sum", (-1, 1), lambda x, y, z: x + y + z),
    ("Mean", (-1, 1), lambda x, y, z: (x + y + z) / np.float16(3)),
]

# What the importer says of a model, and the reason that it stands for; None: no such refusal is known.
FAULT = "file: /a/model.onnx: {} fault"
REFUSED = [
    ("   /a/model.onnx:1: y (Bernoulli): draws random numbers", "random numbers"),
    ("   /a/model.onnx:1: y (Conv): draws random numbers", None),
    ("   /a/model.onnx:1: y (Bernoulli): draws random numbers at night", None),
    ("   /a/model.onnx:1: y (Conv): has no channels", None),
    ("   /a/model.onnx:1: y (Reshape): reads a tensor [3, 0, 5] without elements", "empty tensors"),
    ("   /a/model.onnx:1: y (Reshape): reads a tensor [3, 10, 5] without elements", None),
    ('   /a/model.onnx: output "y": reads a tensor [0] without elements', "empty tensors"),
    ("   /a/model.onnx:1: y (NonZero): gives a shape that depends on data", "shapes that depend on data"),
    ("   /a/model.onnx:1: y (Loop): loops: a model here writes its steps out   /a/model.onnx:2: z (Add): is odd", None),
    ("", None),
    ("   nonsense", None),
]


def bound_faults(draw):
    """NumPy's results within the bounds, and so near to them that the bounds mean something."""
    for name, (low, high), steps in STEPS:
        operands = [draw.uniform(low, high, COUNT).astype(np.float16) for _ in range(steps.__code__.co_argcount)]
        wide = [x.astype(np.float64) for x in operands]
        exact = reference.OPERATORS[name]({}, *wide)[0]
        (carried,) = tolerances(name, {}, [exact], wide)
        error = np.abs(steps(*operands).astype(np.float64) - exact)
        part = (error / (carried + ulp(exact))).max()
        print(f"{name:6} errors come to {part:.2f} of the bound, {(error / ulp(exact)).max():.1f} ulp")
        if not LEAST_PART <= part <= 1:
            yield f"{name}: float16 is off by {part:.2f} of the bound"


def definition_faults():
    """A definition that computes something else is noticed."""
    x = np.linspace(-1, 1, 9)
    kept = onnx_definitions.DEFINITIONS["Sinh"]
    onnx_definitions.DEFINITIONS["Sinh"] = onnx_definitions.DEFINITIONS["Cosh"]
    try:
        composed("Sinh")({}, [np.sinh(x)], x)
        yield "a wrong definition is taken"
    except ValueError:
        pass
    finally:
        onnx_definitions.DEFINITIONS["Sinh"] = kept


def refusal_faults():
    for faults, wanted in REFUSED:
        found = sorted_refusal(FAULT.format(faults.count("   ")) + faults)[0]
        if found != wanted:
            yield f"{faults!r} is sorted as {found}, not {wanted}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--seed", type=int, default=20261123)
    given = parser.parse_args()
    print(f"seed {given.seed}")
    with np.errstate(all="ignore"):
        faults = [*bound_faults(np.random.default_rng(given.seed)), *definition_faults(), *refusal_faults()]
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
