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
BLOCKS = ("PixelShuffle", "PixelUnshuffle", "ChannelToSpace", "SpaceToChannel", "SpaceToBatch", "BatchToSpace")
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
        self.sum_of_log2 = lambda x: x

    def tensor(self, index, offset, shape, element="<f2"):
        count = math.prod(shape)
        data = self.files[index][offset : offset + 2 * count]
        assert len(data) == 2 * count, f"blob {index} ends before element {count}"
        self.used[index] = max(self.used[index], offset + 2 * count)
        return self.number(np.frombuffer(data, element).astype(np.float64).reshape(shape))

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

    def evaluate(self, inputs, outputs, folded=False, read_back=False):
        """The sets of the outputs, from arrays by name; whether all values on the way are finite for certain.

        `folded`: constants may stand rounded for what they were computed of. `read_back`: what the library makes of the
        file, where the epsilon of Log2 is added by an operation of its own.
        """
        self.blobs.rounding = sets.rounded if folded else lambda x: x
        self.blobs.sum_of_log2 = sets.rounded if read_back else lambda x: x
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
    element = {"Float16": "<f2", "UInt16": "<u2"}[c["ConstantType"]]
    values = blobs.tensor(c["ConstantIndex"], c["ConstantByteOffset"], shape, element)
    return values if element == "<f2" else sets.exactly((values.low + values.high) / 2)  # no rounding of positions


def number(params, key, default):
    return half(params[key]) if key in params else default


STEPS = {"Floor": np.floor, "Ceil": np.ceil, "Sign": np.sign}


def elu(x, alpha):
    return sets.hull(lambda v: np.where(v >= 0, v, alpha * np.expm1(np.minimum(v, 0.0))), x, ((0.0, 0.0),))


def wave(f, x):
    """A point has its value; a wider set may hold any turn."""
    exact = sets.hull(f, x)
    wide = x.high - x.low > 0
    one = np.ones(x.shape)
    return sets.Set(np.where(wide, -one, exact.low), np.where(wide, one, exact.high), exact.nan | ~np.isfinite(x.low))


def round_nearest(x):
    """The tie rule is not stated: halves may go either way."""
    low = sets.hull(lambda v: np.ceil(v - 0.5), x)
    high = sets.hull(lambda v: np.floor(v + 0.5), x)
    return sets.Set(low.low, high.high, x.nan)


def neuron(params, x, blobs):
    kind = params["Type"]
    epsilon = number(params, "Epsilon", 0.0)
    if kind == "ReLU":
        return sets.maximum(x, sets.exactly(0.0))
    if kind == "ClampedReLU":
        return sets.clip(x, number(params, "ReluMin", None), number(params, "ReluMax", None))
    if kind in STEPS:
        return sets.hull(STEPS[kind], x, ((0.0, 0.0),) if kind == "Sign" else ())
    if kind == "RoundNearest":
        return round_nearest(x)
    return sets.rounded(
        {
            "SigmoidHighPrecision": lambda: sets.sigmoid(x),
            "Tanh": lambda: sets.hull(np.tanh, x),
            "GELU": lambda: sets.gelu(x),
            "Sqrt": lambda: sets.hull(np.sqrt, x, domain=0.0),
            "Rsqrt": lambda: sets.rsqrt(sets.shifted(x, epsilon)),
            "Exp2": lambda: sets.hull(np.exp2, x),
            "Log2": lambda: sets.scaled(sets.log(blobs.sum_of_log2(sets.shifted(x, epsilon))), 1 / math.log(2)),
            "Inv": lambda: sets.divide(sets.exactly(1.0), sets.shifted(x, epsilon)),
            "Erf": lambda: sets.hull(sets.erf, x),
            "ELU": lambda: elu(x, number(params, "EluAlpha", None)),
            "Sin": lambda: wave(np.sin, x),
            "Cos": lambda: wave(np.cos, x),
            "LeakyReLU": lambda: sets.leaky_relu(x, number(params, "ReluSlope", None)),
        }[kind]()
    )


