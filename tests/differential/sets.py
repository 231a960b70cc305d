"""Sets of numbers: what a value may be when every operation may or may not be rounded to fp16.

An element is an interval [low, high] of reals and infinities, and perhaps NaN; with low > high it is NaN for certain.
A point goes through an operation by IEEE 754, an interval to all that its points may become. `rounded` widens a result
by what one rounding to fp16 and the fp32 arithmetic before it may do, and lets overflow be infinity or not: a backend
may round after each operation, or compute several together. So what a backend returns must lie in the set, and how far
it may be off follows from the graph: from its depth, its cancellations, its slopes.
"""

import contextlib
import math

import numpy as np

LARGEST = 65504.0
SMALLEST_EXPONENT = -14
FP32 = 2.0**-24

erf = np.vectorize(math.erf, otypes=[np.float64])


class Set:
    """Three arrays of one shape: low, high, and whether NaN is possible."""

    __slots__ = ("low", "high", "nan")

    def __init__(self, low, high, nan=None):
        self.low = np.asarray(low, np.float64)
        self.high = np.asarray(high, np.float64)
        self.nan = np.zeros(self.low.shape, bool) if nan is None else np.asarray(nan, bool)

    @property
    def shape(self):
        return self.low.shape

    def move(self, f):
        """The same elements elsewhere: f is applied to each array."""
        return Set(f(self.low), f(self.high), f(self.nan))

    def is_ordinary(self):
        """Whether every element is finite for certain."""
        return not self.nan.any() and bool(np.isfinite(self.low).all() and np.isfinite(self.high).all())


def exactly(values):
    values = np.asarray(values, np.float64)
    nan = np.isnan(values)
    return Set(np.where(nan, np.inf, values), np.where(nan, -np.inf, values), nan)


def empty(*operands):
    """Where one of the operands is NaN for certain, and so the result."""
    found = operands[0].low > operands[0].high
    for x in operands[1:]:
        found = found | (x.low > x.high)
    return found


def result(low, high, nan, *operands):
    """A set from its ends, NaN where an operand is."""
    for x in operands:
        nan = nan | x.nan
    gone = empty(*operands)
    low, high, nan, gone = np.broadcast_arrays(low, high, nan, gone)
    return Set(np.where(gone, np.inf, low), np.where(gone, -np.inf, high), nan | gone)


def half_ulp(x):
    magnitude = np.abs(x)
    finite = np.where(np.isfinite(magnitude), magnitude, 1.0)
    _, exponent = np.frexp(finite)
    return np.ldexp(1.0, np.maximum(exponent - 1, SMALLEST_EXPONENT) - 11)


def widened(x, amount):
    low = np.where(np.isfinite(x.low), x.low - amount, x.low)
    return Set(low, np.where(np.isfinite(x.high), x.high + amount, x.high), x.nan)


ROUNDING = True


@contextlib.contextmanager
def without_rounding():
    """Here every set stays as narrow as its operands: what the real numbers give."""
    global ROUNDING
    ROUNDING = False
    try:
        yield
    finally:
        ROUNDING = True


def rounded(x, slack=0.0):
    """One rounding to fp16, or none; `slack`: what the arithmetic before it may be off."""
    if not ROUNDING:
        return x
    x = widened(x, slack)
    low = np.where(np.isfinite(x.low), x.low - 1.01 * half_ulp(x.low), x.low)
    high = np.where(np.isfinite(x.high), x.high + 1.01 * half_ulp(x.high), x.high)
    high = np.where((high > LARGEST) & (high >= low), np.inf, high)
    low = np.where((low < -LARGEST) & (high >= low), -np.inf, low)
    return Set(low, high, x.nan)


# ---- arithmetic -----------------------------------------------------------------------------------------------------


def negative(x):
    return Set(-x.high, -x.low, x.nan)


def is_point(x):
    return x.low == x.high


def add(x, y):
    low, high = x.low + y.low, x.high + y.high
    nan = ((x.high == np.inf) & (y.low == -np.inf)) | ((x.low == -np.inf) & (y.high == np.inf))
    return result(np.where(np.isnan(low), np.inf, low), np.where(np.isnan(high), -np.inf, high), nan, x, y)


def subtract(x, y):
    return add(x, negative(y))


def corners(f, x, y):
    return [f(a, b) for a in (x.low, x.high) for b in (y.low, y.high)]


def holds(x, value):
    return (x.low <= value) & (value <= x.high)


def is_infinite(x):
    """Whether an infinity is possible."""
    return (np.isinf(x.low) | np.isinf(x.high)) & (x.low <= x.high)


