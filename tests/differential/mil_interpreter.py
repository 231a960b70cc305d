"""Evaluates MIL text over sets (sets.py).

Written from the published meaning of the operations alone; nothing is shared with the library.
"""

import math

import numpy as np

import sets
from mil_layers import LAYERS
from mil_layers import PARAMETERS as PARAMETERS_OF_LAYERS
from mil_whole import PARAMETERS as PARAMETERS_OF_WHOLE
from mil_whole import WHOLE
from mil_stored import kept_values, stored_values
from mil_text import Name, Text


class Program(Text):
    """A text that can be run."""

    def evaluate(self, inputs, folded=False):
        """The sets of the outputs, from arrays in the order of the parameters; whether all on the way are finite.

        `folded`: constants may stand rounded for what they were computed of.
        """
        values, ordinary = {}, True
        assert len(inputs) == len(self.parameters)
        for (kind, shape, name), array in zip(self.parameters, inputs):
            assert array.shape == shape and (array.dtype == np.uint8) == (kind == "uint8")
            define(values, name, sets.exactly(array.astype(np.float64)))

        def operand(value):
            """A tensor of the device: constants become sets."""
            if isinstance(value, sets.Set):
                return value
            return sets.rounded(sets.exactly(value)) if folded else sets.exactly(value)

        def named(value):
            return values[value] if isinstance(value, Name) else value

        for s in self.statements:
            given = {
                key: [operand(named(n)) for n in value] if isinstance(value, list) else named(value)
                for key, value in s.arguments.items()
            }
            if s.operation.startswith("const"):
                found = constant(s, given)
            else:
                of_sets = OPERANDS + PARAMETERS.get(s.operation, ())
                found = OPERATIONS[s.operation]({k: operand(v) if k in of_sets else v for k, v in given.items()})
            found = found if isinstance(found, list) else [found]
            assert len(found) == len(s.results)
            for value, (_, shape, name) in zip(found, s.results):
                assert not shape or value.shape == shape, f"{s.operation} gives {value.shape}, declared {shape}"
                if isinstance(value, sets.Set):
                    ordinary = ordinary and value.is_ordinary()
                define(values, name, value)
        assert len(self.outputs) == len(set(self.outputs))
        assert len(self.blob.read) == self.blob.count, "the weight file has a record that nothing reads"
        return [values[name] for name in self.outputs], ordinary


def define(values, name, value):
    assert name not in values, f"{name} is defined twice"
    values[name] = value


def constant(s, given):
    """const, and weights that are stored in another form; those are given as fp16 values."""
    a = s.attributes
    if s.operation == "const":
        assert not s.arguments
        return a["val"]
    if s.operation == "constexpr_affine_dequantize":
        along = [-1 if i == int(a["axis"]) else 1 for i in range(len(s.shape))]
        value = (a["quantized_data"] - np.reshape(a["zero_point"], along)) * a["scale"].reshape(along)
    elif s.operation in ("constexpr_lut_to_sparse", "constexpr_sparse_blockwise_shift_scale"):
        return kept_values(s.operation, given)
    elif s.operation in ("constexpr_lut_to_dense", "constexpr_blockwise_shift_scale"):
        value = stored_values(s.operation, given)
    elif s.operation == "constexpr_sparse_to_dense":
        value = np.zeros(given["mask"].size)
        value[given["mask"].reshape(-1) == 1] = given["nonzero_data"]
        value = value.reshape(s.shape)
    else:
        raise ValueError(s.operation)
    return value.astype(np.float16).astype(np.float64)


# ---- operations -----------------------------------------------------------------------------------------------------


PARAMETERS = {**PARAMETERS_OF_LAYERS, **PARAMETERS_OF_WHOLE}
OPERANDS = ("x", "y", "weight", "cond", "a", "b", "input")


def integers(value):
    return [int(v) for v in value]


