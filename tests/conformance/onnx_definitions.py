"""What ONNX operators compute that are several operations here, written with numbers that know how fp16 rounds each.

DEFINITIONS finds a function by the operator's name. It takes the attributes, `Bounded` for real inputs (rounding.py),
integers as they are and None for what is left out, and returns what the operator gives: a `Bounded`, or several, None
for one that is a single operation. The order of the operations is the definition's own, so the bound holds for whoever
computes it so; the values are compared with those of onnx_reference.py.
"""

import numpy as np

import onnx_reference as reference
from onnx_reference import channels, sigmoid, text
from rounding import absolute, apply, given, linear, log_sum_exp, mean, moved, stepped, stored, total

DEFINITIONS = {}


def definition(*names):
    def register(function):
        for name in names:
            DEFINITIONS[name] = function
        return function

    return register


# ---- elementwise ----------------------------------------------------------------------------------------------------


def sqrt(x):
    return apply(np.sqrt, x)


UNARY = {
    "Tan": lambda x: apply(np.sin, x) / apply(np.cos, x),
    "Asin": lambda x: apply(np.arctan, x / sqrt((1 - x) * (1 + x))),
    "Acos": lambda x: 2 * apply(np.arctan, sqrt((1 - x) / (1 + x))),
    "Sinh": lambda x: 0.5 * (apply(np.exp, x) - apply(np.exp, -x)),
    "Cosh": lambda x: 0.5 * (apply(np.exp, x) + apply(np.exp, -x)),
    "Asinh": lambda x: np.sign(x.value) * apply(np.log, absolute(x) + sqrt(x * x + 1)),
    "Acosh": lambda x: apply(np.log, x + sqrt((x - 1) * (x + 1))),
    "Atanh": lambda x: 0.5 * apply(np.log, (1 + x) / (1 - x)),
    "HardSwish": lambda x: x * stepped(np.clip(x.value / 6 + 0.5, 0, 1), 0 * x.value),
}
for _name, _function in UNARY.items():
    DEFINITIONS[_name] = lambda a, x, f=_function: f(x)


def elu(x, alpha=1.0):
    return apply(lambda v: np.where(v < 0, alpha * np.expm1(np.minimum(v, 0)), v), x)


@definition("Celu")
def celu(a, x):
    return elu(x / stored(a.get("alpha", 1.0))) * stored(a.get("alpha", 1.0))


@definition("Selu")
def selu(a, x):
    gamma = a.get("gamma", 1.05070102214813232421875)
    return elu(x, a.get("alpha", 1.67326319217681884765625)) * stored(gamma)


@definition("Mod")
def modulo(a, x, y):
    """The multiple that is taken off is as large as the dividend."""
    quotient = x.value / y.value
    return x - y * given(np.trunc(quotient) if a.get("fmod", 0) else np.floor(quotient))


@definition("Sum")
def several(a, *inputs):
    return sum(inputs[1:], inputs[0])


@definition("Mean")
def average(a, *inputs):
    return several(a, *inputs) / len(inputs)


# ---- products -------------------------------------------------------------------------------------------------------


@definition("Gemm")
def gemm(a, x, y, c=None):
    x = moved(np.transpose, x) if a.get("transA", 0) else x
    y = y if a.get("transB", 0) else moved(np.transpose, y)
    alpha, beta = stored(a.get("alpha", 1.0)), stored(a.get("beta", 1.0))
    row = c is not None and c.value.shape == y.value.shape[:1]
    if alpha.value == 1 and beta.value == 1 and row and a.get("transB", 0) and not a.get("transA", 0):
        return linear(x, y, c)
    result = linear(x, y)
    result = result if alpha.value == 1 else result * alpha
    if c is None:
        return result
    return result + (c if beta.value == 1 else c * beta)


@definition("Det")
def determinant(a, x):
    (p, q), (r, s) = ([moved(lambda v, i=i, k=k: v[..., i, k], x) for k in (0, 1)] for i in (0, 1))
    return p * s - q * r


def waves(rows, columns, length, sign):
    angles = 2 * np.pi / length * np.outer(np.arange(rows), np.arange(columns))
    return stored(np.cos(angles)), stored(sign * np.sin(angles))