def multiply(x, y):
    ends = corners(np.multiply, x, y)
    nan = (holds(x, 0) & is_infinite(y)) | (holds(y, 0) & is_infinite(x))
    certain = np.isnan(ends[0]) & is_point(x) & is_point(y)
    ends = [np.where(np.isnan(e), 0.0, e) for e in ends]
    low, high = np.minimum.reduce(ends), np.maximum.reduce(ends)
    return result(np.where(certain, np.inf, low), np.where(certain, -np.inf, high), nan, x, y)


def square(x):
    """x times itself, which is one number."""
    return hull(np.square, x, ((0.0, 0.0),))


def divide(x, y):
    ends = corners(np.divide, x, y)
    nan = (holds(x, 0) & holds(y, 0)) | (is_infinite(x) & is_infinite(y))
    certain = np.isnan(ends[0]) & is_point(x) & is_point(y)
    ends = [np.where(np.isnan(e), 0.0, e) for e in ends]
    low, high = np.minimum.reduce(ends), np.maximum.reduce(ends)
    through_zero = holds(y, 0)  # of either sign
    low, high = np.where(through_zero, -np.inf, low), np.where(through_zero, np.inf, high)
    return result(np.where(certain, np.inf, low), np.where(certain, -np.inf, high), nan, x, y)


def minimum(x, y):
    return result(np.minimum(x.low, y.low), np.minimum(x.high, y.high), np.False_, x, y)


def maximum(x, y):
    return result(np.maximum(x.low, y.low), np.maximum(x.high, y.high), np.False_, x, y)


# ---- functions ------------------------------------------------------------------------------------------------------


def hull(f, x, turns=(), domain=-np.inf):
    """What a function makes of a set: its ends, and the values of the points where it turns; NaN below the domain."""
    low, high = np.maximum(x.low, domain), np.maximum(x.high, domain)
    ends = [f(low), f(high)]
    nan = (x.low < domain) & (x.low <= x.high)
    for e in ends:
        nan = nan | (np.isnan(e) & (x.low <= x.high))
    certain = (x.high < domain) | (is_point(x) & np.isnan(ends[0]))
    lowest, highest = np.fmin(*ends), np.fmax(*ends)
    for at, value in turns:
        inside = holds(x, at)
        lowest = np.where(inside, np.fmin(lowest, value), lowest)
        highest = np.where(inside, np.fmax(highest, value), highest)
    return result(np.where(certain, np.inf, lowest), np.where(certain, -np.inf, highest), nan, x)


def clip(x, low, high):
    return minimum(maximum(x, exactly(low)), exactly(high))


def leaky_relu(x, slope):
    return hull(lambda v: np.where(v >= 0, v, slope * v), x, ((0.0, 0.0),))


def sigmoid(x):
    return hull(lambda v: 1 / (1 + np.exp(-v)), x)


def gelu(x):
    turns = ((-0.7517915246935645, -0.16997120747990369),)
    # At -inf it is -inf * 0.
    value = hull(lambda v: 0.5 * v * (1 + erf(v / math.sqrt(2))), x, turns)
    if not ROUNDING:
        return value
    # What backend/cpu/kernels/elementary.inl states of its polynomial, before it is rounded.
    return widened(value, 2.0**-16 * np.maximum(np.abs(value.low), np.abs(value.high)) + 2.0**-27)


def silu(x):
    return hull(lambda v: v * (1 / (1 + np.exp(-v))), x, ((-1.2784645427610738, -0.27846454276107380),))


def shifted(x, epsilon):
    """x + epsilon in fp32."""
    moved = add(x, exactly(epsilon))
    return moved if epsilon == 0 else widened(moved, FP32 * np.maximum(np.abs(moved.low), np.abs(moved.high)))


def log(x):
    return hull(np.log, x, domain=0.0)


def rsqrt(x):
    inverse = hull(lambda v: 1 / np.sqrt(v), x, domain=0.0)
    at_zero = holds(x, 0)  # of either sign: what is close to zero may have become one
    return Set(np.where(at_zero, -np.inf, inverse.low), np.where(at_zero, np.inf, inverse.high), inverse.nan)


# ---- sums -----------------------------------------------------------------------------------------------------------