def binary(f):
    return lambda a: sets.rounded(f(a["x"], a["y"]))


def exact_binary(f):
    return lambda a: f(a["x"], a["y"])


def unary(f):
    return lambda a: sets.rounded(f(a["x"]))


def product(a):
    x, y = a["x"], a["y"]
    return sets.rounded(sets.square(x) if x is y else sets.multiply(x, y))


def difference(a):
    x, y = a["x"], a["y"]
    return sets.rounded(sets.subtract(x, y))


def matmul(a):
    x, y = a["x"], a["y"]
    if a["transpose_x"]:
        x = x.move(lambda v: np.swapaxes(v, -1, -2))
    if a["transpose_y"]:
        y = y.move(lambda v: np.swapaxes(v, -1, -2))
    return sets.rounded(sets.bilinear(np.matmul, x, y, x.shape[-1]))


def window_of(a, x, kernel, dilation=(1, 1)):
    """Rows and columns of windows (sets.window_indices) with padding [top, bottom, left, right]."""
    assert a["pad_type"] == "custom"
    stride, pad = integers(a["strides"]), integers(a["pad"])
    found = []
    for i in range(2):
        extent, before, after = x.shape[2 + i], pad[2 * i], pad[2 * i + 1]
        reach = (kernel[i] - 1) * dilation[i] + 1
        count = (extent + before + after - reach) // stride[i] + 1
        found.append(sets.window_indices(extent, kernel[i], stride[i], dilation[i], before, count))
    return found


def conv(a):
    x, w = a["x"], a["weight"]
    rows, columns = window_of(a, x, w.shape[2:], integers(a["dilations"]))
    return sets.rounded(sets.convolution(x, w, rows, columns, int(a["groups"])))


def conv_transpose(a):
    """[N, I, H, W] by [I, O / groups, kH, kW], as the convolution of the stuffed input that it is."""
    x, w = a["x"], a["weight"]
    assert a["pad_type"] == "custom"
    groups, stride = int(a["groups"]), integers(a["strides"])
    dilation, pad = integers(a["dilations"]), integers(a["pad"])
    inner, out = w.shape[0] // groups, w.shape[1]

    def turned(v):
        v = v.reshape(groups, inner, out, *v.shape[2:])[..., ::-1, ::-1]
        return np.swapaxes(v, 1, 2).reshape(groups * out, inner, *v.shape[3:])

    places = []
    for i in range(2):
        extent, before, after = x.shape[2 + i], pad[2 * i], pad[2 * i + 1]
        reach = (w.shape[2 + i] - 1) * dilation[i]
        count = (extent - 1) * stride[i] + reach + 1 - before - after
        at, inside = sets.window_indices(extent * stride[i], w.shape[2 + i], 1, dilation[i], reach - before, count)
        places.append((at, inside))
    return sets.rounded(sets.convolution(sets.stuffed(x, stride), w.move(turned), *places, groups))


def max_pool(a):
    assert a["ceil_mode"] is False
    x = a["x"]
    return sets.max_pool(x, *window_of(a, x, integers(a["kernel_sizes"])))


def avg_pool(a):
    assert a["ceil_mode"] is False
    x = a["x"]
    places = window_of(a, x, integers(a["kernel_sizes"]))
    return sets.rounded(sets.avg_pool(x, *places, a["exclude_padding_from_average"]))


def axes_of(a):
    assert a["keep_dims"] is True
    return tuple(integers(a["axes"]))


def reduce_sum(a):
    return sets.rounded(sets.total(a["x"], axes_of(a)))


def reduce_mean(a):
    x, axes = a["x"], axes_of(a)
    return sets.rounded(sets.scaled(sets.total(x, axes), 1.0 / math.prod(x.shape[i] for i in axes)))


def reshape(a):
    shape = integers(a["shape"])
    return a["x"].move(lambda v: v.reshape(shape))


