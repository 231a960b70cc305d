"""PyTorch as a referee of the CPU backend and of the wide reference: operations on random shapes with random attributes,
against float64.

    torch_cases.py [--evaluate <program>] [--seed <number>] [--rounds <number>] [--only <part of a name>] [--show]

Inputs are fp16 numbers, so both compute from the same values. A result passes within 2 ulp of fp16; sums have the
slack of their float32 terms besides (harness.py). What backend::wide computes passes within 1e-12 of the result, and of
the terms of a sum what those of float64 may be off. Every round draws all cases anew; the seed is printed and makes
them again. Ends with 1 if a case failed or docs/conformance.md says other counts, with 77 where PyTorch (Debian
package python3-torch) or NumPy is missing.
"""

import argparse
import collections
import math
import sys

try:
    import numpy as np
    import torch
    import torch.nn.functional as F
except ImportError as missing:
    print(f"skipped: {missing} (Debian packages python3-torch and python3-numpy)")
    sys.exit(77)

import page
from harness import FP32_ULP, FP64_ULP, Evaluator, Graph, rounded, worst, worst_wide

CASES = []


def case(function):
    """Registers a function that draws one case: it gets a Draw and adds results to it."""
    CASES.append(function)
    return function


class Draw:
    """One random case: its graph, its random numbers, and what each output is to be."""

    def __init__(self, name, seed):
        self.graph = self.g = Graph(name)
        self.random = np.random.default_rng(seed)
        self.wanted = []

    def below(self, low, high):
        """A whole number from low to high, both included."""
        return int(self.random.integers(low, high + 1))

    def pair(self, low, high):
        """Such a number for height and for width."""
        return [self.below(low, high), self.below(low, high)]

    def pick(self, *choices):
        return choices[self.below(0, len(choices) - 1)]

    def shape(self, rank, most=6):
        return [self.below(1, most) for _ in range(rank)]

    def numbers(self, *shape, low=-2.0, high=2.0, weight=False):
        """An input (or a weight), and the same numbers as a tensor of doubles."""
        data = rounded(self.random.uniform(low, high, shape))
        return (self.g.weight(data) if weight else self.g.input(data)), torch.tensor(data)

    def whole(self, *shape, high):
        """Indices below `high`."""
        data = self.random.integers(0, high, shape)
        return self.g.input(data), torch.tensor(data, dtype=torch.int64)

    def expect(self, value, exact, slack=0.0, ulps=None, wide_slack=None):
        """`slack` is that of float32; float64 has that share of it which its shorter roundings leave, or `wide_slack`."""
        if value.kind == "bool":
            value = self.g.real(value)
        self.g.output(value)
        slack = slack.numpy() if isinstance(slack, torch.Tensor) else slack
        exact = exact.numpy() if isinstance(exact, torch.Tensor) else exact
        wide_slack = slack * FP64_ULP / FP32_ULP if wide_slack is None else wide_slack
        self.wanted.append((np.asarray(exact, np.float64), slack, ulps, wide_slack))

    def exactly(self, value, exact):
        self.expect(value, exact, ulps=0)

    def judge_wide(self, arrays):
        """The same of what the reference computes in float64."""
        if len(arrays) != len(self.wanted):
            return f"{len(arrays)} outputs instead of {len(self.wanted)}"
        for i, (got, (exact, *_, slack)) in enumerate(zip(arrays, self.wanted)):
            fault = worst_wide(got, exact, slack)
            if fault:
                return f"output {i}: {fault}"
        return None

    def judge(self, arrays):
        if len(arrays) != len(self.wanted):
            return f"{len(arrays)} outputs instead of {len(self.wanted)}"
        for i, (got, (exact, slack, ulps, _)) in enumerate(zip(arrays, self.wanted)):
            exact = rounded(exact) if ulps == 0 else exact
            fault = worst(got, exact, slack) if ulps is None else worst(got, exact, slack, ulps)
            if fault:
                return f"output {i}: {fault}"
        return None


# ---- products -------------------------------------------------------------------------------------------------------


def four(pads):
    return [pads[0], pads[0], pads[1], pads[1]]


