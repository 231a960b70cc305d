"""What ONNX operators compute, written from their definitions in NumPy: float64 for real numbers, integers as they are.

Each function takes the operator's attributes (a dict with the key "opset" for the version) and its inputs (None where
one is left out) and returns the list of its outputs. OPERATORS finds a function by the operator's name.
"""

import itertools
import math

import numpy as np

OPERATORS = {}


def operator(*names):
    def register(function):
        for name in names:
            OPERATORS[name] = function
        return function

    return register


def text(attribute):
    return attribute.decode() if isinstance(attribute, bytes) else attribute


def is_integer(*arrays):
    return all(np.issubdtype(a.dtype, np.integer) for a in arrays)


# ---- elementwise ----------------------------------------------------------------------------------------------------


def erf(x):
    return np.vectorize(math.erf, otypes=[np.float64])(x)


def sigmoid(x):
    return 0.5 * (1 + np.tanh(0.5 * x))


UNARY = {
    "Abs": np.abs,
    "Acos": np.arccos,
    "Acosh": np.arccosh,
    "Asin": np.arcsin,
    "Asinh": np.arcsinh,
    "Atan": np.arctan,
    "Atanh": np.arctanh,
    "Ceil": np.ceil,
    "Cos": np.cos,
    "Cosh": np.cosh,
    "Erf": erf,
    "Exp": np.exp,
    "Floor": np.floor,
    "Identity": lambda x: x,
    "Log": np.log,
    "Neg": np.negative,
    "Not": np.logical_not,
    "Reciprocal": lambda x: 1 / x,
    "Relu": lambda x: np.maximum(x, 0),
    "Round": np.rint,
    "Sigmoid": sigmoid,
    "Sign": np.sign,
    "Sin": np.sin,
    "Sinh": np.sinh,
    "Softplus": lambda x: np.logaddexp(0, x),
    "Softsign": lambda x: x / (1 + np.abs(x)),
    "Sqrt": np.sqrt,
    "Tan": np.tan,
    "Tanh": np.tanh,
    "IsNaN": np.isnan,
    "HardSwish": lambda x: x * np.clip(x / 6 + 0.5, 0, 1),
}
for _name, _function in UNARY.items():
    OPERATORS[_name] = lambda a, x, f=_function: [f(x)]


@operator("Elu")
def elu(a, x):
    return [np.where(x < 0, a.get("alpha", 1.0) * np.expm1(np.minimum(x, 0)), x)]


@operator("Celu")
def celu(a, x):
    alpha = a.get("alpha", 1.0)
    return [np.maximum(x, 0) + np.minimum(0, alpha * np.expm1(np.minimum(x, 0) / alpha))]


@operator("Selu")
def selu(a, x):
    alpha, gamma = a.get("alpha", 1.67326319217681884765625), a.get("gamma", 1.05070102214813232421875)
    return [gamma * np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))]


@operator("HardSigmoid")
def hard_sigmoid(a, x):
    return [np.clip(a.get("alpha", 0.2) * x + a.get("beta", 0.5), 0, 1)]


@operator("LeakyRelu")
def leaky_relu(a, x):
    return [np.where(x < 0, a.get("alpha", 0.01) * x, x)]


@operator("ThresholdedRelu")
def thresholded_relu(a, x):
    return [np.where(x > a.get("alpha", 1.0), x, 0)]


@operator("Shrink")
def shrink(a, x):
    lambd, bias = a.get("lambd", 0.5), a.get("bias", 0.0)
    return [np.where(x < -lambd, x + bias, np.where(x > lambd, x - bias, 0))]


@operator("IsInf")
def is_inf(a, x):
    return [(bool(a.get("detect_positive", 1)) & (x == np.inf)) | (bool(a.get("detect_negative", 1)) & (x == -np.inf))]


@operator("Clip")
def clip(a, x, low=None, high=None):
    low = a.get("min") if low is None else low
    high = a.get("max") if high is None else high
    x = x if low is None else np.maximum(x, low)
    return [x if high is None else np.minimum(x, high)]


@operator("Cast", "CastLike")
def cast(a, x, like=None):
    kind = a["numpy type"]
    return [x.astype(kind)]


@operator("Dropout")
def dropout(a, x, ratio=None, training=None):
    return [x, np.ones(x.shape, bool)]


@operator("PRelu")
def prelu(a, x, slope):
    """Before opset 7 a vector has one slope for each channel, axis 1."""
    if a["opset"] < 7 and slope.ndim == 1 and x.ndim > 1:
        slope = channels(slope, x.ndim)
    return [np.where(x < 0, slope * x, x)]


def quotient(x, y):
    return np.trunc(x / y).astype(x.dtype) if is_integer(x, y) else x / y


def old_broadcast(a, x, y):
    """Before opset 7 the second operand's axes stand at `axis` of the first."""
    if a["opset"] >= 7 or not a.get("broadcast") or "axis" not in a:
        return y
    return y.reshape(y.shape + (1,) * (x.ndim - a["axis"] - y.ndim))


def binary(function):
    return lambda a, x, y: [function(x, old_broadcast(a, x, y))]


for _name, _function in {
    "Add": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
    "Div": quotient,
    "And": np.logical_and,
    "Or": np.logical_or,
    "Xor": np.logical_xor,
    "Equal": np.equal,
    "Greater": np.greater,
    "GreaterOrEqual": np.greater_equal,
    "Less": np.less,
    "LessOrEqual": np.less_equal,
}.items():
    OPERATORS[_name] = binary(_function)


@operator("Pow")
def power(a, x, y):
    return [np.power(x.astype(np.float64), y).astype(x.dtype)]


@operator("Mod")
def modulo(a, x, y):
    return [np.fmod(x, y) if a.get("fmod", 0) else np.mod(x, y)]


@operator("BitShift")
def bit_shift(a, x, y):
    return [np.left_shift(x, y) if text(a["direction"]) == "LEFT" else np.right_shift(x, y)]


@operator("Where")
def where(a, condition, x, y):
    return [np.where(condition, x, y)]


