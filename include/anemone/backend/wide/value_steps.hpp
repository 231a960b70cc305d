#pragma once

#include "../../base/way.hpp"
#include "../../graph/attributes_of.hpp"
#include "../kernels/broadcast_rows.hpp"
#include "../node_shapes.hpp"
#include "functions.hpp"
#include "step.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace ane::wide_reference::inline ANEMONE_WAY {

/// result[i] = apply(a, b) of the operands that broadcast to it.
template <class From, class To, class Function>
void broadcast_two(const evaluation& e, int index, const From* a, const From* b, To* y, const Function& apply) {
    kernels::for_each_broadcast_row<2>(e.shape(index), {e.operand_shape(index, 0), e.operand_shape(index, 1)},
                                       [&](std::int64_t to, const auto& from, const auto& steps, std::int64_t count) {
                                           for (std::int64_t k = 0; k < count; ++k) {
                                               y[to + k] = apply(a[from[0] + k * steps[0]], b[from[1] + k * steps[1]]);
                                           }
                                       });
}

template <op Kind> void binary(evaluation& e, int index) {
    broadcast_two(e, index, e.input(index, 0), e.input(index, 1), e.result(index), folding::arithmetic<double>()[Kind]);
}

template <op Kind> void compare(evaluation& e, int index) {
    broadcast_two(
        e, index, e.input(index, 0), e.input(index, 1), e.result_bytes(index),
        [holds = folding::conditions<double>()[Kind]](double a, double b) { return std::byte{holds(a, b) != 0}; });
}

template <op Kind> void logic(evaluation& e, int index) {
    broadcast_two(e, index, e.input_bytes(index, 0), e.input_bytes(index, 1), e.result_bytes(index),
                  [holds = folding::conditions<double>()[Kind]](std::byte a, std::byte b) {
                      return std::byte{holds(a != std::byte{0} ? 1 : 0, b != std::byte{0} ? 1 : 0) != 0};
                  });
}

ANEMONE_INLINE void logical_not(evaluation& e, int index) {
    const std::byte* const x = e.input_bytes(index, 0);
    std::transform(x, x + e.count(index), e.result_bytes(index),
                   [](std::byte b) { return std::byte{b == std::byte{0}}; });
}

template <op Kind> void unary(evaluation& e, int index) {
    const function of = functions()[Kind];
    const ane::detail::unary_numbers numbers = ane::detail::unary_numbers_of<attributes_of<Kind>>(e.at(index));
    const auto first = static_cast<double>(numbers.first);
    const auto second = static_cast<double>(numbers.second);
    const double* const x = e.input(index, 0);
    std::transform(x, x + e.count(index), e.result(index), [&](double value) { return of(value, first, second); });
}

ANEMONE_INLINE void select(evaluation& e, int index) {
    const std::byte* const condition = e.input_bytes(index, 0);
    const double* const a = e.input(index, 1);
    const double* const b = e.input(index, 2);
    double* const y = e.result(index);
    kernels::for_each_broadcast_row<3>(
        e.shape(index), {e.operand_shape(index, 0), e.operand_shape(index, 1), e.operand_shape(index, 2)},
        [&](std::int64_t to, const auto& from, const auto& steps, std::int64_t count) {
            for (std::int64_t k = 0; k < count; ++k) {
                y[to + k] = condition[from[0] + k * steps[0]] != std::byte{0} ? a[from[1] + k * steps[1]]
                                                                              : b[from[2] + k * steps[2]];
            }
        });
}

/// prelu (x, slope) and parametric_softplus (x, alpha, beta), whose vectors have one value for each channel, axis 1.
ANEMONE_INLINE void parametric(evaluation& e, int index) {
    const extents& shape = e.shape(index);
    const std::int64_t channels = shape[1];
    const std::int64_t inner = shape.count() / (shape[0] * channels);
    const bool is_prelu = e.at(index).kind == op::prelu;
    for (std::int64_t i = 0; i < shape.count(); ++i) {
        const std::int64_t c = i / inner % channels;
        const double x = e.input(index, 0)[i];
        const double first = e.input(index, 1)[c];
        e.result(index)[i] = is_prelu ? (x < 0 ? first * x : x) : first * softplus(e.input(index, 2)[c] * x);
    }
}

} // namespace ane::wide_reference::inline ANEMONE_WAY