@case
def conv2d(d):
    groups = d.pick(1, 1, 1, 2, 3)
    channels, out = groups * d.below(1, 4), groups * d.below(1, 4)
    if d.below(0, 4) == 0:  # depthwise
        groups = channels
        out = channels * d.below(1, 2)
    kernel, stride, dilation = d.pair(1, 4), d.pair(1, 3), d.pair(1, 3)
    pads = [d.below(0, 3) for _ in "hw"]
    extent = [max(1, q * (k - 1) + 1 - 2 * p) + d.below(0, 7) for k, q, p in zip(kernel, dilation, pads)]
    x, tx = d.numbers(d.below(1, 2), channels, *extent)
    w, tw = d.numbers(out, channels // groups, *kernel, weight=bool(d.below(0, 1)))
    operands, bias = [x, w], None
    if d.below(0, 1):
        b, bias = d.numbers(out, weight=True)
        operands.append(b)
    how = {"stride": stride, "padding": pads, "dilation": dilation, "groups": groups}
    exact = F.conv2d(tx, tw, bias, **how)
    size = F.conv2d(tx.abs(), tw.abs(), None if bias is None else bias.abs(), **how)
    y = d.g.conv2d(*operands, shape=exact.shape, stride=stride, dilation=dilation, padding=four(pads), groups=groups)
    d.expect(y, exact, size * (math.prod(tw.shape[1:]) + 1) * FP32_ULP)


@case
def conv_transpose2d(d):
    groups = d.pick(1, 1, 2, 3)
    channels, out = groups * d.below(1, 4), d.below(1, 4)
    kernel, stride, dilation = d.pair(1, 4), d.pair(1, 3), d.pair(1, 3)
    extent = [d.below(1, 6) for _ in "hw"]
    full = [s * (e - 1) + q * (k - 1) + 1 for s, e, q, k in zip(stride, extent, dilation, kernel)]
    pads = [d.below(0, (f - 1) // 2) if f > 2 else 0 for f in full]
    x, tx = d.numbers(d.below(1, 2), channels, *extent)
    w, tw = d.numbers(channels, out, *kernel, weight=bool(d.below(0, 1)))
    b, bias = d.numbers(out * groups, weight=True)
    how = {"stride": stride, "padding": pads, "dilation": dilation, "groups": groups}
    exact = F.conv_transpose2d(tx, tw, bias, **how)
    size = F.conv_transpose2d(tx.abs(), tw.abs(), bias.abs(), **how)
    given = {**how, "padding": four(pads)}
    y = d.g.conv_transpose2d(x, w, b, shape=exact.shape, **given)
    terms = channels // groups * math.prod(kernel) + 1
    d.expect(y, exact, size * terms * FP32_ULP)


@case
def linear(d):
    x, tx = d.numbers(*d.shape(d.below(0, 3)), d.below(1, 40))
    w, tw = d.numbers(d.below(1, 20), tx.shape[-1], weight=bool(d.below(0, 1)))
    b, bias = d.numbers(tw.shape[0], weight=True)
    size = F.linear(tx.abs(), tw.abs(), bias.abs())
    d.expect(d.g.linear(x, w, b), F.linear(tx, tw, bias), size * (tx.shape[-1] + 1) * FP32_ULP)


@case
def matmul(d):
    batch = d.shape(d.below(0, 3), 3)
    other = [e if d.below(0, 2) else 1 for e in batch][d.below(0, len(batch)) :]
    m, k, n = d.below(1, 9), d.below(1, 40), d.below(1, 9)
    a, b = bool(d.below(0, 1)), bool(d.below(0, 1))
    x, tx = d.numbers(*batch, *((k, m) if a else (m, k)))
    y, ty = d.numbers(*other, *((n, k) if b else (k, n)))
    tx, ty = (tx.transpose(-1, -2) if a else tx), (ty.transpose(-1, -2) if b else ty)
    d.expect(d.g.matmul(x, y, a=a, b=b), tx @ ty, (tx.abs() @ ty.abs()) * k * FP32_ULP)


@case
def attention(d):
    """softmax(scale q k^T + mask) v: an error of a score is a relative one of its share."""
    lead, depth = d.shape(d.below(0, 2), 3), d.below(1, 16)
    queries, keys = d.below(1, 7), d.below(1, 9)
    q, tq = d.numbers(*lead, queries, depth)
    k, tk = d.numbers(*lead, keys, depth)
    v, tv = d.numbers(*lead, keys, depth)
    scale = float(np.float32(1 / math.sqrt(depth)))
    scores = tq @ tk.transpose(-1, -2) * scale
    size = (tq.abs() @ tk.abs().transpose(-1, -2)).max() * scale
    operands = [q, k, v]
    if d.below(0, 1):
        mask, tm = d.numbers(*d.pick([queries, keys], [1, keys], [keys]))
        operands.append(mask)
        scores = scores + tm
        size = size + tm.abs().max()
    exact = torch.softmax(scores, -1) @ tv
    d.expect(d.g.attention(*operands, scale=scale), exact, 2 * (depth * size + keys) * FP32_ULP * tv.abs().max())


@case
def cross_correlation(d):
    x, tx = d.numbers(d.below(1, 2), 1, d.below(3, 8), d.below(3, 8))
    t, tt = d.numbers(1, 1, d.below(1, 3), d.below(1, 3))
    exact = F.conv2d(tx, tt)
    y = d.g.cross_correlation(x, t, shape=exact.shape)
    d.expect(y, exact, F.conv2d(tx.abs(), tt.abs()) * tt.numel() * FP32_ULP)


# ---- elementwise ----------------------------------------------------------------------------------------------------

UNARY = {
    "relu": F.relu,
    "relu6": F.relu6,
    "sigmoid": torch.sigmoid,
    "tanh": torch.tanh,
    "gelu": lambda x: x * (torch.erfc(-x / math.sqrt(2)) / 2),  # F.gelu cancels far below zero
    "gelu_sigmoid": lambda x: x * torch.sigmoid(1.702 * x),
    "silu": F.silu,
    "softplus": lambda x: torch.logaddexp(x, torch.zeros_like(x)),
    "softsign": F.softsign,
    "erf": torch.erf,
    "exp": torch.exp,
    "exp2": torch.exp2,
    "square": torch.square,
    "abs": torch.abs,
    "sign": torch.sign,
    "ceil": torch.ceil,
    "floor": torch.floor,
    "round": torch.round,
    "sin": torch.sin,
    "cos": torch.cos,
    "atan": torch.atan,
    "identity": lambda x: x,
}
POSITIVE = {"log": torch.log, "log2": torch.log2, "sqrt": torch.sqrt, "rsqrt": torch.rsqrt, "inverse": torch.reciprocal}


@case
def unary(d):
    x, tx = d.numbers(*d.shape(d.below(1, 4)), low=-8, high=8)
    for name, function in UNARY.items():
        d.expect(d.g.op(name, x), function(tx))


@case
def unary_of_positive(d):
    x, tx = d.numbers(*d.shape(d.below(1, 4)), low=0.01, high=40)
    for name, function in POSITIVE.items():
        d.expect(d.g.op(name, x), function(tx))
    epsilon = float(np.float16(0.03125))
    for name in ("log", "rsqrt", "inverse"):
        d.expect(d.g.op(name, x, epsilon=epsilon), POSITIVE[name](tx + epsilon))


@case
def activations_with_coefficients(d):
    x, tx = d.numbers(*d.shape(4), low=-6, high=6)
    a, b = (float(np.float16(v)) for v in (d.random.uniform(0.05, 1.5), d.random.uniform(0.1, 3)))
    g = d.g
    d.expect(g.leaky_relu(x, alpha=a), F.leaky_relu(tx, a))
    d.expect(g.clamp(x, min=-a, max=b), torch.clamp(tx, -a, b))
    d.expect(g.elu(x, alpha=a), F.elu(tx, a))
    sixth = float(np.float32(1 / 6))
    d.expect(g.hard_sigmoid(x, alpha=sixth, beta=0.5), torch.clamp(sixth * tx + 0.5, 0, 1))
    d.expect(g.hard_sigmoid(x, alpha=a, beta=b), torch.clamp(a * tx + b, 0, 1), 16 * FP32_ULP)
    d.expect(g.scaled_tanh(x, alpha=a, beta=b), a * torch.tanh(b * tx))
    d.exactly(g.thresholded_relu(x, alpha=b), torch.where(tx >= b, tx, torch.zeros_like(tx)))
    d.expect(g.clamped_relu(x, alpha=a, beta=b), torch.minimum(torch.where(tx >= 0, tx, a * tx), torch.tensor(b)))
    d.exactly(g.dropout(x, ratio=0.5), F.dropout(tx, 0.5, training=False))
    slope, ts = d.numbers(x.shape[1], weight=True)
    d.expect(g.prelu(x, slope), F.prelu(tx, ts))
    scale, tb = d.numbers(x.shape[1], low=0.25, high=2, weight=True)
    wide = [ts.reshape(-1, 1, 1), tb.reshape(-1, 1, 1)]
    d.expect(g.parametric_softplus(x, slope, scale), wide[0] * F.softplus(wide[1] * tx, threshold=1e9))


@case
def binary(d):
    shape = d.shape(d.below(1, 5), 4)
    other = [e if d.below(0, 1) else 1 for e in shape][d.below(0, len(shape)) :]
    if d.below(0, 1):
        shape, other = other, shape
    g = d.g
    (x, tx), (y, ty) = d.numbers(*shape), d.numbers(*other)
    for name, function in {
        "add": torch.add,
        "sub": torch.sub,
        "mul": torch.mul,
        "div": torch.div,
        "minimum": torch.minimum,
        "maximum": torch.maximum,
    }.items():
        d.expect(g.op(name, x, y), function(tx, ty))
    d.exactly(g.floor_div(x, y), torch.floor(tx / ty))
    p, tp = d.numbers(*shape, low=0.1, high=4)
    d.expect(g.pow(p, y), torch.pow(tp, ty))


@case
def comparisons(d):
    shape = d.shape(3)
    (x, tx), (y, ty) = d.whole(*shape, high=3), d.whole(*shape, high=3)
    g = d.g
    for name, function in {
        "equal": torch.eq,
        "not_equal": torch.ne,
        "greater": torch.gt,
        "greater_equal": torch.ge,
        "less": torch.lt,
        "less_equal": torch.le,
    }.items():
        truth = g.op(name, x, y)
        d.exactly(g.select(truth, x, 7.0), torch.where(function(tx, ty), tx, torch.tensor(7)))
        d.exactly(g.logical_not(truth), ~function(tx, ty))
        other, to = g.op("less", x, 0.5), tx < 0.5
        d.exactly(g.logical_and(truth, other), function(tx, ty) & to)
        d.exactly(g.logical_or(truth, other), function(tx, ty) | to)
        d.exactly(g.logical_xor(other, truth), function(tx, ty) ^ to)


@case
def scaled_elementwise(d):
    shape = d.shape(4)
    (x, tx), (y, ty) = d.numbers(*shape), d.numbers(*shape)
    d.expect(d.g.scaled_elementwise(x, y, function="add", scale=0.5), 0.5 * (tx + ty))
    d.expect(d.g.scaled_elementwise(x, y, function="maximum", scale=3.0), 3 * torch.maximum(tx, ty))


# ---- windows --------------------------------------------------------------------------------------------------------


@case
def pools(d):
    kernel, stride = [d.below(1, 4) for _ in "hw"], [d.below(1, 3) for _ in "hw"]
    pads = [d.below(0, k // 2) for k in kernel]
    extent = [max(1, k - 2 * p) + d.below(0, 6) for k, p in zip(kernel, pads)]
    x, tx = d.numbers(d.below(1, 2), d.below(1, 3), *extent)
    up, excluded = bool(d.below(0, 1)), bool(d.below(0, 1))
    how = {"kernel": kernel, "stride": stride, "padding": four(pads), "ceil_mode": up}
    exact = F.max_pool2d(tx, kernel, stride, pads, ceil_mode=up)
    d.exactly(d.g.max_pool(x, shape=exact.shape, **how), exact)
    def mean(of):
        if excluded:
            return F.avg_pool2d(of, kernel, stride, pads, ceil_mode=up, count_include_pad=False)
        # The engine counts all of a window that ceil_mode adds: it has zeros behind the padding.
        behind = [max(0, (out - 1) * s + k - e - p) for out, s, k, e, p in zip(exact.shape[2:], stride, kernel, extent, pads)]
        return F.avg_pool2d(F.pad(of, (pads[1], behind[1], pads[0], behind[0])), kernel, stride)

    exact = mean(tx)
    size = mean(tx.abs())
    y = d.g.avg_pool(x, shape=exact.shape, exclude_padding=excluded, **how)
    d.expect(y, exact, size * math.prod(kernel) * FP32_ULP)
    padded = F.pad(tx, (pads[1], pads[1], pads[0], pads[0]))
    exact = F.lp_pool2d(padded, 2, tuple(kernel), stride)
    d.expect(d.g.l2_pool(x, shape=exact.shape, **{**how, "ceil_mode": False}), exact)


# ---- normalisation --------------------------------------------------------------------------------------------------


def vectors(d, channels):
    return d.numbers(channels, weight=True), d.numbers(channels, weight=True)


def normal_slack(tx, over, gamma, epsilon):
    """Mean and differences in float32."""
    deviation = torch.sqrt(tx.var(dim=over, unbiased=False, keepdim=True) + epsilon)
    count = math.prod(tx.shape[i] for i in over)
    return count * FP32_ULP * (gamma.abs().max() * (tx.abs().amax(dim=over, keepdim=True) / deviation + 1)).max()


@case
def norms(d):
    shape = [d.below(1, 3), 2 * d.below(1, 3), d.below(2, 5), d.below(2, 5)]
    x, tx = d.numbers(*shape)
    (gamma, tg), (beta, tb) = vectors(d, shape[1])
    (mean, tm), (variance, tv) = d.numbers(shape[1], weight=True), d.numbers(shape[1], low=0.1, high=3, weight=True)
    g, epsilon = d.g, float(np.float16(0.001))
    d.expect(
        g.batch_norm(x, mean, variance, gamma, beta, epsilon=epsilon, axis=1),
        F.batch_norm(tx, tm, tv, tg, tb, eps=epsilon),
        32 * FP32_ULP,
    )
    d.expect(
        g.instance_norm(x, gamma, beta, epsilon=epsilon, axis=1),
        F.instance_norm(tx, weight=tg, bias=tb, eps=epsilon),
        normal_slack(tx, (2, 3), tg, epsilon),
    )
    groups = d.pick(1, 2, shape[1])
    grouped = tx.reshape(shape[0], groups, -1)
    d.expect(
        g.group_norm(x, gamma, beta, groups=groups, epsilon=epsilon),
        F.group_norm(tx, groups, tg, tb, eps=epsilon),
        normal_slack(grouped, (2,), tg, epsilon),
    )
    size = 2 * d.below(0, 2) + 1  # torch puts the odd neighbour of an even window before, ONNX and this library behind
    exact = F.local_response_norm(tx, size, 0.5, 0.75, 1.0)
    d.expect(g.local_response_norm(x, size=size, alpha=0.5, beta=0.75, k=1.0), exact)


@case
def norms_along_an_axis(d):
    shape = d.shape(d.below(1, 4))
    axis = d.below(0, len(shape) - 1)
    shape[axis] += 1
    x, tx = d.numbers(*shape)
    (gamma, tg), (beta, tb) = vectors(d, shape[axis])
    g, epsilon = d.g, float(np.float16(0.001))
    last = tx.movedim(axis, -1)
    d.expect(
        g.layer_norm(x, gamma, beta, epsilon=epsilon, axis=axis),
        F.layer_norm(last, (shape[axis],), tg, tb, eps=epsilon).movedim(-1, axis),
        normal_slack(tx, (axis,), tg, epsilon),
    )
    rms = tg * last / torch.sqrt((last**2).mean(-1, keepdim=True) + epsilon)
    d.expect(g.rms_norm(x, gamma, epsilon=epsilon, axis=axis), rms.movedim(-1, axis))
    d.expect(g.l2_norm(x, epsilon=epsilon, axis=axis), F.normalize(tx, dim=axis, eps=math.sqrt(epsilon)))
    low, high = tx.amin(axis, keepdim=True), tx.amax(axis, keepdim=True)
    d.expect(g.minmax_norm(x, epsilon=epsilon, axis=axis), (tx - low) / (high - low + epsilon), 8 * FP32_ULP)
    d.expect(g.softmax(x, index=axis), torch.softmax(tx, axis))


# ---- reductions -----------------------------------------------------------------------------------------------------


@case
def reductions(d):
    shape = d.shape(d.below(1, 5), 5)
    over = sorted(d.random.choice(len(shape), d.below(1, len(shape)), replace=False).tolist())
    x, tx = d.numbers(*shape)
    p, tp = d.numbers(*shape, low=0.1, high=2)
    g, how = d.g, {"dim": over, "keepdim": True}
    size = tx.abs().sum(**how)
    terms = math.prod(shape[i] for i in over)
    d.expect(g.reduce_sum(x, list=over), tx.sum(**how), size * terms * FP32_ULP)
    d.expect(g.reduce_mean(x, list=over), tx.mean(**how), size * FP32_ULP)
    d.exactly(g.reduce_max(x, list=over), tx.amax(**how))
    d.exactly(g.reduce_min(x, list=over), tx.amin(**how))
    d.expect(g.reduce_sum_square(x, list=over), (tx**2).sum(**how))
    d.expect(g.reduce_l1_norm(x, list=over), size)
    d.expect(g.reduce_l2_norm(x, list=over), torch.linalg.vector_norm(tx, 2, dim=over, keepdim=True))
    d.expect(g.reduce_log_sum(p, list=over), torch.log(tp.sum(**how)), terms * FP32_ULP)
    d.expect(g.reduce_log_sum_exp(x, list=over), torch.logsumexp(tx, **how), (terms + 4) * FP32_ULP)


@case
def arg_reductions(d):
    """Few different numbers, so that there are ties: the first of equals."""
    shape = d.shape(d.below(1, 4))
    axis = d.below(0, len(shape) - 1)
    x, tx = d.whole(*shape, high=4)
    for name, function in {"arg_max": np.argmax, "arg_min": np.argmin}.items():
        exact = np.expand_dims(function(tx.numpy(), axis), axis)
        d.exactly(d.g.op(name, x, index=axis), exact)
        d.exactly(d.g.op("global_" + name, x, index=axis), exact)


@case
def cumsum(d):
    shape = d.shape(d.below(1, 4), 9)
    axis = d.below(0, len(shape) - 1)
    x, tx = d.numbers(*shape)
    size = tx.abs().sum(axis, keepdim=True) * shape[axis] * FP32_ULP
    forward, backward = torch.cumsum(tx, axis), torch.cumsum(tx.flip(axis), axis).flip(axis)
    g = d.g
    d.expect(g.cumsum(x, axis=axis), forward, size)
    d.expect(g.cumsum(x, axis=axis, exclusive=True), forward - tx, size)
    d.expect(g.cumsum(x, axis=axis, reverse=True), backward, size)
    d.expect(g.cumsum(x, axis=axis, exclusive=True, reverse=True), backward - tx, size)


@case
def order(d):
    """Ties again: equal elements stay in their order."""
    shape = d.shape(d.below(1, 4), 7)
    axis = d.below(0, len(shape) - 1)
    x, tx = d.whole(*shape, high=5) if d.below(0, 1) else d.numbers(*shape)
    k = d.below(1, shape[axis])
    g = d.g
    for ascending in (False, True):
        values, places = torch.sort(tx, dim=axis, descending=not ascending, stable=True)
        whole = {"k": shape[axis], "axis": axis, "ascending": ascending}
        d.exactly(g.sort(x, **whole), values)
        d.exactly(g.arg_sort(x, **whole), places)
        part = {"k": k, "axis": axis, "ascending": ascending}
        d.exactly(g.top_k(x, **part), values.narrow(axis, 0, k))
        d.exactly(g.top_k_indices(x, **part), places.narrow(axis, 0, k))


# ---- movement -------------------------------------------------------------------------------------------------------


@case
def moves(d):
    shape = d.shape(d.below(1, 5), 4)
    rank = len(shape)
    x, tx = d.numbers(*shape)
    g, axis = d.g, d.below(0, rank - 1)
    flat = d.pick([math.prod(shape)], [1, -1], [-1, shape[-1]])
    exact = tx.reshape(flat)
    d.exactly(g.op("reshape", x, shape=exact.shape), exact)
    turned = d.random.permutation(rank).tolist()
    d.exactly(g.transpose(x, order=turned), tx.permute(turned))
    other = list(shape)
    other[axis] = d.below(1, 4)
    y, ty = d.numbers(*other)
    d.exactly(g.concat(x, y, x, index=axis), torch.cat([tx, ty, tx], axis))
    begin = [d.below(0, e - 1) for e in shape]
    size = [d.below(1, e - b) for e, b in zip(shape, begin)]
    d.exactly(g.slice(x, begin=begin, size=size), tx[tuple(slice(b, b + s) for b, s in zip(begin, size))])
    step = [d.below(1, 3) for _ in shape]
    exact = tx[tuple(slice(b, None, s) for b, s in zip(begin, step))]
    d.exactly(g.strided_slice(x, shape=exact.shape, begin=begin, stride=step), exact)
    update, tu = d.numbers(*exact.shape)
    changed = tx.clone()
    changed[tuple(slice(b, None, s) for b, s in zip(begin, step))] = tu
    d.exactly(g.slice_update(x, update, begin=begin, stride=step), changed)
    counts = [d.below(1, 3) for _ in shape]
    d.exactly(g.tile(x, count=counts), tx.repeat(counts))
    backwards = sorted(d.random.choice(rank, d.below(1, rank), replace=False).tolist())
    d.exactly(g.reverse(x, list=backwards), tx.flip(backwards))
    length = d.below(1, shape[axis])
    start = d.below(0, shape[axis] - length)
    window = [length if i == axis else e for i, e in enumerate(shape)]
    moving = g.dynamic_slice(x, g.input(np.array([start])), begin=[0] * rank, size=window)
    d.exactly(moving, tx.narrow(axis, start, length))


@case
def pads(d):
    shape = [e + 2 for e in d.shape(d.below(1, 4), 4)]
    x, tx = d.numbers(*shape)
    before, after = [d.below(0, 2) for _ in shape], [d.below(0, 2) for _ in shape]
    how = {"before": before, "after": after}
    amounts = list(zip(before, after))
    places = np.arange(tx.numel()).reshape(shape)

    def padded(**mode):  # as indices, so that PyTorch follows the elements
        at = torch.tensor(np.pad(places, amounts, **mode))
        return torch.where(at < 0, torch.tensor(0.75, dtype=tx.dtype), tx.reshape(-1)[at.clamp(min=0)])

    d.exactly(d.g.pad(x, 0.75, **how), padded(constant_values=-1))
    d.exactly(d.g.reflect_pad(x, **how), padded(mode="reflect"))
    d.exactly(d.g.symmetric_pad(x, **how), padded(mode="symmetric"))
    d.exactly(d.g.replicate_pad(x, **how), padded(mode="edge"))


@case
def gathers(d):
    shape = d.shape(d.below(1, 4))
    axis = d.below(0, len(shape) - 1)
    x, tx = d.numbers(*shape)
    g = d.g
    index, ti = d.whole(*d.shape(d.below(0, 2)), high=shape[axis])
    exact = tx.index_select(axis, ti.reshape(-1)).reshape((*shape[:axis], *ti.shape, *shape[axis + 1 :]))
    d.exactly(g.gather(x, index, index=axis), exact)
    places = list(shape)
    places[axis] = d.below(1, 7)
    index, ti = d.whole(*places, high=shape[axis])
    d.exactly(g.gather_along_axis(x, index, index=axis), torch.gather(tx, axis, ti))
    depth, count = d.below(1, len(shape)), d.below(1, 6)
    at = np.stack([d.random.integers(0, shape[i], count) for i in range(depth)], axis=-1)
    d.exactly(g.gather_nd(x, g.input(at)), tx[tuple(torch.tensor(at[:, i]) for i in range(depth))])


@case
def blocks(d):
    h, w = d.below(1, 3), d.below(1, 3)
    n, c, y, x = d.below(1, 2), d.below(1, 3), d.below(1, 4), d.below(1, 4)
    g = d.g
    deep, td = d.numbers(n, c * h * w, y, x)
    shuffled = td.reshape(n, c, h, w, y, x).permute(0, 1, 4, 2, 5, 3).reshape(n, c, y * h, x * w)
    if h == w:
        assert torch.equal(shuffled, F.pixel_shuffle(td, h))
    d.exactly(g.pixel_shuffle(deep, by=[h, w]), shuffled)
    wide, tw = d.numbers(n, c, y * h, x * w)
    parts = tw.reshape(n, c, y, h, x, w)
    d.exactly(g.pixel_unshuffle(wide, by=[h, w]), parts.permute(0, 1, 3, 5, 2, 4).reshape(n, c * h * w, y, x))
    d.exactly(g.space_to_depth(wide, by=[h, w]), parts.permute(0, 3, 5, 1, 2, 4).reshape(n, h * w * c, y, x))
    d.exactly(g.space_to_batch(wide, by=[h, w]), parts.permute(0, 3, 5, 1, 2, 4).reshape(n * h * w, c, y, x))
    apart = td.reshape(n, h, w, c, y, x).permute(0, 3, 4, 1, 5, 2)
    d.exactly(g.depth_to_space(deep, by=[h, w]), apart.reshape(n, c, y * h, x * w))
    many, tm = d.numbers(n * h * w, c, y, x)
    apart = tm.reshape(n, h, w, c, y, x).permute(0, 3, 4, 1, 5, 2)
    d.exactly(g.batch_to_space(many, by=[h, w]), apart.reshape(n, c, y * h, x * w))


# ---- sampling -------------------------------------------------------------------------------------------------------


@case
def resize(d):
    x, tx = d.numbers(d.below(1, 2), d.below(1, 3), d.below(1, 7), d.below(1, 7))
    extent = [d.below(1, 12), d.below(1, 12)]
    shape = [*tx.shape[:2], *extent]
    slack = 8 * FP32_ULP * tx.abs().max()
    for grid, corners in (("half_pixel", False), ("align_corners", True)):
        exact = F.interpolate(tx, extent, mode="bilinear", align_corners=corners)
        d.expect(d.g.resize(x, shape=shape, extent=extent, method="bilinear", grid=grid), exact, slack)
    y = d.g.resize(x, shape=shape, extent=extent, method="nearest", grid="asymmetric")
    d.exactly(y, F.interpolate(tx, extent, mode="nearest"))
    # torch takes the upper of two equally near pixels, ONNX and this library the lower: odd ratios have no such pair.
    odd = [tx.shape[2] * d.pick(1, 3, 5), tx.shape[3] * d.pick(1, 3, 5)]
    y = d.g.resize(x, shape=[*tx.shape[:2], *odd], extent=odd, method="nearest", grid="half_pixel")
    d.exactly(y, F.interpolate(tx, odd, mode="nearest-exact"))


@case
def samplers(d):
    """At coordinates in pixels, which torch wants from -1 to 1: in doubles, so nothing is lost on the way."""
    x, tx = d.numbers(d.below(1, 2), d.below(1, 3), d.below(2, 6), d.below(2, 6))
    n, _, height, width = tx.shape
    extent = [d.below(1, 5), d.below(1, 5)]
    places = rounded(np.stack([d.random.uniform(-3, e + 2, (n, *extent)) for e in (height, width)], axis=1))
    t = torch.tensor(places)
    shape, slack = [*tx.shape[:2], *extent], 64 * FP32_ULP * tx.abs().max()
    for border, theirs in (("zero", "zeros"), ("edge", "border"), ("reflect", "reflection")):
        for grid, corners in (("half_pixel", False), ("align_corners", True)):
            pixels = ((t[:, 1], width), (t[:, 0], height))
            where = [2 * p / (e - 1) - 1 if corners else (2 * p + 1) / e - 1 for p, e in pixels]
            exact = F.grid_sample(tx, torch.stack(where, -1), "bilinear", theirs, align_corners=corners)
            how = {"shape": shape, "extent": extent, "border": border, "grid": grid}
            d.expect(d.g.resample(x, d.g.input(places), method="bilinear", **how), exact, slack)
    whole = np.stack([d.random.integers(0, e, (n, *extent)) for e in (height, width)], axis=1)
    rows, columns = (torch.tensor(whole[:, i]) for i in (0, 1))
    images = torch.arange(n).reshape(n, 1, 1)
    d.exactly(d.g.gather_hw(x, d.g.input(whole)), tx[images, :, rows, columns].permute(0, 3, 1, 2))


@case
def affine(d):
    """Maps to multiples of a quarter of a pixel: the engine's unit rounds coordinates, so may the backend."""
    x, tx = d.numbers(1, d.below(1, 3), 4, 8)
    columns, rows = [d.pick(1.0, 0.5, -1.0), 0.0, d.pick(0.0, 0.25, -0.5)], [0.0, d.pick(1.0, -1.0), d.pick(0.0, 0.5)]
    grid = F.affine_grid(torch.tensor([[columns, rows]], dtype=torch.float64), list(tx.shape), align_corners=False)
    exact = F.grid_sample(tx, grid, align_corners=False)
    matrix = d.g.input(np.array([columns + rows]))
    y = d.g.affine(x, matrix, shape=exact.shape, extent=[4, 8], method="bilinear", border="zero")
    d.expect(y, exact, 64 * FP32_ULP * tx.abs().max())


@case
def crop_resize(d):
    """Boxes on whole pixels are slices that are resized."""
    x, tx = d.numbers(1, d.below(1, 3), d.below(3, 7), d.below(3, 7))
    extent = [d.below(2, 6), d.below(2, 6)]
    boxes, exact = [], []
    for _ in range(d.below(1, 3)):
        corner = [d.below(0, e - 2) for e in tx.shape[2:]]
        end = [d.below(c + 1, e - 1) for c, e in zip(corner, tx.shape[2:])]
        part = tx[:, :, corner[0] : end[0] + 1, corner[1] : end[1] + 1]
        exact.append(F.interpolate(part, extent, mode="bilinear", align_corners=True))
        boxes.append([*corner, *end])
    exact = torch.cat(exact)
    how = {"method": "bilinear", "grid": "align_corners", "border": "edge"}
    y = d.g.crop_resize(x, d.g.input(np.array(boxes)), shape=exact.shape, extent=extent, **how)
    d.expect(y, exact, 8 * FP32_ULP * tx.abs().max())


# ---- integers, points -----------------------------------------------------------------------------------------------


@case
def quantisation(d):
    """The quotient is formed in float32: one that lies at a tie there may go to either side."""
    x, tx = d.numbers(*d.shape(3), low=-20, high=20)
    axis = d.below(0, 2)
    scale, ts = d.numbers(*d.pick([], [x.shape[axis]]), low=0.05, high=0.3, weight=True)
    kind, low, high = d.pick(("int8", -128, 127), ("uint8", 0, 255))
    zero = d.random.integers(low, high + 1, scale.shape)
    wide = [-1 if i == axis else 1 for i in range(3)] if scale.rank else []
    factor, shift = ts.reshape(wide), torch.tensor(zero).reshape(wide)
    steps = tx / factor
    exact = torch.clamp(torch.round(steps) + shift, low, high)
    tie = ((steps - torch.floor(steps) - 0.5).abs() < 1e-4).double()
    q = d.g.quantize(x, scale, d.g.weight(zero), type=kind, axis=axis)
    d.expect(q, exact, tie, ulps=0)
    stored = d.random.integers(low, high + 1, x.shape)
    y = d.g.dequantize(d.g.input(stored, kind), scale, d.g.weight(zero), type=kind, axis=axis)
    d.expect(y, factor * (torch.tensor(stored) - shift))


@case
def cast(d):
    data = d.random.integers(0, 256, d.shape(3))
    d.exactly(d.g.cast(d.g.input(data, "uint8")), data)


@case
def points(d):
    g = d.g
    (a, ta), (b, tb) = d.numbers(d.below(1, 4), 3, 1, 1), d.numbers(1, 3, 1, 1)
    b = g.tile(b, count=[a.shape[0], 1, 1, 1])
    tb = tb.expand_as(ta)
    crossed = torch.cross(ta, tb, dim=1)
    d.expect(g.cross_product(a, b), crossed, 4 * FP32_ULP * (ta.abs().max() * tb.abs().max()))
    planes = d.below(1, 4)
    (x, tx), width = d.numbers(d.below(1, 2), 1, 3, 4), 4
    r, tr = d.numbers(x.shape[0], 1, 3, width + planes - 1)
    volume = torch.cat([(tx - tr[..., i : i + width]).abs() for i in range(planes)], dim=1)
    d.expect(g.cost_volume(x, r, shape=volume.shape, count=planes), volume)
    p, tp = d.numbers(1, 3, 1, d.below(6, 20))
    c, tc = d.numbers(1, 3, 1, d.below(1, 4))
    distances = torch.cdist(tp[0, :, 0].T, tc[0, :, 0].T, compute_mode="donot_use_mm_for_euclid_dist")
    radius = float(np.float32(float(distances.min() + distances.max()) / 2 + 1e-3))
    flags = g.radius_search(c, p, shape=(1, 1, p.shape[3], c.shape[3]), radius=radius)
    near = (distances <= radius).double()[None, None]
    unsure = ((distances - radius).abs() < 1e-5).double()[None, None]  # in float32
    d.expect(g.real(flags), near, unsure, ulps=0)
    count = d.below(2, 5)
    chosen, best = [0], torch.full((tp.shape[3],), math.inf, dtype=torch.float64)
    places = tp[0, :, 0].T
    for _ in range(count - 1):
        best = torch.minimum(best, ((places - places[chosen[-1]]) ** 2).sum(-1))
        chosen.append(int(best.argmax()))
    y = g.furthest_point_sampling(p, shape=(1, 3, 1, count), count=count)
    d.exactly(y, tp[..., chosen])


@case
def random_numbers(d):
    """Nothing but the range is defined."""
    y = d.g.random_uniform(shape=(4, 64), low=-1.0, high=3.0)
    d.expect(y, np.full((4, 64), 1.0), 2.0, wide_slack=2.0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--evaluate", help="the program conformance_evaluate")
    parser.add_argument("--seed", type=int, default=20260101)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--show", action="store_true", help="print the graphs")
    given = parser.parse_args()
    evaluator = Evaluator(given.evaluate)
    if evaluator.missing():
        print(f"skipped: {evaluator.program} is not built")
        return 77
    torch.set_num_threads(1)
    print(f"seed {given.seed}, {given.rounds} rounds, PyTorch {torch.__version__}")
    draws = []
    for i, function in enumerate(CASES):
        for r in range(given.rounds):
            d = Draw(f"{function.__name__}/{r}", [given.seed, i, r])
            if given.only in d.graph.name:
                function(d)
                draws.append(d)
                if given.show:
                    print(d.graph.text(range(1000)))
    good = True
    for label, options, judge in (("", (), Draw.judge), ("wide", ("--wide",), Draw.judge_wide)):
        outcomes, results, passed = collections.Counter(), 0, set()
        for d, (status, result) in zip(draws, evaluator.run([d.graph for d in draws], *options)):
            fault = judge(d, result) if status == "ok" else result
            word = {"ok": "failed" if fault else "passed", "unsupported": "no kernel"}.get(status, "failed")
            outcomes[word] += 1
            if word == "passed":
                passed |= d.graph.operations
                results += len(d.wanted)
            else:
                print(f"{word:10} {label} {d.graph.name}: {fault}")
        counts = ", ".join(f"{n} {word}" for word, n in sorted(outcomes.items()))
        print(f"{len(draws)} cases {label or 'on the CPU'}, {results} results passed: {counts}")
        good = good and outcomes["failed"] == 0
        covered = passed if label == "" else covered & passed
    if not given.only:
        good = page.check(page.torch_parts(len(CASES), covered)) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