def folded(function):
    def run(a, *inputs):
        result = inputs[0]
        for each in inputs[1:]:
            result = function(result, each)
        return [result]

    return run


OPERATORS["Max"] = folded(np.maximum)
OPERATORS["Min"] = folded(np.minimum)
OPERATORS["Sum"] = folded(np.add)
OPERATORS["Mean"] = lambda a, *inputs: [folded(np.add)(a, *inputs)[0] / len(inputs)]


# ---- windows --------------------------------------------------------------------------------------------------------


def padding_of(a, extents, kernel, strides, dilations):
    """Amounts before and after each spatial axis."""
    n = len(extents)
    automatic = text(a.get("auto_pad", "NOTSET"))
    if automatic == "VALID":
        return [0] * n, [0] * n
    if automatic in ("SAME_UPPER", "SAME_LOWER"):
        before, after = [], []
        for e, k, s, d in zip(extents, kernel, strides, dilations):
            total = max(((e + s - 1) // s - 1) * s + d * (k - 1) + 1 - e, 0)
            small, large = total // 2, total - total // 2
            before.append(small if automatic == "SAME_UPPER" else large)
            after.append(large if automatic == "SAME_UPPER" else small)
        return before, after
    pads = list(a.get("pads", [0] * (2 * n)))
    return pads[:n], pads[n:]


def windows(x, kernel, strides, dilations, before, after, value):
    """x [N, C, spatial...] as [N, C, places..., kernel...]."""
    x = np.pad(x, [(0, 0), (0, 0), *zip(before, after)], constant_values=value)
    reach = [d * (k - 1) + 1 for k, d in zip(kernel, dilations)]
    view = np.lib.stride_tricks.sliding_window_view(x, reach, axis=tuple(range(2, x.ndim)))
    steps = tuple(slice(None, None, s) for s in strides)
    taps = tuple(slice(None, None, d) for d in dilations)
    return view[(slice(None), slice(None)) + steps + taps]


def spatial(a, x, kernel):
    n = len(kernel)
    strides, dilations = list(a.get("strides", [1] * n)), list(a.get("dilations", [1] * n))
    before, after = padding_of(a, x.shape[2:], kernel, strides, dilations)
    return strides, dilations, before, after


def convolution(a, x, w, b=None):
    kernel = w.shape[2:]
    strides, dilations, before, after = spatial(a, x, kernel)
    groups = a.get("group", 1)
    view = windows(x, kernel, strides, dilations, before, after, 0)
    n = len(kernel)
    ci, co = x.shape[1] // groups, w.shape[0] // groups
    parts = []
    for g in range(groups):
        part = np.tensordot(
            view[:, g * ci : (g + 1) * ci],
            w[g * co : (g + 1) * co],
            axes=([1, *range(2 + n, 2 + 2 * n)], list(range(1, 2 + n))),
        )  # [N, places..., O]
        parts.append(np.moveaxis(part, -1, 1))
    y = np.concatenate(parts, axis=1)
    return y if b is None else y + b.reshape((1, -1) + (1,) * n)


@operator("Conv")
def conv(a, x, w, b=None):
    return [convolution(a, x, w, b)]


@operator("ConvInteger")
def conv_integer(a, x, w, x_zero=None, w_zero=None):
    x = x.astype(np.int64) - (0 if x_zero is None else int(x_zero))
    w = w.astype(np.int64) - (0 if w_zero is None else int(w_zero))
    return [convolution(a, x, w).astype(np.int32)]


def transposed_geometry(a, x, w):
    """Strides, dilations, padding before, padding after (which may be negative: rows that no tap reaches)."""
    kernel = w.shape[2:]
    n = len(kernel)
    strides, dilations = list(a.get("strides", [1] * n)), list(a.get("dilations", [1] * n))
    extra = list(a.get("output_padding", [0] * n))
    pads = list(a.get("pads", [0] * (2 * n)))
    automatic = text(a.get("auto_pad", "NOTSET"))
    before, after = pads[:n], pads[n:]
    full = [s * (e - 1) + d * (k - 1) + 1 for e, k, s, d in zip(x.shape[2:], kernel, strides, dilations)]
    wanted = a.get("output_shape")
    if wanted is None and automatic.startswith("SAME"):
        wanted = [e * s for e, s in zip(x.shape[2:], strides)]
    if wanted is not None:
        wanted = list(wanted)[-n:]
        total = [f + o - e for f, o, e in zip(full, extra, wanted)]
        small, large = [t // 2 for t in total], [t - t // 2 for t in total]
        # Only SAME_UPPER puts an odd amount at the end.
        before, after = (small, large) if automatic == "SAME_UPPER" else (large, small)
    return strides, dilations, before, [p - o for p, o in zip(after, extra)]


def transposed_convolution(a, x, w, b=None):
    strides, dilations, before, after = transposed_geometry(a, x, w)
    kernel, n = w.shape[2:], w.ndim - 2
    groups = a.get("group", 1)
    ci, co = x.shape[1] // groups, w.shape[1]
    full = [s * (e - 1) + d * (k - 1) + 1 for e, k, s, d in zip(x.shape[2:], kernel, strides, dilations)]
    y = np.zeros((x.shape[0], co * groups, *full))
    for g in range(groups):
        for tap in itertools.product(*(range(k) for k in kernel)):
            own = slice(g * ci, (g + 1) * ci)
            part = np.einsum("nc...,co->no...", x[:, own], w[(own, slice(None)) + tap])
            places = zip(tap, dilations, strides, x.shape[2:])
            at = tuple(slice(t * d, t * d + s * (e - 1) + 1, s) for t, d, s, e in places)
            y[(slice(None), slice(g * co, (g + 1) * co)) + at] += part
    y = np.pad(y, [(0, 0), (0, 0)] + [(max(-p, 0), max(-q, 0)) for p, q in zip(before, after)])
    cut = tuple(slice(max(p, 0), e - max(q, 0)) for p, q, e in zip(before, after, y.shape[2:]))
    y = y[(slice(None), slice(None)) + cut]
    return y if b is None else y + b.reshape((1, -1) + (1,) * n)


@operator("ConvTranspose")
def conv_transpose(a, x, w, b=None):
    return [transposed_convolution(a, x, w, b)]


def pool_geometry(a, x):
    """Kernel, strides, dilations, padding before and after; `after` grown by what ceil_mode adds."""
    kernel = list(a["kernel_shape"])
    strides, dilations, before, after = spatial(a, x, kernel)
    real_after = list(after)
    if a.get("ceil_mode", 0):
        for i, e in enumerate(x.shape[2:]):
            reach = dilations[i] * (kernel[i] - 1) + 1
            rest = (e + before[i] + after[i] - reach) % strides[i]
            places = (e + before[i] + after[i] - reach) // strides[i] + 1
            if rest and places * strides[i] < e + before[i]:
                after[i] += strides[i] - rest
    return kernel, strides, dilations, before, after, real_after


@operator("MaxPool")
def max_pool(a, x):
    kernel, strides, dilations, before, after, _ = pool_geometry(a, x)
    least = np.iinfo(x.dtype).min if is_integer(x) else -np.inf
    n = len(kernel)
    view = windows(x, kernel, strides, dilations, before, after, least)
    flat = view.reshape(view.shape[: 2 + n] + (-1,))
    best = flat.argmax(axis=-1)
    places = windows(np.arange(x.size).reshape(x.shape), kernel, strides, dilations, before, after, -1)
    index = np.take_along_axis(places.reshape(flat.shape), best[..., None], axis=-1)[..., 0]
    if a.get("storage_order", 0) == 1:
        at = np.unravel_index(index, x.shape)
        turned = [0, 1, 3, 2]
        index = np.ravel_multi_index([at[i] for i in turned], [x.shape[i] for i in turned])
    return [flat.max(axis=-1), index]


@operator("AveragePool")
def average_pool(a, x):
    kernel, strides, dilations, before, after, real = pool_geometry(a, x)
    n = len(kernel)
    total = windows(x, kernel, strides, dilations, before, after, 0).sum(axis=tuple(range(2 + n, 2 + 2 * n)))
    ones = np.ones((1, 1) + x.shape[2:])
    if a.get("count_include_pad", 0):
        ones = np.pad(ones, [(0, 0), (0, 0), *zip(before, real)], constant_values=1)
        ones = np.pad(ones, [(0, 0), (0, 0), *((0, t - r) for t, r in zip(after, real))])
        counts = windows(ones, kernel, strides, dilations, [0] * n, [0] * n, 0)
    else:
        counts = windows(ones, kernel, strides, dilations, before, after, 0)
    return [total / counts.sum(axis=tuple(range(2 + n, 2 + 2 * n)))]


OPERATORS["GlobalAveragePool"] = lambda a, x: [x.mean(axis=tuple(range(2, x.ndim)), keepdims=True)]
OPERATORS["GlobalMaxPool"] = lambda a, x: [x.max(axis=tuple(range(2, x.ndim)), keepdims=True)]


# ---- products -------------------------------------------------------------------------------------------------------


@operator("MatMul")
def matmul(a, x, y):
    return [np.matmul(x, y)]


@operator("MatMulInteger")
def matmul_integer(a, x, y, x_zero=None, y_zero=None):
    x = x.astype(np.int64) - (0 if x_zero is None else x_zero.astype(np.int64))
    y = y.astype(np.int64) - (0 if y_zero is None else y_zero.astype(np.int64))
    return [np.matmul(x, y).astype(np.int32)]


@operator("Gemm")
def gemm(a, x, y, c=None):
    x = x.T if a.get("transA", 0) else x
    y = y.T if a.get("transB", 0) else y
    product = a.get("alpha", 1.0) * (x @ y)
    return [product if c is None else product + a.get("beta", 1.0) * c]


@operator("Einsum")
def einsum(a, *inputs):
    return [np.einsum(text(a["equation"]), *inputs)]


# ---- normalisation --------------------------------------------------------------------------------------------------


def channels(v, rank):
    return v.reshape((1, -1) + (1,) * (rank - 2))


@operator("BatchNormalization")
def batch_normalization(a, x, scale, bias, mean, variance):
    results = []
    if a.get("training_mode", 0):
        over, kept = tuple(i for i in range(x.ndim) if i != 1), a.get("momentum", 0.9)
        own = x.mean(axis=over), x.var(axis=over)
        results = [kept * mean + (1 - kept) * own[0], kept * variance + (1 - kept) * own[1]]
        mean, variance = own
    s, b, m, v = (channels(p, x.ndim) for p in (scale, bias, mean, variance))
    return [s * (x - m) / np.sqrt(v + a.get("epsilon", 1e-5)) + b, *results]


@operator("InstanceNormalization")
def instance_normalization(a, x, scale, bias):
    over = tuple(range(2, x.ndim))
    mean, variance = x.mean(axis=over, keepdims=True), x.var(axis=over, keepdims=True)
    return [channels(scale, x.ndim) * (x - mean) / np.sqrt(variance + a.get("epsilon", 1e-5)) + channels(bias, x.ndim)]


@operator("LayerNormalization")
def layer_normalization(a, x, scale, bias=None):
    over = tuple(range(a.get("axis", -1) % x.ndim, x.ndim))
    mean = x.mean(axis=over, keepdims=True)
    inverse = 1 / np.sqrt(x.var(axis=over, keepdims=True) + a.get("epsilon", 1e-5))
    y = (x - mean) * inverse * scale
    return [y if bias is None else y + bias, mean, inverse]


@operator("MeanVarianceNormalization")
def mean_variance_normalization(a, x):
    over = tuple(a.get("axes", [0, 2, 3]))
    mean = x.mean(axis=over, keepdims=True)
    return [(x - mean) / (np.sqrt((x**2).mean(axis=over, keepdims=True) - mean**2) + 1e-9)]


@operator("LRN")
def local_response_normalization(a, x):
    size, alpha = a["size"], a.get("alpha", 1e-4)
    total = np.zeros_like(x)
    for c in range(x.shape[1]):
        begin, end = max(0, c - (size - 1) // 2), min(x.shape[1], c + size // 2 + 1)
        total[:, c] = (x[:, begin:end] ** 2).sum(axis=1)
    return [x / (a.get("bias", 1.0) + alpha / size * total) ** a.get("beta", 0.75)]


def along(a, x):
    """A matrix whose last axis is normalised, and how to get back. Before opset 13 all axes from `axis` on are one."""
    if a["opset"] < 13:
        axis = a.get("axis", 1) % x.ndim
        return x.reshape(int(np.prod(x.shape[:axis], dtype=np.int64)), -1), lambda y: y.reshape(x.shape)
    axis = a.get("axis", -1)
    moved = np.moveaxis(x, axis, -1)
    return moved, lambda y: np.moveaxis(y, -1, axis)


def log_softmax_of(x):
    shifted = x - x.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


@operator("Softmax")
def softmax(a, x):
    m, back = along(a, x)
    return [back(np.exp(log_softmax_of(m)))]


@operator("LogSoftmax")
def log_softmax(a, x):
    m, back = along(a, x)
    return [back(log_softmax_of(m))]


@operator("Hardmax")
def hardmax(a, x):
    m, back = along(a, x)
    return [back((np.arange(m.shape[-1]) == m.argmax(axis=-1)[..., None]).astype(np.float64))]


# ---- reductions -----------------------------------------------------------------------------------------------------


def reduction_axes(a, x, axes=None):
    """None of them and `noop_with_empty_axes`: no reduction at all, as an empty tuple."""
    given = a.get("axes") if axes is None else [int(v) for v in axes]
    if given is None or len(given) == 0:
        return () if a.get("noop_with_empty_axes", 0) else tuple(range(x.ndim))
    return tuple(sorted(v % x.ndim for v in given))


def reduction(function):
    def run(a, x, axes=None):
        over = reduction_axes(a, x, axes)
        return [function(x, axis=over, keepdims=bool(a.get("keepdims", 1))) if over else x]

    return run


def log_sum_exp(x, axis, keepdims):
    top = x.max(axis=axis, keepdims=True)
    y = np.log(np.exp(x - top).sum(axis=axis, keepdims=True)) + top
    return y if keepdims else y.squeeze(axis)


for _name, _function in {
    "ReduceSum": np.sum,
    "ReduceMean": np.mean,
    "ReduceMax": np.max,
    "ReduceMin": np.min,
    "ReduceProd": np.prod,
    "ReduceL1": lambda x, **k: np.sum(np.abs(x), **k),
    "ReduceL2": lambda x, **k: np.sqrt(np.sum(x * x, **k)),
    "ReduceSumSquare": lambda x, **k: np.sum(x * x, **k),
    "ReduceLogSum": lambda x, **k: np.log(np.sum(x, **k)),
    "ReduceLogSumExp": log_sum_exp,
}.items():
    OPERATORS[_name] = reduction(_function)


def arg(function):
    def run(a, x):
        axis = a.get("axis", 0) % x.ndim
        if a.get("select_last_index", 0):
            y = x.shape[axis] - 1 - function(np.flip(x, axis), axis=axis)
        else:
            y = function(x, axis=axis)
        return [np.expand_dims(y, axis) if a.get("keepdims", 1) else y]

    return run


OPERATORS["ArgMax"] = arg(np.argmax)
OPERATORS["ArgMin"] = arg(np.argmin)


@operator("CumSum")
def cumsum(a, x, axis):
    axis = int(axis)
    x = np.flip(x, axis) if a.get("reverse", 0) else x
    y = np.cumsum(x, axis)
    y = y - x if a.get("exclusive", 0) else y
    return [np.flip(y, axis) if a.get("reverse", 0) else y]


@operator("TopK")
def top_k(a, x, k):
    axis, sign = a.get("axis", -1), -1 if a.get("largest", 1) else 1
    order = np.argsort(sign * x, axis=axis, kind="stable").take(np.arange(int(k)), axis=axis)
    return [np.take_along_axis(x, order, axis), order]


# ---- movement -------------------------------------------------------------------------------------------------------


@operator("Reshape")
def reshape(a, x, shape=None):
    shape = [int(e) for e in (a["shape"] if shape is None else shape)]
    if not a.get("allowzero", 0):
        shape = [x.shape[i] if e == 0 else e for i, e in enumerate(shape)]
    return [x.reshape(shape)]


@operator("Flatten")
def flatten(a, x):
    axis = a.get("axis", 1)
    axis = axis + x.ndim if axis < 0 else axis
    return [x.reshape(int(np.prod(x.shape[:axis], dtype=np.int64)), -1)]


@operator("Squeeze")
def squeeze(a, x, axes=None):
    axes = a.get("axes") if axes is None else axes
    return [x.squeeze(None if axes is None else tuple(int(v) for v in axes))]


@operator("Unsqueeze")
def unsqueeze(a, x, axes=None):
    return [np.expand_dims(x, tuple(int(v) for v in (a["axes"] if axes is None else axes)))]


@operator("Transpose")
def transpose(a, x):
    return [x.transpose(a.get("perm", list(range(x.ndim))[::-1]))]


@operator("Expand")
def expand(a, x, shape):
    return [np.broadcast_to(x, np.broadcast_shapes(x.shape, tuple(int(e) for e in shape)))]


@operator("Tile")
def tile(a, x, repeats):
    return [np.tile(x, [int(r) for r in repeats])]


@operator("Concat")
def concat(a, *inputs):
    return [np.concatenate(inputs, axis=a["axis"])]


def split_sizes(a, x, outputs, sizes=None):
    sizes = a.get("split") if sizes is None else sizes
    if sizes is None:
        return [x.shape[a.get("axis", 0)] // outputs] * outputs
    return [int(s) for s in sizes]


@operator("Split")
def split(a, x, sizes=None):
    sizes = split_sizes(a, x, a["outputs"], sizes)
    return np.split(x, np.cumsum(sizes)[:-1], axis=a.get("axis", 0))


def slice_of(a, x, starts=None, ends=None, axes=None, steps=None):
    """One Python slice for each axis."""
    starts, ends = (a["starts"], a["ends"]) if starts is None else (starts, ends)
    axes = a.get("axes") if axes is None else axes
    result = [slice(None)] * x.ndim
    for i, (begin, end) in enumerate(zip(starts, ends)):
        step = 1 if steps is None else int(steps[i])
        axis = int(axes[i]) if axes is not None else i
        begin, end, step = slice(int(begin), int(end), step).indices(x.shape[axis])
        result[axis] = slice(begin, None if end < 0 else end, step)
    return tuple(result)


@operator("Slice")
def slice_(a, x, *bounds):
    return [x[slice_of(a, x, *bounds)]]


def pad_amounts(a, x, pads=None):
    pads = [int(p) for p in (a.get("pads", a.get("paddings")) if pads is None else pads)]
    return list(zip(pads[: x.ndim], pads[x.ndim :]))


@operator("Pad")
def pad(a, x, pads=None, value=None):
    amounts = pad_amounts(a, x, pads)
    cut = tuple(slice(max(-b, 0), x.shape[i] - max(-e, 0)) for i, (b, e) in enumerate(amounts))
    x, amounts = x[cut], [(max(b, 0), max(e, 0)) for b, e in amounts]
    mode = text(a.get("mode", "constant"))
    if mode == "constant":
        value = a.get("value", 0.0) if value is None or value.size == 0 else float(np.asarray(value).reshape(()))
        return [np.pad(x, amounts, constant_values=value)]
    return [np.pad(x, amounts, mode=mode)]


@operator("Gather")
def gather(a, x, index):
    return [np.take(x, index, axis=a.get("axis", 0), mode="wrap")]


@operator("GatherElements")
def gather_elements(a, x, index):
    axis = a.get("axis", 0)
    return [np.take_along_axis(x, np.where(index < 0, index + x.shape[axis], index), axis)]


@operator("GatherND")
def gather_nd(a, x, index):
    batch = a.get("batch_dims", 0)
    shape = index.shape[:-1] + x.shape[batch + index.shape[-1] :]
    places = itertools.product(*(range(e) for e in index.shape[:-1]))
    return [np.array([x[p[:batch] + tuple(index[p])] for p in places]).reshape(shape)]


def grams(a):
    """The tuples of numbers of a vocabulary, each with the distances at which its numbers may stand."""
    pool, starts, found = a["pool_int64s"], a["ngram_counts"], []
    for length, begin, end in zip(itertools.count(1), starts, [*starts[1:], len(pool)]):
        distances = range(1, 2 if length == 1 else a["max_skip_count"] + 2)
        wanted = a["min_gram_length"] <= length <= a["max_gram_length"]
        found += [(pool[i : i + length], distances if wanted else ()) for i in range(begin, end, length)]
    return found


@operator("TfIdfVectorizer")
def count_grams(a, x):
    """Counts (mode TF) of each tuple, in the column that it names."""
    rows = x.reshape(-1, x.shape[-1])
    y = np.zeros((len(rows), max(a["ngram_indexes"]) + 1))
    for column, (gram, distances) in zip(a["ngram_indexes"], grams(a)):
        for row, step in itertools.product(range(len(rows)), distances):
            last = rows.shape[1] - (len(gram) - 1) * step
            y[row, column] += sum(list(rows[row, i::step][: len(gram)]) == gram for i in range(max(last, 0)))
    return [y.reshape(*x.shape[:-1], -1)]


@operator("DepthToSpace")
def depth_to_space(a, x):
    n, c, h, w = x.shape
    b = a["blocksize"]
    if text(a.get("mode", "DCR")) == "DCR":
        y = x.reshape(n, b, b, c // b**2, h, w).transpose(0, 3, 4, 1, 5, 2)
    else:
        y = x.reshape(n, c // b**2, b, b, h, w).transpose(0, 1, 4, 2, 5, 3)
    return [y.reshape(n, c // b**2, h * b, w * b)]


@operator("SpaceToDepth")
def space_to_depth(a, x):
    n, c, h, w = x.shape
    b = a["blocksize"]
    return [x.reshape(n, c, h // b, b, w // b, b).transpose(0, 3, 5, 1, 2, 4).reshape(n, c * b**2, h // b, w // b)]


@operator("Trilu")
def trilu(a, x, k=None):
    k = 0 if k is None else int(k)
    return [np.triu(x, k) if a.get("upper", 1) else np.tril(x, k)]


@operator("OneHot")
def one_hot(a, index, depth, values):
    depth, axis = int(np.asarray(depth).reshape(())), a.get("axis", -1)
    index = np.where(index < 0, index + depth, index)
    hot = np.arange(depth) == index[..., None]
    return [np.moveaxis(np.where(hot, values[1], values[0]), -1, axis)]


@operator("ReverseSequence")
def reverse_sequence(a, x, lengths):
    y = np.moveaxis(x, (a.get("batch_axis", 1), a.get("time_axis", 0)), (0, 1)).copy()
    for row, length in zip(y, lengths):
        row[: int(length)] = row[: int(length)][::-1].copy()
    return [np.moveaxis(y, (0, 1), (a.get("batch_axis", 1), a.get("time_axis", 0)))]


@operator("ScatterElements", "Scatter")
def scatter_elements(a, x, index, updates):
    y, axis = x.copy(), a.get("axis", 0)
    for p in itertools.product(*(range(e) for e in index.shape)):
        to = list(p)
        to[axis] = int(index[p]) % x.shape[axis]
        y[tuple(to)] = y[tuple(to)] + updates[p] if text(a.get("reduction", "none")) == "add" else updates[p]
    return [y]


@operator("ScatterND")
def scatter_nd(a, x, index, updates):
    y = x.copy()
    for p in itertools.product(*(range(e) for e in index.shape[:-1])):
        at = tuple(index[p])
        how = text(a.get("reduction", "none"))
        y[at] = y[at] + updates[p] if how == "add" else (y[at] * updates[p] if how == "mul" else updates[p])
    return [y]


@operator("DFT")
def dft(a, x, length=None):
    axis, count = a.get("axis", 1), None if length is None else int(length)
    values = x[..., 0] + (1j * x[..., 1] if x.shape[-1] == 2 else 0)
    y = (np.fft.ifft if a.get("inverse", 0) else np.fft.fft)(values, count, axis)
    if a.get("onesided", 0):
        y = y.take(np.arange(y.shape[axis] // 2 + 1), axis)
    return [np.stack([y.real, y.imag], axis=-1)]


def frames(x, window, step):
    """A real signal [N, L, 1] as frames [N, count, length] under the window."""
    places = range(0, x.shape[1] - len(window) + 1, step)
    return np.stack([x[:, i : i + len(window), 0] * window for i in places], axis=1)


@operator("STFT")
def stft(a, x, step, window=None, length=None):
    y = np.fft.rfft(frames(x, np.ones(int(length)) if window is None else window, int(step)))
    return [np.stack([y.real, y.imag], axis=-1)]


OPERATORS["Det"] = lambda a, x: [np.linalg.det(x)]


@operator("MaxUnpool")
def max_unpool(a, x, index, shape=None):
    """The indices are those of the smallest image that the windows cover; a larger one is filled up behind."""
    own = [s * (e - 1) + k for e, k, s in zip(x.shape[2:], a["kernel_shape"], a["strides"])]
    y = np.zeros(x.shape[0] * x.shape[1] * math.prod(own))
    y[index.reshape(-1)] = x.reshape(-1)
    y = y.reshape(*x.shape[:2], *own)
    shape = y.shape if shape is None else [int(e) for e in shape]
    return [np.pad(y, [(0, e - o) for e, o in zip(shape, y.shape)])]


# ---- sampling -------------------------------------------------------------------------------------------------------


def resize_sizes(a, x, scales=None, sizes=None):
    """Output extents and scales; each of the two gives the other."""
    if sizes is not None and len(sizes):
        return [int(s) for s in sizes], [int(s) / e for s, e in zip(sizes, x.shape)]
    return [int(math.floor(e * float(s))) for e, s in zip(x.shape, scales)], [float(s) for s in scales]


def coordinate(mode, i, size, extent, scale, region=(0.0, 1.0)):
    """Where element i of `size` lies on an axis of `extent`. Corners align at the length before it was rounded down."""
    if mode == "tf_crop_and_resize":
        begin, end = (v * (extent - 1) for v in region)
        return begin + i * (end - begin) / (size - 1) if size > 1 else (begin + end) / 2
    if mode == "asymmetric":
        return i / scale
    if mode == "align_corners":
        return 0.0 if size == 1 else i * (extent - 1) / (extent * scale - 1)
    if mode == "pytorch_half_pixel" and size == 1:
        return 0.0
    if mode == "tf_half_pixel_for_nn":
        return (i + 0.5) / scale
    return (i + 0.5) / scale - 0.5


def nearest_of(mode, at):
    if mode == "floor":
        return math.floor(at)
    if mode == "ceil":
        return math.ceil(at)
    if mode == "round_prefer_ceil":
        return math.floor(at + 0.5)
    return math.ceil(at - 0.5)


def cubic_shares(a, rest, low, extent):
    """The weights of the four pixels around a coordinate that lies `rest` behind pixel `low`."""
    c = a.get("cubic_coeff_a", -0.75)
    shares = []
    for tap in range(-1, 3):
        d = abs(rest - tap)
        if d <= 1:
            shares.append((c + 2) * d**3 - (c + 3) * d**2 + 1)
        else:
            shares.append(c * d**3 - 5 * c * d**2 + 8 * c * d - 4 * c)
    if a.get("exclude_outside", 0):
        shares = [s if 0 <= low + tap < extent else 0.0 for tap, s in zip(range(-1, 3), shares)]
        shares = [s / sum(shares) for s in shares]
    return shares


def axis_weights(a, grid, mode, rounding, size, extent, scale, region=(0.0, 1.0)):
    """What each of `size` samples of an axis takes of each of its `extent` elements."""
    weights = np.zeros((size, extent))
    for i in range(size):
        at = coordinate(grid, i, size, extent, scale, region)
        if mode == "nearest":
            weights[i, min(max(nearest_of(rounding, at), 0), extent - 1)] = 1
            continue
        low, rest = math.floor(at), at - math.floor(at)
        taps = zip(range(-1, 3), cubic_shares(a, rest, low, extent)) if mode == "cubic" else ((0, 1 - rest), (1, rest))
        for tap, share in taps:
            weights[i, min(max(low + tap, 0), extent - 1)] += share
    return weights


@operator("Resize")
def resize(a, x, roi=None, scales=None, sizes=None):
    if a["opset"] < 11:
        scales, sizes = roi, None
    out, scales = resize_sizes(a, x, scales, sizes)
    grid = text(a.get("coordinate_transformation_mode", "asymmetric" if a["opset"] < 11 else "half_pixel"))
    mode = text(a.get("mode", "nearest"))
    rounding = text(a.get("nearest_mode", "floor" if a["opset"] < 11 else "round_prefer_floor"))
    y, inside = x, np.ones(out, bool)
    for axis, (size, scale) in enumerate(zip(out, scales)):
        extent = x.shape[axis]
        if size == extent and scale == 1 and grid != "tf_crop_and_resize":
            continue
        region = (roi[axis], roi[axis + x.ndim]) if grid == "tf_crop_and_resize" else (0.0, 1.0)
        weights = axis_weights(a, grid, mode, rounding, size, extent, scale, region)
        y = np.moveaxis(np.tensordot(weights, y, axes=(1, axis)), 0, axis)
        if grid == "tf_crop_and_resize":
            at = np.array([coordinate(grid, i, size, extent, scale, region) for i in range(size)])
            inside &= ((at >= 0) & (at <= extent - 1)).reshape([-1 if i == axis else 1 for i in range(x.ndim)])
    return [np.where(inside, y, a.get("extrapolation_value", 0.0))]


@operator("Upsample")
def upsample(a, x, scales=None):
    scales = a["scales"] if scales is None else scales
    how = {"opset": 10, "mode": a.get("mode", "nearest")}
    return resize(how, x, scales)


def grid_coordinates(a, extent, at):
    """A coordinate from -1 to 1 in pixels."""
    return (at + 1) / 2 * (extent - 1) if a.get("align_corners", 0) else ((at + 1) * extent - 1) / 2


def reflected(at, low, high):
    span = high - low
    if span <= 0:
        return 0.0
    at = abs(at - low) % (2 * span)
    return low + (at if at <= span else 2 * span - at)


@operator("RoiAlign")
def roi_align(a, x, boxes, images):
    """Means of bilinear samples, a grid of them in each bin of each box (x1, y1, x2, y2)."""
    ratio, size = a["sampling_ratio"], (a["output_height"], a["output_width"])
    shift = 0.5 if text(a.get("coordinate_transformation_mode", "half_pixel")) == "half_pixel" else 0.0

    def weights(low, high, count, extent):
        """What each sample takes of each pixel; nothing beyond one pixel outside."""
        low, high = low * a.get("spatial_scale", 1.0) - shift, high * a.get("spatial_scale", 1.0) - shift
        length = high - low if shift else max(high - low, 1.0)
        shares = np.zeros((count * ratio, extent))
        for i in range(count * ratio):
            at = low + (i + 0.5) * length / (count * ratio)
            if -1 <= at <= extent:
                at = min(max(at, 0), extent - 1)
                first = min(int(at), extent - 1)
                shares[i, first] += 1 - (at - first)
                shares[i, min(first + 1, extent - 1)] += at - first
        return shares.reshape(count, ratio, extent).mean(axis=1)

    y = []
    for (x1, y1, x2, y2), image in zip(boxes, images):
        rows, columns = weights(y1, y2, size[0], x.shape[2]), weights(x1, x2, size[1], x.shape[3])
        y.append(np.einsum("ih,chw,jw->cij", rows, x[image], columns))
    return [np.stack(y)]


@operator("GridSample")
def grid_sample(a, x, grid):
    n, c, h, w = x.shape
    border = text(a.get("padding_mode", "zeros"))
    y = np.zeros((n, c) + grid.shape[1:3])
    for b, i, j in itertools.product(range(n), range(grid.shape[1]), range(grid.shape[2])):
        place = []
        for extent, at in ((h, grid[b, i, j, 1]), (w, grid[b, i, j, 0])):
            at = grid_coordinates(a, extent, at)
            if border == "border":
                at = min(max(at, 0), extent - 1)
            elif border == "reflection":
                low, high = (0, extent - 1) if a.get("align_corners", 0) else (-0.5, extent - 0.5)
                at = min(max(reflected(at, low, high), 0), extent - 1)
            place.append(at)

        def pixel(row, column):
            return x[b, :, row, column] if 0 <= row < h and 0 <= column < w else np.zeros(c)

        if text(a.get("mode", "bilinear")) == "nearest":
            y[b, :, i, j] = pixel(int(np.rint(place[0])), int(np.rint(place[1])))
        else:
            row, column = math.floor(place[0]), math.floor(place[1])
            v, u = place[0] - row, place[1] - column
            y[b, :, i, j] = (1 - v) * ((1 - u) * pixel(row, column) + u * pixel(row, column + 1)) + v * (
                (1 - u) * pixel(row + 1, column) + u * pixel(row + 1, column + 1)
            )
    return [y]


# ---- integers -------------------------------------------------------------------------------------------------------


def parameter(a, x, v):
    """A scale or a zero point: one number, or one for each index of the axis."""
    v = np.asarray(v)
    if v.ndim == 0:
        return v
    return v.reshape([-1 if i == a.get("axis", 1) % x.ndim else 1 for i in range(x.ndim)])


@operator("QuantizeLinear")
def quantize_linear(a, x, scale, zero=None):
    kind = np.uint8 if zero is None else zero.dtype
    zero = 0 if zero is None else parameter(a, x, zero).astype(np.int64)
    limits = np.iinfo(kind)
    return [np.clip(np.rint(x / parameter(a, x, scale)) + zero, limits.min, limits.max).astype(kind)]


@operator("DequantizeLinear")
def dequantize_linear(a, x, scale, zero=None):
    zero = 0 if zero is None else parameter(a, x, zero).astype(np.int64)
    return [(x.astype(np.int64) - zero) * parameter(a, x, scale)]


@operator("DynamicQuantizeLinear")
def dynamic_quantize_linear(a, x):
    low, high = min(0.0, x.min()), max(0.0, x.max())
    scale = (high - low) / 255
    zero = np.uint8(np.clip(np.rint(0 - low / scale), 0, 255))
    return [np.clip(np.rint(x / scale) + zero, 0, 255).astype(np.uint8), np.array(scale), np.array(zero)]


@operator("QLinearMatMul")
def qlinear_matmul(a, x, x_scale, x_zero, y, y_scale, y_zero, scale, zero):
    product = matmul_integer(a, x, y, x_zero, y_zero)[0] * (float(x_scale) * float(y_scale) / float(scale))
    limits = np.iinfo(zero.dtype)
    return [np.clip(np.rint(product) + int(zero), limits.min, limits.max).astype(zero.dtype)]


@operator("QLinearConv")
def qlinear_conv(a, x, x_scale, x_zero, w, w_scale, w_zero, scale, zero, b=None):
    x = x.astype(np.int64) - int(x_zero)
    w = w.astype(np.int64) - w_zero.astype(np.int64).reshape(-1, 1, 1, 1)
    product = convolution(a, x, w)
    product = product * (float(x_scale) * np.asarray(w_scale, np.float64).reshape(1, -1, 1, 1) / float(scale))
    limits = np.iinfo(zero.dtype)
    return [np.clip(np.rint(product) + int(zero), limits.min, limits.max).astype(zero.dtype)]


# ---- recurrent networks, one direction ------------------------------------------------------------------------------


def recurrent(a, x, w, r, b, h, gates, step):
    """Runs `step(from the input, from the state, state, biases of both)` over time; all states and the last one.

    Both products have a column for each unit of each gate.
    """
    batchwise = a.get("layout", 0)
    hidden = r.shape[-1]
    x = np.moveaxis(x, 0, 1) if batchwise else x
    h = np.zeros((x.shape[1], hidden)) if h is None else (h[:, 0] if batchwise else h[0])
    biases = np.zeros((2, gates * hidden)) if b is None else b[0].reshape(2, gates * hidden)
    states = []
    for x_t in x:
        h = step(x_t @ w[0].T, h @ r[0].T, h, biases)
        states.append(h)
    y, last = np.stack(states)[:, None], h[None]
    return [np.moveaxis(y, 2, 0), np.moveaxis(last, 1, 0)] if batchwise else [y, last]


@operator("RNN")
def rnn(a, x, w, r, b=None, lengths=None, h=None):
    return recurrent(a, x, w, r, b, h, 1, lambda i, s, state, bias: np.tanh(i + s + bias[0] + bias[1]))


@operator("GRU")
def gru(a, x, w, r, b=None, lengths=None, h=None):
    """Update, reset and hidden gates; the reset acts on the state before its product."""
    last = r[0][2 * r.shape[-1] :]

    def step(i, s, state, bias):
        i = i + bias[0]
        (iz, ir, ih), (sz, sr, _) = np.split(i, 3, axis=1), np.split(s + bias[1], 3, axis=1)
        z, reset = sigmoid(iz + sz), sigmoid(ir + sr)
        return (1 - z) * np.tanh(ih + (reset * state) @ last.T + np.split(bias[1], 3)[2]) + z * state

    return recurrent(a, x, w, r, b, h, 3, step)


@operator("LSTM")
def lstm(a, x, w, r, b=None, lengths=None, h=None, c=None, p=None):
    """Input, output, forget and cell gates; peepholes see the cell."""
    hidden, batchwise = r.shape[-1], a.get("layout", 0)
    cell = 0.0 if c is None else (c[:, 0] if batchwise else c[0])
    pi, po, pf = np.zeros((3, hidden)) if p is None else p[0].reshape(3, hidden)

    def step(i, s, state, bias):
        nonlocal cell
        gi, go, gf, gc = np.split(i + s + bias[0] + bias[1], 4, axis=1)
        cell = sigmoid(gf + pf * cell) * cell + sigmoid(gi + pi * cell) * np.tanh(gc)
        return sigmoid(go + po * cell) * np.tanh(cell)

    outputs = recurrent(a, x, w, r, b, h, 4, step)
    return [*outputs, cell[:, None] if batchwise else cell[None]]


# ---- losses ---------------------------------------------------------------------------------------------------------


def loss_of(a, log_probability, target, weight=None):
    classes = log_probability.shape[1]
    ignored = a.get("ignore_index")
    kept = np.ones(target.shape, bool) if ignored is None else target != ignored
    index = np.where(kept, target, 0)
    factor = (np.ones(classes) if weight is None else weight)[index] * kept
    loss = -np.take_along_axis(log_probability, np.expand_dims(index, 1), 1)[:, 0] * factor
    how = text(a.get("reduction", "mean"))
    if how == "none":
        return loss
    return loss.sum() if how == "sum" else loss.sum() / factor.sum()


@operator("NegativeLogLikelihoodLoss")
def negative_log_likelihood(a, x, target, weight=None):
    return [np.asarray(loss_of(a, x, target, weight))]


@operator("SoftmaxCrossEntropyLoss")
def softmax_cross_entropy(a, x, target, weight=None):
    log_probability = np.moveaxis(log_softmax_of(np.moveaxis(x, 1, -1)), -1, 1)
    return [np.asarray(loss_of(a, log_probability, target, weight)), log_probability]


# ---- steps of training ----------------------------------------------------------------------------------------------


def steps(parts, step):
    """Applies `step(a, rate, count, x, gradient, state...)` to each tensor; the inputs and results go part by part."""

    def run(a, rate, count, *rest):
        each = len(rest) // parts
        results = [step(a, rate, int(count), *rest[i::each]) for i in range(each)]
        return [r[part] for part in range(parts - 1) for r in results]

    return run


def adagrad(a, rate, count, x, gradient, squares):
    gradient = a.get("norm_coefficient", 0.0) * x + gradient
    squares = squares + gradient**2
    rate = rate / (1 + count * a.get("decay_factor", 0.0))
    return x - rate * gradient / (np.sqrt(squares) + a.get("epsilon", 1e-6)), squares


def adam(a, rate, count, x, gradient, mean, squares):
    alpha, beta = a.get("alpha", 0.9), a.get("beta", 0.999)
    gradient = a.get("norm_coefficient", 0.0) * x + gradient
    mean, squares = alpha * mean + (1 - alpha) * gradient, beta * squares + (1 - beta) * gradient**2
    rate = rate * (np.sqrt(1 - beta**count) / (1 - alpha**count) if count > 0 else 1)
    x = x - rate * mean / (np.sqrt(squares) + a.get("epsilon", 1e-6))
    return (1 - a.get("norm_coefficient_post", 0.0)) * x, mean, squares


def momentum(a, rate, count, x, gradient, speed):
    gradient = a["norm_coefficient"] * x + gradient
    speed = a["alpha"] * speed + (a["beta"] if count > 0 else 1) * gradient
    return x - rate * (gradient + a["alpha"] * speed if text(a["mode"]) == "nesterov" else speed), speed


OPERATORS.update(Adagrad=steps(3, adagrad), Adam=steps(4, adam), Momentum=steps(3, momentum))


# ---- values that no device computes ---------------------------------------------------------------------------------

OPERATORS["Constant"] = lambda a: [a["value"]]
OPERATORS["Shape"] = lambda a, x: [np.array(x.shape[a.get("start", 0) : a.get("end", None)], np.int64)]
OPERATORS["Size"] = lambda a, x: [np.array(x.size, np.int64)]
OPERATORS["ConstantOfShape"] = lambda a, shape: [
    np.full([int(e) for e in shape], a["value"].reshape(()) if "value" in a else np.float64(0))
]


@operator("Range")
def range_(a, start, limit, delta):
    return [np.arange(start, limit, delta, dtype=start.dtype)]


@operator("EyeLike")
def eye_like(a, x):
    return [np.eye(*x.shape, k=a.get("k", 0)).astype(a.get("numpy type", x.dtype))]
