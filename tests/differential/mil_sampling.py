"""Images of MIL text that are read between their pixels, over sets (sets.py), from the public definitions alone."""

import numpy as np

import sets
from mil_functions import is_certain, vague, where
from sets import Set, exactly, rounded


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
