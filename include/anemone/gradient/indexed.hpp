#pragma once

#include "tape.hpp"

/// Derivatives of what reads at indices: each element goes back to where it was read, and those of one place are added up.
/// The engine has no operation that scatters, so the places are compared with all numbers of the axis: a product with ones
/// where they are equal. That takes as many elements as there are indices times the extent of the axis.
namespace ane::detail::gradients {

/// The last index that fp16 tells from those beside it.
inline constexpr std::int64_t last_exact_index = 2048;

/// 0, 1, 2, ... along the axis `along` of `rank`; -1 for places that no index in fp16 can name.
constexpr int counted(tape& t, std::int64_t count, int along, int rank) {
    sequence<float> numbers;
    for (std::int64_t i = 0; i < count; ++i) {
        numbers.push_back(i <= last_exact_index ? static_cast<float>(i) : -1.0F);
    }
    return t.along(t.vector({numbers.data(), numbers.size()}), along, rank);
}

/// The product of the extents of some axes.
constexpr std::int64_t extent_of(const extents& shape, int begin, int end) {
    std::int64_t product = 1;
    for (int k = begin; k < end; ++k) {
        product *= shape[k];
    }
    return product;
}

/// Adds each element of `value` to the place of an axis of zeros of the shape `wanted` that its index names.
constexpr int scattered(tape& t, int value, int places, int along, const extents& wanted) {
    const extents given = t.shape(value);
    const std::int64_t outer = extent_of(given, 0, along);
    const std::int64_t inner = extent_of(given, along + 1, given.rank);
    const extents lines{outer, given[along], 1, inner};
    const int hit = t.where(op::equal, t.reshape(places, lines), counted(t, wanted[along], 2, 4),
                            t.reshape(value, lines), t.number(0));
    return t.reshape(t.sum(hit, axes{1}), wanted);
}

/// (x, indices), whose axes replace one of x.
template <> struct derivative<op::gather> : smooth {
    static constexpr void pull(const step& s) {
        const extents x = s.shape();
        const int along = normalized_axis(s.n.get<axis>().index, x.rank);
        const std::int64_t count = s.shape(1).count();
        const int places = s.t.reshape(s.x(1), {count, 1});
        const int hit = s.t.where(op::equal, places, counted(s.t, x[along], 1, 2), s.t.number(1), s.t.number(0));
        const int lines = s.t.reshape(s.dy, {extent_of(x, 0, along), count, extent_of(x, along + 1, x.rank)});
        s.pull(0, s.t.reshape(s.t.emit(op::matmul, transposed{.a = true}, {hit, lines}), x));
    }
};
/// (x, indices) of as many axes.
template <> struct derivative<op::gather_along_axis> : smooth {
    static constexpr void pull(const step& s) {
        const int along = normalized_axis(s.n.get<axis>().index, s.shape().rank);
        s.pull(0, scattered(s.t, s.dy, s.x(1), along, s.shape()));
    }
};
template <> struct derivative<op::gather_nd> : refused_derivative {
    static constexpr no_derivative none{"its indices address several axes at once",
                                        "gather along one axis of a reshaped operand"};
};
template <> struct derivative<op::dynamic_slice> : refused_derivative {
    static constexpr no_derivative none{"the place of its window is known when the program runs",
                                        "gather, or a product with a row of ones and zeros"};
};

/// Back to the places that were chosen, whose numbers are computed: fp16 has to hold all of the axis.
constexpr void pull_chosen(const step& s, op places) {
    const selection c = s.n.get<selection>();
    const int along = normalized_axis(c.axis, s.shape().rank);
    if (s.shape()[along] > last_exact_index + 1) {
        s.t.made().refuse(model_rule::the_gradient_needs_an_axis_of_at_most_2049_elements, name(s.n.kind), s.n.where,
                          s.shape()[along], last_exact_index + 1);
    }
    s.pull(0, scattered(s.t, s.dy, s.t.emit(places, c, {s.x()}), along, s.shape()));
}
template <> struct derivative<op::top_k> : smooth {
    static constexpr void pull(const step& s) { pull_chosen(s, op::top_k_indices); }
};
template <> struct derivative<op::sort> : smooth {
    static constexpr void pull(const step& s) { pull_chosen(s, op::arg_sort); }
};
template <> struct derivative<op::top_k_indices> : constant_result {};
template <> struct derivative<op::arg_sort> : constant_result {};

} // namespace ane::detail::gradients
