"""PyTorch's autograd as a referee of the gradients: each operation of torch_cases.py on random shapes, and random graphs of 5
to 40 operations.

    torch_gradients.py [--evaluate <program>] [--seed <number>] [--rounds <number>] [--graphs <number>] [--only <part of a name>]
                       [--beyond]

The derivative of each output, times random factors, by each of its inputs and weights. Both compute from the same fp16
numbers, in float64 (backend::wide). A gradient passes whose cosine with PyTorch's is at least 0.99999 and whose length is
within 1e-5 of it.

Gradients are judged on the CPU backend too, in fp16. What that can be is a matter of the graph: in some of them the rounding of
any value to fp16 is seen in the third digit of a gradient. So an error is stated for each gradient beforehand: the root mean square
of the errors of the same graph in float64 with each value rounded to one of its two neighbours by chance, over sixteen draws. A
gradient passes within six times that error; no more than one in fifty may be beyond twice of it; and all together may be no farther
from PyTorch's than those of float64 with each value rounded to the nearest, which is the best that a program of fp16 values can do.
Tables tell how many have a cosine of 0.99999, and what PyTorch with rounded values comes to, which is not judged; --beyond lists the
others, with the error that is stated and the condition: by how much the graph enlarges one rounding.

The engine's arithmetic, M1's and M5's, is held to an error that is stated in the same way: each operation of the lowered graph is moved
off by what is stated of that arithmetic before it is rounded (analysis/operation_error.hpp: the register of products, the narrow
sums, tables). It holds for gradients and for the values of random graphs themselves: within six times, and one in fifty beyond twice.

Ends with 1 if a case failed, with 77 where PyTorch (Debian package python3-torch) or NumPy is missing.
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

COSINE, LENGTH = 0.99999, 1e-5  # the least cosine, and the largest relative error of the length
NOTHING = 1e-6  # the root mean square below which a gradient is nothing in float64: there it may be four times as much
# In fp16: draws by which an error is stated, how many times the stated error any gradient may be off, and one in fifty.
DRAWS, MOST, OFTEN, SHARE = 16, 6.0, 2.0, 0.02
ROUNDING = 2.0**-11 / np.sqrt(6)  # the error of rounding a number by chance, root of the mean square, at most
NOISE = 1.05  # how many times the error of float64 rounded to the nearest, on geometric average


class Rounding(torch.autograd.Function):
    """Rounds a value to fp16, and what comes back to it."""

    @staticmethod
    def forward(ctx, x):
        return x.half().double()

    @staticmethod
    def backward(ctx, g):
        return g.half().double()


class Derived:
    """The gradient of one value of a graph: what of the graph it needs, and PyTorch's gradients. Or the value itself, where nothing
    is named by which to derive it."""

    def __init__(self, whole, product, number, wanted, value=None):
        self.graph = Graph(f"{whole.name}/{number}" if wanted else f"{whole.name}/value{number}")
        self.graph.tensors = whole.tensors
        self.gradients = [g for _, g in wanted] if wanted else [value]
        self.least = 1.0
        needed = {product.name}
        kept = []
        for name, kind, words in reversed(whole.lines):
            if name in needed:
                needed |= {w for w in words if isinstance(w, str) and "=" not in w}
                kept.append((name, kind, words))
                if kind not in ("input", "weight", "constant"):
                    self.graph.operations.add(kind)
        last = ("gradient", product.name, [v.name for v, _ in wanted]) if wanted else ("output", product.name, [])
        self.graph.lines = [*reversed(kept), last]

    def judge(self, arrays):
        """Of arrays in float64 what is wrong; None if nothing is."""
        fault = self.misfit(arrays)
        if fault:
            return fault
        for i, (got, exact) in enumerate(zip(arrays, self.gradients)):
            got, exact = got.reshape(-1), exact.reshape(-1)
            sizes = np.linalg.norm(got), np.linalg.norm(exact)
            if sizes[1] < NOTHING * np.sqrt(exact.size):
                if sizes[0] > 4 * NOTHING * np.sqrt(exact.size):
                    return f"gradient {i}: {sizes[0]:.3g} long instead of {sizes[1]:.3g}"
                continue
            angle = cosine(got, exact)
            if angle < COSINE or abs(sizes[0] / sizes[1] - 1) > LENGTH:
                return f"gradient {i}: cosine {angle:.7f}, {sizes[0]:.6g} long instead of {sizes[1]:.6g}"
            self.least = min(self.least, angle)
        return None

    def misfit(self, arrays):
        if len(arrays) != len(self.gradients):
            return f"{len(arrays)} gradients instead of {len(self.gradients)}"
        for i, (got, exact) in enumerate(zip(arrays, self.gradients)):
            if got.size != exact.size:
                return f"gradient {i}: shape {got.shape} instead of {exact.shape}"
            if not np.isfinite(np.asarray(got, np.float64)).all():
                return f"gradient {i}: is not finite"
        return None

    def errors(self, arrays):
        """How far each gradient is from PyTorch's, in its own unit."""
        return [np.linalg.norm(np.asarray(got, np.float64).reshape(-1) - exact.reshape(-1)) for got, exact in zip(arrays, self.gradients)]


