"""The rarer elementwise operations of MIL text over sets (sets.py), from their public definitions alone."""

import math

import numpy as np

import sets
from sets import Set, exactly, hull, result, rounded


def vague(like, where):
    """Anything, where `where` holds."""
    low, high = np.where(where, -np.inf, like.low), np.where(where, np.inf, like.high)
    return Set(low, high, like.nan | np.broadcast_to(where, like.shape))


def union(x, y):
    return Set(np.minimum(x.low, y.low), np.maximum(x.high, y.high), x.nan | y.nan)


def where(condition, x, y):
    return Set(*(np.where(condition, getattr(x, p), getattr(y, p)) for p in ("low", "high", "nan")))


def none_of(x):
    """The empty set, without NaN: neutral in a union."""
    return Set(np.full(x.shape, np.inf), np.full(x.shape, -np.inf))


def is_certain(x):
    return sets.is_point(x) & ~x.nan


# ---- elementwise ----------------------------------------------------------------------------------------------------


def monotone(f):
    return lambda a: rounded(hull(f, a["x"]))


def nearest(a):
    """To the nearest integer; where halves go is left open."""
    x = a["x"]
    return Set(np.ceil(x.low - 0.5), np.floor(x.high + 0.5), x.nan)


def wave(f, first_top):
    """sin or cos: its ends, and 1 or -1 where a crest or a trough lies between; NaN at infinities."""

    def crosses(x, at):
        with np.errstate(invalid="ignore"):
            return np.floor((x.high - at) / (2 * math.pi)) > np.floor((x.low - at) / (2 * math.pi))

    def evaluate(a):
        x = a["x"]
        y = hull(f, Set(np.where(np.isfinite(x.low), x.low, 0), np.where(np.isfinite(x.high), x.high, 0), x.nan))
        high = np.where(crosses(x, first_top), 1.0, y.high)
        low = np.where(crosses(x, first_top + math.pi), -1.0, y.low)
        wild = sets.is_infinite(x)
        y = result(np.where(wild, -1.0, low), np.where(wild, 1.0, high), wild | x.nan, x)
        return rounded(y, 2.0**-22)

    return evaluate


def softsign(a):
    """x / (1 + |x|): NaN at infinities, close to 1 before them."""
    x = a["x"]
    y = rounded(hull(lambda v: np.where(np.isinf(v), np.sign(v), v / (1 + np.where(np.isinf(v), 0, np.abs(v)))), x))
    infinite = sets.is_point(x) & np.isinf(x.low)
    return result(
        np.where(infinite, np.inf, y.low), np.where(infinite, -np.inf, y.high), y.nan | sets.is_infinite(x), x
    )


def elu(a):
    alpha = float(a["alpha"])
    return rounded(hull(lambda v: np.where(v >= 0, v, alpha * np.expm1(v)), a["x"], ((0.0, 0.0),)))


def thresholded_relu(a):
    x, alpha = a["x"], float(a["alpha"])
    above = Set(np.maximum(x.low, alpha), x.high)
    kept = where(x.high >= alpha, above, none_of(x))
    y = union(kept, where(x.low < alpha, exactly(np.zeros(x.shape)), none_of(x)))
    return result(y.low, y.high, x.nan, x)


def clamped_relu(a):
    alpha, beta = float(a["alpha"]), float(a["beta"])
    f = lambda v: np.minimum(beta, np.where(v >= 0, v, alpha * v))  # noqa: E731
    return rounded(hull(f, a["x"], ((0.0, min(beta, 0.0)),)))


def sigmoid_hard(a):
    alpha, beta = float(a["alpha"]), float(a["beta"])
    return rounded(hull(lambda v: np.clip(alpha * v + beta, 0.0, 1.0), a["x"]), 2.0**-20)


def scaled_tanh(a):
    alpha, beta = float(a["alpha"]), float(a["beta"])
    return rounded(hull(lambda v: alpha * np.tanh(beta * v), a["x"]))


