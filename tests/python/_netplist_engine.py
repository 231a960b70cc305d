"""Evaluates a netplist with plain numbers: what each unit means, written down from the unit records alone.

A tensor is a pair (shape, values): the extents of Batch, Depth, Channel, Height, Width, and a flat list, row-major in that
order.
"""

import itertools
import math
import struct

AXES = ("Batch", "Depth", "Channel", "Height", "Width")
N, D, C, H, W = range(5)


def half(pattern):
    return struct.unpack("<e", struct.pack("<H", pattern))[0]


def strides(shape):
    result = [1] * 5
    for i in range(3, -1, -1):
        result[i] = result[i + 1] * shape[i + 1]
    return result


def count(shape):
    return math.prod(shape)


def positions(shape):
    return itertools.product(*(range(e) for e in shape))


def gather(shape, x, source):
    """A tensor whose element at p is the element of x at source(p)."""
    step = strides(x[0])
    return list(shape), [x[1][sum(i * s for i, s in zip(source(p), step))] for p in positions(shape)]


def elementwise(f, *xs):
    assert all(x[0] == xs[0][0] for x in xs), f"operands of unequal shapes {[x[0] for x in xs]}"
    return list(xs[0][0]), [f(*values) for values in zip(*(x[1] for x in xs))]


def number(params, key, default):
    return half(params[key]) if key in params else default


def neuron(params, x):
    kind = params["Type"]
    epsilon = number(params, "Epsilon", 0.0)
    function = {
        "ReLU": lambda v: max(v, 0.0),
        "SigmoidHighPrecision": lambda v: 1 / (1 + math.exp(-v)),
        "Tanh": math.tanh,
        "GELU": lambda v: 0.5 * v * (1 + math.erf(v / math.sqrt(2))),
        "Sqrt": math.sqrt,
        "Rsqrt": lambda v: 1 / math.sqrt(v + epsilon),
        "Exp2": lambda v: 2.0**v,
        "Log2": lambda v: math.log2(v + epsilon),
        "Inv": lambda v: 1 / (v + epsilon),
        "LeakyReLU": lambda v: v if v >= 0 else v * number(params, "ReluSlope", None),
        "ClampedReLU": lambda v: min(max(v, number(params, "ReluMin", None)), number(params, "ReluMax", None)),
    }[kind]
    return elementwise(function, x)


def element_wise(params, *xs):
    function = {
        "Add": lambda a, b: a + b,
        "Sub": lambda a, b: a - b,
        "Mult": lambda a, b: a * b,
        "Min": min,
        "Max": max,
        "Abs": abs,
    }[params["Type"]]
    return elementwise(function, *xs)


def gain_offset(params, x, blobs):
    """scale (x + bias); no unit here has both."""
    channels = x[0][C]
    group = params.get("BiasScaleGroupData")
    assert (group is None) != ("ScaleScalar" not in params and "BiasScalar" not in params)
    scale = [number(params, "ScaleScalar", 1.0)] * channels
    bias = [number(params, "BiasScalar", 0.0)] * channels
    if group is not None:
        assert ("ScaleCount" in group) != ("BiasCount" in group)
        for name, target in (("Scale", scale), ("Bias", bias)):
            if name + "Count" in group:
                assert group[name + "Count"] == channels
                target[:] = blobs.halves(group[name + "Index"], group[name + "Offset"], channels)
    else:
        assert ("ScaleScalar" in params) != ("BiasScalar" in params)
    return list(x[0]), [scale[p[C]] * (v + bias[p[C]]) for p, v in zip(positions(x[0]), x[1])]