def cosine(got, exact):
    got, exact = np.asarray(got, np.float64).reshape(-1), np.asarray(exact, np.float64).reshape(-1)
    sizes = np.linalg.norm(got), np.linalg.norm(exact)
    return float(got @ exact / (sizes[0] * sizes[1])) if sizes[0] > 0 and sizes[1] > 0 else float(sizes[0] == sizes[1])


class GradientDraw(torch_cases.Draw):
    """A case whose inputs PyTorch follows."""

    def __init__(self, name, seed):
        super().__init__(name, seed)
        self.leaves = []
        self.derived = []
        self.values = []

    def numbers(self, *shape, low=-2.0, high=2.0, weight=False):
        value, tensor = super().numbers(*shape, low=low, high=high, weight=weight)
        leaf = tensor.clone().requires_grad_(True)
        self.leaves.append((value, leaf))
        # The shape of a tensor that is no leaf may be changed in place.
        return value, leaf * 1.0

    def expect(self, value, exact, slack=0.0, ulps=None, wide_slack=None):
        if value.kind != "fp16" or not isinstance(exact, torch.Tensor) or not exact.requires_grad:
            return
        if value.rank > 0:
            self.values.append(Derived(self.g, value, len(self.values), [], exact.detach().numpy()))
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


def random_graph(d, operations, store=lambda t: t):
    """Images [N, C, H, W] and rows [M, K], each operation over what was made before; tanh keeps values small. What PyTorch
    computes goes through `store`."""
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
            new = g.sub(x, mean), t - store(t.mean(axis, keepdim=True))
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
        new = new[0], store(new[1])
        if float(new[1].detach().abs().max()) > 4:
            new = g.tanh(new[0]), store(torch.tanh(new[1]))
            made += 1
        pool.append(new)
    for value, exact in pool[-3:]:
        d.expect(value, exact)


def batch_norm(x, mean, variance, gamma, beta, eps):
    """That of PyTorch does not derive by given statistics."""
    wide = [1, -1, *[1] * (x.dim() - 2)]
    scale = gamma / torch.sqrt(variance + eps)
    return (x - mean.reshape(wide)) * scale.reshape(wide) + beta.reshape(wide)


def judge_wide(label, cases, evaluator):
    """Whether all is well, and the cases that have a derivative."""
    outcomes, operations, refused, derived = collections.Counter(), set(), set(), []
    for d, (status, result) in zip(cases, evaluator.run([d.graph for d in cases], "--wide") if cases else []):
        if status == "error" and "has no derivative" in result:
            outcomes["refused"] += 1
            refused.add(result.split(": ")[1] if ": " in result else result)
            continue
        derived.append(d)
        fault = d.judge(result) if status == "ok" else result
        outcomes["failed" if fault else "passed"] += 1
        if fault:
            print(f"failed {d.graph.name}: {fault}")
        else:
            operations |= d.graph.operations
    counts = ", ".join(f"{n} {word}" for word, n in sorted(outcomes.items()))
    least = min((d.least for d in cases), default=1.0)
    print(f"{sum(len(d.gradients) for d in cases)} gradients {label}, in float64: {counts}; least cosine {least:.7f}")
    print(f"  {len(operations)} operations" + (f"; without a derivative: {', '.join(sorted(refused))}" if refused else ""))
    return outcomes["failed"] == 0 and (not cases or outcomes["passed"] > 0), derived