def comparison(kind, a, b):
    """1.0 where it holds, else 0.0; of NaN only NotEqual holds."""
    never = sets.empty(a, b)
    if kind == "LessThan":
        return comparison("GreaterThan", b, a)
    if kind == "GreaterThan":
        surely, perhaps = a.low > b.high, a.high > b.low
    else:
        surely = (a.low == a.high) & (b.low == b.high) & (a.low == b.low)
        perhaps = (a.low <= b.high) & (b.low <= a.high)
    surely, perhaps = surely & ~never & ~a.nan & ~b.nan, perhaps & ~never
    if kind == "NotEqual":
        surely, perhaps = ~perhaps, ~surely
    return sets.Set(surely.astype(float), perhaps.astype(float))


def scaled_element_wise(params, a, b):
    """Scale times the sum, minimum or maximum; of a product the unit ignores it."""
    kind, scale = params["Type"], half(params["Scale"])
    y = {"Add": sets.add, "Mult": sets.multiply, "Max": sets.maximum, "Min": sets.minimum}[kind](a, b)
    assert kind != "Mult" or scale == 1.0
    return sets.rounded(y if kind == "Mult" else sets.multiply(sets.rounded(y), sets.exactly(scale)))


def element_wise(params, *xs):
    assert all(x.shape == xs[0].shape for x in xs), f"operands of unequal shapes {[x.shape for x in xs]}"
    kind = params["Type"]
    if kind in ("Add", "Sub", "Mult"):
        return sets.rounded({"Add": sets.add, "Sub": sets.subtract, "Mult": sets.multiply}[kind](*xs))
    if kind in ("Equal", "NotEqual", "GreaterThan", "LessThan"):
        return comparison(kind, *xs)
    if kind == "Abs":
        return sets.hull(np.abs, xs[0], ((0.0, 0.0),))
    return {"Min": sets.minimum, "Max": sets.maximum}[kind](*xs)


def factor(pattern, blobs):
    """A number; log2 e and ln 2 as what they are rounded from, or to."""
    exact = {LOG2_E: math.log2(math.e), LN_2: math.log(2)}.get(pattern)
    value = half(pattern)
    return blobs.number(value) if exact is None else sets.Set(min(value, exact), max(value, exact))


