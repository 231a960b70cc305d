#pragma once

#include "shapes.hpp"

/// The elements of constants at other places. Only bodies include this header.
namespace ane::onnx::inline ANEMONE_WAY {

/// The element of `c` that each element of a result is: `from(i)`.
template <class From>
onnx::constant rearranged(node_call& c, const onnx::constant& x, const extents& shape, const From& from) {
    return c.computed(x.type, shape, [&](std::int64_t i) { return x.at(from(i)); });
}

ANEMONE_INLINE results fold_shape_change(node_call& c) { return {c.known(0).reshaped(changed_shape(c))}; }

ANEMONE_INLINE indices permutation_of(node_call& c, int rank) {
    indices order;
    if (const auto given = c.integers("perm")) {
        c.require(static_cast<int>(given->size()) == rank, "permutes another number of axes than there are");
        for (const std::int64_t a : *given) {
            const int axis = c.axis(a, rank);
            c.require(!contains(order, axis), "permutes an axis twice");
            order.append(axis);
        }
        return order;
    }
    for (int i = rank - 1; i >= 0; --i) {
        order.append(i);
    }
    return order;
}
ANEMONE_INLINE onnx::constant fold_transposed(node_call& c, const onnx::constant& x, const indices& order) {
    const extents own = row_major_strides(x.shape);
    extents shape;
    extents strides;
    for (int i = 0; i < order.rank; ++i) {
        shape.append(x.shape[static_cast<int>(order[i])]);
        strides.append(own[static_cast<int>(order[i])]);
    }
    return rearranged(c, x, shape, [&](std::int64_t i) { return place_of(i, shape, strides); });
}
ANEMONE_INLINE results fold_transpose(node_call& c) {
    return {fold_transposed(c, c.known(0), permutation_of(c, c.rank(0)))};
}

ANEMONE_INLINE results fold_concat(node_call& c) {
    const int rank = c.rank(0);
    const int axis = c.axis("axis", 1, rank);
    extents shape = c.shape(0);
    for (int i = 1; i < c.operand_count(); ++i) {
        extents other = c.shape(i);
        c.require(other.rank == rank, "joins tensors of different ranks");
        shape[axis] += other[axis];
        other[axis] = shape[axis];
        c.require(other == shape,
                  formatted("joins tensors of different shapes, {} and {}", print(c.shape(0)), print(c.shape(i))));
    }
    std::vector<double> list = c.scope().numbers(shape);
    const std::int64_t inner = count_of(shape, axis + 1, rank);
    const std::int64_t outer = count_of(shape, 0, axis);
    std::int64_t begin = 0;
    for (int k = 0; k < c.operand_count(); ++k) {
        const onnx::constant& x = c.known(k);
        const std::int64_t run = x.shape[axis] * inner;
        for (std::int64_t o = 0; o < outer; ++o) {
            for (std::int64_t i = 0; i < run; ++i) {
                list[static_cast<std::size_t>(o * shape[axis] * inner + begin + i)] = x.at(o * run + i);
            }
        }
        begin += run;
    }
    return {onnx::constant{
        .type = c.type(0), .shape = shape, .numbers = std::make_shared<const std::vector<double>>(std::move(list))}};
}

ANEMONE_INLINE results fold_slice(node_call& c) {
    const onnx::constant& x = c.known(0);
    const std::vector<slice_of_axis> parts = slices_of(c);
    const extents own = row_major_strides(x.shape);
    extents shape;
    extents strides;
    std::int64_t begin = 0;
    for (int i = 0; i < x.shape.rank; ++i) {
        const slice_of_axis& part = parts[static_cast<std::size_t>(i)];
        shape.append(part.count);
        strides.append(part.count > 1 ? part.step * own[i] : 0);
        begin += part.begin * own[i];
    }
    return {rearranged(c, x, shape, [&](std::int64_t i) { return begin + place_of(i, shape, strides); })};
}

/// An index of an axis; negative ones count from the end.
ANEMONE_INLINE std::int64_t index_of(node_call& c, double given, std::int64_t extent) {
    if (given != std::floor(given)) {
        c.refuse(formatted("reads index {}, which is no whole number", given));
    }
    const std::int64_t i = whole(given);
    c.require(i >= -extent && i < extent, formatted("reads index {} of {}", i, extent));
    return i < 0 ? i + extent : i;
}
ANEMONE_INLINE results fold_gather(node_call& c) {
    const onnx::constant& x = c.known(0);
    const onnx::constant& at = c.known(1);
    const int axis = c.axis("axis", 0, x.shape.rank);
    const std::int64_t inner = count_of(x.shape, axis + 1, x.shape.rank);
    c.require(x.shape.rank - 1 + at.shape.rank <= extents::capacity, "gives a tensor of too many axes");
    extents shape;
    for (int i = 0; i < axis; ++i) {
        shape.append(x.shape[i]);
    }
    for (int i = 0; i < at.shape.rank; ++i) {
        shape.append(at.shape[i]);
    }
    for (int i = axis + 1; i < x.shape.rank; ++i) {
        shape.append(x.shape[i]);
    }
    const std::int64_t places = at.count();
    return {rearranged(c, x, shape, [&](std::int64_t i) {
        const std::int64_t index = index_of(c, at.at(i / inner % places), x.shape[axis]);
        return (i / inner / places * x.shape[axis] + index) * inner + i % inner;
    })};
}

/// What Expand broadcasts to.
ANEMONE_INLINE extents expanded_shape(node_call& c) {
    const extents wanted = shape_from(c.integers(1));
    c.require(element_count(wanted) >= 0, formatted("expands to {}", print(wanted)));
    return broadcast(c.shape(0), wanted);
}
ANEMONE_INLINE results fold_expand(node_call& c) {
    const onnx::constant& x = c.known(0);
    const extents shape = expanded_shape(c);
    const extents strides = spread_strides(x.shape, shape);
    return {rearranged(c, x, shape, [&](std::int64_t i) { return place_of(i, shape, strides); })};
}
ANEMONE_INLINE extents tiled_shape(node_call& c, indices& count) {
    extents shape = c.shape(0);
    const std::vector<std::int64_t> repeats = c.integers(1);
    c.require(static_cast<int>(repeats.size()) == shape.rank, "repeats another number of axes than there are");
    for (int i = 0; i < shape.rank; ++i) {
        const std::int64_t times = repeats[static_cast<std::size_t>(i)];
        c.require(times >= 0 && !__builtin_mul_overflow(shape[i], times, &shape[i]) && element_count(shape) >= 0,
                  formatted("repeats an axis {} times", times));
        count.append(times);
    }
    return shape;
}
ANEMONE_INLINE results fold_tile(node_call& c) {
    const onnx::constant& x = c.known(0);
    indices count;
    const extents shape = tiled_shape(c, count);
    const extents strides = row_major_strides(x.shape);
    return {rearranged(c, x, shape, [&](std::int64_t i) {
        std::int64_t at = 0;
        for (int a = shape.rank - 1; a >= 0; --a) {
            at += i % shape[a] % x.shape[a] * strides[a];
            i /= shape[a];
        }
        return at;
    })};
}
ANEMONE_INLINE results fold_split(node_call& c) {
    const onnx::constant& x = c.known(0);
    const int axis = c.axis("axis", 0, x.shape.rank);
    const extents strides = row_major_strides(x.shape);
    results all;
    std::int64_t begin = 0;
    for (const std::int64_t size : split_sizes(c, x.shape[axis])) {
        extents shape = x.shape;
        shape[axis] = size;
        all.emplace_back(rearranged(
            c, x, shape, [&](std::int64_t i) { return begin * strides[axis] + place_of(i, shape, strides); }));
        begin += size;
    }
    return all;
}

ANEMONE_INLINE results fold_scatter_nd(node_call& c) {
    const onnx::constant& x = c.known(0);
    const onnx::constant& at = c.known(1);
    const onnx::constant& updates = c.known(2);
    c.require(c.word("reduction", "none") == "none", "reduces constants");
    c.require(at.shape.rank >= 1 && at.shape.width() >= 1 && at.shape.width() <= x.shape.rank, "has no coordinates");
    const int depth = static_cast<int>(at.shape.width());
    const std::int64_t inner = count_of(x.shape, depth, x.shape.rank);
    const std::int64_t places = at.count() / depth;
    c.require(updates.count() == places * inner, "has another number of updates than of places");
    const extents strides = row_major_strides(x.shape);
    std::vector<double> list = c.scope().numbers(x.shape);
    for (std::int64_t i = 0; i < x.count(); ++i) {
        list[static_cast<std::size_t>(i)] = x.at(i);
    }
    for (std::int64_t p = 0; p < places; ++p) {
        std::int64_t begin = 0;
        for (int a = 0; a < depth; ++a) {
            begin += index_of(c, at.at(p * depth + a), x.shape[a]) * strides[a];
        }
        for (std::int64_t i = 0; i < inner; ++i) {
            list[static_cast<std::size_t>(begin + i)] = updates.at(p * inner + i);
        }
    }
    return {onnx::constant{
        .type = x.type, .shape = x.shape, .numbers = std::make_shared<const std::vector<double>>(std::move(list))}};
}

} // namespace ane::onnx::inline ANEMONE_WAY