def stated_errors(cases, evaluator, *options):
    """The positions of the cases of which an error is stated, and the error of each of their gradients. Left out are those with an
    operation of which nothing is stated, and those in which one rounding makes a gradient infinite."""
    draws = [evaluator.run([d.graph for d in cases], *options, str(seed)) for seed in range(1, DRAWS + 1)]
    kept, stated, silent, infinite = [], [], [], 0
    for i, d in enumerate(cases):
        results = [draw[i] for draw in draws]
        if all(status == "error" and "has no stated error" in result for status, result in results):
            silent.append(results[0][1].split(": ")[1])
            continue
        for status, result in results:
            if status != "ok":
                raise RuntimeError(f"{d.graph.name} {' '.join(options)}: {result}")
        if not all(np.isfinite(g).all() for _, result in results for g in result):
            infinite += 1
            continue
        kept.append(i)
        stated.append(np.sqrt(np.mean([np.square(d.errors(result)) for _, result in results], axis=0)))
    left = f"{len(silent)} graphs have operations of which no error is stated: {', '.join(sorted(set(silent)))}; " if silent else ""
    left += f"in {infinite} one rounding makes a gradient infinite" if infinite else ""
    return kept, np.concatenate(stated) if stated else np.zeros(0), left.rstrip("; ")


def results_of(cases, evaluator, *options):
    found = []
    for d, (status, result) in zip(cases, evaluator.run([d.graph for d in cases], *options)):
        fault = d.misfit(result) if status == "ok" else result
        if fault:
            raise RuntimeError(f"{d.graph.name} {' '.join(options)}: {fault}")
        found.append(result)
    return found


def all_errors(cases, arrays):
    return np.concatenate([d.errors(a) for d, a in zip(cases, arrays)])


def all_angles(cases, arrays):
    return np.array([cosine(got, exact) for d, a in zip(cases, arrays) for got, exact in zip(a, d.gradients)])


def all_lengths(cases):
    return np.array([np.linalg.norm(g) for d in cases for g in d.gradients])


def all_names(cases):
    return [f"{d.graph.name}: gradient {i}" for d in cases for i in range(len(d.gradients))]


def judge_times(names, times, found, stated, lengths, label):
    """Whether errors are within what is stated of them."""
    for i in np.flatnonzero(times > MOST):
        print(f"failed {names[i]} by {label}: {found[i]:.3g} off, {stated[i]:.3g} is stated, length {lengths[i]:.3g}")
    often = (times > OFTEN).mean() > SHARE
    if often:
        print(f"failed: {(times > OFTEN).sum()} gradients by {label} beyond {OFTEN} times what is stated")
    return not often and not (times > MOST).any()