def gain_offset(params, x, blobs):
    """scale (x + bias), the bias first; each a number, or one for each channel."""
    channels = x.shape[C]
    group = params.get("BiasScaleGroupData", {})
    assert params and ("BiasScaleGroupData" not in params or len(params) == 1)

    def operand(name):
        if name + "Scalar" in params:
            pattern = params[name + "Scalar"]
            return factor(pattern, blobs) if name == "Scale" else blobs.number(half(pattern))
        if name + "Count" in group:
            assert group[name + "Count"] == channels
            return blobs.tensor(group[name + "Index"], group[name + "Offset"], (1, 1, channels, 1, 1))
        return None

    for name, apply in (("Bias", sets.add), ("Scale", sets.multiply)):
        by = operand(name)
        x = x if by is None else sets.rounded(apply(x, by))
    return x


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
    if params["KernelMode"] == "Unity":
        return upsampled(params, groups, x)
    if variant.startswith("ChannelWise"):
        assert groups == out == channels
    assert ("Dilated" in variant) == (params.get("KernelDilationX", 1) > 1 or params.get("KernelDilationY", 1) > 1)
    shape = (out, channels // groups, params["KernelHeight"], params["KernelWidth"])
    assert params["PaddingMode"] == "Zero"
    kernel = blobs.tensor(params["KernelIndex"], params["KernelOffset"], shape)
    image = as_images(x)
    if stuffed:
        image = sets.stuffed(image, (params["Step"][1], params["Step"][0]))
    return as_five(sets.rounded(sets.convolution(image, kernel, *window(params, x, stuffed), groups)))


def upsampled(params, groups, x):
    """Twice as many rows and columns: one kernel of ones for all channels, without a blob."""
    wanted = {"KernelWidth": 2, "KernelHeight": 2, "Step": [2, 2], "PadTop": 1, "PadLeft": 1, "PadBot": 0, "PadRight": 0}
    assert params["Type"] == "ChannelWiseDeConv" and params["KernelGroupReuse"] is True and groups == 1
    assert all(params[k] == v for k, v in wanted.items()) and "KernelIndex" not in params
    return x.move(lambda v: v.repeat(2, H).repeat(2, W))


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


def blocks(kind, params, x):
    """The pixel, channel and batch forms; factors of Width, Height and depth."""
    fx, fy = params["FactorX"], params["FactorY"]
    assert params["FactorZ"] == 1 and x.shape[D] == 1
    n, _, c, h, w = x.shape
    if kind in ("PixelShuffle", "ChannelToSpace"):
        assert n == 1 and {fx, fy} <= {1, 2, 3, 4, 8} and c % (fx * fy) == 0
        if kind == "PixelShuffle":
            split, order = (c // (fx * fy), fy, fx, h, w), (0, 3, 1, 4, 2)
        else:
            split, order = (fy, fx, c // (fx * fy), h, w), (2, 3, 0, 4, 1)
        return x.move(lambda v: v.reshape(split).transpose(order).reshape(1, 1, c // (fx * fy), h * fy, w * fx))
    if kind in ("PixelUnshuffle", "SpaceToChannel"):
        assert n == 1 and {fx, fy} <= {1, 2, 3, 4, 8} and h % fy == 0 and w % fx == 0
        order = (0, 2, 4, 1, 3) if kind == "PixelUnshuffle" else (2, 4, 0, 1, 3)
        split = (c, h // fy, fy, w // fx, fx)
        return x.move(lambda v: v.reshape(split).transpose(order).reshape(1, 1, c * fx * fy, h // fy, w // fx))
    if kind == "SpaceToBatch":
        split = (n, c, h // fy, fy, w // fx, fx)
        return x.move(
            lambda v: v.reshape(split).transpose(0, 3, 5, 1, 2, 4).reshape(n * fx * fy, 1, c, h // fy, w // fx)
        )
    assert n % (fx * fy) == 0
    split = (n // (fx * fy), fy, fx, c, h, w)
    return x.move(lambda v: v.reshape(split).transpose(0, 3, 4, 1, 5, 2).reshape(-1, 1, c, h * fy, w * fx))


def response_normalization(params, x):
    """Of the clipped window; with all channels in KernelChannel every one is normalised."""
    c = x.shape[C]
    assert params["Type"] == "Channel" and params["KernelWidth"] == params["KernelHeight"] == 1
    assert params["KernelChannel"] == c <= 15 and x.shape[D] == 1
    squares, parts = sets.square(x), []
    for i in range(c):
        first, last = max(0, i - (c - 1) // 2), min(c, i + c // 2 + 1)
        parts.append(sets.total(squares.move(lambda v, a=first, b=last: v[:, :, a:b]), (C,)))
    sums = sets.Set(*(np.concatenate([getattr(p, k) for p in parts], C) for k in ("low", "high", "nan")))
    bottom = sets.add(sets.scaled(sums, half(params["Alpha"]) / c), sets.exactly(params["K"]))
    power = sets.hull(lambda v: v ** -params["Beta"], bottom)
    return sets.rounded(sets.multiply(x, power), 2.0**-10 * np.abs(x.high))


def ordered(kind, params, x):
    """Width in the order of the key channel, here the only one."""
    assert x.shape[:W] == (1, 1, 1, 1) and params["SortDimension"] == "Width" and params["SortIndices"] == [0]
    assert params["VectorDimension"] == "Channel"
    down = params["Type"] == "Max" if kind == "TopK" else params["Direction"] == "Descending"
    count = params["K"] if kind == "TopK" else x.shape[W]
    assert kind == "Sort" or count not in (3, 4)
    vague = x.nan.any() or sets.empty(x).any()
    shape = (1, 1, 1, 1, count)
    if params.get("Indices", False):
        keys = -x.low.ravel() if down else x.low.ravel()
        if vague or (x.low != x.high).any() or len(set(keys)) < keys.size:
            return sets.Set(np.zeros(shape), np.full(shape, float(x.shape[W] - 1)))
        return sets.exactly(np.argsort(keys)[:count].astype(float).reshape(shape))
    if vague:
        return sets.Set(np.full(shape, -np.inf), np.full(shape, np.inf), np.ones(shape, bool))

    def pick(v):
        line = np.sort(v.ravel())
        return (line[::-1] if down else line)[:count].reshape(shape)

    return sets.Set(pick(x.low), pick(x.high))


def cross_correlation(params, x, template):
    h, w = params["TemplateHeight"], params["TemplateWidth"]
    assert params["NumGroups"] == 1 and x.shape[C] == x.shape[N] == 1 and template.shape == (1, 1, 1, 1, h * w)
    assert all(params["Pad" + side] == 0 for side in ("Top", "Bot", "Left", "Right"))
    kernel = template.move(lambda v: v.reshape(1, 1, h, w))
    places = [sets.window_indices(x.shape[a], k, 1, 1, 0, x.shape[a] - k + 1) for a, k in ((H, h), (W, w))]
    return as_five(sets.rounded(sets.convolution(as_images(x), kernel, *places, 1)))


def cross_product(a, b):
    assert a.shape == b.shape and a.shape[C] == 3 and a.shape[D] == a.shape[H] == a.shape[W] == 1

    def channels(v, order):
        return v.move(lambda m: m[:, :, order])

    one, other = [1, 2, 0], [2, 0, 1]
    left = sets.rounded(sets.multiply(channels(a, one), channels(b, other)))
    right = sets.rounded(sets.multiply(channels(a, other), channels(b, one)))
    return sets.rounded(sets.subtract(left, right))


def cost_volume(params, aux, ref):
    count, width = params["DisparityRange"] + 1, aux.shape[W]
    assert params["DisparityDirection"] == 0 and aux.shape[C] == ref.shape[C] == 1 and ref.shape[W] >= width + count - 1
    planes = []
    for d in range(count):
        gap = sets.subtract(aux, ref.move(lambda v, d=d: v[..., d : d + width]))
        planes.append(sets.rounded(sets.hull(np.abs, gap, ((0.0, 0.0),))))
    return sets.Set(*(np.concatenate([getattr(p, k) for p in planes], C) for k in ("low", "high", "nan")))


def furthest_points(params, x):
    """From point 0 on always the one with the largest L2 distance to those chosen; loose where that is close."""
    count = params["CentroidCount"]
    assert x.shape[:W] == (1, 1, 3, 1) and 2 <= count <= x.shape[W]
    points = x.low[0, 0, :, 0]
    loose = sets.Set(
        np.repeat(x.low.min(W, keepdims=True), count, W),
        np.repeat(x.high.max(W, keepdims=True), count, W),
        np.repeat(x.nan.any(W, keepdims=True), count, W),
    )
    if (x.low != x.high).any() or x.nan.any() or not np.isfinite(points).all():
        return loose
    chosen = [0]
    while len(chosen) < count:
        gaps = np.min([np.linalg.norm(points - points[:, c : c + 1], axis=0) for c in chosen], axis=0)
        best = np.sort(gaps)
        if best[-1] - best[-2] < 0.02 * best[-1] + 1e-3:
            return loose
        chosen.append(int(gaps.argmax()))
    return sets.exactly(points[:, chosen].reshape(1, 1, 3, 1, count))


def dropout(params, x):
    assert params == {"DropoutRate": 0, "Seed": 0}
    return x


def gather(params, x, indices):
    """Along Width, at positions that are known."""
    assert params == {"GatherNDAxes": ["Width"]} and x.shape[N] == x.shape[D] == 1
    assert (indices.low == indices.high).all() and indices.shape[:W] == (1, 1, 1, 1)
    positions = indices.low.ravel().astype(int)
    assert (0 <= positions).all() and (positions < x.shape[W]).all()
    return x.move(lambda v: v[..., positions])


def dynamic_slice(params, x, start):
    """The accepted form: two of four along Width from a constant on, and 0 where there is none."""
    at = {"Coordinate": "Width"}
    assert params == {
        "DynamicSliceAxisOrder": ["Width"],
        "DynamicSliceInfo": [{**at, "SliceSize": 2}],
        "CoordinateInfo": [{**at, "CoordinateMode": "NonNormalized"}],
        "CoordinateMode": "NonNormalized",
        "PaddingInfo": [{**at, "PaddingMode": "Background"}],
        "BackgroundValue": 0.0,
    }
    assert x.shape[W] == 4 and start.shape == (1, 1, 1, 1, 1)
    positions = round((start.low + start.high).item() / 2) + np.arange(2)
    inside = (0 <= positions) & (positions < 4)
    return x.move(lambda v: np.where(inside, v[..., np.where(inside, positions, 0)], 0).astype(v.dtype))


def min_max_normalization(params, x):
    """(x - min) / (max - min + Epsilon) along Width or Height."""
    axis = AXES.index(params["Dimension"])
    assert axis in (H, W)
    low, high = sets.extreme(x, axis, np.min), sets.extreme(x, axis, np.max)
    span = sets.shifted(sets.rounded(sets.subtract(high, low)), half(params["Epsilon"]))
    y = sets.divide(sets.rounded(sets.subtract(x, low)), sets.rounded(span))
    return sets.rounded(y)


def attention(params, query, key, value, scale, mask=None):
    """softmax(scale q k^T + mask) v for each head: sequences on Channel, heads on Height."""
    assert params == {"SubtractMax": True} and scale.shape == (1, 1, 1, 1, 1)
    assert key.shape == value.shape and query.shape[N] == query.shape[D] == 1 and query.shape[H:] == key.shape[H:]

    def scores(q, k):  # [1, 1, Sq, heads, Skv]
        return np.einsum("ndshe,ndthe->ndsht", q, k)

    def weighted(p, v):
        return np.einsum("ndsht,ndthe->ndshe", p, v)

    s = sets.rounded(sets.multiply(sets.bilinear(scores, query, key, query.shape[W]), scale))
    if mask is not None:
        assert mask.shape == (1, 1, query.shape[C], 1, key.shape[C])
        s = sets.rounded(sets.add(s, mask.move(lambda v: np.broadcast_to(v, s.shape))))
    return sets.rounded(sets.bilinear(weighted, sets.rounded(sets.softmax(s, W), 2.0**-20), value, key.shape[C]))


def evaluate(unit, bottoms, blobs):
    params = unit.get("Params")
    x = bottoms[0]
    return {
        "Neuron": lambda: neuron(params, x, blobs),
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
        "ScaledElementWise": lambda: scaled_element_wise(params, *bottoms),
        **{k: lambda k=k: blocks(k, params, x) for k in BLOCKS},
        "LocalResponseNormalization": lambda: response_normalization(params, x),
        "Sort": lambda: ordered("Sort", params, x),
        "TopK": lambda: ordered("TopK", params, x),
        "CrossCorrelation": lambda: cross_correlation(params, *bottoms),
        "CrossProduct": lambda: cross_product(*bottoms),
        "CostVolume": lambda: cost_volume(params, *bottoms),
        "FurthestPointSampling": lambda: furthest_points(params, x),
        "Gather": lambda: gather(params, *bottoms),
        "DynamicSlice": lambda: dynamic_slice(params, *bottoms),
        "MinMaxNormalization": lambda: min_max_normalization(params, x),
        "SDPA": lambda: attention(params, *bottoms),
        "Dropout": lambda: dropout(params, x),
    }[unit["Type"]]()
