"""The rarer operations of MIL text over sets (sets.py), from their public definitions alone."""

import math

import numpy as np

import sets
from sets import Set, exactly, hull, result, rounded

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


def vague(like, where):
    """Anything, where `where` holds."""
    return Set(
        np.where(where, -np.inf, like.low), np.where(where, np.inf, like.high), like.nan | np.broadcast_to(where, like.shape)
    )


def union(x, y):
    return Set(np.minimum(x.low, y.low), np.maximum(x.high, y.high), x.nan | y.nan)


def where(condition, x, y):
    return Set(*(np.where(condition, getattr(x, p), getattr(y, p)) for p in ("low", "high", "nan")))


def none_of(x):
    """The empty set, without NaN: neutral in a union."""
    return Set(np.full(x.shape, np.inf), np.full(x.shape, -np.inf))


def is_certain(x):
    return sets.is_point(x) & ~x.nan


# ---- weights that are stored ------------------------------------------------------------------------------------------


def of_blocks(given, shape):
    """One scale, and one offset, for each block: an axis has as many blocks as the scale has entries on it."""
    scale = given["scale"]
    for i, extent in enumerate(shape):
        assert extent % scale.shape[i] == 0
    offset = given.get("offset", np.zeros(scale.shape))
    assert offset.shape == scale.shape and scale.ndim == len(shape)

    def spread(v):
        for i, extent in enumerate(shape):
            v = np.repeat(v, extent // v.shape[i], i)
        return v

    return spread(scale), spread(offset)


def stored_values(operation, given):
    if operation == "constexpr_blockwise_shift_scale":
        scale, offset = of_blocks(given, given["data"].shape)
        return (given["data"] - offset) * scale
    indices, table = given["indices"].astype(int), given["lut"]
    assert table.ndim == indices.ndim + 2 and math.prod(table.shape[:-2]) == 1
    found = table.reshape(table.shape[-2:])[indices]  # [..., vector]
    if found.shape[-1] == 1:
        assert "vector_axis" not in given
        return found[..., 0]
    axis = int(given["vector_axis"])
    found = np.moveaxis(found, -1, axis + 1)
    shape = list(indices.shape)
    shape[axis] *= table.shape[-1]
    return found.reshape(shape)


def kept_values(operation, given):
    """The mask, and the values of the elements that it keeps."""
    if operation == "constexpr_lut_to_sparse":
        assert math.prod(given["lut"].shape[:-2]) == 1 and given["lut"].shape[-1] == 1
        mask, values = given["indices_mask"], given["lut"].reshape(-1)[given["indices_nonzero_data"].astype(int)]
    else:
        mask = given["data_mask"]
        scale, offset = of_blocks(given, mask.shape)
        values = (given["nonzero_data"] - offset[mask == 1]) * scale[mask == 1]
    assert values.shape == (int(mask.sum()),)
    return [mask, values.astype(np.float16).astype(np.float64)]


# ---- elementwise ------------------------------------------------------------------------------------------------------


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


# ---- windows and norms --------------------------------------------------------------------------------------------------


def l2_pool(a):
    assert a["ceil_mode"] is False and a["pad_type"] == "custom"
    x, kernel = a["x"], integers(a["kernel_sizes"])
    stride, pad = integers(a["strides"]), integers(a["pad"])
    places = []
    for i in range(2):
        count = (x.shape[2 + i] + pad[2 * i] + pad[2 * i + 1] - kernel[i]) // stride[i] + 1
        places.append(sets.window_indices(x.shape[2 + i], kernel[i], stride[i], 1, pad[2 * i], count))
    squares = sets.square(x)
    seen = Set(*(sets.windows(v, *places, fill) for v, fill in ((squares.low, 0.0), (squares.high, 0.0), (squares.nan, False))))
    total = sets.total(seen, (4, 5)).move(lambda v: v[..., 0, 0])
    return rounded(hull(np.sqrt, Set(np.where(total.low > total.high, total.low, np.maximum(total.low, 0.0)), total.high, total.nan)))


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
    y = sets.widened(y, 2.0**-18 * np.where(np.isfinite(y.low) & np.isfinite(y.high), np.abs(y.low) + np.abs(y.high), 0))
    wild = (sets.is_infinite(near) | near.nan) & np.ones(x.shape, bool)
    return vague(rounded(y), wild)


# ---- movement ---------------------------------------------------------------------------------------------------------


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


# ---- sampling ---------------------------------------------------------------------------------------------------------


def blended(x, rows, columns):
    """Pixels around coordinates: each a triple of first pixel, share of the next, and `inside(pixel)`; arrays [H', W'].

    A pixel without a share is not read; one with a tiny share may be.
    """
    found = None
    open_ = np.zeros(np.broadcast_shapes(rows[0].shape, columns[0].shape), bool)
    size = 0.0
    for down in range(2):
        for right in range(2):
            r, c = rows[0] + down, columns[0] + right
            share = (rows[1] if down else 1 - rows[1]) * (columns[1] if right else 1 - columns[1])
            inside = (r >= 0) & (r < x.shape[2]) & (c >= 0) & (c < x.shape[3])
            r, c = np.clip(r, 0, x.shape[2] - 1), np.clip(c, 0, x.shape[3] - 1)
            pixel = x.move(lambda v: v[:, :, r, c])  # noqa: B023
            weight = np.where(inside, share, 0.0)
            part = sets.multiply(exactly(np.where(weight == 0, 1.0, weight)), pixel)
            part = where(np.broadcast_to(weight == 0, part.shape), exactly(np.zeros(part.shape)), part)
            wild = ~(np.isfinite(pixel.low) & np.isfinite(pixel.high)) | pixel.nan
            open_ = open_ | (wild & (np.abs(weight) < 1e-6) & (share != 0)) | (wild & (0 < weight) & (weight < 1))
            magnitude = np.maximum(np.abs(pixel.low), np.abs(pixel.high))
            size = size + weight * np.where(np.isfinite(magnitude), magnitude, 0.0)
            found = part if found is None else sets.add(found, part)
    return vague(rounded(found, 2.0**-20 * size), open_)


def places(coordinates):
    first = np.floor(coordinates)
    return first.astype(int), coordinates - first


def grid_of(mode, count, extent):
    i = np.arange(count, dtype=np.float64)
    if mode == "ALIGN_CORNERS":
        at = i * (extent - 1) / (count - 1) if count > 1 else 0 * i
    elif mode == "UNALIGN_CORNERS":
        at = ((2 * i + 1) * extent - count) / (2 * count)
    else:
        assert mode == "DEFAULT"
        at = i * extent / count
    return np.clip(at, 0, extent - 1)


def resize_bilinear(a):
    x = a["x"]
    sides = [(int(a["target_size_height"]), x.shape[2]), (int(a["target_size_width"]), x.shape[3])]
    (r, rs), (c, cs) = (places(grid_of(a["sampling_mode"], *side)) for side in sides)
    return blended(x, (r[:, None], rs[:, None]), (c[None, :], cs[None, :]))


def resize_nearest_neighbor(a):
    x, h, w = a["x"], int(a["target_size_height"]), int(a["target_size_width"])
    rows, columns = np.arange(h) * x.shape[2] // h, np.arange(w) * x.shape[3] // w
    return x.move(lambda v: v[:, :, rows[:, None], columns[None, :]])


def upsample_nearest_neighbor(a):
    fy, fx = int(a["scale_factor_height"]), int(a["scale_factor_width"])
    return a["x"].move(lambda v: v.repeat(fy, 2).repeat(fx, 3))


def affine(a):
    assert (a["sampling_mode"], a["padding_mode"]) == ("bilinear", "constant") and a["padding_value"] == 0
    assert a["coordinates_mode"] == "normalized_minus_one_to_one"
    x, matrix = a["x"], a["transform_matrix"]
    h, w, corners = int(a["output_height"]), int(a["output_width"]), a["align_corners"]

    def normalized(count):
        i = np.arange(count, dtype=np.float64)
        if corners:
            return 2 * i / (count - 1) - 1 if count > 1 else 0 * i
        return (2 * i + 1) / count - 1

    def pixels(v, extent):
        return (v + 1) * (extent - 1) / 2 if corners else ((v + 1) * extent - 1) / 2

    images = []
    for n in range(x.shape[0]):
        m = matrix.low[n if matrix.shape[0] > 1 else 0]
        ys, xs = normalized(h)[:, None], normalized(w)[None, :]
        at = [np.nan_to_num(m[3 * i] * xs + m[3 * i + 1] * ys + m[3 * i + 2]) for i in range(2)]
        row, column = (places(np.clip(pixels(v, e), -1e6, 1e6)) for v, e in ((at[1], x.shape[2]), (at[0], x.shape[3])))
        images.append(blended(x.move(lambda v: v[n : n + 1]), row, column))  # noqa: B023
    y = Set(*(np.concatenate([getattr(i, p) for i in images]) for p in ("low", "high", "nan")))
    return y if is_certain(matrix).all() else vague(y, np.ones(y.shape, bool))


# ---- integers and order -----------------------------------------------------------------------------------------------


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
    "softsign": softsign,
    "erf": monotone(sets.erf),
    "exp2": monotone(np.exp2),
    "sign": monotone(np.sign),
    "ceil": monotone(np.ceil),
    "floor": monotone(np.floor),
    "round": nearest,
    "sin": wave(np.sin, math.pi / 2),
    "cos": wave(np.cos, 0.0),
    "atan": monotone(np.arctan),
    "elu": elu,
    "thresholded_relu": thresholded_relu,
    "clamped_relu": clamped_relu,
    "sigmoid_hard": sigmoid_hard,
    "scaled_tanh": scaled_tanh,
    "inverse": inverse,
    "pow": pow_,
    "floor_div": floor_div,
    "equal": EQUAL,
    "not_equal": lambda a: opposite(EQUAL(a)),
    "less": LESS,
    "less_equal": LESS_EQUAL,
    "greater": swapped(LESS),
    "greater_equal": swapped(LESS_EQUAL),
    "logical_not": lambda a: opposite(a["x"]),
    "select": select,
    "prelu": prelu,
    "softplus_parametric": softplus_parametric,
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