def window(params, shape, channels, stuffed):
    """Output shape; first input row and column of a window; all on an input stuffed with zeros for DeConv."""
    kernel = (params["KernelHeight"], params["KernelWidth"])
    step = (params["Step"][1], params["Step"][0])
    dilation = (params.get("KernelDilationY", 1), params.get("KernelDilationX", 1))
    before = (params["PadTop"], params["PadLeft"])
    after = (params["PadBot"], params["PadRight"])
    result = list(shape)
    result[C] = channels
    for i, axis in enumerate((H, W)):
        extent = shape[axis] * (step[i] if stuffed else 1) + before[i] + after[i]
        reach = (kernel[i] - 1) * dilation[i] + 1
        assert reach <= extent
        result[axis] = (extent - reach) // (1 if stuffed else step[i]) + 1
    return result, kernel, step, dilation, before


def convolution(unit, x, blobs):
    params = unit["Params"]
    variant = params["Type"]
    stuffed = "DeConv" in variant
    out = unit["OutputChannels"]
    groups = unit["NumGroups"]
    in_shape, values = x
    assert in_shape[C] % groups == 0 and out % groups == 0 and in_shape[D] == 1
    if variant.startswith("ChannelWise"):
        assert groups == out == in_shape[C]
    assert ("Dilated" in variant) == (params.get("KernelDilationX", 1) > 1 or params.get("KernelDilationY", 1) > 1)
    shape, kernel, step, dilation, before = window(params, in_shape, out, stuffed)
    inner = in_shape[C] // groups
    area = kernel[0] * kernel[1]
    weights = blobs.halves(params["KernelIndex"], params["KernelOffset"], out * inner * area)
    at = strides(in_shape)
    result = []
    for n, _, o, i, j in positions(shape):
        total = 0.0
        for c, u, v in itertools.product(range(inner), range(kernel[0]), range(kernel[1])):
            row = i * (1 if stuffed else step[0]) + u * dilation[0] - before[0]
            column = j * (1 if stuffed else step[1]) + v * dilation[1] - before[1]
            if stuffed:
                if row % step[0] or column % step[1]:
                    continue
                row, column = row // step[0], column // step[1]
            if 0 <= row < in_shape[H] and 0 <= column < in_shape[W]:
                channel = o // (out // groups) * inner + c
                element = values[n * at[N] + channel * at[C] + row * at[H] + column]
                total += element * weights[(o * inner + c) * area + u * kernel[1] + v]
        result.append(total)
    return shape, result


def pooling(params, x):
    shape, kernel, step, _, before = window(params, x[0], x[0][C], False)
    at = strides(x[0])
    average = params["Type"] == "Avg"
    assert params["PaddingMode"] == ("Zero" if average else "Negative")
    for pad, extent in (("PadTop", 0), ("PadBot", 0), ("PadLeft", 1), ("PadRight", 1)):
        assert 0 <= params[pad] < kernel[extent]
    result = []
    for n, d, c, i, j in positions(shape):
        seen = []
        for u, v in itertools.product(range(kernel[0]), range(kernel[1])):
            row, column = i * step[0] + u - before[0], j * step[1] + v - before[1]
            if 0 <= row < x[0][H] and 0 <= column < x[0][W]:
                seen.append(x[1][n * at[N] + d * at[D] + c * at[C] + row * at[H] + column])
        if average:
            result.append(sum(seen) / (len(seen) if params["AverageCountExcludePadding"] else kernel[0] * kernel[1]))
        else:
            result.append(max(seen))
    return shape, result


def matrix_multiplication(a, b):
    (an, ad, m, batch, k), (bn, bd, k2, batch2, n) = a[0], b[0]
    assert an == bn == ad == bd == 1 and k == k2 and batch == batch2
    sa, sb = strides(a[0]), strides(b[0])
    shape = [1, 1, m, batch, n]
    return shape, [
        math.fsum(a[1][i * sa[C] + h * sa[H] + l] * b[1][l * sb[C] + h * sb[H] + j] for l in range(k))
        for _, _, i, h, j in positions(shape)
    ]


def groups_along(x, axes):
    """The elements of x by their position with the given axes set to 0."""
    found = {}
    for p, v in zip(positions(x[0]), x[1]):
        found.setdefault(tuple(0 if i in axes else e for i, e in enumerate(p)), []).append(v)
    return found


