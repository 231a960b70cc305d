"""Evaluates a netplist over sets (sets.py): what each unit means, written down from the unit records alone.

A value is a Set of the extents of Batch, Depth, Channel, Height, Width.
"""

import math
import plistlib
import struct

import numpy as np

import sets

AXES = ("Batch", "Depth", "Channel", "Height", "Width")
N, D, C, H, W = range(5)
LOG2_E, LN_2 = 0x3DC5, 0x398C  # as fp16 patterns: a netplist can hold no others


def half(pattern):
    return struct.unpack("<e", struct.pack("<H", pattern))[0]


def five(shape):
    """Rank 5 is N, D, C, H, W; lower ranks are right-aligned on N, C, H, W."""
    if len(shape) == 5:
        return list(shape)
    four = [1] * (4 - len(shape)) + list(shape)
    return [four[0], 1, *four[1:]]


class Blobs:
    """Reads the weight files of a netplist and remembers which elements were referred to."""

    def __init__(self, directory, names):
        self.files = [(directory / name).read_bytes() for name in names]
        self.used = [0] * len(names)
        self.rounding = lambda x: x

    def tensor(self, index, offset, shape):
        count = math.prod(shape)
        data = self.files[index][offset : offset + 2 * count]
        assert len(data) == 2 * count, f"blob {index} ends before element {count}"
        self.used[index] = max(self.used[index], offset + 2 * count)
        return self.number(np.frombuffer(data, "<f2").astype(np.float64).reshape(shape))

    def number(self, values):
        """Constants of the graph."""
        return self.rounding(sets.exactly(values))


class Program:
    """A directory with net.plist and its weight files."""

    def __init__(self, place):
        document = plistlib.loads((place / "net.plist").read_bytes())
        self.procedure = document["ProcedureList"][0]
        self.body = document[document["Networks"][0]]
        self.blobs = Blobs(place, self.body["Weights"])

    def evaluate(self, inputs, outputs, folded=False):
        """The sets of the outputs, from arrays by name; whether all values on the way are finite for certain.

        `folded`: constants may stand rounded for what they were computed of.
        """
        self.blobs.rounding = sets.rounded if folded else lambda x: x
        body = self.body
        values = {}
        for name, array in inputs.items():
            values[name] = sets.exactly(array.astype(np.float64).reshape(five(array.shape)))
        for entry in self.procedure["InputList"]:
            shape = [entry[k] for k in ("BatchSize", "InputDepth", "InputChannels", "InputHeight", "InputWidth")]
            assert values[entry["InputName"]].shape == tuple(shape)
        for name in body.get("Constants", []):
            values[name] = constant(body[name], self.blobs)
        ordinary = True
        for name in body["Units"]:
            unit = body[name]
            values[name] = value = evaluate(unit, [values[b] for b in unit["Bottom"]], self.blobs)
            assert unit.get("OutputChannels", value.shape[C]) == value.shape[C], name
            ordinary = ordinary and value.is_ordinary()
        assert [o["OutputName"] for o in self.procedure["OutputList"]] == outputs
        return [values[body[name]["Bottom"]] for name in outputs], ordinary


def constant(c, blobs):
    shape = [c["Constant" + k] for k in ("BatchSize", "Depth", "Channels", "Height", "Width")]
    return blobs.tensor(c["ConstantIndex"], c["ConstantByteOffset"], shape)


def number(params, key, default):
    return half(params[key]) if key in params else default


def neuron(params, x):
    kind = params["Type"]
    epsilon = number(params, "Epsilon", 0.0)
    if kind == "ReLU":
        return sets.maximum(x, sets.exactly(0.0))
    if kind == "ClampedReLU":
        return sets.clip(x, number(params, "ReluMin", None), number(params, "ReluMax", None))
    return sets.rounded(
        {
            "SigmoidHighPrecision": lambda: sets.sigmoid(x),
            "Tanh": lambda: sets.hull(np.tanh, x),
            "GELU": lambda: sets.gelu(x),
            "Sqrt": lambda: sets.hull(np.sqrt, x, domain=0.0),
            "Rsqrt": lambda: sets.rsqrt(sets.shifted(x, epsilon)),
            "Exp2": lambda: sets.hull(np.exp2, x),
            "Log2": lambda: sets.scaled(sets.log(sets.shifted(x, epsilon)), 1 / math.log(2)),
            "Inv": lambda: sets.divide(sets.exactly(1.0), sets.shifted(x, epsilon)),
            "LeakyReLU": lambda: sets.leaky_relu(x, number(params, "ReluSlope", None)),
        }[kind]()
    )