def bilinear(contract, x, y, terms):
    """A sum of products: `contract` is bilinear in arrays. fp32 sums of `terms` products, in any order.

    Finite intervals go by centre and radius. A result that reads an infinity or NaN follows IEEE 754 where all that is
    not finite in it is certain, and may be anything elsewhere.
    """

    def parts(s):
        wild = ~(np.isfinite(s.low) & np.isfinite(s.high)) | s.nan
        centre = np.where(wild, 0.0, (s.low + s.high) / 2)
        radius = np.where(wild, 0.0, (s.high - s.low) / 2)
        return wild, centre, radius

    wild_x, cx, rx = parts(x)
    wild_y, cy, ry = parts(y)
    ax, ay = np.abs(cx), np.abs(cy)
    centre = contract(cx, cy)
    radius = contract(ax, ry) + contract(rx, ay) + contract(rx, ry)
    slack = terms * 2 * FP32 * (contract(ax, ay) + radius)
    low, high = centre - radius - slack, centre + radius + slack
    nan = np.zeros(low.shape, bool)
    if wild_x.any() or wild_y.any():
        ones_x, ones_y = np.ones(x.shape), np.ones(y.shape)
        touched = (contract(wild_x * 1.0, ones_y) + contract(ones_x, wild_y * 1.0)) > 0
        certain_x = wild_x & (empty(x) | (is_point(x) & ~x.nan))
        certain_y = wild_y & (empty(y) | (is_point(y) & ~y.nan))
        open_x, open_y = wild_x & ~certain_x, wild_y & ~certain_y
        vague = (contract(open_x * 1.0, ones_y) + contract(ones_x, open_y * 1.0)) > 0
        # A finite interval through zero beside a certain infinity: 0 * inf is possible.
        zero_x, zero_y = holds(x, 0) & ~is_point(x), holds(y, 0) & ~is_point(y)
        vague |= (contract(wild_x * 1.0, zero_y * 1.0) + contract(zero_x * 1.0, wild_y * 1.0)) > 0
        value_x = np.where(empty(x), np.nan, np.where(wild_x, x.low, cx))
        value_y = np.where(empty(y), np.nan, np.where(wild_y, y.low, cy))
        plain = contract(value_x, value_y)
        low = np.where(touched, np.where(np.isnan(plain), np.inf, plain), low)
        high = np.where(touched, np.where(np.isnan(plain), -np.inf, plain), high)
        nan = touched & np.isnan(plain)
        low, high, nan = np.where(vague, -np.inf, low), np.where(vague, np.inf, high), nan | vague
    return Set(low, high, nan)


def total(x, axes):
    """The sum along axes, which stay with one element."""
    low, high = x.low.sum(axes, keepdims=True), x.high.sum(axes, keepdims=True)
    top = np.where(x.low <= x.high, x.high, -np.inf).max(axes, keepdims=True) == np.inf
    bottom = np.where(x.low <= x.high, x.low, np.inf).min(axes, keepdims=True) == -np.inf
    gone = empty(x).any(axes, keepdims=True)
    nan = x.nan.any(axes, keepdims=True) | (top & bottom) | gone
    terms = math.prod(x.shape[a] for a in axes)
    size = np.maximum(np.abs(x.low), np.abs(x.high))
    slack = terms * 2 * FP32 * np.where(np.isfinite(size), size, 0).sum(axes, keepdims=True) if terms > 1 else 0.0
    low, high = np.where(np.isnan(low), np.inf, low) - slack, np.where(np.isnan(high), -np.inf, high) + slack
    return Set(np.where(gone, np.inf, low), np.where(gone, -np.inf, high), nan)


def scaled(x, factor):
    """Times a positive number."""
    return Set(x.low * factor, x.high * factor, x.nan)


def extreme(x, axes, pick):
    """The largest (np.max) or smallest (np.min) along axes, NaN if one is."""
    gone = empty(x).any(axes, keepdims=True)
    low, high = pick(x.low, axis=axes, keepdims=True), pick(x.high, axis=axes, keepdims=True)
    return Set(np.where(gone, np.inf, low), np.where(gone, -np.inf, high), x.nan.any(axes, keepdims=True) | gone)


def softmax(x, axis):
    low, high = np.moveaxis(x.low, axis, -1), np.moveaxis(x.high, axis, -1)
    nan = np.moveaxis(x.nan, axis, -1)
    n = low.shape[-1]
    others = ~np.eye(n, dtype=bool)

    def share(own, other):
        """1 / (1 + the sum of e^(other - own)); an infinite difference of one sign is a limit."""
        with np.errstate(over="ignore"):
            e = np.exp(other[..., None, :] - own[..., :, None])
        return 1 / (1 + np.where(others, np.nan_to_num(e, nan=0.0, posinf=np.inf), 0).sum(-1))

    lowest, highest = share(low, high), share(high, low)
    gone = (low > high).any(-1, keepdims=True)
    infinite = (high == np.inf).any(-1, keepdims=True) & ~gone
    all_low = (low == -np.inf).all(-1, keepdims=True) & ~gone
    certain = gone | (low == np.inf).any(-1, keepdims=True) | (high == -np.inf).all(-1, keepdims=True)
    loose = infinite | all_low
    possible = nan.any(-1, keepdims=True) | loose | certain
    lowest, highest = np.where(loose, 0.0, lowest), np.where(loose, 1.0, highest)
    own_low = (low == -np.inf) & ~loose
    lowest = np.where(own_low, 0.0, lowest)
    highest = np.where((high == -np.inf) & ~loose, 0.0, highest)
    lowest, highest = np.where(certain, np.inf, lowest), np.where(certain, -np.inf, highest)
    put = [np.moveaxis(np.broadcast_to(a, lowest.shape), -1, axis) for a in (lowest, highest, possible)]
    return Set(*put)


