"""ONNX operators as graphs of this library's operations: one function for each operator.

A function takes a `Node` and returns the value of its only output, or a list with one entry for each output (None for
one that it leaves out). `node.x(i)` is input i as an fp16 value; `node.static(i)` its elements where they are known
when the graph is built, which shapes, axes and the like must be. Whatever cannot be expressed raises NotApplicable
with the reason.

A composition rounds to fp16 after each of its operations, so it cannot keep the 2 ulp of a single one: `node.slack`
widens the limit and says why.
"""

import itertools
import math

import numpy as np

import onnx_reference as reference
from harness import LARGEST, rounded
from onnx_reference import text

CONVERTERS = {}

PI = math.pi


class NotApplicable(Exception):
    """Why a case says nothing about this library."""


def converter(*names):
    def register(function):
        for name in names:
            CONVERTERS[name] = function
        return function

    return register


# ---- elementwise ----------------------------------------------------------------------------------------------------

SAME = {
    "Abs": "abs",
    "Atan": "atan",
    "Ceil": "ceil",
    "Cos": "cos",
    "Erf": "erf",
    "Exp": "exp",
    "Floor": "floor",
    "Identity": "identity",
    "Log": "log",
    "Reciprocal": "inverse",
    "Relu": "relu",
    "Round": "round",
    "Sigmoid": "sigmoid",
    "Sign": "sign",
    "Sin": "sin",
    "Softplus": "softplus",
    "Softsign": "softsign",
    "Sqrt": "sqrt",
    "Tanh": "tanh",
    "Add": "add",
    "Sub": "sub",
    "Mul": "mul",
    "Pow": "pow",
    "Equal": "equal",
    "Greater": "greater",
    "GreaterOrEqual": "greater_equal",
    "Less": "less",
    "LessOrEqual": "less_equal",
}
LOGIC = {"And": "logical_and", "Or": "logical_or", "Xor": "logical_xor"}


def same(operation, boolean=False):
    def convert(n):
        operands = [n.boolean(i) if boolean else n.x(i) for i in range(len(n.inputs))]
        if len(operands) == 2:
            y = reference.old_broadcast(n.a, *(np.empty(v.shape) for v in operands))
            if list(y.shape) != list(operands[1].shape):
                operands[1] = n.g.reshape(operands[1], y.shape)
        return n.g.op(operation, *operands)

    return convert


for _onnx, _ours in SAME.items():
    CONVERTERS[_onnx] = same(_ours)
for _onnx, _ours in LOGIC.items():
    CONVERTERS[_onnx] = same(_ours, boolean=True)


@converter("Neg")
def neg(n):
    return n.g.mul(n.x(0), -1.0)


@converter("Not")
def logical_not(n):
    return n.g.logical_not(n.boolean(0))


@converter("Div")
def div(n):
    if n.is_integer(0):
        if (n.exact(0) < 0).any() or (n.exact(1) < 0).any():
            raise NotApplicable("a quotient of integers that is rounded towards zero")
        return n.g.floor_div(n.x(0), n.x(1))
    return same("div")(n)


@converter("Tan")
def tan(n):
    n.rounds(3, n.out(0), "sine, cosine and their quotient")
    return n.g.div(n.g.sin(n.x(0)), n.g.cos(n.x(0)))


def arc_sine(g, x):
    """atan(x / sqrt((1 - x) (1 + x))): no difference loses digits, as 1 - x * x would near 1."""
    return g.atan(g.div(x, g.sqrt(g.mul(g.sub(1.0, x), g.add(1.0, x)))))


@converter("Asin")
def asin(n):
    n.rounds(6, n.out(0), "sums, product, root, quotient and arc tangent")
    return arc_sine(n.g, n.x(0))


@converter("Acos")
def acos(n):
    """2 atan(sqrt((1 - x) / (1 + x)))"""
    n.rounds(6, n.out(0), "sums, quotient, root and arc tangent")
    x = n.x(0)
    return n.g.mul(n.g.atan(n.g.sqrt(n.g.div(n.g.sub(1.0, x), n.g.add(1.0, x)))), 2.0)


@converter("Sinh", "Cosh")
def sinh_cosh(n):
    x = n.x(0)
    n.rounds(3, np.cosh(n.exact(0)), "two exponentials and their sum")
    up, down = n.g.exp(x), n.g.exp(n.g.mul(x, -1.0))
    return n.g.mul((n.g.sub if n.name == "Sinh" else n.g.add)(up, down), 0.5)


@converter("Asinh")
def asinh(n):
    """sign(x) log(|x| + sqrt(x^2 + 1))"""
    n.rounds(4, np.ones(()), "the argument of the logarithm, whose relative error is its absolute one")
    x = n.x(0)
    size = n.g.abs(x)
    return n.g.mul(n.g.sign(x), n.g.log(n.g.add(size, n.g.sqrt(n.g.add(n.g.mul(x, x), 1.0)))))


@converter("Acosh")
def acosh(n):
    """log(x + sqrt((x - 1) (x + 1)))"""
    n.rounds(4, np.ones(()), "the argument of the logarithm, whose relative error is its absolute one")
    x = n.x(0)
    return n.g.log(n.g.add(x, n.g.sqrt(n.g.mul(n.g.sub(x, 1.0), n.g.add(x, 1.0)))))


@converter("Atanh")
def atanh(n):
    """log((1 + x) / (1 - x)) / 2"""
    n.rounds(3, np.ones(()), "the argument of the logarithm, whose relative error is its absolute one")
    x = n.x(0)
    return n.g.mul(n.g.log(n.g.div(n.g.add(1.0, x), n.g.sub(1.0, x))), 0.5)


@converter("Elu")
def elu(n):
    return n.g.elu(n.x(0), alpha=n.a.get("alpha", 1.0))


@converter("Celu")
def celu(n):
    """alpha elu(x / alpha)"""
    alpha = n.a.get("alpha", 1.0)
    n.rounds(2, n.out(0), "the quotient, the product")
    return n.g.mul(n.g.elu(n.g.div(n.x(0), alpha), alpha=1.0), alpha)


@converter("Selu")
def selu(n):
    n.rounds(2, n.out(0), "elu, and gamma as fp16")
    alpha, gamma = n.a.get("alpha", 1.67326319217681884765625), n.a.get("gamma", 1.05070102214813232421875)
    return n.g.mul(n.g.elu(n.x(0), alpha=alpha), gamma)


@converter("HardSigmoid")
def hard_sigmoid(n):
    return n.g.hard_sigmoid(n.x(0), alpha=n.a.get("alpha", 0.2), beta=n.a.get("beta", 0.5))


@converter("HardSwish")
def hard_swish(n):
    n.rounds(1, n.out(0), "the hard sigmoid")
    return n.g.mul(n.x(0), n.g.hard_sigmoid(n.x(0), alpha=1 / 6, beta=0.5))


@converter("LeakyRelu")
def leaky_relu(n):
    return n.g.leaky_relu(n.x(0), alpha=n.a.get("alpha", 0.01))


@converter("ThresholdedRelu")
def thresholded_relu(n):
    """Ours passes x from alpha on, ONNX's above alpha: the next fp16 number is the threshold."""
    alpha = np.float16(n.a.get("alpha", 1.0))
    return n.g.thresholded_relu(n.x(0), alpha=float(np.nextafter(alpha, np.float16(np.inf))))


@converter("Shrink")
def shrink(n):
    lambd, bias = n.a.get("lambd", 0.5), n.a.get("bias", 0.0)
    g, x = n.g, n.x(0)
    inside = g.select(g.greater(x, lambd), g.sub(x, bias), 0.0)
    return g.select(g.less(x, -lambd), g.add(x, bias), inside)


@converter("IsNaN")
def is_nan(n):
    return n.g.not_equal(n.x(0), n.x(0))


@converter("IsInf")
def is_inf(n):
    """Nothing but an infinity is above the largest number."""
    g, x = n.g, n.x(0)
    found = []
    if n.a.get("detect_positive", 1):
        found.append(g.real(g.greater(x, LARGEST)))
    if n.a.get("detect_negative", 1):
        found.append(g.real(g.less(x, -LARGEST)))
    return found[0] if len(found) == 1 else g.maximum(*found)


@converter("Clip")
def clip(n):
    low, high = n.a.get("min"), n.a.get("max")
    if len(n.inputs) > 1:
        low, high = n.has(1) and n.static(1), n.has(2) and n.static(2)
        low, high = (None if v is False else float(np.asarray(v).reshape(())) for v in (low, high))
    x = n.x(0)
    if low is not None and high is not None and low <= high and max(-low, high) <= LARGEST:
        return n.g.clamp(x, min=low, max=high)
    x = x if low is None or low < -LARGEST else n.g.maximum(x, low)
    x = x if high is None or high > LARGEST else n.g.minimum(x, high)
    return n.g.identity(x) if x is n.x(0) else x


