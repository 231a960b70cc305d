#pragma once

#include "../values/half.hpp"
#include "rewriter.hpp"

#include <cstdint>
#include <utility>

namespace ane::detail {

/// How many whole numbers fp16 represents, of both signs, 0 included.
inline constexpr std::int64_t whole_halves = 2 * (2048 + (0x7BFF - 0x6800)) + 1;

/// The whole number of fp16 that is `steps` above 0, or below; all differ by 1 at least, from 2048 on by more.
constexpr float whole_half(std::int64_t steps) {
    const std::int64_t magnitude = steps < 0 ? -steps : steps;
    const float value = magnitude <= 2048 ? static_cast<float>(magnitude)
                                          : static_cast<float>(half::from_bits(static_cast<std::uint16_t>(
                                                0x6800 + magnitude - 2048))); // 0x6800 is 2048
    return steps < 0 ? -value : value;
}

/// T [n, n] with T[j][i] = 1 where element i is in sum j, else 0: built by constant operations from two increasing
/// vectors of n numbers, so that the graph does not hold n^2 values and the program gets one constant.
constexpr int triangle_of_ones(rewriter& w, std::int64_t n, const cumulation& how) {
    sequence<float> growing;
    growing.reserve(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i) {
        growing.push_back(whole_half(i - n / 2));
    }
    const int numbers = w.vector(growing);
    const int of_sum = w.reshape(numbers, {n, 1});
    const int of_element = w.reshape(numbers, {1, n});
    const int earlier = how.reverse ? of_sum : of_element;
    const int later = how.reverse ? of_element : of_sum;
    const auto clamped = [&w](int x) {
        const int below = w.emit(op::minimum, no_attributes{}, {x, w.scalar(1)});
        return w.emit(op::maximum, no_attributes{}, {below, w.scalar(0)});
    };
    if (how.exclusive) {
        return clamped(w.emit(op::sub, no_attributes{}, {later, earlier}));
    }
    const int behind = clamped(w.emit(op::sub, no_attributes{}, {earlier, later}));
    return w.emit(op::sub, no_attributes{}, {w.scalar(1), behind});
}

/// y = x T^T along the last axis, T as the weight of a linear layer is stored; transposed there and back from another
/// axis. The layer itself is out of reach (R125; rewrites section 1, measured).
constexpr int lower_cumsum(rewriter& w, const node& n) {
    const extents& shape = n.shape;
    cumulation how = n.get<cumulation>();
    how.axis = normalized_axis(how.axis, shape.rank);
    int x = w.operand(n, 0);
    const std::int64_t length = shape[how.axis];
    if (length > whole_halves) {
        refuse_graph("cumsum", "sums more elements than a product with a triangle of ones can", length, whole_halves);
    }
    permutation swap;
    for (int i = 0; i < shape.rank; ++i) {
        swap.order.append(i);
    }
    std::swap(swap.order[how.axis], swap.order[shape.rank - 1]);
    const bool inner = how.axis != shape.rank - 1;
    if (inner) {
        x = w.emit(op::transpose, swap, {x});
    } else if (shape.rank == 1) {
        x = w.reshape(x, {1, length});
    }
    const int sums = w.emit(op::matmul, transposed{.b = true}, {x, triangle_of_ones(w, length, how)});
    return inner ? w.emit(op::transpose, swap, {sums}) : w.reshape(sums, shape);
}

} // namespace ane::detail
