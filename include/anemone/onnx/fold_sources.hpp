#pragma once

#include "shapes.hpp"

/// Constants out of shapes and numbers. Only bodies include this header.
namespace ane::onnx::inline ANEMONE_WAY {

// Constants out of nothing but shapes and numbers.

ANEMONE_INLINE results fold_constant(node_call& c) {
    if (std::optional<known_tensor> t = c.tensor("value")) {
        return {*t};
    }
    if (c.has_attribute("value_float")) {
        return {c.computed(element_type::f32, {}, [&](std::int64_t) { return c.number("value_float", 0); })};
    }
    if (c.has_attribute("value_int")) {
        return {c.computed(element_type::int64, {}, [&](std::int64_t) { return c.integer("value_int", 0); })};
    }
    if (c.has_attribute("value_floats")) {
        const std::vector<double> list = c.numbers("value_floats");
        return {c.computed(element_type::f32, {static_cast<std::int64_t>(list.size())},
                           [&](std::int64_t i) { return list[static_cast<std::size_t>(i)]; })};
    }
    if (const auto list = c.integers("value_ints")) {
        return {c.computed(element_type::int64, {static_cast<std::int64_t>(list->size())},
                           [&](std::int64_t i) { return (*list)[static_cast<std::size_t>(i)]; })};
    }
    c.refuse("is a constant of strings or sparse, which are not read");
}
ANEMONE_INLINE results fold_constant_of_shape(node_call& c) {
    const std::optional<known_tensor> given = c.tensor("value");
    c.require(!given || given->count() == 1, "fills a shape with more than one value");
    const extents shape = shape_from(c.integers(0));
    return {given ? folding::moved(c.room(), *given, shape, [](std::int64_t) { return 0; })
                  : c.computed(element_type::f32, shape, [](std::int64_t) { return 0.0; })};
}
ANEMONE_INLINE results fold_range(node_call& c) {
    const double start = c.number(0);
    const double step = c.number(2);
    const double steps = std::ceil((c.number(1) - start) / step);
    c.require(step != 0 && steps < 1e12, formatted("counts from {} in steps of {}", start, step));
    const std::int64_t count = steps > 0 ? static_cast<std::int64_t>(steps) : 0;
    if (is_integer(c.type(0))) {
        return {c.computed(c.type(0), {count}, [first = c.integer(0), by = c.integer(2)](std::int64_t i) {
            return folding::integers::sum(first, folding::integers::product(i, by));
        })};
    }
    return {c.computed(c.type(0), {count}, [&](std::int64_t i) { return start + static_cast<double>(i) * step; })};
}
/// Needs the operand's shape only.
ANEMONE_INLINE results read_shape(node_call& c) {
    const extents& x = c.shape(0);
    const auto bound = [&](std::int64_t v) { return std::clamp<std::int64_t>(v < 0 ? v + x.rank : v, 0, x.rank); };
    const std::int64_t begin = bound(c.integer("start", 0));
    const std::int64_t end = bound(c.integer("end", x.rank));
    return {c.computed(element_type::int64, {std::max<std::int64_t>(end - begin, 0)},
                       [&](std::int64_t i) { return x[static_cast<int>(begin + i)]; })};
}
ANEMONE_INLINE results read_size(node_call& c) {
    return {c.computed(element_type::int64, {}, [&](std::int64_t) { return c.shape(0).count(); })};
}
ANEMONE_INLINE results read_eye(node_call& c) {
    const extents& x = c.shape(0);
    c.require(x.rank == 2, "is a matrix of another rank");
    const std::int64_t k = c.integer("k", 0);
    return {
        c.computed(c.type("dtype", c.type(0)), x, [&](std::int64_t i) { return i % x[1] - i / x[1] == k ? 1 : 0; })};
}

ANEMONE_INLINE results fold_nonzero(node_call& c) {
    const known_tensor& x = c.known(0);
    std::vector<std::int64_t> places;
    c.scope().spend(8 * x.count());
    for (std::int64_t i = 0; i < x.count(); ++i) {
        if (x.at(i) != 0) {
            places.push_back(i);
        }
    }
    const extents strides = row_major_strides(x.shape);
    const auto found = static_cast<std::int64_t>(places.size());
    return {c.computed(element_type::int64, {x.shape.rank, found}, [&](std::int64_t i) {
        const int axis = static_cast<int>(i / found);
        return places[static_cast<std::size_t>(i % found)] / strides[axis] % x.shape[axis];
    })};
}
/// Whether element `i` of a matrix lies in the triangle that Trilu keeps.
ANEMONE_INLINE bool in_triangle(std::int64_t i, const extents& shape, std::int64_t k, bool upper) {
    const std::int64_t row = i / shape.width() % shape.height();
    const std::int64_t column = i % shape.width();
    return upper ? column - row >= k : column - row <= k;
}
ANEMONE_INLINE results fold_trilu(node_call& c) {
    const known_tensor& x = c.known(0);
    const std::int64_t k = c.has(1) ? c.integer(1) : 0;
    const bool upper = c.integer("upper", 1) != 0;
    return {
        c.computed(x.type, x.shape, [&](std::int64_t i) { return in_triangle(i, x.shape, k, upper) ? x.at(i) : 0.0; })};
}

} // namespace ane::onnx::inline ANEMONE_WAY