@converter("Cast", "CastLike")
def cast(n):
    to, source = np.dtype(n.a["numpy type"]), n.exact(0).dtype
    if to.kind in "OUS" or source.kind in "OUS":
        raise NotApplicable("strings")
    if to == bool:
        return n.g.not_equal(n.x(0), 0.0)
    if to.kind in "iu" and source.kind == "f":
        x = n.x(0)
        return n.g.select(n.g.less(x, 0.0), n.g.ceil(x), n.g.floor(x))
    return n.g.identity(n.x(0))


@converter("Dropout")
def dropout(n):
    ratio = float(n.static(1)) if n.has(1) else n.a.get("ratio", 0.5)
    training = (n.has(2) and bool(n.static(2))) or n.a.get("is_test") == 0 and n.a["opset"] < 7
    if training and ratio > 0:
        raise NotApplicable("random numbers")
    if len(n.outputs) > 1:
        n.tensor_out(1).static = True  # all true: nothing to compute
    return [n.g.dropout(n.x(0), ratio=ratio), None]


@converter("PRelu")
def prelu(n):
    """One slope for each channel is the operation; any other shape of slopes is a choice between x and slope x."""
    g, x, slope = n.g, n.x(0), n.x(1)
    count = math.prod(slope.shape)
    wide = (1,) * (x.rank - slope.rank) + slope.shape
    if n.a["opset"] < 7 and slope.rank <= 1:
        vector = slope
    elif x.rank >= 3 and wide[1] == count:
        vector = g.reshape(slope, (count,))
    else:
        return g.select(g.less(x, 0.0), g.mul(x, slope), x)
    channels = x.shape[1] if x.rank > 1 else 1
    if vector.shape != (channels,):
        vector = g.tile(g.reshape(vector, (1,)), count=[channels])
    if x.rank >= 3:
        return g.prelu(x, vector)
    return g.reshape(g.prelu(g.reshape(x, (*x.shape, *(1,) * (3 - x.rank))), vector), x.shape)


@converter("Mod")
def modulo(n):
    """a - b floor(a / b); with fmod towards zero."""
    g, a, b = n.g, n.x(0), n.x(1)
    if not n.a.get("fmod", 0):
        return g.sub(a, g.mul(b, g.floor_div(a, b)))
    n.rounds(2, n.exact(0), "the multiple that is taken off is as large as the dividend")
    sizes = g.abs(a), g.abs(b)
    rest = g.sub(sizes[0], g.mul(sizes[1], g.floor_div(*sizes)))
    return g.mul(rest, g.sign(a))


@converter("Where")
def where(n):
    return n.g.select(n.boolean(0), n.x(1), n.x(2))


@converter("Max", "Min", "Sum", "Mean")
def several(n):
    operation = {"Max": "maximum", "Min": "minimum", "Sum": "add", "Mean": "add"}[n.name]
    x = n.x(0)
    for i in range(1, len(n.inputs)):
        x = n.g.op(operation, x, n.x(i))
    if n.name in ("Sum", "Mean"):
        total = sum(np.abs(n.exact(i)) for i in range(len(n.inputs)))
        n.rounds(len(n.inputs) - 1, total, "each addition rounds")
    if n.name == "Mean":
        return n.g.div(x, float(len(n.inputs)))
    return n.g.identity(x) if len(n.inputs) == 1 else x


# ---- products -------------------------------------------------------------------------------------------------------


def sizes(n, i):
    return np.abs(n.exact(i).astype(np.float64))


def spread(values, spatial):
    """Attributes of one spatial axis as those of two."""
    return [1, *values] if spatial == 1 else list(values)


def flat_image(g, x, spatial):
    """[N, C, W] as [N, C, 1, W]."""
    return g.reshape(x, (*x.shape[:2], 1, *x.shape[2:])) if spatial == 1 else x


def four_pads(before, after):
    """Top, bottom, left, right."""
    if len(before) == 1:
        return [0, 0, before[0], after[0]]
    return [before[0], after[0], before[1], after[1]]


@converter("Conv")
def conv(n):
    g, x, w = n.g, n.x(0), n.x(1)
    spatial = x.rank - 2
    strides, dilations, before, after = reference.spatial(n.a, n.exact(0), w.shape[2:])
    bias = [n.x(2)] if n.has(2) else []
    magnitude = reference.convolution(n.a, sizes(n, 0), sizes(n, 1), sizes(n, 2) if n.has(2) else None)
    n.sums(math.prod(w.shape[1:]) + len(bias), magnitude)
    shape = n.shape_out(0)
    if spatial == 3:
        return conv3d(n, g, x, w, bias, strides, dilations, before, after)
    y = g.conv2d(
        flat_image(g, x, spatial),
        flat_image(g, w, spatial),
        *bias,
        shape=(*shape[:2], 1, *shape[2:]) if spatial == 1 else shape,
        stride=spread(strides, spatial),
        dilation=spread(dilations, spatial),
        padding=four_pads(before, after),
        groups=n.a.get("group", 1),
    )
    return g.reshape(y, shape)


def conv3d(n, g, x, w, bias, strides, dilations, before, after):
    """Depth folded into channels: one convolution for each plane of the result, with one rounding."""
    if before[0] or after[0]:
        x = g.pad(x, 0.0, before=[0, 0, before[0], 0, 0], after=[0, 0, after[0], 0, 0])
    shape = n.shape_out(0)
    depth = w.shape[2]
    weight = g.reshape(w, (w.shape[0], w.shape[1] * depth, *w.shape[3:]))
    planes = []
    for d in range(shape[2]):
        size = (*x.shape[:2], depth, *x.shape[3:])
        slab = g.strided_slice(x, shape=size, begin=[0, 0, d * strides[0], 0, 0], stride=[1, 1, dilations[0], 1, 1])
        plane = g.conv2d(
            g.reshape(slab, (size[0], size[1] * depth, *size[3:])),
            weight,
            *bias,
            shape=(*shape[:2], *shape[3:]),
            stride=strides[1:],
            dilation=dilations[1:],
            padding=four_pads(before[1:], after[1:]),
            groups=n.a.get("group", 1),
        )
        planes.append(g.reshape(plane, (*shape[:2], 1, *shape[3:])))
    return planes[0] if len(planes) == 1 else g.concat(*planes, index=2)


@converter("ConvTranspose")
def conv_transpose(n):
    g, x, w = n.g, n.x(0), n.x(1)
    spatial = x.rank - 2
    strides, dilations, before, after = reference.transposed_geometry(n.a, n.exact(0), n.exact(1))
    n.sums(math.prod(w.shape[:1] + w.shape[2:]), reference.transposed_convolution(n.a, sizes(n, 0), sizes(n, 1)))
    bias = [n.x(2)] if n.has(2) else []
    if spatial == 3:
        return conv_transpose3d(n, g, x, w, bias, strides, dilations, before, after)
    beyond = [max(-p, 0) for p in after]
    shape = list(n.shape_out(0))
    inner = shape[:2] + [e - b for e, b in zip(shape[2:], beyond)]
    y = g.conv_transpose2d(
        flat_image(g, x, spatial),
        flat_image(g, w, spatial),
        *([] if any(beyond) else bias),
        shape=[*inner[:2], 1, *inner[2:]] if spatial == 1 else inner,
        stride=spread(strides, spatial),
        dilation=spread(dilations, spatial),
        padding=four_pads(before, [max(p, 0) for p in after]),
        groups=n.a.get("group", 1),
    )
    y = g.reshape(y, inner)
    if any(beyond):  # rows that no tap reaches: the bias alone
        y = g.pad(y, 0.0, before=[0] * y.rank, after=[0, 0, *beyond])
        if bias:
            n.rounds(1, n.out(0), "the bias is added after the padding")
            y = g.add(y, g.reshape(bias[0], (bias[0].shape[0], *(1,) * spatial)))
    return y


