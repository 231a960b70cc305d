"""What the conformance tests share: graphs as text for the program `conformance_evaluate`, its runs, the comparison.

Numbers: fp16 in and out, the expectation in float64. A value passes if it lies within 2 units in the last place (ulp)
of fp16 of the exact one, plus the slack that a case gives itself with a reason.
"""

import os
import pathlib
import subprocess
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = pathlib.Path(os.environ.get("ANEMONE_SOURCE_DIR", HERE.parent.parent))
BUILD = pathlib.Path(os.environ.get("ANEMONE_BUILD_DIR", SOURCE / "build"))

ULPS = 2
WIDE = 1e-12  # relative, of results in float64
HALF_ULP = 2.0**-11  # relative error of one rounding to fp16
FP32_ULP = 2.0**-23  # of float32, which sums are formed in: twice its half ulp, so that second-order terms are inside
FP64_ULP = 2.0**-52  # the same of float64
LARGEST = 65504.0
ALIGNMENT = 64

BOOLEAN = {"equal", "not_equal", "greater", "greater_equal", "less", "less_equal", "logical_not"}
BOOLEAN |= {"logical_and", "logical_or", "logical_xor"}
BROADCASTING = {"add", "sub", "mul", "div", "minimum", "maximum", "pow", "floor_div"} | BOOLEAN - {"logical_not"}
LIKE_AXES = {"reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_sum_square"}
LIKE_AXES |= {"reduce_l1_norm", "reduce_l2_norm", "reduce_log_sum", "reduce_log_sum_exp"}
LIKE_AXIS = {"arg_max", "arg_min", "global_arg_max", "global_arg_min"}
WITH_SHAPE_RULE = {"conv2d", "conv_transpose2d", "max_pool", "avg_pool", "l2_pool"}
WITH_SHAPE_RULE |= {"resize", "crop_resize", "resample", "affine", "cross_correlation"}


class Value:
    """The value of a node: its name in the text, its shape and the MIL name of its element type."""

    def __init__(self, name, shape, kind="fp16"):
        self.name, self.shape, self.kind = name, tuple(int(e) for e in shape), kind

    @property
    def rank(self):
        return len(self.shape)


def written(value):
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return float(value).hex()
    if isinstance(value, str):
        return value
    return ",".join(written(v) for v in value)


