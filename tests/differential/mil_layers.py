"""The rarer operations of MIL text over sets (sets.py), from their public definitions alone."""

import math

import numpy as np

import mil_functions as functions
import sets
from mil_functions import monotone, power, vague
from mil_sampling import affine, resize_bilinear, resize_nearest_neighbor, upsample_nearest_neighbor
from sets import Set, exactly, hull, rounded

# Arguments that are constants and numbers of fp16: they become sets as operands do.
PARAMETERS = {
    "prelu": ("alpha",),
    "softplus_parametric": ("alpha", "beta"),
    "affine": ("transform_matrix",),
    "quantize": ("scale",),
    "dequantize": ("scale",),
}


def integers(value):
    return [int(v) for v in value]


# ---- windows and norms ----------------------------------------------------------------------------------------------


def l2_pool(a):
    assert a["ceil_mode"] is False and a["pad_type"] == "custom"
    x, kernel = a["x"], integers(a["kernel_sizes"])
    stride, pad = integers(a["strides"]), integers(a["pad"])
    places = []
    for i in range(2):
        count = (x.shape[2 + i] + pad[2 * i] + pad[2 * i + 1] - kernel[i]) // stride[i] + 1
        places.append(sets.window_indices(x.shape[2 + i], kernel[i], stride[i], 1, pad[2 * i], count))
    squares = sets.square(x)
    parts = ((squares.low, 0.0), (squares.high, 0.0), (squares.nan, False))
    seen = Set(*(sets.windows(v, *places, fill) for v, fill in parts))
    total = sets.total(seen, (4, 5)).move(lambda v: v[..., 0, 0])
    low = np.where(total.low > total.high, total.low, np.maximum(total.low, 0.0))
    return rounded(hull(np.sqrt, Set(low, total.high, total.nan)))