def conv_transpose3d(n, g, x, w, bias, strides, dilations, before, after):
    """For each plane of the result the pairs of a plane and a tap that reach it, as channels: one rounding."""
    shape, planes = n.shape_out(0), []
    for d in range(shape[2]):
        pairs = itertools.product(range(x.shape[2]), range(w.shape[2]))
        pairs = [(i, k) for i, k in pairs if i * strides[0] + k * dilations[0] - before[0] == d]
        slabs = [g.reshape(along(g, x, 2, i, 1), (*x.shape[:2], *x.shape[3:])) for i, _ in pairs]
        taps = [g.reshape(along(g, w, 2, k, 1), (*w.shape[:2], *w.shape[3:])) for _, k in pairs]
        plane = g.conv_transpose2d(
            slabs[0] if len(pairs) == 1 else g.concat(*slabs, index=1),
            taps[0] if len(pairs) == 1 else g.concat(*taps, index=0),
            *bias,
            shape=(*shape[:2], *shape[3:]),
            stride=strides[1:],
            dilation=dilations[1:],
            padding=four_pads(before[1:], after[1:]),
        )
        planes.append(g.reshape(plane, (*shape[:2], 1, *shape[3:])))
    return g.concat(*planes, index=2)


@converter("MatMul")
def matmul(n):
    g, x, y = n.g, n.x(0), n.x(1)
    n.sums(x.shape[-1], np.matmul(sizes(n, 0), sizes(n, 1)))
    a = g.reshape(x, (1, *x.shape)) if x.rank == 1 else x
    b = g.reshape(y, (*y.shape, 1)) if y.rank == 1 else y
    return g.reshape(g.matmul(a, b), n.shape_out(0))


@converter("Gemm")
def gemm(n):
    """`linear` where it is one, else a matrix product, products and a sum."""
    g, a, b = n.g, n.x(0), n.x(1)
    alpha, beta = n.a.get("alpha", 1.0), n.a.get("beta", 1.0)
    form = {"a": bool(n.a.get("transA", 0)), "b": bool(n.a.get("transB", 0))}
    magnitude = reference.gemm(n.a, sizes(n, 0), sizes(n, 1), sizes(n, 2) if n.has(2) else None)[0]
    terms = a.shape[0] if form["a"] else a.shape[1]
    n.sums(terms + 1, magnitude)
    plain = alpha == 1 and form == {"a": False, "b": True}
    if plain and (not n.has(2) or beta == 1 and n.shape(2) == (b.shape[0],)):
        return g.linear(a, b, *([n.x(2)] if n.has(2) else []))
    y = g.matmul(a, b, **form)
    roundings = 0
    if alpha != 1:
        y, roundings = g.mul(y, alpha), 2
    if n.has(2):
        c = n.x(2)
        if beta != 1:
            c, roundings = g.mul(c, beta), roundings + 2
        y, roundings = g.add(y, c), roundings + 1
    if roundings:
        n.rounds(roundings, magnitude, "the product, the scaled parts and their sum round apart")
    return y


@converter("Einsum")
def einsum(n):
    terms, _, result = text(n.a["equation"]).replace(" ", "").partition("->")
    terms = terms.split(",")
    letters = iter("ABCDEFGHIJ")
    if any("..." in t for t in [*terms, result]):
        rank = max(n.x(i).rank - len(t.replace("...", "")) for i, t in enumerate(terms) if "..." in t)
        names = "".join(next(letters) for _ in range(rank))
        terms, result = [t.replace("...", names) for t in terms], result.replace("...", names)
    magnitude = np.einsum(text(n.a["equation"]), *(sizes(n, i) for i in range(len(n.inputs))))
    n.sums(max(1, max(n.exact(i).size for i in range(len(n.inputs)))), magnitude)
    if len(terms) > 2:
        raise NotApplicable("a contraction of more than two operands")
    result = list(result)
    operands = [diagonal(n.g, n.x(i), t) for i, t in enumerate(terms)]
    if len(operands) == 1:
        (x, term), gone = operands[0], [c for c in operands[0][1] if c not in result]
        return arranged(n.g, *summed(n.g, x, term, gone), result)
    (a, left), (b, right) = operands
    a, left = summed(n.g, a, left, [c for c in left if c not in right + result])
    b, right = summed(n.g, b, right, [c for c in right if c not in left + result])
    batch = [c for c in left if c in right and c in result]
    inner = [c for c in left if c in right and c not in result]
    rows, columns = [c for c in left if c not in right], [c for c in right if c not in left]
    extent = {**dict(zip(left, a.shape)), **dict(zip(right, b.shape))}

    def size(names):
        return math.prod(extent[c] for c in names)

    a = n.g.reshape(arranged(n.g, a, left, batch + rows + inner), (size(batch), size(rows), size(inner)))
    b = n.g.reshape(arranged(n.g, b, right, batch + inner + columns), (size(batch), size(inner), size(columns)))
    order = batch + rows + columns
    y = n.g.reshape(n.g.matmul(a, b), [extent[c] for c in order])
    return arranged(n.g, y, order, result)


def diagonal(g, x, term):
    """Where a letter stands twice, the elements of the diagonal: a gather."""
    kept = list(dict.fromkeys(term))
    if len(kept) == len(term):
        return x, list(term)
    places = np.einsum(f"{term}->{''.join(kept)}", np.arange(math.prod(x.shape)).reshape(x.shape))
    return g.gather(g.reshape(x, (math.prod(x.shape),)), g.weight(places), index=0), kept


def summed(g, x, term, gone):
    term = list(term)
    if not gone:
        return x, term
    y = g.reduce_sum(x, list=[term.index(c) for c in gone])
    kept = [c for c in term if c not in gone]
    return g.reshape(y, [x.shape[term.index(c)] for c in kept]), kept


def arranged(g, x, term, result):
    order = [list(term).index(c) for c in result]
    return x if order == sorted(order) else g.transpose(x, order=order)


# ---- windows --------------------------------------------------------------------------------------------------------


def pooled(n, kind, x, kernel, strides, before, after, spatial_out):
    """A pool over one or two spatial axes."""
    g, spatial = n.g, len(kernel)
    shape = (*x.shape[:2], *spatial_out)
    y = g.op(
        kind,
        flat_image(g, x, spatial),
        shape=(*shape[:2], 1, *shape[2:]) if spatial == 1 else shape,
        kernel=spread(kernel, spatial),
        stride=spread(strides, spatial),
        padding=four_pads(before, after),
        ceil_mode=bool(n.a.get("ceil_mode", 0)),
        exclude_padding=kind == "avg_pool" and not n.a.get("count_include_pad", 0),
    )
    return g.reshape(y, shape)


def pool(n, kind):
    kernel = list(n.a["kernel_shape"])
    strides, dilations, before, after = reference.spatial(n.a, n.exact(0), kernel)
    x, out = n.x(0), n.shape_out(0)[2:]
    if any(d != 1 for d in dilations):
        return dilated_max_pool(n, x, kernel, strides, dilations, before, after, out)
    if len(kernel) < 3:
        return pooled(n, kind, x, kernel, strides, before, after, out)
    # Three axes: the last two, then the first over rows that are whole planes.
    g = n.g
    count, channels, depth, height, width = x.shape
    planes = g.reshape(x, (count * channels, depth, height, width))
    planes = pooled(n, kind, planes, kernel[1:], strides[1:], before[1:], after[1:], out[1:])
    rows = g.reshape(planes, (count * channels, 1, depth, out[1] * out[2]))
    first = [[values[0], other] for values, other in ((kernel, 1), (strides, 1), (before, 0), (after, 0))]
    rows = pooled(n, kind, rows, *first, [out[0], out[1] * out[2]])
    if kind == "avg_pool":
        n.rounds(1, reference.average_pool(n.a, sizes(n, 0))[0], "a mean of means")
    return g.reshape(rows, n.shape_out(0))


def dilated_max_pool(n, x, kernel, strides, dilations, before, after, out):
    """The largest of strided slices, one for each tap."""
    y = None
    for part in tap_slices(n.g, x, kernel, strides, dilations, before, after, out, -LARGEST):
        y = part if y is None else n.g.maximum(y, part)
    return y


@converter("MaxPool")
def max_pool(n):
    return [pool(n, "max_pool"), places_of_largest(n)] if n.wants(1) else pool(n, "max_pool")


def places_of_largest(n):
    """Tap by tap from the last: where the element is the window's largest, the place is that of the tap."""
    g, x = n.g, n.x(0)
    kernel = list(n.a["kernel_shape"])
    strides, dilations, before, after = reference.spatial(n.a, n.exact(0), kernel)
    order = list(range(x.rank))
    if n.a.get("storage_order", 0):
        order[-2:] = order[:-3:-1]
    numbers = np.empty([x.shape[i] for i in order])
    numbers.reshape(-1)[:] = np.arange(numbers.size)
    parts = list(tap_slices(g, x, kernel, strides, dilations, before, after, n.shape_out(0)[2:], -LARGEST))
    taps = reference.windows(numbers.transpose(order), kernel, strides, dilations, before, after, 0.0)
    taps = taps.reshape(*taps.shape[: x.rank], -1)
    largest, place = parts[0], None
    for part in parts[1:]:
        largest = g.maximum(largest, part)
    for i in reversed(range(len(parts))):
        own = g.constant(taps[..., i])
        place = own if place is None else g.select(g.equal(parts[i], largest), own, place)
    return place