def inverse(a):
    return rounded(sets.divide(exactly(1.0), sets.shifted(a["x"], float(a["epsilon"]))))


def power(x, y):
    """Positive numbers to any power are monotone in both; other bases are left open, unless all is certain."""
    ends = sets.corners(np.power, x, y)
    with np.errstate(invalid="ignore"):
        certain = is_certain(x) & is_certain(y) & np.ones(np.broadcast_shapes(x.shape, y.shape), bool)
        tame = (x.low > 0) & np.isfinite(x.high) & np.isfinite(y.low) & np.isfinite(y.high)
    low, high = np.fmin.reduce(ends), np.fmax.reduce(ends)
    not_a_number = certain & np.isnan(ends[0])
    y_all = result(
        np.where(not_a_number, np.inf, low), np.where(not_a_number, -np.inf, high), not_a_number, x, y
    )
    return vague(y_all, ~(certain | tame))


def pow_(a):
    return rounded(power(a["x"], a["y"]))


def floor_div(a):
    x, y = a["x"], a["y"]
    q = sets.divide(x, y)
    exact = is_certain(x) & is_certain(y)
    with np.errstate(invalid="ignore"):
        low = np.floor(np.where(exact, q.low, q.low - 2.0**-22 * np.abs(q.low)))
        high = np.floor(np.where(exact, q.high, q.high + 2.0**-22 * np.abs(q.high)))
    return rounded(Set(np.where(q.low > q.high, np.inf, low), np.where(q.low > q.high, -np.inf, high), q.nan))


def compared(may_hold, must_hold):
    """1 where a comparison may hold, 0 where it may not; whatever is compared with NaN does not hold."""

    def evaluate(a):
        x, y = a["x"], a["y"]
        gone = sets.empty(x, y)
        nan = x.nan | y.nan
        may = may_hold(x, y) & ~gone
        must = must_hold(x, y) & ~nan & ~gone
        return Set(np.where(must, 1.0, 0.0), np.where(may, 1.0, 0.0))

    return evaluate


def opposite(x):
    return Set(1.0 - x.high, 1.0 - x.low, x.nan)


def overlap(x, y):
    return (x.low <= y.high) & (y.low <= x.high)


EQUAL = compared(overlap, lambda x, y: sets.is_point(x) & sets.is_point(y) & (x.low == y.low))
LESS = compared(lambda x, y: x.low < y.high, lambda x, y: x.high < y.low)
LESS_EQUAL = compared(lambda x, y: x.low <= y.high, lambda x, y: x.high <= y.low)


def swapped(f):
    return lambda a: f({"x": a["y"], "y": a["x"]})


def select(a):
    c, x, y = a["cond"], a["a"], a["b"]
    return where(c.low == 1, x, where(c.high == 0, y, union(x, y)))


def per_channel(value, rank):
    return value.move(lambda v: v.reshape([-1 if i == 1 else 1 for i in range(rank)]))


def prelu(a):
    x = a["x"]
    slope = per_channel(a["alpha"], len(x.shape))
    below = sets.multiply(Set(np.minimum(x.low, 0.0), np.minimum(x.high, 0.0)), slope)
    below = where(np.broadcast_to(x.low < 0, below.shape), below, none_of(below))
    above = where(x.high >= 0, Set(np.maximum(x.low, 0.0), x.high), none_of(x))
    y = union(above, below)
    return rounded(result(y.low, y.high, y.nan, x))


def softplus_parametric(a):
    x = a["x"]
    alpha, beta = (per_channel(a[k], len(x.shape)) for k in ("alpha", "beta"))
    inner = hull(lambda v: np.logaddexp(0.0, v), sets.multiply(beta, x))
    y = sets.multiply(alpha, inner)
    return vague(rounded(y, 2.0**-20), sets.is_infinite(x) | x.nan | sets.is_infinite(inner) | inner.nan)