def local_response_norm(a):
    x, size = a["x"], int(a["size"])
    alpha, beta, k = (float(a[n]) for n in ("alpha", "beta", "k"))
    squares = sets.square(x)
    channels = x.shape[1]
    sums = []
    for c in range(channels):
        first, last = max(0, c - (size - 1) // 2), min(channels, c + size // 2 + 1)
        sums.append(sets.total(squares.move(lambda v: v[:, first:last]), (1,)))  # noqa: B023
    near = Set(*(np.concatenate([getattr(s, p) for s in sums], 1) for p in ("low", "high", "nan")))
    base = sets.add(exactly(k), sets.multiply(exactly(alpha / size), near))
    base = sets.widened(base, 2.0**-20 * np.where(np.isfinite(base.high), np.abs(base.low) + np.abs(base.high), 0))
    y = sets.multiply(x, power(base, exactly(-beta)))
    finite = np.isfinite(y.low) & np.isfinite(y.high)
    y = sets.widened(y, 2.0**-18 * np.where(finite, np.abs(y.low) + np.abs(y.high), 0))
    wild = (sets.is_infinite(near) | near.nan) & np.ones(x.shape, bool)
    return vague(rounded(y), wild)


# ---- movement -------------------------------------------------------------------------------------------------------


def slice_by_index(a):
    for mask in ("begin_mask", "end_mask", "squeeze_mask"):
        assert a[mask].dtype == bool and not a[mask].any() and a[mask].shape == (len(a["x"].shape),)
    begin, end, stride = (integers(a[k]) for k in ("begin", "end", "stride"))
    assert all(0 <= b < e <= x for b, e, x in zip(begin, end, a["x"].shape))
    places = tuple(slice(b, e, s) for b, e, s in zip(begin, end, stride))
    return a["x"].move(lambda v: v[places])


def to_pixels(v, fy, fx, order):
    """[N, C fy fx, H, W] as [N, C, H fy, W fx]; `order` names the digits of a channel."""
    n, c, h, w = v.shape
    if order == "c y x":
        v = v.reshape(n, c // (fy * fx), fy, fx, h, w).transpose(0, 1, 4, 2, 5, 3)
    else:
        v = v.reshape(n, fy, fx, c // (fy * fx), h, w).transpose(0, 3, 4, 1, 5, 2)
    return v.reshape(n, c // (fy * fx), h * fy, w * fx)


def to_channels(v, fy, fx, order):
    n, c, h, w = v.shape
    v = v.reshape(n, c, h // fy, fy, w // fx, fx)
    v = v.transpose(0, 1, 3, 5, 2, 4) if order == "c y x" else v.transpose(0, 3, 5, 1, 2, 4)
    return v.reshape(n, c * fy * fx, h // fy, w // fx)


def blocks(move, order, key):
    return lambda a: a["x"].move(lambda v: move(v, int(a[key]), int(a[key]), order))


def space_to_batch(a):
    fy, fx = integers(a["block_shape"])
    assert a["paddings"].shape == (2, 2) and not a["paddings"].any() and a["x"].shape[0] == 1

    def move(v):
        _, c, h, w = v.shape
        return v.reshape(c, h // fy, fy, w // fx, fx).transpose(2, 4, 0, 1, 3).reshape(fy * fx, c, h // fy, w // fx)

    return a["x"].move(move)


def batch_to_space(a):
    fy, fx = integers(a["block_shape"])
    assert a["crops"].shape == (2, 2) and not a["crops"].any() and a["x"].shape[0] == fy * fx

    def move(v):
        _, c, h, w = v.shape
        return v.reshape(fy, fx, c, h, w).transpose(2, 3, 0, 4, 1).reshape(1, c, h * fy, w * fx)

    return a["x"].move(move)


# ---- integers and order ---------------------------------------------------------------------------------------------


def scales_of(a, rank):
    """Scale and zero point, along the axis where there are several."""
    along = [-1 if "axis" in a and i == int(a["axis"]) else 1 for i in range(rank)]
    zero = np.asarray(a.get("zero_point", 0.0), np.float64)
    scale = a["scale"]
    assert (scale.shape == ()) == ("axis" not in a) and zero.shape in ((), scale.shape)
    return scale.move(lambda v: v.reshape(along if v.ndim else ())), zero.reshape(along if zero.ndim else ())


def quantize(a):
    """Halves may go either way; NaN counts as the zero point."""
    x = a["input"]
    scale, zero = scales_of(a, len(x.shape))
    low, high = {"int8": (-128, 127), "uint8": (0, 255)}[a["output_dtype"]]
    q = sets.divide(x, scale)
    off = 2.0**-20
    lowest = np.ceil(np.where(np.isfinite(q.low), q.low - off * np.abs(q.low), q.low) - 0.5)
    highest = np.floor(np.where(np.isfinite(q.high), q.high + off * np.abs(q.high), q.high) + 0.5)
    gone = q.low > q.high
    lowest = np.where(gone, 0.0, np.where(q.nan, np.minimum(lowest, 0.0), lowest))
    highest = np.where(gone, 0.0, np.where(q.nan, np.maximum(highest, 0.0), highest))
    return Set(np.clip(lowest + zero, low, high), np.clip(highest + zero, low, high))


def dequantize(a):
    q = a["input"]
    scale, zero = scales_of(a, len(q.shape))
    return rounded(sets.multiply(sets.subtract(q, exactly(zero)), scale))


def topk(a):
    """The k first in order, and where they stood; rows that may have a NaN are left open."""
    x, k, axis, ascending = a["x"], int(a["k"]), int(a["axis"]), a["ascending"]
    assert a["sort"] is True and a["output_indices_dtype"] == "int32"
    low, high, nan = (np.moveaxis(v, axis, -1) for v in (x.low, x.high, x.nan))
    n = low.shape[-1]
    open_ = nan.any(-1, keepdims=True)
    order = (lambda v: np.sort(v, -1)) if ascending else (lambda v: -np.sort(-v, -1))
    values = vague(Set(order(low)[..., :k], order(high)[..., :k]), np.broadcast_to(open_, (*low.shape[:-1], k)))
    values = values.move(lambda v: np.moveaxis(v, -1, axis))
    if not a["return_indices"]:
        return values
    found = np.argsort(low if ascending else -low, -1, kind="stable")[..., :k].astype(np.float64)
    unsure = open_ | ~(low == high).all(-1, keepdims=True)
    where_ = Set(np.where(unsure, 0.0, found), np.where(unsure, n - 1.0, found))
    return [values, where_.move(lambda v: np.moveaxis(v, -1, axis))]


LAYERS = {
    "softplus": monotone(lambda v: np.logaddexp(0.0, v)),
    "softsign": functions.softsign,
    "erf": monotone(sets.erf),
    "exp2": monotone(np.exp2),
    "sign": monotone(np.sign),
    "ceil": monotone(np.ceil),
    "floor": monotone(np.floor),
    "round": functions.nearest,
    "sin": functions.wave(np.sin, math.pi / 2),
    "cos": functions.wave(np.cos, 0.0),
    "atan": monotone(np.arctan),
    "elu": functions.elu,
    "thresholded_relu": functions.thresholded_relu,
    "clamped_relu": functions.clamped_relu,
    "sigmoid_hard": functions.sigmoid_hard,
    "scaled_tanh": functions.scaled_tanh,
    "inverse": functions.inverse,
    "pow": functions.pow_,
    "floor_div": functions.floor_div,
    "equal": functions.EQUAL,
    "not_equal": lambda a: functions.opposite(functions.EQUAL(a)),
    "less": functions.LESS,
    "less_equal": functions.LESS_EQUAL,
    "greater": functions.swapped(functions.LESS),
    "greater_equal": functions.swapped(functions.LESS_EQUAL),
    "logical_not": lambda a: functions.opposite(a["x"]),
    "select": functions.select,
    "prelu": functions.prelu,
    "softplus_parametric": functions.softplus_parametric,
    "l2_pool": l2_pool,
    "local_response_norm": local_response_norm,
    "slice_by_index": slice_by_index,
    "tile": lambda a: a["x"].move(lambda v: np.tile(v, integers(a["reps"]))),
    "reverse": lambda a: a["x"].move(lambda v: np.flip(v, integers(a["axes"]))),
    "pixel_shuffle": blocks(to_pixels, "c y x", "upscale_factor"),
    "pixel_unshuffle": blocks(to_channels, "c y x", "downscale_factor"),
    "depth_to_space": blocks(to_pixels, "y x c", "block_size"),
    "space_to_depth": blocks(to_channels, "y x c", "block_size"),
    "space_to_batch": space_to_batch,
    "batch_to_space": batch_to_space,
    "resize_bilinear": resize_bilinear,
    "resize_nearest_neighbor": resize_nearest_neighbor,
    "upsample_nearest_neighbor": upsample_nearest_neighbor,
    "affine": affine,
    "quantize": quantize,
    "dequantize": dequantize,
    "topk": topk,
}
