#pragma once

#include "mil_table.hpp"

#include <algorithm>

/// Slices, updates of slices, and gathers. Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// The elements begin, begin + step, ... of every axis, `size` of them; axes that the result lacks are squeezed.
struct index_window {
    indices begin;
    indices stride; ///< below zero: backwards
    extents size;
    indices squeezed;
};

ANEMONE_INLINE bool masked(const indices& mask, int i) { return i < mask.rank && mask[i] != 0; }

/// begin, end, stride and masks as in NumPy (Core ML's slice_by_index).
ANEMONE_INLINE index_window window_of(mil_call& c, const extents& x) {
    indices ones;
    for (int i = 0; i < x.rank; ++i) {
        ones.append(1);
    }
    const indices begin = c.integers("begin", x.rank, {});
    const indices end = c.integers("end", x.rank, {});
    const indices stride = c.integers("stride", x.rank, ones);
    const indices begin_mask = c.integers("begin_mask", {});
    const indices end_mask = c.integers("end_mask", {});
    const indices squeeze_mask = c.integers("squeeze_mask", {});
    index_window w;
    for (int i = 0; i < x.rank; ++i) {
        const std::int64_t step = masked(squeeze_mask, i) ? 1 : stride[i];
        if (step == 0) {
            c.refuse("has a stride of 0");
        }
        const bool forward = step > 0;
        const auto counted = [&](std::int64_t k) { return k < 0 ? k + x[i] : k; };
        const auto inside = [&](std::int64_t k) {
            return forward ? std::clamp<std::int64_t>(k, 0, x[i]) : std::clamp<std::int64_t>(k, -1, x[i] - 1);
        };
        const std::int64_t first = masked(begin_mask, i) ? (forward ? 0 : x[i] - 1) : inside(counted(begin[i]));
        std::int64_t behind = masked(end_mask, i) ? (forward ? x[i] : -1) : inside(counted(end[i]));
        if (masked(squeeze_mask, i)) {
            behind = first + 1;
            w.squeezed.append(i);
        }
        const std::int64_t count = forward ? (behind - first + step - 1) / step : (first - behind - step - 1) / -step;
        if (count < 1 || first < 0 || first >= x[i]) {
            c.refuse(formatted("takes no element of axis {}, whose extent is {}: begin {}, end {}, stride {}", i, x[i],
                               begin[i], end[i], step));
        }
        w.begin.append(first);
        w.stride.append(step);
        w.size.append(count);
    }
    return w;
}

ANEMONE_INLINE extents squeezed_size(const index_window& w) {
    extents shape;
    for (int i = 0; i < w.size.rank; ++i) {
        if (std::find(w.squeezed.extent, w.squeezed.extent + w.squeezed.rank, i) ==
            w.squeezed.extent + w.squeezed.rank) {
            shape.append(w.size[i]);
        }
    }
    return shape;
}

/// Backwards is forwards in the reversed tensor.
ANEMONE_INLINE std::vector<mil_value> read_slice_by_index(mil_call& c) {
    dynamic_tensor x = c.tensor("x");
    index_window w = window_of(c, x.shape());
    axes backwards;
    bool steps = false;
    for (int i = 0; i < w.size.rank; ++i) {
        if (w.stride[i] < 0) {
            backwards.list.append(i);
            w.begin[i] = x.shape()[i] - 1 - w.begin[i];
            w.stride[i] = -w.stride[i];
        }
        w.stride[i] = w.size[i] == 1 ? 1 : w.stride[i];
        steps = steps || w.stride[i] != 1;
    }
    x = backwards.list.rank > 0 ? c.add(op::reverse, {x}, backwards) : x;
    if (steps) {
        x = c.scope().graph.add(op::strided_slice, {x}, strided_window{w.begin, w.stride}, w.size, c.where());
    } else {
        x = c.slice(x, w.begin, w.size);
    }
    return c.result(c.reshape(x, squeezed_size(w)), c.value("x").element);
}

/// A size of -1 reaches to the end.
ANEMONE_INLINE std::vector<mil_value> read_slice_by_size(mil_call& c) {
    const dynamic_tensor x = c.tensor("x");
    indices begin = c.integers("begin", x.shape().rank, {});
    indices size = c.integers("size", x.shape().rank, {});
    for (int i = 0; i < x.shape().rank; ++i) {
        begin[i] += begin[i] < 0 ? x.shape()[i] : 0;
        size[i] = size[i] == -1 ? x.shape()[i] - begin[i] : size[i];
    }
    return c.result(c.slice(x, begin, size), c.value("x").element);
}

ANEMONE_INLINE std::vector<mil_value> read_slice_update(mil_call& c) {
    const dynamic_tensor x = c.tensor("x");
    const index_window w = window_of(c, x.shape());
    for (int i = 0; i < w.stride.rank; ++i) {
        if (w.stride[i] < 0) {
            c.refuse(formatted("writes axis {} backwards", i));
        }
    }
    dynamic_tensor update = c.tensor("update");
    if (update.shape() != squeezed_size(w)) {
        c.refuse(formatted("writes {} into a window {}", print(update.shape()), print(squeezed_size(w))));
    }
    return c.result(c.add(op::slice_update, {x, c.reshape(update, w.size)}, strided_window{w.begin, w.stride}));
}

ANEMONE_INLINE std::vector<mil_value> read_crop(mil_call& c) {
    const dynamic_tensor x = c.tensor("x");
    const int rank = x.shape().rank;
    if (rank < 2) {
        c.refuse(formatted("crops {}, which has no height and width", print(x.shape())));
    }
    indices begin;
    indices size;
    for (int i = 0; i < rank; ++i) {
        begin.append(0);
        size.append(x.shape()[i]);
    }
    for (const auto& [argument, axis] : {std::pair{"crop_height", rank - 2}, std::pair{"crop_width", rank - 1}}) {
        const indices amounts = c.integers(argument, 2, {});
        begin[axis] = amounts[0];
        size[axis] -= amounts[0] + amounts[1];
    }
    return c.result(c.slice(x, begin, size));
}

ANEMONE_INLINE void require_plain_gather(mil_call& c) {
    if (c.integer("batch_dims", 0) != 0) {
        c.refuse("has batch_dims, for which the graph has no gather");
    }
    c.ignore("validate_indices");
}

template <op Kind> std::vector<mil_value> read_gather(mil_call& c) {
    const dynamic_tensor x = c.tensor("x");
    require_plain_gather(c);
    const axis along{c.axis_of(c.integer("axis", 0), x.shape().rank)};
    return c.result(c.add(Kind, {x, c.tensor("indices")}, along), c.value("x").element);
}

ANEMONE_INLINE std::vector<mil_value> read_gather_nd(mil_call& c) {
    require_plain_gather(c);
    return c.result(c.add(op::gather_nd, {c.tensor("x"), c.tensor("indices")}), c.value("x").element);
}

ANEMONE_INLINE void add_slices(statement_table& t) {
    t.insert({
        {"slice_by_index", read_slice_by_index},
        {"slice_by_size", read_slice_by_size},
        {"slice_update", read_slice_update},
        {"crop", read_crop},
        {"gather", read_gather<op::gather>},
        {"gather_along_axis", read_gather<op::gather_along_axis>},
        {"gather_nd", read_gather_nd},
    });
}

} // namespace ane::readers::inline ANEMONE_WAY
