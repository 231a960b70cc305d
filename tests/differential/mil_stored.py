"""Weights of MIL text that are stored in another form than fp16, from the facts alone."""

import math

import numpy as np


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
