#pragma once

#include "../../base/way.hpp"
#include "../../graph/attributes_of.hpp"
#include "../../graph/strided.hpp"
#include "../../numerics/elementwise.hpp"
#include "../node_shapes.hpp"
#include "step.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ane::oracle::inline ANEMONE_WAY {

template <op Kind> void binary(evaluation& e, int index) {
    const half* const a = e.input(index, 0);
    const half* const b = e.input(index, 1);
    half* const y = e.result(index);
    ane::detail::for_each_pair(e.shape(index), e.operand_shape(index, 0), e.operand_shape(index, 1),
                               [&](std::int64_t to, std::int64_t from_a, std::int64_t from_b) {
                                   y[to] = numerics::binary<Kind>(e.arithmetic, a[from_a], b[from_b]);
                               });
}

/// A product that may be the gain of a gain-offset stage: with both present, x scale + offset has one rounding (N203).
ANEMONE_INLINE void mul(evaluation& e, int index) {
    const int partner = e.partner(index);
    if (partner < 0) {
        binary<op::mul>(e, index);
        return;
    }
    const bool first_constant = e.known(e.operand(index, 0));
    const int vector = e.role(index).vector;
    const int gain = vector >= 0 ? vector : e.operand(index, first_constant ? 0 : 1);
    const int source = e.operand(index, first_constant ? 1 : 0);
    const int offset = e.role(partner).vector;
    half* const y = e.result(index);
    std::vector<std::int64_t> from_gain;
    from_gain.reserve(static_cast<std::size_t>(e.count(index)));
    ane::detail::for_each_pair(e.shape(index), e.shape(source), e.shape(gain),
                               [&](std::int64_t, std::int64_t, std::int64_t g) { from_gain.push_back(g); });
    ane::detail::for_each_pair(
        e.shape(index), e.shape(source), e.shape(offset), [&](std::int64_t to, std::int64_t x, std::int64_t o) {
            y[to] = numerics::scale_offset(e.arithmetic, e.data(source)[x],
                                           e.data(gain)[from_gain[static_cast<std::size_t>(to)]], e.data(offset)[o]);
        });
}

template <op Kind> void unary(evaluation& e, int index) {
    const node& n = e.at(index);
    const ane::detail::unary_numbers numbers = ane::detail::unary_numbers_of<attributes_of<Kind>>(n);
    const half* const x = e.input(index, 0);
    half* const y = e.result(index);
    const std::int64_t count = e.count(index);
    if (const half* const table = e.tables.unary<Kind>(e.arithmetic, numbers.first, numbers.second, count)) {
        for (std::int64_t k = 0; k < count; ++k) {
            y[k] = table[x[k].bits];
        }
        return;
    }
    for (std::int64_t k = 0; k < count; ++k) {
        y[k] = numerics::unary<Kind>(e.arithmetic, x[k], numbers.first, numbers.second);
    }
}

/// Comparisons of two values: one byte an element, 1 where they hold.
template <op Kind> void compare(evaluation& e, int index) {
    const half* const a = e.input(index, 0);
    const half* const b = e.input(index, 1);
    std::byte* const y = e.result_bytes(index);
    ane::detail::for_each_pair(e.shape(index), e.operand_shape(index, 0), e.operand_shape(index, 1),
                               [&](std::int64_t to, std::int64_t from_a, std::int64_t from_b) {
                                   y[to] = std::byte{numerics::compare<Kind>(e.arithmetic, a[from_a], b[from_b])};
                               });
}

ANEMONE_INLINE void logical_not(evaluation& e, int index) {
    const std::byte* const x = e.bytes(index, 0);
    for (std::int64_t k = 0; k < e.count(index); ++k) {
        e.result_bytes(index)[k] = std::byte{x[k] == std::byte{0}};
    }
}

ANEMONE_INLINE void select(evaluation& e, int index) {
    const std::byte* const condition = e.bytes(index, 0);
    half* const y = e.result(index);
    for (int choice = 1; choice <= 2; ++choice) { // the first where the condition holds, then the second elsewhere
        const half* const x = e.input(index, choice);
        ane::detail::for_each_pair(e.shape(index), e.operand_shape(index, 0), e.operand_shape(index, choice),
                                   [&](std::int64_t to, std::int64_t from_condition, std::int64_t from) {
                                       if ((condition[from_condition] != std::byte{0}) == (choice == 1)) {
                                           y[to] = numerics::select(e.arithmetic, true, x[from], half{});
                                       }
                                   });
    }
}

/// prelu (x, slope) and parametric_softplus (x, alpha, beta), whose vectors have one value for each channel, axis 1.
ANEMONE_INLINE void parametric(evaluation& e, int index) {
    const extents& shape = e.shape(index);
    const std::int64_t channels = shape[1];
    const std::int64_t inner = shape.count() / (shape[0] * channels);
    const half* const x = e.input(index, 0);
    const half* const first = e.input(index, 1);
    half* const y = e.result(index);
    const bool is_prelu = e.at(index).kind == op::prelu;
    const half* const second = is_prelu ? nullptr : e.input(index, 2);
    for (std::int64_t k = 0; k < e.count(index); ++k) {
        const std::int64_t c = k / inner % channels;
        y[k] = is_prelu ? numerics::prelu(e.arithmetic, x[k], first[c])
                        : numerics::parametric_softplus(e.arithmetic, x[k], first[c], second[c]);
    }
}

ANEMONE_INLINE void dropout(evaluation& e, int index) {
    for (std::int64_t k = 0; k < e.count(index); ++k) {
        e.result(index)[k] = numerics::dropout(e.arithmetic, e.input(index, 0)[k]);
    }
}

} // namespace ane::oracle::inline ANEMONE_WAY