def concat(a):
    assert a["interleave"] is False
    parts = a["values"]
    axis = int(a["axis"])
    return sets.Set(*(np.concatenate([getattr(p, part) for p in parts], axis) for part in ("low", "high", "nan")))


def slice_by_size(a):
    where = tuple(slice(b, b + s) for b, s in zip(integers(a["begin"]), integers(a["size"])))
    assert all(0 <= w.start and w.stop <= e for w, e in zip(where, a["x"].shape))
    return a["x"].move(lambda v: v[where])


def pad(a):
    """`pad` holds before and after of the last axes."""
    x, amounts, value = a["x"], integers(a["pad"]), float(a["constant_val"])
    pairs = list(zip(amounts[::2], amounts[1::2]))
    pairs = [(0, 0)] * (len(x.shape) - len(pairs)) + pairs
    if a["mode"] in ("reflect", "replicate"):
        assert len(amounts) == 4
        return x.move(lambda v: np.pad(v, pairs, mode={"reflect": "reflect", "replicate": "edge"}[a["mode"]]))
    assert a["mode"] == "constant"
    low, high = (np.pad(v, pairs, constant_values=value) for v in (x.low, x.high))
    return sets.Set(low, high, np.pad(x.nan, pairs))


def cast(a):
    assert a["dtype"] == "fp16"
    return a["x"]


def gelu(a):
    if a["mode"] == "SIGMOID_APPROXIMATION":
        turns = ((-1.2784645427610738 / 1.702, -0.27846454276107380 / 1.702),)
        return sets.rounded(sets.hull(lambda v: v * (1 / (1 + np.exp(-1.702 * v))), a["x"], turns))
    assert a["mode"] == "EXACT"
    return sets.rounded(sets.gelu(a["x"]))


OPERATIONS = {
    "add": binary(sets.add),
    "sub": difference,
    "mul": product,
    "real_div": binary(sets.divide),
    "minimum": exact_binary(sets.minimum),
    "maximum": exact_binary(sets.maximum),
    "relu": lambda a: sets.maximum(a["x"], sets.exactly(0.0)),
    "relu6": lambda a: sets.clip(a["x"], 0.0, 6.0),
    "clip": lambda a: sets.clip(a["x"], a["alpha"], a["beta"]),
    "leaky_relu": lambda a: sets.rounded(sets.leaky_relu(a["x"], float(a["alpha"]))),
    "sigmoid": unary(sets.sigmoid),
    "tanh": unary(lambda x: sets.hull(np.tanh, x)),
    "gelu": gelu,
    "silu": unary(sets.silu),
    "exp": unary(lambda x: sets.hull(np.exp, x)),
    "log": lambda a: sets.rounded(sets.log(sets.shifted(a["x"], a["epsilon"]))),
    "sqrt": unary(lambda x: sets.hull(np.sqrt, x, domain=0.0)),
    "rsqrt": lambda a: sets.rounded(sets.rsqrt(sets.shifted(a["x"], a["epsilon"]))),
    "abs": lambda a: sets.hull(np.abs, a["x"], ((0.0, 0.0),)),
    "matmul": matmul,
    "conv": conv,
    "conv_transpose": conv_transpose,
    "max_pool": max_pool,
    "avg_pool": avg_pool,
    "softmax": lambda a: sets.rounded(sets.softmax(a["x"], int(a["axis"])), 2.0**-20),
    "reduce_sum": reduce_sum,
    "reduce_mean": reduce_mean,
    "reduce_max": lambda a: sets.extreme(a["x"], axes_of(a), np.max),
    "reduce_min": lambda a: sets.extreme(a["x"], axes_of(a), np.min),
    "reshape": reshape,
    "transpose": lambda a: a["x"].move(lambda v: v.transpose(integers(a["perm"]))),
    "concat": concat,
    "slice_by_size": slice_by_size,
    "pad": pad,
    "cast": cast,
    **LAYERS,
    **WHOLE,
}
