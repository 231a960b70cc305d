#pragma once

#include "node_call.hpp"

/// Shapes and places that folding and the converters of movement share. Only bodies include this header.
namespace ane::onnx::inline ANEMONE_WAY {

/// Where element `i` of a shape lies under other strides.
constexpr std::int64_t place_of(std::int64_t i, const extents& shape, const extents& strides) {
    std::int64_t at = 0;
    for (int a = shape.rank - 1; a >= 0; --a) {
        at += i % shape[a] * strides[a];
        i /= shape[a];
    }
    return at;
}

/// The extents of a reshape: 0 copies one unless `allowzero`, -1 takes the rest.
ANEMONE_INLINE extents reshaped_extents(const extents& x, std::span<const std::int64_t> wanted, bool allowzero) {
    extents shape = shape_from(wanted);
    int open = -1;
    std::int64_t known = 1;
    for (int i = 0; i < shape.rank; ++i) {
        if (shape[i] == 0 && !allowzero) {
            if (i >= x.rank) {
                throw refused_node{formatted("copies extent {} of {}", i, print(x))};
            }
            shape[i] = x[i];
        }
        if (shape[i] == -1 && open < 0) {
            open = i;
        } else if (shape[i] < 0 || __builtin_mul_overflow(known, shape[i], &known)) {
            throw refused_node{formatted("reshapes {} to {}", print(x), print(shape))};
        }
    }
    if (open >= 0) {
        shape[open] = known > 0 ? x.count() / known : 0;
    }
    if (element_count(shape) != x.count()) {
        throw refused_node{
            formatted("reshapes {} to {}, which has another number of elements", print(x), print(shape))};
    }
    return shape;
}

/// The axes of an operator that had them as an attribute and then as an input, sorted and from the front.
ANEMONE_INLINE std::optional<indices> axes_of(node_call& c, int input, int rank) {
    std::optional<std::vector<std::int64_t>> given = c.integers("axes");
    if (c.has(input)) {
        given = c.integers(input);
    }
    if (!given) {
        return std::nullopt;
    }
    c.require(given->size() <= static_cast<std::size_t>(rank), "names more axes than there are");
    indices list;
    for (const std::int64_t a : *given) {
        list.append(c.axis(a, rank));
    }
    std::sort(list.extent, list.extent + list.rank);
    c.require(std::adjacent_find(list.extent, list.extent + list.rank) == list.extent + list.rank,
              "names an axis twice");
    return list;
}
constexpr bool contains(const indices& list, int axis) {
    for (int i = 0; i < list.rank; ++i) {
        if (list[i] == axis) {
            return true;
        }
    }
    return false;
}

/// The result's shape of what only changes it: Reshape, Flatten, Squeeze, Unsqueeze.
ANEMONE_INLINE extents changed_shape(node_call& c) {
    const extents& x = c.shape(0);
    if (c.name() == "Reshape") {
        const std::vector<std::int64_t> wanted =
            c.has(1) ? c.integers(1) : c.integers("shape").value_or(std::vector<std::int64_t>());
        c.require(c.has(1) || c.has_attribute("shape"), "has no shape");
        return reshaped_extents(x, wanted, c.integer("allowzero", 0) != 0);
    }
    if (c.name() == "Flatten") {
        const std::int64_t given = c.integer("axis", 1);
        const int axis = given == x.rank ? x.rank : c.axis(given, std::max(x.rank, 1));
        return {count_of(x, 0, axis), count_of(x, axis, x.rank)};
    }
    extents shape;
    if (c.name() == "Squeeze") {
        const std::optional<indices> over = axes_of(c, 1, x.rank);
        for (int i = 0; i < x.rank; ++i) {
            const bool gone = over ? contains(*over, i) : x[i] == 1;
            c.require(!gone || x[i] == 1, formatted("squeezes axis {} of {}", i, print(x)));
            if (!gone) {
                shape.append(x[i]);
            }
        }
        return shape;
    }
    const std::vector<std::int64_t> list =
        c.has(1) ? c.integers(1) : c.integers("axes").value_or(std::vector<std::int64_t>());
    const std::size_t rank = static_cast<std::size_t>(x.rank) + list.size();
    c.require(rank <= extents::capacity, formatted("gives a tensor of {} axes", rank));
    indices fresh;
    for (const std::int64_t a : list) {
        const int axis = c.axis(a, static_cast<int>(rank));
        c.require(!contains(fresh, axis), "names an axis twice");
        fresh.append(axis);
    }
    for (int i = 0, next = 0; i < static_cast<int>(rank); ++i) {
        shape.append(contains(fresh, i) ? 1 : x[next++]);
    }
    return shape;
}

/// One axis of a slice: `count` elements begin, begin + step, ...
struct slice_of_axis {
    std::int64_t begin = 0;
    std::int64_t count = 0;
    std::int64_t step = 1;
};

/// What Slice takes of each axis, by the rules of Python.
ANEMONE_INLINE std::vector<slice_of_axis> slices_of(node_call& c) {
    const extents& x = c.shape(0);
    std::vector<slice_of_axis> result;
    result.reserve(static_cast<std::size_t>(x.rank));
    for (int i = 0; i < x.rank; ++i) {
        result.push_back({0, x[i], 1});
    }
    using list = std::vector<std::int64_t>;
    const bool inputs = c.has(1);
    const list starts = inputs ? c.integers(1) : c.integers("starts").value_or(list());
    const list ends = inputs ? c.integers(2) : c.integers("ends").value_or(list());
    const std::optional<list> over = c.has(3) ? std::optional(c.integers(3)) : c.integers("axes");
    const list steps = c.has(4) ? c.integers(4) : list(starts.size(), 1);
    c.require(starts.size() == ends.size() && steps.size() == starts.size() &&
                  (!over || over->size() == starts.size()) && starts.size() <= static_cast<std::size_t>(x.rank),
              "has starts, ends, axes and steps of different lengths");
    for (std::size_t i = 0; i < starts.size(); ++i) {
        const int axis = over ? c.axis((*over)[i], x.rank) : static_cast<int>(i);
        const std::int64_t extent = x[axis];
        const std::int64_t step = steps[i];
        c.require(step != 0 && step > -(std::int64_t{1} << 40) && step < std::int64_t{1} << 40, "has a step of 0");
        const auto bounded = [&](std::int64_t v) {
            v = std::clamp(v, -extent - 1, extent + 1);
            v += v < 0 ? extent : 0;
            return step > 0 ? std::clamp<std::int64_t>(v, 0, extent) : std::clamp<std::int64_t>(v, -1, extent - 1);
        };
        const std::int64_t begin = bounded(starts[i]);
        const std::int64_t end = bounded(ends[i]);
        const std::int64_t reach = step > 0 ? end - begin : begin - end;
        const std::int64_t size = std::abs(step);
        result[static_cast<std::size_t>(axis)] = {begin, std::max<std::int64_t>((reach + size - 1) / size, 0), step};
    }
    return result;
}

/// The sizes of the parts of Split.
ANEMONE_INLINE std::vector<std::int64_t> split_sizes(node_call& c, std::int64_t extent) {
    std::optional<std::vector<std::int64_t>> sizes = c.integers("split");
    if (c.has(1)) {
        sizes = c.integers(1);
    }
    const std::int64_t parts = c.integer("num_outputs", c.output_count());
    if (!sizes) {
        c.require(parts >= 1 && parts == c.output_count(), "has another number of outputs than of parts");
        const std::int64_t each = (extent + parts - 1) / parts; // the last one may be smaller
        sizes.emplace(static_cast<std::size_t>(parts), each);
        sizes->back() = extent - each * (parts - 1);
    }
    std::int64_t total = 0;
    for (const std::int64_t s : *sizes) {
        c.require(s >= 0 && s <= extent, formatted("has a part of {} of {} elements", s, extent));
        total += s;
    }
    c.require(total == extent && static_cast<int>(sizes->size()) == c.output_count(),
              formatted("splits {} elements into {} parts of {} in all", extent, sizes->size(), total));
    return *sizes;
}

} // namespace ane::onnx::inline ANEMONE_WAY
