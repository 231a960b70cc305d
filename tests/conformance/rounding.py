"""How far from the exact result fp16 may end that rounds after each operation of a definition: running error analysis.

A `Bounded` is what a definition is written with in place of an array. It has the exact value in float64 and a bound on
the error, to first order, where every operation rounds its result to fp16 (half an ulp) and sums are formed in float32.
`carried` is the part of the error that was there before the last rounding.
"""

import numpy as np

from harness import FP32_ULP, rounded, ulp


class Bounded:
    __array_ufunc__ = None  # NumPy's operators leave theirs to this class

    def __init__(self, value, carried, error):
        self.value, self.carried, self.error = value, carried, error

    def __neg__(self):
        return moved(np.negative, self)

    def __add__(self, other):
        other = given(other)
        return stepped(self.value + other.value, self.error + other.error)

    def __sub__(self, other):
        return self + -given(other)

    def __rsub__(self, other):
        return given(other) + -self

    def __mul__(self, other):
        other = given(other)
        if is_exact(other):
            return moved(lambda v: v * other.value, self)
        if is_exact(self):
            return other * self
        carried = np.abs(self.value) * other.error + np.abs(other.value) * self.error + self.error * other.error
        return stepped(self.value * other.value, carried)

    def __truediv__(self, other):
        other = given(other)
        y = self.value / other.value
        return stepped(y, (self.error + np.abs(y) * other.error) / np.maximum(np.abs(other.value) - other.error, 0))

    def __rtruediv__(self, other):
        return given(other) / self

    __radd__, __rmul__ = __add__, __mul__


def stepped(value, carried):
    """The result of an operation, which it rounds; an exact 0 it keeps."""
    size = np.abs(value) + np.nan_to_num(carried)
    return Bounded(value, carried, carried + np.where(size == 0, 0, ulp(size) / 2))


def is_exact(factor):
    """Whether a product rounds nothing: powers of two and 0, with either sign."""
    return not np.any(factor.error) and np.isin(np.frexp(np.abs(factor.value))[0], (0, 0.5)).all()


def given(x):
    """A number that fp16 holds."""
    if isinstance(x, Bounded):
        return x
    x = np.asarray(x, np.float64)
    return Bounded(x, np.zeros(x.shape), np.zeros(x.shape))


def stored(x):
    """A number that is stored as fp16: a coefficient, a matrix of the definition."""
    x = np.asarray(x, np.float64)
    return Bounded(x, np.zeros(x.shape), np.abs(rounded(x) - x))


def moved(function, *operands):
    """Elements at other places, or with another sign: nothing rounds. The bounds are moved without their signs."""
    operands = [given(x) for x in operands]
    parts = [function(*(getattr(x, part) for x in operands)) for part in ("value", "carried", "error")]
    return Bounded(parts[0], np.abs(parts[1]), np.abs(parts[2]))


def apply(function, x):
    """A function that rises or falls throughout, of one operand."""
    x = given(x)
    y = function(x.value)
    return stepped(y, np.fmax(np.abs(function(x.value + x.error) - y), np.abs(function(x.value - x.error) - y)))


def absolute(x):
    x = given(x)
    return Bounded(np.abs(x.value), x.carried, x.error)


def total(x, over):
    """A sum over axes, which stay with extent 1."""
    x, over = given(x), tuple(over)
    terms = np.prod([x.value.shape[i] for i in over])
    sizes, errors = (v.sum(axis=over, keepdims=True) for v in (np.abs(x.value), x.error))
    return stepped(x.value.sum(axis=over, keepdims=True), errors + terms * FP32_ULP * sizes)


def mean(x, over):
    x = given(x)
    y, terms = total(x, over), np.prod([x.value.shape[i] for i in tuple(over)])
    return stepped(y.value / terms, y.carried / terms)


def log_sum_exp(x, axis):
    """The logarithm of the sum of exponentials as one operation: the errors of the operands, as softmax weighs them."""
    top = x.value.max(axis=axis, keepdims=True)
    shares = np.exp(x.value - top)
    sums = shares.sum(axis=axis, keepdims=True)
    carried = (shares / sums * x.error).sum(axis=axis, keepdims=True) + x.value.shape[axis] * FP32_ULP
    return stepped(np.log(sums) + top, carried)


def linear(x, w, b=0.0):
    """x times w transposed, and a bias."""
    x, w, b = given(x), given(w), given(b)
    sizes, weights = np.abs(x.value), np.abs(w.value)
    carried = x.error @ (weights + w.error).T + sizes @ w.error.T + b.error
    carried = carried + (w.value.shape[-1] + 1) * FP32_ULP * (sizes @ weights.T + np.abs(b.value))
    return stepped(x.value @ w.value.T + b.value, carried)