def position(x, axis, largest):
    """The first position of the largest or smallest element."""
    if not largest:
        x = negative(x)
    low, high = np.moveaxis(x.low, axis, -1), np.moveaxis(x.high, axis, -1)
    n = low.shape[-1]
    vague = np.moveaxis(x.nan, axis, -1).any(-1)
    candidate = high >= low.max(-1, keepdims=True)
    point = (low == high).all(-1)
    first = candidate.argmax(-1)
    last = np.where(point, first, n - 1 - candidate[..., ::-1].argmax(-1))
    first, last = np.where(vague, 0, first), np.where(vague, n - 1, last)
    return Set(np.expand_dims(first, axis), np.expand_dims(last, axis))


# ---- windows --------------------------------------------------------------------------------------------------------


def window_indices(extent, kernel, stride, dilation, before, count):
    """Positions [count, kernel] on an axis, and which of them lie on it."""
    at = np.arange(count)[:, None] * stride + np.arange(kernel)[None, :] * dilation - before
    return np.clip(at, 0, extent - 1), (at >= 0) & (at < extent)


def windows(array, rows, columns, fill):
    """[N, C, H, W] as [N, C, H', W', kH, kW], with `fill` outside."""
    (r, inside_r), (c, inside_c) = rows, columns
    found = array[:, :, r[:, None, :, None], c[None, :, None, :]]
    return np.where(inside_r[:, None, :, None] & inside_c[None, :, None, :], found, fill)


def convolution(x, w, rows, columns, groups):
    """[N, I, H, W] by [O, I / groups, kH, kW]."""
    n, channels = x.shape[0], x.shape[1]
    out, inner = w.shape[0], w.shape[1]

    def contract(a, b):
        seen = windows(a, rows, columns, 0.0)
        seen = seen.reshape(n, groups, channels // groups, *seen.shape[2:])
        weight = b.reshape(groups, out // groups, inner, *b.shape[2:])
        y = np.einsum("ngihwkl,goikl->ngohw", seen, weight)
        return y.reshape(n, out, *y.shape[3:])

    y = bilinear(contract, x, w, inner * w.shape[2] * w.shape[3] + 1)
    # The padding times an infinite weight: some multiply, some leave it out.
    open_weight = (~(np.isfinite(w.low) & np.isfinite(w.high)) | w.nan).any((1, 2, 3))[:, None, None]
    return Set(np.where(open_weight, -np.inf, y.low), np.where(open_weight, np.inf, y.high), y.nan | open_weight)


def stuffed(x, stride):
    """stride - 1 zeros behind every row and column."""

    def spread(a):
        y = np.zeros((*a.shape[:2], a.shape[2] * stride[0], a.shape[3] * stride[1]), a.dtype)
        y[:, :, :: stride[0], :: stride[1]] = a
        return y

    return x.move(spread)


def max_pool(x, rows, columns):
    low, high = windows(x.low, rows, columns, -np.inf), windows(x.high, rows, columns, -np.inf)
    nan = windows(x.nan, rows, columns, False).any((-2, -1))
    gone = windows(empty(x), rows, columns, False).any((-2, -1))
    low, high = low.max((-2, -1)), high.max((-2, -1))
    return Set(np.where(gone, np.inf, low), np.where(gone, -np.inf, high), nan | gone)


def avg_pool(x, rows, columns, exclude_padding):
    padded = Set(*(windows(a, rows, columns, fill) for a, fill in ((x.low, 0.0), (x.high, 0.0), (x.nan, False))))
    y = total(padded, (4, 5)).move(lambda a: a[..., 0, 0])
    if exclude_padding:
        return scaled(y, 1.0 / (rows[1].sum(1)[:, None] * columns[1].sum(1)[None, :]))
    return scaled(y, 1.0 / (rows[0].shape[1] * columns[0].shape[1]))


# ---- verdict --------------------------------------------------------------------------------------------------------


def outside(got, wanted):
    """For each element of `got` whether it is not in the set."""
    nan = np.isnan(got)
    with np.errstate(invalid="ignore"):
        inside = (wanted.low <= got) & (got <= wanted.high)
    return np.where(nan, ~wanted.nan, ~inside)


def is_sharp(wanted):
    """For each element whether the set says something: NaN or infinity for certain, or a value to 2 %."""
    certain = (wanted.low > wanted.high) | ((wanted.low == wanted.high) & ~wanted.nan)
    with np.errstate(invalid="ignore"):
        width = wanted.high - wanted.low
        size = np.maximum(np.abs(wanted.low), np.abs(wanted.high))
    return certain | (~wanted.nan & (width <= 0.02 * size + 2.0**-10))