def collapse(x, axes, f):
    shape = [1 if i in axes else e for i, e in enumerate(x[0])]
    return shape, [f(values) for _, values in sorted(groups_along(x, axes).items())]


def softmax(params, x):
    axis = AXES.index(params["Dimension"])
    assert axis in (C, H, W)
    found = groups_along(x, (axis,))
    result = []
    for p, v in zip(positions(x[0]), x[1]):
        row = found[tuple(0 if i == axis else e for i, e in enumerate(p))]
        top = max(row)
        result.append(math.exp(v - top) / sum(math.exp(e - top) for e in row))
    return list(x[0]), result


def reduction(params, x):
    names = params["Dimension"]
    assert 1 <= len(names) <= 4 and len(set(names)) == len(names)
    function = {"Sum": sum, "Avg": lambda v: sum(v) / len(v), "Max": max, "Min": min}[params["Type"]]
    return collapse(x, [AXES.index(name) for name in names], function)


def arg(best, x, axes):
    return collapse(x, axes, lambda values: float(values.index(best(values))))


def arg_min_max(params, x):
    best = max if params["Mode"].endswith("Max") else min
    assert params["KernelWidth"] == x[0][W] and params["KernelHeight"] == x[0][H]
    return arg(best, x, (H, W) if params["Mode"].startswith("Spatial") else (C,))


def global_arg_min_max(params, x):
    assert params["Dimension"] in ("Width", "Height", "Channel")
    return arg(max if params["Type"] == "Max" else min, x, (AXES.index(params["Dimension"]),))


def reshape(params, x):
    shape = [params["Reshaped" + a] for a in ("Batch", "Depth", "Channel", "Height", "Width")]
    assert count(shape) == count(x[0])
    for s in (shape, x[0]):
        assert s[D] == 1 or s[C] == 1, "the order of depth and channels is not the graph's"
    return shape, list(x[1])


def transpose(params, x):
    source = list(range(5))
    for move in params["TransposeDimensions"]:
        source[AXES.index(move["TransposeDestinationDimension"])] = AXES.index(move["TransposeSourceDimension"])
    assert sorted(source) == list(range(5))
    for move in params["TransposeDimensions"]:
        assert move["TransposeDestinationDimension"] != move["TransposeSourceDimension"]
    shape = [x[0][s] for s in source]

    def origin(p):
        q = [0] * 5
        for i, s in enumerate(source):
            q[s] = p[i]
        return q

    return gather(shape, x, origin)


def concat(params, xs):
    assert len(xs) >= 2
    axis = AXES.index(params["Dimension"])
    shape = list(xs[0][0])
    shape[axis] = sum(x[0][axis] for x in xs)
    for x in xs:
        assert all(i == axis or e == shape[i] for i, e in enumerate(x[0]))
    result = []
    for p in positions(shape):
        at = list(p)
        for x in xs:
            if at[axis] < x[0][axis]:
                result.append(x[1][sum(i * s for i, s in zip(at, strides(x[0])))])
                break
            at[axis] -= x[0][axis]
    return shape, result


def input_view(params, x):
    axis = AXES.index(params["Dimension"])
    offset, size = params["Offset"], params["Size"]
    assert 0 <= offset and 0 < size and offset + size <= x[0][axis]
    shape = list(x[0])
    shape[axis] = size
    return gather(shape, x, lambda p: [e + offset if i == axis else e for i, e in enumerate(p)])


def broadcast(params, x):
    shape = list(x[0])
    for entry in params["BroadcastInfo"]:
        axis = AXES.index(entry["Dimension"])
        assert x[0][axis] == 1 and entry["Size"] >= 1
        shape[axis] = entry["Size"]
    return gather(shape, x, lambda p: [0 if x[0][i] == 1 else e for i, e in enumerate(p)])


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