def shape_of(kind, shapes, attributes):
    """The shape of a result where a line tells it from operands and attributes; else that of operand 0."""
    x = list(shapes[0]) if shapes else []
    if kind in BROADCASTING or kind == "select":
        return np.broadcast_shapes(*shapes)
    if kind in LIKE_AXES:
        return [1 if i in attributes["list"] else e for i, e in enumerate(x)]
    if kind in LIKE_AXIS:
        return [1 if i == attributes["index"] else e for i, e in enumerate(x)]
    if kind == "transpose":
        return [x[i] for i in attributes["order"]]
    if kind == "concat":
        x[attributes["index"]] = sum(s[attributes["index"]] for s in shapes)
    elif kind in ("slice", "dynamic_slice"):
        return attributes["size"]
    elif kind in ("pad", "reflect_pad", "symmetric_pad", "replicate_pad"):
        return [b + e + a for b, e, a in zip(attributes["before"], x, attributes["after"])]
    elif kind == "tile":
        return [e * c for e, c in zip(x, attributes["count"])]
    elif kind == "gather":
        along = attributes["index"]
        return [*x[:along], *shapes[1], *x[along + 1 :]]
    elif kind == "gather_along_axis":
        return shapes[1]
    elif kind == "gather_nd":
        return [*shapes[1][:-1], *x[shapes[1][-1] :]]
    elif kind == "gather_hw":
        return [*x[:2], *shapes[1][2:]]
    elif kind == "linear":
        return [*x[:-1], shapes[1][0]]
    elif kind == "matmul":
        a, b = list(shapes[0]), list(shapes[1])
        rows = a[-1] if attributes.get("a") else a[-2]
        columns = b[-2] if attributes.get("b") else b[-1]
        return [*np.broadcast_shapes(tuple(a[:-2]), tuple(b[:-2])), rows, columns]
    elif kind == "attention":
        return [*x[:-1], shapes[2][-1]]
    elif kind in ("top_k", "top_k_indices"):
        x[attributes["axis"]] = attributes["k"]
    elif kind in ("pixel_shuffle", "depth_to_space"):
        h, w = attributes["by"]
        return [x[0], x[1] // (h * w), x[2] * h, x[3] * w]
    elif kind in ("pixel_unshuffle", "space_to_depth"):
        h, w = attributes["by"]
        return [x[0], x[1] * h * w, x[2] // h, x[3] // w]
    elif kind in ("space_to_batch", "batch_to_space"):
        h, w = attributes["by"]
        if kind == "space_to_batch":
            return [x[0] * h * w, x[1], x[2] // h, x[3] // w]
        return [x[0] // (h * w), x[1], x[2] * h, x[3] * w]
    elif kind in WITH_SHAPE_RULE:
        raise ValueError(f"{kind} needs its shape")
    return x


class Graph:
    """A graph that is written line by line, with the tensors that it reads."""

    def __init__(self, name):
        self.name = name
        self.lines = []
        self.tensors = []
        self.operations = set()
        self.count = 0

    def _line(self, kind, shape, words, result="fp16"):
        value = Value(f"n{self.count}", shape, result)
        self.count += 1
        self.lines.append((value.name, kind, [*words, "shape=" + written(value.shape)]))
        return value

    def _stored(self, kind, array, element):
        types = {"fp16": np.float16, "uint8": np.uint8, "int8": np.int8}
        stored = np.ascontiguousarray(array, types[element]).reshape(np.shape(array))
        self.tensors.append(stored.tobytes())
        return self._line(kind, stored.shape, [("at", len(self.tensors) - 1), "type=" + element], element)

    def input(self, array, element="fp16"):
        return self._stored("input", array, element)

    def weight(self, array):
        return self._stored("weight", array, "fp16")

    def constant(self, values):
        values = np.asarray(values, np.float64)
        return self._line("constant", values.shape, ["values=" + written(values.reshape(-1))])

    def op(self, kind, *operands, shape=None, **attributes):
        operands = [v if isinstance(v, Value) else self.constant(v) for v in operands]
        self.operations.add(kind)
        if shape is None:
            shape = shape_of(kind, [v.shape for v in operands], attributes)
        result = "bool" if kind in BOOLEAN else "fp16"
        if kind == "quantize":
            result = attributes["type"]
        elif kind == "radius_search":
            result = "uint8"
        given = [f"{key}={written(value)}" for key, value in attributes.items()]
        return self._line(kind, shape, [v.name for v in operands] + given, result)

    def __getattr__(self, kind):
        """graph.add(a, b) is graph.op("add", a, b)."""
        if kind.startswith("_"):
            raise AttributeError(kind)
        return lambda *operands, **attributes: self.op(kind, *operands, **attributes)

    def real(self, x):
        """Unsigned bytes and booleans as fp16."""
        return x if x.kind == "fp16" else self.op("cast", x)

    def output(self, value):
        self.lines.append(("output", value.name, []))

    def text(self, offsets):
        lines = ["case " + self.name]
        for name, kind, words in self.lines:
            shown = [f"at={offsets[w[1]]}" if isinstance(w, tuple) else w for w in words]
            lines.append(" ".join([name, kind, *shown]))
        return "\n".join(lines) + "\n"


class Evaluator:
    """The program that runs graphs."""

    def __init__(self, program=None):
        self.program = pathlib.Path(program) if program else BUILD / "bin" / "conformance_evaluate"

    def missing(self):
        return not self.program.exists()

    def run(self, graphs, *options):
        """For each graph ("ok", arrays), ("unsupported", operation) or ("error", message)."""
        pieces, size, text = [], 0, []
        for graph in graphs:
            offsets = []
            for tensor in graph.tensors:
                offsets.append(size)
                padding = -len(tensor) % ALIGNMENT
                pieces.append(tensor + bytes(padding))
                size += len(tensor) + padding
            text.append(graph.text(offsets))
        with tempfile.TemporaryDirectory() as folder:
            tensors, results = pathlib.Path(folder) / "tensors", pathlib.Path(folder) / "results"
            tensors.write_bytes(b"".join(pieces))
            command = [self.program, *options, tensors, results]
            done = subprocess.run(command, input="".join(text), capture_output=True, text=True, check=False)
            lines = done.stdout.splitlines()
            if done.returncode not in (0, 1) or len(lines) != len(graphs):
                ending = f"ended with {done.returncode} after {len(lines)} cases: {done.stderr}"
                raise RuntimeError(f"{self.program} {ending}")
            data = results.read_bytes()
        outcomes, at = [], 0
        for graph, line in zip(graphs, lines):
            status, name, *rest = line.split(" ")
            if name != graph.name:
                raise RuntimeError(f"the result of {graph.name} is called {name}")
            if status != "ok":
                outcomes.append((status, " ".join(rest)))
                continue
            arrays = []
            for port in rest:
                element, _, extents = port.partition(":")
                shape = [int(e) for e in extents.split(",") if e]
                kind = {"fp64": np.float64, "fp16": np.float16, "uint8": np.uint8, "int8": np.int8, "bool": np.uint8}[element]
                count = int(np.prod(shape, dtype=np.int64))
                arrays.append(np.frombuffer(data, kind, count, at).reshape(shape))
                at += count * np.dtype(kind).itemsize
            outcomes.append(("ok", arrays))
        return outcomes


def ulp(x):
    """The distance of fp16 values at x."""
    magnitude = np.maximum(np.abs(np.asarray(x, np.float64)), 2.0**-14)
    return 2.0 ** (np.floor(np.log2(np.minimum(magnitude, LARGEST))) - 10)


def rounded(x):
    with np.errstate(over="ignore"):
        return np.asarray(x, np.float64).astype(np.float16).astype(np.float64)


def same_shape(got, exact):
    """Values of rank 0 have rank 1 in a graph that a reader made (docs/onnx.md)."""
    return got.shape == exact.shape or (got.shape == (1,) and exact.shape == ())


def worst(got, exact, slack=0.0, ulps=ULPS):
    """None if `got` passes, else a sentence about the element that is farthest from passing."""
    got, exact = np.asarray(got, np.float64), np.asarray(exact, np.float64)
    if not same_shape(got, exact):
        return f"shape {got.shape} instead of {exact.shape}"
    if got.size == 0:
        return None
    limit = ulps * ulp(exact) + slack
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        target = np.where(np.isfinite(exact), exact, 0)
        finite = np.isfinite(exact) & np.isfinite(got)
        excess = np.where(finite, np.abs(np.where(finite, got, 0) - target) / limit, np.inf)
        reaches = np.abs(exact) + limit >= LARGEST + 16  # where rounding may overflow
        overflowed = np.isinf(got) & (np.sign(got) == np.sign(exact)) & reaches
        same = (got == exact) | (np.isnan(got) & np.isnan(exact)) | overflowed
    excess = np.broadcast_to(np.where(same, 0, excess), got.shape)
    at = np.unravel_index(int(np.argmax(excess)), got.shape)
    if excess[at] <= 1:
        return None
    bad = int((~(excess <= 1)).sum())
    place = tuple(int(i) for i in at)
    allowed = float(np.broadcast_to(limit, got.shape)[at])
    return f"{bad} of {got.size} elements; at {place} {got[at]:.8g} instead of {exact[at]:.8g}, allowed {allowed:.3g}"


def worst_wide(got, exact, slack=0.0):
    """The same of a result in float64: within WIDE of the exact one, and a slack."""
    got, exact = np.asarray(got, np.float64), np.asarray(exact, np.float64)
    if not same_shape(got, exact):
        return f"shape {got.shape} instead of {exact.shape}"
    limit = np.broadcast_to(WIDE * np.abs(np.where(np.isfinite(exact), exact, 0)) + slack, got.shape)
    with np.errstate(invalid="ignore"):
        bad = ~((np.abs(got - exact) <= limit) | (got == exact) | (np.isnan(got) & np.isnan(exact)))
    if not bad.any():
        return None
    place = tuple(int(i) for i in np.argwhere(bad)[0])
    return f"{int(bad.sum())} of {got.size} elements; at {place} {got[place]:.17g} instead of {exact[place]:.17g}"