def judge_rounded(label, cases, halves, evaluator, lists_beyond):
    """Gradients in fp16, each beside the error that is stated for it; `halves` are PyTorch's of rounded values, if known."""
    if not cases:
        return True
    kept, stated, left = stated_errors(cases, evaluator, "--rounded")
    cases, halves = [cases[i] for i in kept], [halves[i] for i in kept] if halves else []

    def results(*options):
        return results_of(cases, evaluator, *options)

    names, lengths = all_names(cases), all_lengths(cases)
    nearest = all_errors(cases, best := results("--rounded", "0"))
    seen = lengths > MOST * stated  # of what is as small as its error no direction is asked
    print(f"{len(names)} gradients {label} in fp16, {seen.sum()} of them above {MOST:g} times the error that is stated:")
    if left:
        print(f"  {left}")
    print(f"  {'':46} cosine {COSINE}  below it  times stated: median, 99 of 100, most")
    good = True
    for label, arrays, is_ours in (
        ("the CPU, each operation rounded", results(), True),
        ("the CPU, each layer rounded", results("--layers"), True),
        ("our graph in float64, rounded to the nearest", best, False),
        *[("PyTorch in float64, values rounded", [d.gradients for d in halves], False)] * bool(halves),
    ):
        found, angles = all_errors(cases, arrays), all_angles(cases, arrays)
        times = found / np.maximum(stated, 2.0**-26)
        below = seen & (angles < COSINE)
        middle, high = np.quantile(times[seen], [0.5, 0.99])
        print(
            f"  {label:46} {(seen & ~below).sum():14} {below.sum():9} {middle:21.2f} {high:11.2f} {times[seen].max():5.2f}"
        )
        if not is_ours:
            continue
        good = judge_times(names, times, found, stated, lengths, label) and good
        both = (found > 0) & (nearest > 0)
        noise = float(np.exp(np.mean(np.log(found[both] / nearest[both])))) if both.any() else 1.0
        if noise > NOISE:
            print(f"failed: {noise:.3f} times as far off as float64 rounded to the nearest, on average")
        for i in np.flatnonzero(below) if lists_beyond else []:
            share = stated[i] / lengths[i]
            print(
                f"    {names[i]} by {label}: cosine {angles[i]:.7f}, off by {found[i] / lengths[i]:.5f} of its length,"
                f" {share:.5f} is stated: condition {share / ROUNDING:.1f}"
            )
        if below.any():
            least = (stated[below] / lengths[below]).min()
            print(f"    of those below it {least:.5f} of the length is stated at least: condition {least / ROUNDING:.1f}")
        good = good and noise <= NOISE
    return good


def judge_chips(label, cases, evaluator):
    """Results by the arithmetic of M1 and M5, each beside the error that is stated for it of that arithmetic."""
    if not cases:
        return True
    print(f"{sum(len(d.gradients) for d in cases)} {label} by the engine's arithmetic:")
    print(f"  {'':20} cosine {COSINE}  below it  times stated: median, 99 of 100, most  stated, of the length: median")
    good = True
    for chip, name in (("h13", "the M1's arithmetic"), ("h17s", "the M5's arithmetic")):
        kept, stated, left = stated_errors(cases, evaluator, "--stated", chip)
        judged = [cases[i] for i in kept]
        arrays = results_of(judged, evaluator, "--oracle", chip)
        found, angles, lengths = all_errors(judged, arrays), all_angles(judged, arrays), all_lengths(judged)
        seen = lengths > MOST * stated
        below = seen & (angles < COSINE)
        times = found / np.maximum(stated, 2.0**-26)
        middle, high = np.quantile(times[seen], [0.5, 0.99])
        share = np.median(stated[seen] / lengths[seen])
        print(
            f"  {name:20} {(seen & ~below).sum():14} {below.sum():9} {middle:21.2f} {high:11.2f} {times[seen].max():5.2f}"
            f" {share:30.5f}"
        )
        if left:
            print(f"    {left}")
        good = judge_times(all_names(judged), times, found, stated, lengths, name) and good
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--evaluate", help="the program conformance_evaluate")
    parser.add_argument("--seed", type=int, default=20260102)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--graphs", type=int, default=60)
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--beyond", action="store_true", help="list gradients of random graphs below the cosine in fp16")
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
    composed, halves, values = [], [], []
    for r in range(given.graphs):
        d = GradientDraw(f"graph/{r}", [given.seed, 1000, r])
        if given.only in d.graph.name:
            random_graph(d, d.below(5, 40))
            composed += d.derived
            values += d.values
            again = GradientDraw(d.graph.name, [given.seed, 1000, r])
            random_graph(again, again.below(5, 40), Rounding.apply)
            halves += again.derived
    good, operations = judge_wide("of the operations", derived, evaluator)
    for label, cases, others in (("of the operations", operations, []), ("of random graphs", composed, halves)):
        if cases is composed:
            good = judge_wide(label, composed, evaluator)[0] and good
        good = judge_rounded(label, cases, others, evaluator, given.beyond) and good
        good = judge_chips(f"gradients {label}", cases, evaluator) and good
    good = judge_chips("values of random graphs", values, evaluator) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
