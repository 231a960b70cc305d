"""PyTorch's autograd as a referee of the gradients: each operation of torch_cases.py on random shapes, and random graphs of 5
to 40 operations.

    torch_gradients.py [--evaluate <program>] [--seed <number>] [--rounds <number>] [--graphs <number>] [--only <part of a name>]

The derivative of each output, times random factors, by each of its inputs and weights. Both compute from the same fp16
numbers, in float64 (backend::wide). A gradient passes whose cosine with PyTorch's is at least 0.99999 and whose length is
within 1e-5 of it; of random graphs, those of the CPU backend too, in fp16, with bounds of their own. Ends with 1 if a case
failed, with 77 where PyTorch (Debian package python3-torch) or NumPy is missing.
"""

import argparse
import collections
import sys

try:
    import numpy as np
    import torch
    import torch.nn.functional as F
except ImportError as missing:
    print(f"skipped: {missing} (Debian packages python3-torch and python3-numpy)")
    sys.exit(77)

import torch_cases
from harness import Evaluator, Graph, rounded

# The least cosine, the largest relative error of the length, and the root mean square below which a gradient is nothing: there
# it may be four times as much.
EXACT = 0.99999, 1e-5, 1e-6
# In fp16 each operation rounds, and what a graph makes of that grows with its length.
ROUNDED = 0.98, 0.15, 0.005


class Derived:
    """The gradient of one value of a graph: what of the graph it needs, and PyTorch's gradients."""

    def __init__(self, whole, product, number, wanted):
        self.graph = Graph(f"{whole.name}/{number}")
        self.graph.tensors = whole.tensors
        self.gradients = [g for _, g in wanted]
        self.least = 1.0
        needed = {product.name}
        kept = []
        for name, kind, words in reversed(whole.lines):
            if name in needed:
                needed |= {w for w in words if isinstance(w, str) and "=" not in w}
                kept.append((name, kind, words))
                if kind not in ("input", "weight", "constant"):
                    self.graph.operations.add(kind)
        self.graph.lines = [*reversed(kept), ("gradient", product.name, [v.name for v, _ in wanted])]

    def judge(self, arrays, cosine, length, nothing):
        if len(arrays) != len(self.gradients):
            return f"{len(arrays)} gradients instead of {len(self.gradients)}"
        for i, (got, exact) in enumerate(zip(arrays, self.gradients)):
            if got.size != exact.size:
                return f"gradient {i}: shape {got.shape} instead of {exact.shape}"
            got, exact = np.asarray(got, np.float64).reshape(-1), exact.reshape(-1)
            sizes = np.linalg.norm(got), np.linalg.norm(exact)
            if not np.isfinite(sizes).all():
                return f"gradient {i}: is not finite"
            if sizes[1] < nothing * np.sqrt(exact.size):
                if sizes[0] > 4 * nothing * np.sqrt(exact.size):
                    return f"gradient {i}: {sizes[0]:.3g} long instead of {sizes[1]:.3g}"
                continue
            angle = float(got @ exact / (sizes[0] * sizes[1])) if sizes[0] > 0 else 0.0
            if angle < cosine or abs(sizes[0] / sizes[1] - 1) > length:
                return f"gradient {i}: cosine {angle:.7f}, {sizes[0]:.6g} long instead of {sizes[1]:.6g}"
            self.least = min(self.least, angle)
        return None


class GradientDraw(torch_cases.Draw):
    """A case whose inputs PyTorch follows."""

    def __init__(self, name, seed):
        super().__init__(name, seed)
        self.leaves = []
        self.derived = []

    def numbers(self, *shape, low=-2.0, high=2.0, weight=False):
        value, tensor = super().numbers(*shape, low=low, high=high, weight=weight)
        leaf = tensor.clone().requires_grad_(True)
        self.leaves.append((value, leaf))
        # The shape of a tensor that is no leaf may be changed in place.
        return value, leaf * 1.0

    def expect(self, value, exact, slack=0.0, ulps=None, wide_slack=None):
        if value.kind != "fp16" or not isinstance(exact, torch.Tensor) or not exact.requires_grad:
            return
        factors = rounded(self.random.uniform(-1, 1, exact.shape))
        found = torch.autograd.grad(
            exact, [leaf for _, leaf in self.leaves], torch.tensor(factors), retain_graph=True, allow_unused=True
        )
        wanted = [(v, g.numpy()) for (v, _), g in zip(self.leaves, found) if g is not None]
        if wanted and value.rank > 0:
            product = self.g.mul(value, self.g.input(factors))
            self.derived.append(Derived(self.g, product, len(self.derived), wanted))


# ---- random graphs --------------------------------------------------------------------------------------------------

SMOOTH = {
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
    "silu": F.silu,
    "gelu": torch_cases.UNARY["gelu"],
    "softplus": torch_cases.UNARY["softplus"],
    "sin": torch.sin,
    "cos": torch.cos,
    "erf": torch.erf,
    "atan": torch.atan,
    "softsign": F.softsign,
}