@definition("DFT")
def dft(a, x):
    axis, inverse = a.get("axis", 1), a.get("inverse", 0)
    count = x.value.shape[axis]
    cosines, sines = waves(count, count, count, 1 if inverse else -1)
    if inverse:
        cosines, sines = (stored(m.value / count) for m in (cosines, sines))
    parts = [moved(lambda v, i=i: np.moveaxis(v[..., i], axis, -1), x) for i in range(x.value.shape[-1])]
    real, imaginary = linear(parts[0], cosines), linear(parts[0], sines)
    if len(parts) == 2:
        real, imaginary = real - linear(parts[1], sines), imaginary + linear(parts[1], cosines)
    return moved(lambda *v: np.stack([np.moveaxis(each, -1, axis) for each in v], axis=-1), real, imaginary)


@definition("STFT")
def stft(a, x, step, window=None, length=None):
    size = int(length) if window is None else window.value.size
    frames = moved(lambda v: reference.frames(v, np.ones(size), int(step)), x)
    frames = frames if window is None else frames * window
    parts = [linear(frames, matrix) for matrix in waves(size // 2 + 1, size, size, -1)]
    return moved(lambda *v: np.stack(v, axis=-1), *parts)


@definition("DynamicQuantizeLinear")
def dynamic_quantize_linear(a, x):
    low, high = min(0.0, x.value.min()), max(0.0, x.value.max())
    return None, (given(high) - low) / 255, None


# ---- normalisation and losses ---------------------------------------------------------------------------------------


@definition("BatchNormalization")
def trained_batch_normalization(a, x, scale, bias, running_mean, running_variance):
    """With the batch's own mean and variance, which the running ones approach; what remains is one operation."""
    over = [i for i in range(x.value.ndim) if i != 1]
    own = mean(x, over)
    centred = x - own
    variance = mean(centred * centred, over)
    deviation = apply(lambda v: np.sqrt(v + a.get("epsilon", 1e-5)), variance)
    factor = channels(scale.value, x.value.ndim) / deviation.value
    carried = np.abs(factor) * (own.error + np.abs(centred.value) / deviation.value * deviation.carried)
    y = stepped(centred.value * factor + channels(bias.value, x.value.ndim), carried)
    kept = a.get("momentum", 0.9)
    old_and_new = (running_mean, own), (running_variance, variance)
    return [y, *(v * stored(kept) + moved(np.ravel, w) * stored(1 - kept) for v, w in old_and_new)]


@definition("MeanVarianceNormalization")
def mean_variance_normalization(a, x):
    over = tuple(a.get("axes", [0, 2, 3]))
    centred = x - mean(x, over)
    return centred / sqrt(mean(centred * centred, over))


def log_softmax_along(x, axis):
    below = x - given(x.value.max(axis=axis, keepdims=True))
    return below - log_sum_exp(below, axis)


@definition("LogSoftmax")
def log_softmax(a, x):
    matrix, back = reference.along(a, x.value)
    return moved(back, log_softmax_along(given(matrix), -1))


def loss(a, log_probability, target, weight):
    """-w[t] y[t], 0 where t is ignored; its sum, or that over the sum of the factors."""
    ignored, how = a.get("ignore_index"), text(a.get("reduction", "mean"))
    kept = np.ones(target.shape, bool) if ignored is None else target != ignored
    index = np.where(kept, target, 0)
    y = -moved(lambda v: np.take_along_axis(v, np.expand_dims(index, 1), 1)[:, 0], log_probability)
    factor = given((np.ones(y.value.shape) if weight is None else weight.value[index]) * kept)
    y = y * factor if weight is not None else moved(lambda v: v * kept, y)
    over = range(y.value.ndim)
    if how == "none":
        return y
    if how == "mean" and weight is None and ignored is None:
        return mean(y, over)
    return total(y, over) if how == "sum" else total(y, over) / total(factor, over)


@definition("NegativeLogLikelihoodLoss")
def negative_log_likelihood(a, x, target, weight=None):
    return loss(a, x, target, weight)


@definition("SoftmaxCrossEntropyLoss")
def softmax_cross_entropy(a, x, target, weight=None):
    log_probability = log_softmax_along(x, 1)
    return loss(a, log_probability, target, weight), log_probability


# ---- recurrent networks, one direction ------------------------------------------------------------------------------


def recurrent(a, gates, x, w, r, b, h, step):
    """Runs `step(all gates of the input, all gates of the state, state)` over time; all states and the last one."""
    batchwise, hidden = a.get("layout", 0), r.value.shape[-1]
    x = moved(lambda v: np.moveaxis(v, 0, 1), x) if batchwise else x
    h, (w, r) = state_of(a, x, hidden, h), (moved(lambda v: v[0], m) for m in (w, r))
    biases = given(np.zeros(2 * gates * hidden)) if b is None else moved(lambda v: v[0], b)
    w_bias, r_bias = (part(biases, i, gates * hidden) for i in (0, 1))
    states = []
    for t in range(x.value.shape[0]):
        h = step(linear(moved(lambda v, t=t: v[t], x), w, w_bias), linear(h, r, r_bias), h)
        states.append(h)
    y, last = moved(lambda *v: np.stack(v)[:, None], *states), moved(lambda v: v[None], h)
    if not batchwise:
        return [y, last]
    return [moved(lambda v: np.moveaxis(v, 2, 0), y), moved(lambda v: np.moveaxis(v, 1, 0), last)]


def state_of(a, x, hidden, given_state):
    if given_state is None:
        return given(np.zeros((x.value.shape[1], hidden)))
    return moved(lambda v: v[:, 0] if a.get("layout", 0) else v[0], given_state)


def part(x, i, size):
    return moved(lambda v: v[..., i * size : (i + 1) * size], x)


def tanh(x):
    return apply(np.tanh, x)


def gate(x):
    return apply(sigmoid, x)


@definition("RNN")
def rnn(a, x, w, r, b=None, lengths=None, h=None):
    return recurrent(a, 1, x, w, r, b, h, lambda i, s, state: tanh(i + s))


@definition("GRU")
def gru(a, x, w, r, b=None, lengths=None, h=None):
    """Update, reset and hidden gates; the reset acts on the state before its product."""
    hidden = r.value.shape[-1]
    last = moved(lambda v: v[0, 2 * hidden :], r)
    last_bias = given(np.zeros(hidden)) if b is None else moved(lambda v: v[0, 5 * hidden :], b)

    def step(i, s, state):
        z, reset = (gate(part(i, k, hidden) + part(s, k, hidden)) for k in (0, 1))
        fresh = tanh(part(i, 2, hidden) + linear(reset * state, last, last_bias))
        return (1 - z) * fresh + z * state

    return recurrent(a, 3, x, w, r, b, h, step)


@definition("LSTM")
def lstm(a, x, w, r, b=None, lengths=None, h=None, c=None, p=None):
    """Input, output, forget and cell gates; peepholes see the cell."""
    hidden, batchwise = r.value.shape[-1], a.get("layout", 0)
    cell = state_of(a, moved(lambda v: np.moveaxis(v, 0, 1), x) if batchwise else x, hidden, c)
    holes = None if p is None else moved(lambda v: v[0], p)

    def step(i, s, state):
        nonlocal cell
        sums = i + s

        def seen(k, hole):
            own = part(sums, k, hidden)
            return own if holes is None else own + part(holes, hole, hidden) * cell

        cell = gate(seen(2, 2)) * cell + gate(seen(0, 0)) * tanh(part(sums, 3, hidden))
        return gate(seen(1, 1)) * tanh(cell)

    outputs = recurrent(a, 4, x, w, r, b, h, step)
    return [*outputs, moved(lambda v: v[:, None] if batchwise else v[None], cell)]


# ---- the first step of training -------------------------------------------------------------------------------------


def training(parts, step):
    """Applies `step(a, rate, x, gradient, state...)` to each tensor; the inputs and results go part by part."""

    def run(a, rate, count, *rest):
        each = len(rest) // parts
        results = [step(a, rate, *rest[i::each]) for i in range(each)]
        return [r[part] for part in range(parts - 1) for r in results]

    return run


def gradient_of(a, x, gradient):
    return x * stored(a.get("norm_coefficient", 0.0)) + gradient


def moved_by(a, rate, x, way, squares):
    return x - way * rate / (sqrt(squares) + stored(a.get("epsilon", 1e-6)))


def adagrad(a, rate, x, gradient, squares):
    gradient = gradient_of(a, x, gradient)
    squares = squares + gradient * gradient
    return moved_by(a, rate, x, gradient, squares), squares


def adam(a, rate, x, gradient, speed, squares):
    gradient, alpha, beta = gradient_of(a, x, gradient), a.get("alpha", 0.9), a.get("beta", 0.999)
    speed = speed * stored(alpha) + gradient * stored(1 - alpha)
    squares = squares * stored(beta) + gradient * gradient * stored(1 - beta)
    return moved_by(a, rate, x, speed, squares), speed, squares


def momentum(a, rate, x, gradient, speed):
    gradient, alpha = gradient_of(a, x, gradient), stored(a["alpha"])
    speed = speed * alpha + gradient
    way = gradient + speed * alpha if text(a["mode"]) == "nesterov" else speed
    return x - way * rate, speed


DEFINITIONS.update(Adagrad=training(3, adagrad), Adam=training(4, adam), Momentum=training(3, momentum))