def element_wise(params, *xs):
    assert all(x.shape == xs[0].shape for x in xs), f"operands of unequal shapes {[x.shape for x in xs]}"
    kind = params["Type"]
    if kind in ("Add", "Sub", "Mult"):
        return sets.rounded({"Add": sets.add, "Sub": sets.subtract, "Mult": sets.multiply}[kind](*xs))
    if kind == "Abs":
        return sets.hull(np.abs, xs[0], ((0.0, 0.0),))
    return {"Min": sets.minimum, "Max": sets.maximum}[kind](*xs)


def factor(pattern, blobs):
    """A number; log2 e and ln 2 as what they are rounded from, or to."""
    exact = {LOG2_E: math.log2(math.e), LN_2: math.log(2)}.get(pattern)
    value = half(pattern)
    return blobs.number(value) if exact is None else sets.Set(min(value, exact), max(value, exact))


def gain_offset(params, x, blobs):
    """scale (x + bias); no unit here has both."""
    channels = x.shape[C]
    assert len(params) == 1
    (key, value), = params.items()
    if key == "ScaleScalar":
        return sets.rounded(sets.multiply(x, factor(value, blobs)))
    if key == "BiasScalar":
        return sets.rounded(sets.add(x, blobs.number(half(value))))
    assert key == "BiasScaleGroupData" and ("ScaleCount" in value) != ("BiasCount" in value)
    name = "Scale" if "ScaleCount" in value else "Bias"
    assert value[name + "Count"] == channels
    vector = blobs.tensor(value[name + "Index"], value[name + "Offset"], (1, 1, channels, 1, 1))
    return sets.rounded((sets.multiply if name == "Scale" else sets.add)(x, vector))


def window(params, x, stuffed):
    """Rows and columns of windows (sets.window_indices); on an input stuffed with zeros for DeConv."""
    kernel = (params["KernelHeight"], params["KernelWidth"])
    step = (params["Step"][1], params["Step"][0])
    dilation = (params.get("KernelDilationY", 1), params.get("KernelDilationX", 1))
    before, after = (params["PadTop"], params["PadLeft"]), (params["PadBot"], params["PadRight"])
    found = []
    for i, axis in enumerate((H, W)):
        extent = x.shape[axis] * (step[i] if stuffed else 1)
        stride = 1 if stuffed else step[i]
        reach = (kernel[i] - 1) * dilation[i] + 1
        assert reach <= extent + before[i] + after[i]
        count = (extent + before[i] + after[i] - reach) // stride + 1
        found.append(sets.window_indices(extent, kernel[i], stride, dilation[i], before[i], count))
    return found


def as_images(x):
    """Without Depth, which is folded into Batch."""
    return x.move(lambda v: v.reshape(v.shape[N] * v.shape[D], *v.shape[C:]))


