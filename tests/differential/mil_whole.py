"""Operations of MIL text that lowering can also take apart, over sets (sets.py), from their public definitions.

Each step rounds once: a device may do it with fewer roundings, and its results lie in the same sets.
"""

import math

import numpy as np

import sets
from sets import Set, rounded

# Arguments that are constants and numbers of fp16.
PARAMETERS = {
    "scaled_dot_product_attention": ("query", "key", "value", "attn_mask"),
    "layer_norm": ("gamma", "beta"),
    "instance_norm": ("gamma", "beta"),
    "batch_norm": ("mean", "variance", "gamma", "beta"),
}


def axes_of(a):
    return tuple(int(axis) for axis in a["axes"])


def reduced(f):
    """f(x, axes), with axes that stay as one."""

    def evaluate(a):
        assert a["keep_dims"] is True
        return f(a["x"], axes_of(a))

    return evaluate


def at_least_zero(x):
    """What is no square root of a negative number: slack of sums reaches below 0."""
    return Set(np.where(x.low > x.high, x.low, np.maximum(x.low, 0.0)), x.high, x.nan)


def sum_of_squares(x, axes):
    return rounded(at_least_zero(sets.total(rounded(sets.square(x)), axes)))


def root(x):
    return rounded(sets.hull(np.sqrt, at_least_zero(x), domain=0.0))


def log_of_sum(terms, axes):
    return rounded(sets.log(rounded(sets.total(terms, axes))))


def log_of_sum_of_powers(x, axes):
    largest = sets.extreme(x, axes, np.max)
    powers = rounded(sets.hull(np.exp, rounded(sets.subtract(x, largest))))
    return rounded(sets.add(log_of_sum(powers, axes), largest))


def mean(x, axes):
    return rounded(sets.scaled(sets.total(x, axes), 1.0 / math.prod(x.shape[i] for i in axes)))


def inverse_root(variance, epsilon):
    return rounded(sets.rsqrt(rounded(sets.shifted(at_least_zero(variance), float(epsilon)))))


def normal(x, axes, epsilon):
    centred = rounded(sets.subtract(x, mean(x, axes)))
    variance = mean(rounded(sets.square(centred)), axes)
    return rounded(sets.multiply(centred, inverse_root(variance, epsilon)))


def along(vector, axis, rank):
    return vector.move(lambda v: v.reshape([-1 if i == axis else 1 for i in range(rank)]))


def affine(x, gamma, beta, axis):
    rank = len(x.shape)
    return rounded(sets.add(rounded(sets.multiply(x, along(gamma, axis, rank))), along(beta, axis, rank)))


def layer_norm(a):
    x, (axis,) = a["x"], axes_of(a)
    axis %= len(x.shape)
    return affine(normal(x, (axis,), a["epsilon"]), a["gamma"], a["beta"], axis)


def instance_norm(a):
    x = a["x"]
    return affine(normal(x, tuple(range(2, len(x.shape))), a["epsilon"]), a["gamma"], a["beta"], 1)


def batch_norm(a):
    scale = rounded(sets.multiply(a["gamma"], inverse_root(a["variance"], a["epsilon"])))
    offset = rounded(sets.subtract(a["beta"], rounded(sets.multiply(a["mean"], scale))))
    return affine(a["x"], scale, offset, 1)


def attention(a):
    """softmax(q k^T / sqrt(depth) + mask) v over the last two axes."""
    query, key, value = a["query"], a["key"], a["value"]

    def scores(q, k):
        return np.matmul(q, np.swapaxes(k, -1, -2))

    depth = query.shape[-1]
    s = rounded(sets.bilinear(scores, query, key, depth))
    s = rounded(sets.multiply(s, rounded(sets.exactly(1.0 / math.sqrt(depth)))))
    if "attn_mask" in a:
        s = rounded(sets.add(s, a["attn_mask"]))
    shares = rounded(sets.softmax(s, len(s.shape) - 1), 2.0**-20)
    return rounded(sets.bilinear(np.matmul, shares, value, key.shape[-2]))


WHOLE = {
    "scaled_dot_product_attention": attention,
    "layer_norm": layer_norm,
    "instance_norm": instance_norm,
    "batch_norm": batch_norm,
    "reduce_sum_square": reduced(sum_of_squares),
    "reduce_l1_norm": reduced(lambda x, axes: rounded(sets.total(sets.hull(np.abs, x, ((0.0, 0.0),)), axes))),
    "reduce_l2_norm": reduced(lambda x, axes: root(sum_of_squares(x, axes))),
    "reduce_log_sum": reduced(log_of_sum),
    "reduce_log_sum_exp": reduced(log_of_sum_of_powers),
}
