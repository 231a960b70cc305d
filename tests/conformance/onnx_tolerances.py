"""How far a result of an ONNX operator may be off beyond the 2 ulp of a single operation, for each element.

`tolerances` finds the function of an operator in TOLERANCES. It takes the attributes, the exact results and the exact
inputs, and returns an amount for each result, None for nothing. An operator that is not there has its 2 ulp. There are
three kinds:

- A sum in float32: so many terms, each of which may be off by an ulp of the sum of the magnitudes, where it cancels.
- A definition of several operations, written with numbers that know how fp16 rounds each of them (onnx_definitions.py).
  Its exact values have to be those of the reference, or the case fails.
- Others say what they count.
"""

import itertools
import math

import numpy as np

import onnx_reference as reference
from harness import FP32_ULP, HALF_ULP, rounded
from onnx_definitions import DEFINITIONS
from onnx_reference import channels, text
from rounding import apply, given, mean

TOLERANCES = {}
AGREEMENT = 1e-6  # of a definition's exact value with the reference, both in float64


def tolerance(*names):
    def register(function):
        for name in names:
            TOLERANCES[name] = function
        return function

    return register


def tolerances(name, attributes, outputs, inputs):
    """An amount for each result, of its shape or one that NumPy makes of it; integers and booleans have to be equal."""
    real = name in TOLERANCES and any(y.dtype.kind == "f" for y in outputs)
    found = TOLERANCES[name](attributes, outputs, *inputs) if real else []
    amounts = []
    for y, amount in itertools.zip_longest(outputs, found[: len(outputs)]):
        if amount is None or y.dtype.kind != "f":
            amounts.append(np.zeros(y.shape))
        else:
            amounts.append(np.broadcast_to(np.where(np.isfinite(amount), amount, 0), y.shape))
    return amounts


def sums(terms, magnitude):
    return terms * FP32_ULP * np.abs(magnitude)


# ---- sums in float32 ------------------------------------------------------------------------------------------------


def reduced_count(a, x, axes=None):
    over = reference.reduction_axes(a, x, axes)
    return math.prod(x.shape[i] for i in over) if over else 0


TERMS = {  # how many each element of the result is made of
    "AveragePool": lambda a, x: math.prod(a["kernel_shape"]),
    "Conv": lambda a, x, w, b=None: math.prod(w.shape[1:]) + (b is not None),
    "ConvTranspose": lambda a, x, w, b=None: math.prod(w.shape[:1] + w.shape[2:]),
    "CumSum": lambda a, x, axis: x.shape[int(axis)],
    "Einsum": lambda a, *operands: max(x.size for x in operands),
    "GlobalAveragePool": lambda a, x: math.prod(x.shape[2:]),
    "MatMul": lambda a, x, y: x.shape[-1],
    "ReduceMean": reduced_count,
    "ReduceSum": reduced_count,
}


def summing(name):
    def amount(a, outputs, *inputs):
        """The magnitude is the operator's own result for the magnitudes."""
        sizes = [np.abs(x) if x is not None and x.dtype.kind == "f" else x for x in inputs]
        magnitude = reference.OPERATORS[name](a, *sizes)[0]
        found = sums(TERMS[name](a, *inputs), magnitude)
        if name == "AveragePool" and len(a["kernel_shape"]) == 3:
            found = found + HALF_ULP * magnitude  # a mean of means
        return [found]

    return amount


for _name in TERMS:
    TOLERANCES[_name] = summing(_name)


def normalised(a, x, over, factor):
    """(x - mean) / deviation in float32: both means are sums, and the difference may lose digits."""
    deviation = np.sqrt(x.var(axis=over, keepdims=True) + a.get("epsilon", 1e-5))
    size = np.abs(x).max(axis=over, keepdims=True)
    return sums(math.prod(x.shape[i] for i in over), factor * (size / deviation + 1))


@tolerance("BatchNormalization")
def batch_normalization(a, outputs, *inputs):
    if a.get("training_mode", 0):
        return composed("BatchNormalization")(a, outputs, *inputs)
    x, scale, bias, own, variance = (np.abs(v) for v in inputs)
    return [sums(4, reference.batch_normalization(a, x, scale, bias, -own, variance)[0])]