def as_five(y, depth=1):
    return y.move(lambda v: v.reshape(v.shape[0] // depth, depth, *v.shape[1:]))


def convolution(unit, x, blobs):
    params = unit["Params"]
    variant = params["Type"]
    stuffed = "DeConv" in variant
    out, groups = unit["OutputChannels"], unit["NumGroups"]
    channels = x.shape[C]
    assert channels % groups == 0 and out % groups == 0 and x.shape[D] == 1
    if variant.startswith("ChannelWise"):
        assert groups == out == channels
    assert ("Dilated" in variant) == (params.get("KernelDilationX", 1) > 1 or params.get("KernelDilationY", 1) > 1)
    shape = (out, channels // groups, params["KernelHeight"], params["KernelWidth"])
    kernel = blobs.tensor(params["KernelIndex"], params["KernelOffset"], shape)
    image = as_images(x)
    if stuffed:
        image = sets.stuffed(image, (params["Step"][1], params["Step"][0]))
    return as_five(sets.rounded(sets.convolution(image, kernel, *window(params, x, stuffed), groups)))


def pooling(params, x):
    average = params["Type"] == "Avg"
    assert params["PaddingMode"] == ("Zero" if average else "Negative")
    for side, extent in (("PadTop", "Height"), ("PadBot", "Height"), ("PadLeft", "Width"), ("PadRight", "Width")):
        assert 0 <= params[side] < params["Kernel" + extent]
    image, places = as_images(x), window(params, x, False)
    if average:
        y = sets.rounded(sets.avg_pool(image, *places, params["AverageCountExcludePadding"]))
    else:
        y = sets.max_pool(image, *places)
    return as_five(y, x.shape[D])


def matrix_multiplication(a, b):
    """Rows on Channel, columns on Width; Height is the batch."""
    assert a.shape[N] == b.shape[N] == a.shape[D] == b.shape[D] == 1
    assert a.shape[W] == b.shape[C] and a.shape[H] == b.shape[H]

    def contract(x, y):
        return np.swapaxes(np.matmul(np.swapaxes(x, C, H), np.swapaxes(y, C, H)), C, H)

    return sets.rounded(sets.bilinear(contract, a, b, a.shape[W]))


def softmax(params, x):
    axis = AXES.index(params["Dimension"])
    assert axis in (C, H, W)
    return sets.rounded(sets.softmax(x, axis), 2.0**-20)


def reduction(params, x):
    names = params["Dimension"]
    assert 1 <= len(names) <= 4 and len(set(names)) == len(names)
    axes = tuple(AXES.index(name) for name in names)
    kind = params["Type"]
    if kind in ("Max", "Min"):
        return sets.extreme(x, axes, np.max if kind == "Max" else np.min)
    y = sets.total(x, axes)
    return sets.rounded(sets.scaled(y, 1 / math.prod(x.shape[a] for a in axes)) if kind == "Avg" else y)


def arg_min_max(params, x):
    """Channel: along it. Spatial: along Height and Width as one axis."""
    largest = params["Mode"].endswith("Max")
    assert params["KernelWidth"] == x.shape[W] and params["KernelHeight"] == x.shape[H]
    if params["Mode"].startswith("Channel"):
        return sets.position(x, C, largest)
    flat = x.move(lambda v: v.reshape(*v.shape[:H], 1, v.shape[H] * v.shape[W]))
    return sets.position(flat, W, largest)


def global_arg_min_max(params, x):
    assert params["Dimension"] in ("Width", "Height", "Channel")
    return sets.position(x, AXES.index(params["Dimension"]), params["Type"] == "Max")


def reshape(params, x):
    shape = [params["Reshaped" + a] for a in AXES]
    for s in (shape, x.shape):
        assert s[D] == 1 or s[C] == 1, "the order of depth and channels is not the graph's"
    return x.move(lambda v: v.reshape(shape))


def transpose(params, x):
    source = list(range(5))
    for move in params["TransposeDimensions"]:
        assert move["TransposeDestinationDimension"] != move["TransposeSourceDimension"]
        source[AXES.index(move["TransposeDestinationDimension"])] = AXES.index(move["TransposeSourceDimension"])
    return x.move(lambda v: v.transpose(source))


def concat(params, xs):
    assert len(xs) >= 2
    axis = AXES.index(params["Dimension"])
    return sets.Set(*(np.concatenate([getattr(x, part) for x in xs], axis) for part in ("low", "high", "nan")))


def input_view(params, x):
    axis = AXES.index(params["Dimension"])
    offset, size = params["Offset"], params["Size"]
    assert 0 <= offset and 0 < size and offset + size <= x.shape[axis]
    where = tuple(slice(offset, offset + size) if i == axis else slice(None) for i in range(5))
    return x.move(lambda v: v[where])


def broadcast(params, x):
    shape = list(x.shape)
    for entry in params["BroadcastInfo"]:
        axis = AXES.index(entry["Dimension"])
        assert x.shape[axis] == 1 and entry["Size"] >= 1
        shape[axis] = entry["Size"]
    return x.move(lambda v: np.broadcast_to(v, shape))


def evaluate(unit, bottoms, blobs):
    params = unit.get("Params")
    x = bottoms[0]
    return {
        "Neuron": lambda: neuron(params, x),
        "ElementWise": lambda: element_wise(params, *bottoms),
        "GOC": lambda: gain_offset(params, x, blobs),
        "Conv": lambda: convolution(unit, x, blobs),
        "Pooling": lambda: pooling(params, x),
        "MatrixMultiplication": lambda: matrix_multiplication(*bottoms),
        "Softmax": lambda: softmax(params, x),
        "Reduction": lambda: reduction(params, x),
        "ArgMinMax": lambda: arg_min_max(params, x),
        "GlobalArgMinMax": lambda: global_arg_min_max(params, x),
        "Reshape": lambda: reshape(params, x),
        "Transpose": lambda: transpose(params, x),
        "Concat": lambda: concat(params, bottoms),
        "InputView": lambda: input_view(params, x),
        "Broadcast": lambda: broadcast(params, x),
    }[unit["Type"]]()