@converter("MaxUnpool")
def max_unpool(n):
    """A product with the one-hot matrix of the places."""
    g, x, index = n.g, n.x(0), n.x(1)
    own = [s * (e - 1) + k for e, k, s in zip(x.shape[2:], n.a["kernel_shape"], n.a["strides"])]
    count, size = math.prod(x.shape), x.shape[0] * x.shape[1] * math.prod(own)
    hot = g.real(g.equal(g.reshape(index, (count, 1)), g.constant(np.arange(size)[None])))
    y = g.reshape(g.matmul(g.reshape(x, (1, count)), hot), (*x.shape[:2], *own))
    beyond = [e - o for e, o in zip(n.shape_out(0), y.shape)]
    return g.pad(y, 0.0, before=[0] * y.rank, after=beyond) if any(beyond) else y


def tap_slices(g, x, kernel, strides, dilations, before, after, out, value):
    """For each tap of a window the elements that it reads, of the image with `value` around it."""
    reach = [(o - 1) * s + d * (k - 1) + 1 for o, s, d, k in zip(out, strides, dilations, kernel)]
    grown = [max(r - e - b, 0) for r, e, b in zip(reach, x.shape[2:], before)]
    if any(before) or any(grown):
        x = g.pad(x, value, before=[0, 0, *before], after=[0, 0, *grown])
    for tap in itertools.product(*(range(k) for k in kernel)):
        begin = [0, 0, *(t * d for t, d in zip(tap, dilations))]
        yield g.strided_slice(x, shape=(*x.shape[:2], *out), begin=begin, stride=[1, 1, *strides])


@converter("AveragePool")
def average_pool(n):
    n.sums(math.prod(n.a["kernel_shape"]), reference.average_pool(n.a, sizes(n, 0))[0])
    return pool(n, "avg_pool")


@converter("GlobalAveragePool", "GlobalMaxPool")
def global_pool(n):
    x = n.x(0)
    over = list(range(2, x.rank))
    if n.name == "GlobalAveragePool":
        n.sums(math.prod(x.shape[2:]), sizes(n, 0).mean(axis=tuple(over), keepdims=True))
    return n.g.op("reduce_mean" if n.name == "GlobalAveragePool" else "reduce_max", x, list=over)


@converter("BitShift")
def bit_shift(n):
    """A product with a power of two, or the floor of a quotient by one."""
    factor = n.g.exp2(n.x(1))
    return n.g.op("mul" if text(n.a["direction"]) == "LEFT" else "floor_div", n.x(0), factor)


@converter("DFT")
def dft(n):
    """Products with matrices of cosines and sines, the transformed axis last."""
    g, x = n.g, n.x(0)
    if n.has(1) or n.a.get("onesided", 0):
        raise NotApplicable("a Fourier transform that cuts its signal or its spectrum")
    axis = n.a.get("axis", 1) % x.rank
    order = [i for i in range(x.rank - 1) if i != axis] + [axis]
    count, shape = x.shape[axis], [x.shape[i] for i in order]
    angles = 2 * PI / count * np.outer(np.arange(count), np.arange(count)) * (-1 if n.a.get("inverse", 0) else 1)
    scale = 1 / count if n.a.get("inverse", 0) else 1.0
    cosines, sines = g.weight(scale * np.cos(angles)), g.weight(scale * np.sin(angles))
    parts = [g.reshape(along(g, x, x.rank - 1, i, 1), x.shape[:-1]) for i in range(x.shape[-1])]
    parts = [g.transpose(part, order=order) for part in parts]
    real, imaginary = g.linear(parts[0], cosines), g.mul(g.linear(parts[0], sines), -1.0)
    if len(parts) == 2:
        real = g.add(real, g.linear(parts[1], sines))
        imaginary = g.add(imaginary, g.linear(parts[1], cosines))
    back = [order.index(i) for i in range(x.rank - 1)]
    both = [g.reshape(g.transpose(part, order=back), (*x.shape[:-1], 1)) for part in (real, imaginary)]
    n.rounds(5, scale * sizes(n, 0).sum(axis=(axis, x.rank - 1)).max(), "the matrices, two products and their sum")
    return g.concat(*both, index=x.rank - 1)


@converter("STFT")
def stft(n):
    """Frames under a window, times matrices of cosines and sines."""
    g, step = n.g, int(n.static(1))
    signal = g.reshape(n.x(0), n.shape(0)[:2])  # a real one
    length = n.shape(2)[0] if n.has(2) else int(n.static(3))
    count, bins = n.shape_out(0)[1:3]
    frames = [g.reshape(along(g, signal, 1, i * step, length), (signal.shape[0], 1, length)) for i in range(count)]
    frames = g.concat(*frames, index=1)
    frames = g.mul(frames, n.x(2)) if n.has(2) else frames
    angles = 2 * PI / length * np.outer(np.arange(bins), np.arange(length))
    parts = [g.linear(frames, g.weight(m)) for m in (np.cos(angles), -np.sin(angles))]
    magnitude = reference.frames(*(np.abs(v) for v in (n.exact(0), n.exact(2) if n.has(2) else np.ones(length))), step)
    n.rounds(2, magnitude.sum(axis=-1)[..., None, None], "the window's product, the matrices")
    return g.concat(*(g.reshape(p, (*p.shape, 1)) for p in parts), index=3)


@converter("Det")
def determinant(n):
    """Of two rows."""
    g, x = n.g, n.x(0)
    (a, b), (c, d) = ([along(g, along(g, x, x.rank - 2, i, 1), x.rank - 1, j, 1) for j in (0, 1)] for i in (0, 1))
    size = sizes(n, 0)
    n.rounds(1, size[..., 0, 0] * size[..., 1, 1] + size[..., 0, 1] * size[..., 1, 0], "the two products")
    return g.reshape(g.sub(g.mul(a, d), g.mul(b, c)), n.shape_out(0))


# ---- normalisation --------------------------------------------------------------------------------------------------


@converter("BatchNormalization")
def batch_normalization(n):
    if n.a.get("training_mode", 0):
        return trained_batch_normalization(n)
    if (n.a["opset"] < 7 and n.a.get("is_test", 0) == 0) or n.wants(1):
        raise NotApplicable("training, as it was before version 14")
    g, x = n.g, n.x(0)
    scale, bias, mean, variance = (n.x(i) for i in range(1, 5))
    s, b, m, v = (reference.channels(n.exact(i), x.rank) for i in range(1, 5))
    n.sums(4, np.abs(s) * (np.abs(n.exact(0)) + np.abs(m)) / np.sqrt(v + n.a.get("epsilon", 1e-5)) + np.abs(b))
    image = x if x.rank >= 3 else g.reshape(x, (*x.shape, 1))
    y = g.batch_norm(image, mean, variance, scale, bias, epsilon=n.a.get("epsilon", 1e-5), axis=1)
    return g.reshape(y, x.shape)


def trained_batch_normalization(n):
    """With the batch's own mean and variance, which the running ones approach."""
    g, x = n.g, n.x(0)
    over, kept = [i for i in range(x.rank) if i != 1], n.a.get("momentum", 0.9)
    mean = g.reduce_mean(x, list=over)
    variance = g.reshape(g.reduce_mean(g.square(g.sub(x, mean)), list=over), (x.shape[1],))
    mean = g.reshape(mean, variance.shape)
    y = g.batch_norm(x, mean, variance, n.x(1), n.x(2), epsilon=n.a.get("epsilon", 1e-5), axis=1)
    running = [g.add(g.mul(n.x(i), kept), g.mul(own, 1 - kept)) for i, own in ((3, mean), (4, variance))]
    exact, own = n.exact(0), tuple(over)
    size = np.abs(exact).max(axis=own, keepdims=True) / np.sqrt(exact.var(axis=own, keepdims=True))
    n.rounds(4, np.abs(reference.channels(n.exact(1), x.rank)) * size, "mean, differences, squares and their mean")
    magnitude = kept * np.abs(n.exact(3)) + (1 - kept) * np.abs(exact).max(axis=own)
    n.rounds(5, magnitude, "mean, factors, products", output=1)
    n.rounds(8, n.out(2), "the variance as above, factors, products", output=2)
    return [y, *running]


def normal_sums(n, over, factor):
    """The slack of (x - mean) / deviation in float32: both means are sums, and the difference may lose digits."""
    x = n.exact(0)
    spread_ = np.sqrt(x.var(axis=over, keepdims=True) + n.a.get("epsilon", 1e-5))
    count = math.prod(x.shape[i] for i in over)
    n.sums(count, np.abs(factor) * (np.abs(x).max(axis=over, keepdims=True) / spread_ + 1))