@tolerance("InstanceNormalization")
def instance_normalization(a, outputs, x, scale, bias):
    return [normalised(a, x, tuple(range(2, x.ndim)), channels(scale, x.ndim))]


@tolerance("LayerNormalization")
def layer_normalization(a, outputs, x, scale, bias=None):
    """The deviation is a result of its own, in several operations."""
    over = tuple(range(a.get("axis", -1) % x.ndim, x.ndim))
    centred = given(x) - mean(x, over)
    inverse = apply(lambda v: 1 / np.sqrt(v + a.get("epsilon", 1e-5)), mean(centred * centred, over))
    return [normalised(a, x, over, scale), None, inverse.carried]


@tolerance("Resize", "Upsample")
def resize(a, outputs, x, *others):
    """Cubic weights are stored as fp16, and the sum of an axis is, too."""
    size = np.abs(x).max()
    if text(a.get("mode")) != "cubic":
        return [sums(4, size)]
    scales = [out / own for out, own in zip(outputs[0].shape, x.shape)]
    grid = text(a.get("coordinate_transformation_mode", "half_pixel"))
    axes = [reference.axis_weights(a, grid, "cubic", "", outputs[0].shape[i], x.shape[i], scales[i]) for i in (2, 3)]
    return [3 * HALF_ULP * size * math.prod(np.abs(weights).sum(axis=1).max() for weights in axes)]


@tolerance("GridSample")
def grid_sample(a, outputs, x, grid):
    """Coordinates in pixels are fp16 numbers: what changes by rounding them."""
    at = []
    for k, extent in enumerate(x.shape[:1:-1]):  # width, height
        pixels = rounded(reference.grid_coordinates(a, extent, grid[..., k]))
        at.append(2 * pixels / (extent - 1) - 1 if a.get("align_corners", 0) else (2 * pixels + 1) / extent - 1)
    change = np.abs(reference.grid_sample(a, x, np.stack(at, axis=-1))[0] - outputs[0])
    return [change + sums(4, np.abs(x).max())]


@tolerance("RoiAlign")
def roi_align(a, outputs, x, boxes, images):
    """Every sample rounds before the mean of them."""
    return [HALF_ULP * reference.roi_align(a, np.abs(x), boxes, images)[0]]


@tolerance("ReduceProd")
def product(a, outputs, x, axes=None):
    return [max(reduced_count(a, x, axes) - 1, 0) * HALF_ULP * np.abs(outputs[0])]


def scattering(function):
    def amount(a, outputs, x, index, updates):
        """Several updates of one element round one after the other."""
        if text(a.get("reduction", "none")) == "none":
            return []
        counts = function({**a, "reduction": "add"}, np.zeros(x.shape), index, np.ones(updates.shape))[0]
        magnitude = function(a, np.abs(x), index, np.abs(updates))[0]
        return [np.maximum(counts - 1, 0) * HALF_ULP * magnitude]

    return amount


TOLERANCES["ScatterElements"] = scattering(reference.scatter_elements)
TOLERANCES["ScatterND"] = scattering(reference.scatter_nd)


# ---- definitions of several operations ------------------------------------------------------------------------------


def composed(name):
    def amounts(a, outputs, *inputs):
        inputs = [given(x) if x is not None and x.dtype.kind == "f" else x for x in inputs]
        found = DEFINITIONS[name](a, *inputs)
        found = list(found) if isinstance(found, (list, tuple)) else [found]
        carried = []
        for y, own in zip(outputs, found):
            if own is None or y.dtype.kind != "f":
                carried.append(None)
                continue
            if not np.allclose(own.value.reshape(y.shape), y, AGREEMENT, AGREEMENT, equal_nan=True):
                raise ValueError(f"the definition of {name} in steps gives other values than the reference")
            carried.append(np.reshape(own.carried, y.shape))
        return carried

    return amounts


for _name in DEFINITIONS:
    TOLERANCES.setdefault(_name, composed(_name))