def random_graph(d, operations):
    """Images [N, C, H, W] and rows [M, K], each operation over what was made before; tanh keeps values small."""
    g = d.g
    image = [2, d.below(1, 4), d.below(3, 6), d.below(3, 6)]
    pool = [d.numbers(*image), d.numbers(*image), d.numbers(d.below(1, 5), d.below(2, 9))]
    made = 0

    def weight(*shape):
        return d.numbers(*shape, low=-0.7, high=0.7, weight=True)

    while made < operations:
        x, t = pool[d.below(max(0, len(pool) - 4), len(pool) - 1)]
        images = x.rank == 4
        like = [p for p in pool if p[0].shape == x.shape]
        other, to = like[d.below(0, len(like) - 1)]
        channels = x.shape[1]
        choice = d.below(0, 11)
        if choice <= 2:
            name = d.pick(*SMOOTH)
            new = g.op(name, x), SMOOTH[name](t)
        elif choice == 3:
            new = g.add(x, other), t + to
        elif choice == 4:
            new = g.mul(x, other), t * to
        elif choice == 5:
            new = g.sub(x, other), t - to
        elif choice == 6:
            axis = d.below(0, x.rank - 1)
            mean = g.reduce_mean(x, list=[axis])
            new = g.sub(x, mean), t - t.mean(axis, keepdim=True)
            made += 1
        elif choice == 7 and not images:
            w, tw = weight(d.below(2, 9), channels)
            b, tb = weight(tw.shape[0])
            new = g.linear(x, w, b), F.linear(t, tw, tb)
        elif choice == 7:
            groups = d.pick(*[k for k in (1, 2, 3, 4) if channels % k == 0])
            w, tw = weight(groups * d.below(1, 2), channels // groups, d.below(1, 3), d.below(1, 3))
            stride = d.pair(1, 2) if min(x.shape[2:]) > 4 else [1, 1]
            exact = F.conv2d(t, tw, None, stride, 1, 1, groups)
            y = g.conv2d(x, w, shape=exact.shape, stride=stride, padding=[1, 1, 1, 1], groups=groups)
            new = y, exact
        elif choice == 8:
            new = g.softmax(x, index=x.rank - 1), torch.softmax(t, -1)
        elif choice == 9:
            (gamma, tg), (beta, tb) = weight(x.shape[-1]), weight(x.shape[-1])
            y = g.layer_norm(x, gamma, beta, axis=x.rank - 1, epsilon=float(np.float32(0.01)))
            new = y, F.layer_norm(t, t.shape[-1:], tg, tb, float(np.float32(0.01)))
        elif choice == 10:
            order = [0, 1, 3, 2] if images else [1, 0]
            new = g.transpose(x, order=order), t.permute(order)
        elif images and min(x.shape[2:]) > 1:
            exact = F.avg_pool2d(t, 2, 1)
            new = g.avg_pool(x, shape=exact.shape, kernel=[2, 2], stride=[1, 1]), exact
        else:
            begin = d.below(0, channels - 1)
            size = [x.shape[0], channels - begin, *x.shape[2:]]
            y = g.slice(x, begin=[0, begin, *[0] * (x.rank - 2)], size=size)
            new = g.concat(y, x, index=1), torch.cat([t[:, begin:], t], 1)
            made += 1
        made += 1
        if float(new[1].detach().abs().max()) > 4:
            new = g.tanh(new[0]), torch.tanh(new[1])
            made += 1
        pool.append(new)
    for value, exact in pool[-3:]:
        d.expect(value, exact)


def batch_norm(x, mean, variance, gamma, beta, eps):
    """That of PyTorch does not derive by given statistics."""
    wide = [1, -1, *[1] * (x.dim() - 2)]
    scale = gamma / torch.sqrt(variance + eps)
    return (x - mean.reshape(wide)) * scale.reshape(wide) + beta.reshape(wide)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--evaluate", help="the program conformance_evaluate")
    parser.add_argument("--seed", type=int, default=20260102)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--graphs", type=int, default=60)
    parser.add_argument("--only", default="", help="cases whose name contains this")
    given = parser.parse_args()
    evaluator = Evaluator(given.evaluate)
    if evaluator.missing():
        print(f"skipped: {evaluator.program} is not built")
        return 77
    torch.set_num_threads(1)
    F.batch_norm = batch_norm
    print(f"seed {given.seed}, {given.rounds} rounds, {given.graphs} graphs, PyTorch {torch.__version__}")
    derived = []
    for i, function in enumerate(torch_cases.CASES):
        for r in range(given.rounds):
            d = GradientDraw(f"{function.__name__}/{r}", [given.seed, i, r])
            if given.only in d.graph.name:
                function(d)
                derived += d.derived
    composed = []
    for r in range(given.graphs):
        d = GradientDraw(f"graph/{r}", [given.seed, 1000, r])
        if given.only in d.graph.name:
            random_graph(d, d.below(5, 40))
            composed += d.derived
    good = True
    for label, options, cases, *bounds in (
        ("of the operations, in float64", ("--wide",), derived, *EXACT),
        ("of random graphs, in float64", ("--wide",), composed, *EXACT),
        ("of random graphs, on the CPU in fp16", (), composed, *ROUNDED),
    ):
        outcomes, operations, refused = collections.Counter(), set(), set()
        for d in cases:
            d.least = 1.0
        for d, (status, result) in zip(cases, evaluator.run([d.graph for d in cases], *options) if cases else []):
            if status == "error" and "has no derivative" in result:
                outcomes["refused"] += 1
                refused.add(result.split(": ")[1] if ": " in result else result)
                continue
            fault = d.judge(result, *bounds) if status == "ok" else result
            outcomes["failed" if fault else "passed"] += 1
            if fault:
                print(f"failed {d.graph.name}: {fault}")
            else:
                operations |= d.graph.operations
        counts = ", ".join(f"{n} {word}" for word, n in sorted(outcomes.items()))
        least = min((d.least for d in cases), default=1.0)
        print(f"{sum(len(d.gradients) for d in cases)} gradients {label}: {counts}; least cosine {least:.7f}")
        print(f"  {len(operations)} operations" + (f"; without a derivative: {', '.join(sorted(refused))}" if refused else ""))
        good = good and outcomes["failed"] == 0 and (not cases or outcomes["passed"] > 0)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
