#pragma once

#include "../folding/arithmetic.hpp"
#include "../folding/movement.hpp"
#include "shapes.hpp"

/// The elements of constants at other places. Only bodies include this header.
namespace ane::onnx::inline ANEMONE_WAY {

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
ANEMONE_INLINE results fold_transpose(node_call& c) {
    const known_tensor& x = c.known(0);
    return {folding::transposed(c.room(), x, permutation_of(c, c.rank(0)))};
}

ANEMONE_INLINE results fold_concat(node_call& c) {
    std::vector<const known_tensor*> parts;
    parts.reserve(static_cast<std::size_t>(c.operand_count()));
    for (int i = 0; i < c.operand_count(); ++i) {
        parts.push_back(&c.known(i));
    }
    return {folding::joined(c.room(), parts, c.axis("axis", 1, c.rank(0)))};
}

ANEMONE_INLINE results fold_slice(node_call& c) {
    indices begin;
    indices step;
    extents size;
    for (const slice_of_axis& part : slices_of(c)) {
        begin.append(part.begin);
        step.append(part.step);
        size.append(part.count);
    }
    return {folding::sliced(c.room(), c.known(0), begin, size, step)};
}
ANEMONE_INLINE results fold_gather(node_call& c) {
    const known_tensor& x = c.known(0);
    const known_tensor& places = c.known(1);
    return {folding::gathered(c.room(), x, places, c.axis("axis", 0, c.rank(0)))};
}

/// What Expand broadcasts to.
ANEMONE_INLINE extents expanded_shape(node_call& c) {
    const extents wanted = shape_from(c.integers(1));
    c.require(element_count(wanted) >= 0, formatted("expands to {}", print(wanted)));
    return folding::broadcast(c.shape(0), wanted);
}
ANEMONE_INLINE results fold_expand(node_call& c) {
    const known_tensor& x = c.known(0);
    return {folding::expanded(c.room(), x, expanded_shape(c))};
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
    indices count;
    const extents shape = tiled_shape(c, count);
    return {folding::tiled(c.room(), c.known(0), shape)};
}
ANEMONE_INLINE results fold_split(node_call& c) {
    const known_tensor& x = c.known(0);
    const int axis = c.axis("axis", 0, x.shape.rank);
    results all;
    extents size = x.shape;
    indices begin;
    indices steps;
    for (int i = 0; i < x.shape.rank; ++i) {
        begin.append(0);
        steps.append(1);
    }
    for (const std::int64_t part : split_sizes(c, x.shape[axis])) {
        size[axis] = part;
        all.emplace_back(folding::sliced(c.room(), x, begin, size, steps));
        begin[axis] += part;
    }
    return all;
}

ANEMONE_INLINE results fold_scatter_nd(node_call& c) {
    const known_tensor& x = c.known(0);
    const known_tensor& at = c.known(1);
    const known_tensor updates = folding::converted(c.room(), c.known(2), x.type);
    c.require(c.word("reduction", "none") == "none", "reduces constants");
    c.require(at.shape.rank >= 1 && at.shape.width() >= 1 && at.shape.width() <= x.shape.rank, "has no coordinates");
    const int depth = static_cast<int>(at.shape.width());
    const std::int64_t inner = count_of(x.shape, depth, x.shape.rank);
    const std::int64_t places = at.count() / depth;
    c.require(updates.count() == places * inner, "has another number of updates than of places");
    const extents strides = row_major_strides(x.shape);
    c.scope().spend(8 * x.count());
    std::vector<std::int64_t> update_of(static_cast<std::size_t>(x.count()), -1);
    for (std::int64_t p = 0; p < places; ++p) {
        std::int64_t begin = 0;
        for (int a = 0; a < depth; ++a) {
            begin += folding::place_on_axis(at, p * depth + a, x.shape[a]) * strides[a];
        }
        for (std::int64_t i = 0; i < inner; ++i) {
            update_of[static_cast<std::size_t>(begin + i)] = p * inner + i;
        }
    }
    folding::element_list list(x.type, x.count());
    for (std::int64_t i = 0; i < x.count(); ++i) {
        const std::int64_t from = update_of[static_cast<std::size_t>(i)];
        list.append(from < 0 ? x : updates, from < 0 ? i : from);
    }
    return {std::move(list).of(x.shape)};
}

} // namespace ane::onnx::inline ANEMONE_WAY