@converter("InstanceNormalization")
def instance_normalization(n):
    x = n.x(0)
    normal_sums(n, tuple(range(2, x.rank)), reference.channels(n.exact(1), x.rank))
    return n.g.instance_norm(x, n.x(1), n.x(2), epsilon=n.a.get("epsilon", 1e-5), axis=1)


@converter("LayerNormalization")
def layer_normalization(n):
    """Ours normalises one axis: the normalised axes become one. Mean and deviation are composed where wanted."""
    g, x = n.g, n.x(0)
    axis = n.a.get("axis", -1) % x.rank
    over = tuple(range(axis, x.rank))
    epsilon = n.a.get("epsilon", 1e-5)
    inner = math.prod(x.shape[axis:])
    matrix = g.reshape(x, (math.prod(x.shape[:axis]), inner))
    gamma = g.reshape(n.x(1), (inner,))
    beta = g.reshape(n.x(2), (inner,)) if n.has(2) else g.constant(np.zeros(inner))
    normal_sums(n, over, n.exact(1))
    y = g.reshape(g.layer_norm(matrix, gamma, beta, epsilon=epsilon, axis=1), x.shape)
    outputs = [y, None, None]
    if n.wants(1) or n.wants(2):
        mean = g.reduce_mean(x, list=over)
        centred = g.sub(x, mean)
        outputs[1] = mean
        outputs[2] = g.rsqrt(g.reduce_mean(g.square(centred), list=over), epsilon=epsilon)
        n.rounds(4, n.out(2), "mean, differences, squares and their mean", output=2)
    return outputs[: len(n.outputs)]


@converter("MeanVarianceNormalization")
def mean_variance_normalization(n):
    g, x = n.g, n.x(0)
    over = [i % x.rank for i in n.a.get("axes", [0, 2, 3])]
    n.rounds(6, np.abs(n.out(0)) + 1, "means, differences, squares, root and quotient")
    centred = g.sub(x, g.reduce_mean(x, list=over))
    return g.div(centred, g.sqrt(g.reduce_mean(g.square(centred), list=over)))


@converter("LRN")
def local_response_normalization(n):
    a = n.a
    return n.g.local_response_norm(
        n.x(0), size=a["size"], alpha=a.get("alpha", 1e-4), beta=a.get("beta", 0.75), k=a.get("bias", 1.0)
    )


def on_one_axis(n, function):
    """Softmax and its kin: along one axis, before opset 13 along all axes from one on."""
    g, x = n.g, n.x(0)
    if n.a["opset"] >= 13:
        return function(x, n.a.get("axis", -1) % x.rank)
    axis = n.a.get("axis", 1) % x.rank
    return g.reshape(function(g.reshape(x, (math.prod(x.shape[:axis]), math.prod(x.shape[axis:]))), 1), x.shape)


@converter("Softmax")
def softmax(n):
    return on_one_axis(n, lambda x, axis: n.g.softmax(x, index=axis))


def log_softmax_along(g, x, axis):
    below = g.sub(x, g.reduce_max(x, list=[axis]))
    return g.sub(below, g.reduce_log_sum_exp(below, list=[axis]))


@converter("LogSoftmax")
def log_softmax(n):
    """x - max less the logarithm of the sum of its exponentials."""
    n.rounds(2, np.abs(n.out(0)).max(), "the differences and the logarithm")
    return on_one_axis(n, lambda x, axis: log_softmax_along(n.g, x, axis))


@converter("Hardmax")
def hardmax(n):
    def function(x, axis):
        places = np.arange(x.shape[axis]).reshape([-1 if i == axis else 1 for i in range(x.rank)])
        return n.g.real(n.g.equal(n.g.arg_max(x, index=axis), n.g.constant(places)))

    return on_one_axis(n, function)


# ---- reductions -----------------------------------------------------------------------------------------------------

REDUCTIONS = {
    "ReduceSum": "reduce_sum",
    "ReduceMean": "reduce_mean",
    "ReduceMax": "reduce_max",
    "ReduceMin": "reduce_min",
    "ReduceL1": "reduce_l1_norm",
    "ReduceL2": "reduce_l2_norm",
    "ReduceSumSquare": "reduce_sum_square",
    "ReduceLogSum": "reduce_log_sum",
    "ReduceLogSumExp": "reduce_log_sum_exp",
}


@converter(*REDUCTIONS, "ReduceProd")
def reduction(n):
    g, x = n.g, n.x(0)
    over = reference.reduction_axes(n.a, n.exact(0), n.static(1) if n.has(1) else None)
    if not over:
        return g.identity(x)
    if n.name in ("ReduceSum", "ReduceMean"):
        n.sums(math.prod(x.shape[i] for i in over), reference.OPERATORS[n.name](n.a, sizes(n, 0), np.array(over))[0])
    if n.name != "ReduceProd":
        return g.reshape(g.op(REDUCTIONS[n.name], x, list=over), n.shape_out(0))
    n.rounds(math.prod(x.shape[i] for i in over), n.out(0), "each product rounds")
    for axis in over:
        parts = [along(g, x, axis, i, 1) for i in range(x.shape[axis])]
        x = parts[0]
        for part in parts[1:]:
            x = g.mul(x, part)
    return g.reshape(x, n.shape_out(0))


def along(g, x, axis, begin, size):
    """A slice of one axis."""
    whole = [size if i == axis else e for i, e in enumerate(x.shape)]
    return g.slice(x, begin=[begin if i == axis else 0 for i in range(x.rank)], size=whole)


@converter("ArgMax", "ArgMin")
def arg(n):
    g, x = n.g, n.x(0)
    axis = n.a.get("axis", 0) % x.rank
    kind = "arg_max" if n.name == "ArgMax" else "arg_min"
    if n.a.get("select_last_index", 0):
        y = g.sub(float(x.shape[axis] - 1), g.op(kind, g.reverse(x, list=[axis]), index=axis))
    else:
        y = g.op(kind, x, index=axis)
    return g.reshape(y, n.shape_out(0))


@converter("CumSum")
def cumsum(n):
    x = n.x(0)
    axis = int(n.static(1)) % x.rank
    n.sums(x.shape[axis], sizes(n, 0).sum(axis=axis, keepdims=True))
    return n.g.cumsum(x, axis=axis, exclusive=bool(n.a.get("exclusive", 0)), reverse=bool(n.a.get("reverse", 0)))


@converter("TopK")
def top_k(n):
    x = n.x(0)
    k = int(np.asarray(n.static(1)).reshape(())) if n.has(1) else n.a["k"]
    how = {"k": k, "axis": n.a.get("axis", -1) % x.rank, "ascending": not n.a.get("largest", 1)}
    return [n.g.top_k(x, **how), n.g.top_k_indices(x, **how)]


# ---- movement -------------------------------------------------------------------------------------------------------


@converter("Reshape", "Flatten", "Squeeze", "Unsqueeze")
def reshape(n):
    for i in range(1, len(n.inputs)):
        n.static(i)
    return n.g.op("reshape", n.x(0), shape=n.shape_out(0))


@converter("Transpose")
def transpose(n):
    x = n.x(0)
    return n.g.transpose(x, order=n.a.get("perm", list(range(x.rank))[::-1]))


@converter("Expand")
def expand(n):
    n.static(1)
    g, x, shape = n.g, n.x(0), n.shape_out(0)
    x = g.reshape(x, (1,) * (len(shape) - x.rank) + x.shape)
    return g.tile(x, count=[s // e for s, e in zip(shape, x.shape)])


@converter("Tile")
def tile(n):
    return n.g.tile(n.x(0), count=[int(r) for r in n.static(1)])


@converter("Concat")
def concat(n):
    operands = [n.x(i) for i in range(len(n.inputs))]
    if len(operands) == 1:
        return n.g.identity(operands[0])
    return n.g.concat(*operands, index=n.a["axis"] % operands[0].rank)


@converter("Split")
def split(n):
    x = n.x(0)
    parts = reference.split_sizes(n.a, n.exact(0), len(n.outputs), n.static(1) if n.has(1) else None)
    axis = n.a.get("axis", 0) % x.rank
    starts = np.cumsum([0, *parts])
    return [along(n.g, x, axis, int(begin), int(size)) for begin, size in zip(starts, parts)]


@converter("Slice")
def slice_(n):
    """Steps of 1 are `slice`, others `strided_slice`; a negative step reads the reversed axis."""
    g, x = n.g, n.x(0)
    bounds = [n.static(i) if n.has(i) else None for i in range(1, len(n.inputs))]
    wanted = [s.indices(e) for s, e in zip(reference.slice_of(n.a, n.exact(0), *bounds), x.shape)]
    backwards = [i for i, (_, _, step) in enumerate(wanted) if step < 0]
    if backwards:
        x = g.reverse(x, list=backwards)
        wanted = [(x.shape[i] - 1 - b, None, -s) if s < 0 else (b, e, s) for i, (b, e, s) in enumerate(wanted)]
    begin, size = [w[0] for w in wanted], n.shape_out(0)
    if all(w[2] == 1 for w in wanted):
        return g.slice(x, begin=begin, size=size)
    return g.strided_slice(x, shape=size, begin=begin, stride=[w[2] for w in wanted])


@converter("Pad")
def pad(n):
    g, x = n.g, n.x(0)
    amounts = reference.pad_amounts(n.a, n.exact(0), n.static(1) if n.has(1) else None)
    if any(v < 0 for pair in amounts for v in pair):
        begin = [max(-b, 0) for b, _ in amounts]
        x = g.slice(x, begin=begin, size=[e - max(-b, 0) - max(-a, 0) for e, (b, a) in zip(x.shape, amounts)])
        amounts = [(max(b, 0), max(a, 0)) for b, a in amounts]
    mode = text(n.a.get("mode", "constant"))
    before, after = [b for b, _ in amounts], [a for _, a in amounts]
    if mode == "constant":
        value = float(np.asarray(n.static(2)).reshape(())) if n.has(2) else n.a.get("value", 0.0)
        return g.pad(x, value, before=before, after=after)
    if mode == "reflect":
        return g.reflect_pad(x, before=before, after=after)
    return g.replicate_pad(x, before=before, after=after)


@converter("Gather")
def gather(n):
    return n.g.gather(n.x(0), n.x(1), index=n.a.get("axis", 0) % n.x(0).rank)


@converter("GatherElements")
def gather_elements(n):
    """Ours takes indices of the operand's extents but along the axis: the operand is cut to those of the indices."""
    g, x, index = n.g, n.x(0), n.x(1)
    axis = n.a.get("axis", 0) % x.rank
    cut = [x.shape[i] if i == axis else e for i, e in enumerate(index.shape)]
    x = x if tuple(cut) == x.shape else g.slice(x, begin=[0] * x.rank, size=cut)
    return g.gather_along_axis(x, index, index=axis)


@converter("GatherND")
def gather_nd(n):
    """Batch axes become coordinates of their own."""
    batch = n.a.get("batch_dims", 0)
    if not batch:
        return n.g.gather_nd(n.x(0), n.x(1))
    index = n.static(1)
    places = np.stack(np.meshgrid(*(np.arange(e) for e in index.shape[:-1]), indexing="ij"), axis=-1)[..., :batch]
    return n.g.gather_nd(n.x(0), n.g.weight(np.concatenate([places, index], axis=-1)))


@converter("DepthToSpace")
def depth_to_space(n):
    kind = "depth_to_space" if text(n.a.get("mode", "DCR")) == "DCR" else "pixel_shuffle"
    return n.g.op(kind, n.x(0), by=[n.a["blocksize"]] * 2)


@converter("SpaceToDepth")
def space_to_depth(n):
    return n.g.space_to_depth(n.x(0), by=[n.a["blocksize"]] * 2)


@converter("Trilu")
def trilu(n):
    x = n.x(0)
    mask = reference.trilu(n.a, np.ones(x.shape[-2:]), n.static(1) if n.has(1) else None)[0]
    return n.g.select(n.g.not_equal(n.g.constant(mask), 0.0), x, 0.0)


@converter("OneHot")
def one_hot(n):
    g, index, values = n.g, n.x(0), n.x(2)
    depth = int(np.asarray(n.static(1)).reshape(()))
    axis = n.a.get("axis", -1) % (index.rank + 1)
    index = g.select(g.less(index, 0.0), g.add(index, float(depth)), index)
    index = g.reshape(index, (*index.shape[:axis], 1, *index.shape[axis:]))
    places = np.arange(depth).reshape([-1 if i == axis else 1 for i in range(index.rank)])
    off, on = (g.reshape(along(g, values, 0, i, 1), ()) for i in (0, 1))
    return g.select(g.equal(index, g.constant(places)), on, off)


@converter("ReverseSequence")
def reverse_sequence(n):
    x = n.exact(0)
    time = n.a.get("time_axis", 0)
    shape = [-1 if i == time else 1 for i in range(x.ndim)]
    places = np.broadcast_to(np.arange(x.shape[time]).reshape(shape), x.shape)
    index = reference.reverse_sequence(n.a, places, n.static(1))[0]
    return n.g.gather_along_axis(n.x(0), n.g.weight(index), index=time)


def updated(n, place_of, places):
    """A slice_update for each place, one after another."""
    g, x, updates = n.g, n.x(0), n.x(2)
    how = text(n.a.get("reduction", "none"))
    if how != "none":
        magnitude = reference.OPERATORS[n.name](n.a, sizes(n, 0), n.static(1), sizes(n, 2))[0]
        n.rounds(2, magnitude, "each update rounds")
    for p in places:
        begin, inner = place_of(p)
        size = [1] * len(begin) + list(inner)
        begin = [*begin, *(0 for _ in inner)]
        part = g.slice(updates, begin=[*p, *(0 for _ in inner)], size=[*(1 for _ in p), *inner])
        part = g.reshape(part, size)
        if how != "none":
            part = g.op({"add": "add", "mul": "mul"}[how], g.slice(x, begin=begin, size=size), part)
        x = g.slice_update(x, part, begin=begin, stride=[1] * x.rank)
    return x


@converter("ScatterElements", "Scatter")
def scatter_elements(n):
    index, shape, axis = n.static(1), n.shape(0), n.a.get("axis", 0)

    def place(p):
        return [int(index[p]) % shape[axis] if i == axis % len(shape) else v for i, v in enumerate(p)], []

    return updated(n, place, list(itertools.product(*(range(e) for e in index.shape))))


@converter("ScatterND")
def scatter_nd(n):
    index, shape = n.static(1), n.shape(0)
    depth = index.shape[-1]
    places = list(itertools.product(*(range(e) for e in index.shape[:-1])))
    return updated(n, lambda p: ([int(v) for v in index[p]], shape[depth:]), places)


@converter("TfIdfVectorizer")
def count_grams(n):
    """How often each tuple of numbers stands in a row: sums of products of comparisons."""
    g, x = n.g, n.x(0)
    x = g.reshape(x, (1, *x.shape)) if x.rank == 1 else x
    columns = []
    for gram, skips in reference.grams(n.a):
        count = g.mul(along(g, x, 1, 0, 1), 0.0)
        for step in skips:
            width = x.shape[1] - (len(gram) - 1) * step
            if width <= 0:
                continue
            hits = [g.real(g.equal(along(g, x, 1, i * step, width), float(v))) for i, v in enumerate(gram)]
            hit = hits[0]
            for other in hits[1:]:
                hit = g.minimum(hit, other)
            count = g.add(count, g.reduce_sum(hit, list=[1]))
        columns.append(count)
    return g.reshape(g.concat(*(columns[i] for i in np.argsort(n.a["ngram_indexes"])), index=1), n.shape_out(0))


# ---- sampling -------------------------------------------------------------------------------------------------------


@converter("Resize", "Upsample")
def resize(n):
    """`resize` where its grid and rounding are the case's, else sampling at coordinates that are computed here; cubic
    interpolation is a product with a matrix for each axis."""
    g, x, old = n.g, n.x(0), n.name == "Upsample" or n.a["opset"] < 11
    mode = text(n.a.get("mode", "nearest"))
    grid = text(n.a.get("coordinate_transformation_mode", "asymmetric" if old else "half_pixel"))
    if x.rank != 4 or n.shape_out(0)[:2] != x.shape[:2]:
        raise NotApplicable("a resize of other axes than height and width")
    bounds = [n.static(i) if n.has(i) else None for i in range(1, len(n.inputs))]
    if old:
        sizes_, scales = reference.resize_sizes(n.a, n.exact(0), bounds[0] if bounds else n.a["scales"])
    else:
        sizes_, scales = reference.resize_sizes(n.a, n.exact(0), *bounds[1:])
    rounding = text(n.a.get("nearest_mode", "floor" if old else "round_prefer_floor"))
    extent, shape = list(sizes_[2:]), n.shape_out(0)
    n.sums(4, np.abs(n.exact(0)).max())
    if mode == "cubic":
        how = [(sizes_[i], x.shape[i], scales[i]) for i in (2, 3)]
        rows, columns = (reference.axis_weights(n.a, grid, mode, rounding, *each) for each in how)
        n.rounds(5, np.abs(rows).sum(1).max() * np.abs(columns).sum(1).max() * np.abs(n.exact(0)).max(), "two products")
        return g.linear(g.matmul(g.weight(rows), x), g.weight(columns))
    own = {"half_pixel": "half_pixel", "align_corners": "align_corners", "asymmetric": "asymmetric"}.get(grid)
    ratio = all(abs(s * e - o) < 1e-9 for s, e, o in zip(scales, x.shape, sizes_))
    natural = rounding == ("floor" if grid == "asymmetric" else "round_prefer_floor")
    if own and ratio and (mode == "linear" or natural):
        method = "bilinear" if mode == "linear" else "nearest"
        return g.resize(x, shape=shape, extent=extent, method=method, grid=own)
    region, axes, inside = bounds[0] if grid == "tf_crop_and_resize" else [0.0] * 4 + [1.0] * 4, [], []
    for axis in (2, 3):
        how = sizes_[axis], x.shape[axis], scales[axis], (region[axis], region[axis + 4])
        at = [reference.coordinate(grid, i, *how) for i in range(sizes_[axis])]
        inside.append([0 <= v <= x.shape[axis] - 1 for v in at])
        if mode == "nearest":
            at = [reference.nearest_of(rounding, v) for v in at]
        axes.append(np.clip(at, 0, x.shape[axis] - 1))
    places = np.stack(np.meshgrid(*axes, indexing="ij"))[None]
    if mode == "nearest":
        return g.gather_hw(x, g.weight(np.broadcast_to(places, (x.shape[0], *places.shape[1:]))))
    n.rounds(max(x.shape[2:]), np.abs(n.exact(0)).max(), "coordinates as fp16")
    y = g.resample(x, g.weight(places), shape=shape, extent=extent, method="bilinear", border="edge")
    if grid == "tf_crop_and_resize":
        y = g.select(g.not_equal(g.constant(np.outer(*inside)), 0.0), y, n.a.get("extrapolation_value", 0.0))
    return y


@converter("RoiAlign")
def roi_align(n):
    """The boxes as images of all samples, and pools of these."""
    g, ratio, extent = n.g, n.a["sampling_ratio"], n.shape_out(0)[2:]
    boxes = g.mul(g.gather(n.x(1), g.constant([1, 0, 3, 2]), index=1), n.a.get("spatial_scale", 1.0))
    if text(n.a.get("coordinate_transformation_mode", "half_pixel")) != "half_pixel":
        boxes = g.add(boxes, 0.5)
    images = g.gather(n.x(0), n.x(2), index=0)
    whole = [e * ratio for e in extent]
    how = {"extent": whole, "method": "bilinear", "grid": "half_pixel", "border": "edge"}
    samples = g.crop_resize(images, boxes, shape=(*images.shape[:2], *whole), **how)
    n.rounds(1, reference.roi_align(n.a, sizes(n, 0), n.exact(1), n.exact(2))[0], "each sample")
    return g.avg_pool(samples, shape=n.shape_out(0), kernel=[ratio] * 2, stride=[ratio] * 2, padding=[0] * 4)


@converter("GridSample")
def grid_sample(n):
    """`resample` at coordinates in pixels, which the reference gets as they are rounded to fp16."""
    mode, border = text(n.a.get("mode", "bilinear")), text(n.a.get("padding_mode", "zeros"))
    if mode == "bicubic":
        raise NotApplicable("cubic interpolation at coordinates that are data")
    n.sums(4, np.abs(n.exact(0)).max())
    return n.g.resample(
        n.x(0),
        n.g.input(np.moveaxis(pixels(n.a, n.shape(0), n.exact(1)), -1, 1)),
        shape=n.shape_out(0),
        extent=list(n.shape_out(0)[2:]),
        method=mode,
        border={"zeros": "zero", "border": "edge", "reflection": "reflect"}[border],
        grid="align_corners" if n.a.get("align_corners", 0) else "half_pixel",
    )


def pixels(a, shape, grid):
    """Normalised coordinates (x, y) as (y, x) in pixels."""
    at = [reference.grid_coordinates(a, extent, grid[..., k]) for extent, k in ((shape[2], 1), (shape[3], 0))]
    return rounded(np.stack(at, axis=-1))


def prepared_grid(a, inputs):
    """The grid whose coordinates in pixels are fp16 numbers."""
    x, grid = inputs
    at = pixels(a, x.shape, grid)
    back = []
    for extent, k in ((x.shape[3], 1), (x.shape[2], 0)):
        p = at[..., k]
        back.append(2 * p / (extent - 1) - 1 if a.get("align_corners", 0) else (2 * p + 1) / extent - 1)
    return [x, np.stack(back, axis=-1)]


PREPARED = {"GridSample": prepared_grid}


# ---- integers -------------------------------------------------------------------------------------------------------


def vector(g, value):
    return value if value.rank <= 1 else g.reshape(value, (math.prod(value.shape),))


@converter("QuantizeLinear")
def quantize_linear(n):
    kind = n.exact(2).dtype.name if n.has(2) else "uint8"
    operands = [n.x(0), vector(n.g, n.x(1))] + ([vector(n.g, n.x(2))] if n.has(2) else [])
    return n.g.quantize(*operands, type=kind, axis=n.a.get("axis", 1) % max(n.x(0).rank, 1))


@converter("DequantizeLinear")
def dequantize_linear(n):
    q = n.bytes(0)
    operands = [q, vector(n.g, n.x(1))] + ([vector(n.g, n.x(2))] if n.has(2) else [])
    return n.g.dequantize(*operands, type=q.kind, axis=n.a.get("axis", 1) % max(q.rank, 1))


def shifted(n, i, zero):
    """Stored integers less their zero point: `dequantize` with a scale of 1."""
    q = n.bytes(i)
    operands = [q, n.g.constant(1.0)] + ([vector(n.g, n.x(zero))] if n.has(zero) else [])
    return n.g.dequantize(*operands, type=q.kind, axis=0)


@converter("ConvInteger")
def conv_integer(n):
    x, w = shifted(n, 0, 2), shifted(n, 1, 3)
    strides, dilations, before, after = reference.spatial(n.a, n.exact(0), w.shape[2:])
    groups, pads = n.a.get("group", 1), four_pads(before, after)
    return n.g.conv2d(x, w, shape=n.shape_out(0), stride=strides, dilation=dilations, padding=pads, groups=groups)


@converter("MatMulInteger")
def matmul_integer(n):
    return n.g.matmul(shifted(n, 0, 2), shifted(n, 1, 3))


def requantized(n, product, factor):
    """The product in steps of the result, whose zero point is input 7."""
    zero = vector(n.g, n.x(7))
    return n.g.quantize(n.g.mul(product, factor), n.g.constant(1.0), zero, type=n.exact(7).dtype.name, axis=0)


@converter("QLinearMatMul")
def qlinear_matmul(n):
    product = n.g.matmul(shifted(n, 0, 2), shifted(n, 3, 5))
    factor = float(n.static(1).reshape(())) * float(n.static(4).reshape(())) / float(n.static(6).reshape(()))
    return requantized(n, product, factor)


@converter("QLinearConv")
def qlinear_conv(n):
    g = n.g
    x, w = shifted(n, 0, 2), shifted(n, 3, 5)
    strides, dilations, before, after = reference.spatial(n.a, n.exact(0), w.shape[2:])
    y = g.conv2d(x, w, shape=n.shape_out(0), stride=strides, dilation=dilations, padding=four_pads(before, after))
    factor = float(n.static(1).reshape(())) * float(n.static(4).reshape(-1)[0]) / float(n.static(6).reshape(()))
    return requantized(n, y, factor)


@converter("DynamicQuantizeLinear")
def dynamic_quantize_linear(n):
    """Scale and zero point from the extremes, which 0 is among."""
    g, x = n.g, n.x(0)
    over = list(range(x.rank))
    low = g.reshape(g.minimum(g.reduce_min(x, list=over), 0.0), ())
    high = g.reshape(g.maximum(g.reduce_max(x, list=over), 0.0), ())
    scale = g.div(g.sub(high, low), 255.0)
    zero = g.clamp(g.round(g.div(g.mul(low, -1.0), scale)), min=0.0, max=255.0)
    n.rounds(3, n.out(1), "difference and quotient", output=1)
    return [g.quantize(x, scale, zero, type="uint8", axis=0), scale, zero]


# ---- recurrent networks ---------------------------------------------------------------------------------------------


@converter("RNN", "GRU", "LSTM")
def recurrent(n):
    """The steps written out (refused_operations.md): one `linear` for all gates of the input, one of the state."""
    g, batchwise = n.g, n.a.get("layout", 0)
    hidden, gates = n.shape(2)[-1], {"RNN": 1, "GRU": 3, "LSTM": 4}[n.name]
    if n.shape(1)[0] != 1 or "activations" in n.a or "clip" in n.a or n.a.get("linear_before_reset", 0):
        raise NotApplicable("recurrent networks of two directions or with other gates")
    x = g.transpose(n.x(0), order=[1, 0, 2]) if batchwise else n.x(0)
    steps, batch, width = x.shape
    if n.has(4) and (n.static(4) != steps).any():
        raise NotApplicable("recurrent networks over sequences of several lengths")
    w, r = g.reshape(n.x(1), (gates * hidden, width)), g.reshape(n.x(2), (gates * hidden, hidden))
    b = g.reshape(n.x(3), (2 * gates * hidden,)) if n.has(3) else g.constant(np.zeros(2 * gates * hidden))
    w_bias, r_bias = (along(g, b, 0, i * gates * hidden, gates * hidden) for i in (0, 1))

    def start(i):
        return g.reshape(n.x(i), (batch, hidden)) if n.has(i) else g.constant(np.zeros((batch, hidden)))

    def gate(values, i):
        return along(g, values, 1, i * hidden, hidden)

    h, cell, states = start(5), start(6) if n.name == "LSTM" else None, []
    peepholes = None
    if n.has(7):
        peepholes = [along(g, g.reshape(n.x(7), (3 * hidden,)), 0, i * hidden, hidden) for i in range(3)]
    for t in range(steps):
        i = g.linear(g.reshape(along(g, x, 0, t, 1), (batch, width)), w, w_bias)
        s = g.linear(h, r, r_bias)
        if n.name == "RNN":
            h = g.tanh(g.add(i, s))
        elif n.name == "GRU":
            z, reset = (g.sigmoid(g.add(gate(i, k), gate(s, k))) for k in (0, 1))
            last = along(g, r, 0, 2 * hidden, hidden), along(g, r_bias, 0, 2 * hidden, hidden)
            new = g.tanh(g.add(gate(i, 2), g.linear(g.mul(reset, h), *last)))
            h = g.add(g.mul(g.sub(1.0, z), new), g.mul(z, h))
        else:
            sums = g.add(i, s)
            gi, go, gf, gc = (gate(sums, k) for k in range(4))
            if peepholes:
                gi, gf = g.add(gi, g.mul(peepholes[0], cell)), g.add(gf, g.mul(peepholes[2], cell))
            cell = g.add(g.mul(g.sigmoid(gf), cell), g.mul(g.sigmoid(gi), g.tanh(gc)))
            h = g.mul(g.sigmoid(g.add(go, g.mul(peepholes[1], cell)) if peepholes else go), g.tanh(cell))
        states.append(g.reshape(h, (1, 1, batch, hidden)))
    y = states[0] if steps == 1 else g.concat(*states, index=0)
    y = g.transpose(y, order=[2, 0, 1, 3]) if batchwise else y
    last_shape = (batch, 1, hidden) if batchwise else (1, batch, hidden)
    outputs = [y, g.reshape(h, last_shape), g.reshape(cell, last_shape) if cell else None]
    for k in range(len(n.outputs)):
        n.rounds(2 + steps, np.abs(n.out(k)).max() + 1, "gates and products; the state carries on", output=k)
    return outputs[: len(n.outputs)]


# ---- losses ---------------------------------------------------------------------------------------------------------


def loss(n, log_probability, target, weight, exact):
    """-w[t] y[t], 0 where t is ignored; its sum, or that over the sum of the factors."""
    g, ignored = n.g, n.a.get("ignore_index")
    kept = None
    if ignored is not None:
        kept = g.not_equal(target, float(ignored))
        target = g.select(kept, target, 0.0)
    place = g.reshape(target, (target.shape[0], 1, *target.shape[1:]))
    y = g.reshape(g.gather_along_axis(log_probability, place, index=1), target.shape)
    y = g.mul(y, -1.0)
    factor = g.gather(weight, target, index=0) if weight is not None else None
    if kept is not None:
        factor = g.select(kept, 1.0 if factor is None else factor, 0.0)
    y = y if factor is None else g.mul(y, factor)
    how = text(n.a.get("reduction", "mean"))
    n.rounds(4, n.out(0), "the terms, their sum, and the quotient")
    n.sums(math.prod(target.shape), np.abs(exact).max())
    if how == "none":
        return y
    over = list(range(y.rank))
    total = g.reshape(g.reduce_sum(y, list=over), ())
    if how == "sum":
        return total
    if factor is None:
        return g.reshape(g.reduce_mean(y, list=over), ())
    if factor.shape != y.shape:
        factor = g.tile(g.reshape(factor, (1,) * y.rank), count=y.shape)
    return g.div(total, g.reshape(g.reduce_sum(factor, list=over), ()))


@converter("NegativeLogLikelihoodLoss")
def negative_log_likelihood(n):
    return loss(n, n.x(0), n.x(1), n.x(2) if n.has(2) else None, n.exact(0))


@converter("SoftmaxCrossEntropyLoss")
def softmax_cross_entropy(n):
    log_probability = log_softmax_along(n.g, n.x(0), 1)
    exact = reference.softmax_cross_entropy(n.a, n.exact(0), n.exact(1), n.exact(2) if n.has(2) else None)[1]
    y = loss(n, log_probability, n.x(1), n.x(2) if n.has(2) else None, exact)
    n.rounds(2, np.abs(exact).max(), "the differences and the logarithm")
    if n.wants(1):
        n.rounds(2, np.abs(exact).max(), "the differences and the logarithm", output=1)
    return [y, log_probability][: len(n.outputs)]


# ---- steps of training ----------------------------------------------------------------------------------------------


@converter("Adagrad", "Adam", "Momentum")
def training_step(n):
    """The first step, whose rate has no factor; each tensor by itself."""
    g, a, rate = n.g, n.a, n.x(0)
    if int(n.static(1)) != 0:
        raise NotApplicable("a later step of training")
    parts = 4 if n.name == "Adam" else 3
    each = (len(n.inputs) - 2) // parts
    results = []
    for i in range(each):
        x, gradient, *state = (n.x(2 + i + part * each) for part in range(parts))
        gradient = g.add(g.mul(x, a.get("norm_coefficient", 0.0)), gradient)
        if n.name == "Momentum":
            speed = g.add(g.mul(state[0], a["alpha"]), gradient)
            way = g.add(gradient, g.mul(speed, a["alpha"])) if text(a["mode"]) == "nesterov" else speed
            results.append([g.sub(x, g.mul(way, rate)), speed])
            continue
        if n.name == "Adagrad":
            way, squares = gradient, g.add(state[0], g.square(gradient))
            state = [squares]
        else:
            alpha, beta = a.get("alpha", 0.9), a.get("beta", 0.999)
            way = g.add(g.mul(state[0], alpha), g.mul(gradient, 1 - alpha))
            squares = g.add(g.mul(state[1], beta), g.mul(g.square(gradient), 1 - beta))
            state = [way, squares]
        way = g.div(g.mul(way, rate), g.add(g.sqrt(squares), a.get("epsilon", 1e-6)))
        results.append([g.sub(x, way), *state])
    inputs = [np.abs(n.exact(i)) for i in range(len(n.inputs))]
    sizes_ = reference.OPERATORS[n.name](a, *inputs)
    for i, size in enumerate(sizes_):
        size = inputs[2 + i] - size if i < each else size
        n.rounds(8, size, "coefficients, products, sums, the root and the quotient", output=i)
    return [r[part] for part in range(parts - 1) for r in results]


# ---- operators that no composition here expresses -------------------------------------------------------------------

REASONS = {
    "derivatives of a graph": ["Gradient"],
    "loops, which a model here writes out": ["Loop", "Scan"],
    "sequences, optional values and maps": [
        "SequenceAt", "SequenceConstruct", "SequenceEmpty", "SequenceErase", "SequenceInsert", "SequenceLength",
        "SequenceMap", "ConcatFromSequence", "SplitToSequence", "OptionalGetElement", "OptionalHasElement",
    ],
    "strings": ["StringNormalizer"],
    "shapes that depend on data": ["Compress", "NonZero", "Unique", "NonMaxSuppression"],
    "random numbers": ["Bernoulli", "RandomUniformLike"],
    "a constant: nothing is left to compute": ["MelWeightMatrix", "BlackmanWindow", "HammingWindow", "HannWindow"],
}  # fmt: skip
REASON_OF = {name: reason for reason, names in REASONS.items() for name in names}
