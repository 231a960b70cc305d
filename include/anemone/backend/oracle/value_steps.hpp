#pragma once

#include "../../base/way.hpp"
#include "../../graph/attributes_of.hpp"
#include "../../graph/strided.hpp"
#include "../../numerics/elementwise.hpp"
#include "../../numerics/quantized_products.hpp"
#include "../../numerics/row_kernels.hpp"
#include "../node_shapes.hpp"
#include "quantization_steps.hpp"
#include "row_walks.hpp"
#include "step.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ane::oracle::inline ANEMONE_WAY {

/// Whether an operation has a loop of its own in some arithmetic.
template <op Kind> bool has_row(const numerics::datapath& path) {
    return Kind == op::add || Kind == op::sub || Kind == op::minimum || Kind == op::maximum ||
           (Kind == op::mul && numerics::has_row_products(path));
}

/// That loop.
template <op Kind>
void binary_row(const numerics::row_kernels& kernels, const numerics::datapath& path, numerics::row_operand a,
                numerics::row_operand b, half* out, std::int64_t count) {
    if constexpr (Kind == op::add) {
        kernels.add(path, a, b, out, count);
    } else if constexpr (Kind == op::sub) {
        kernels.subtract(path, a, b, out, count);
    } else if constexpr (Kind == op::minimum) {
        kernels.minimum(path, a, b, out, count);
    } else if constexpr (Kind == op::maximum) {
        kernels.maximum(path, a, b, out, count);
    } else if constexpr (Kind == op::mul) {
        kernels.multiply(path, a, b, out, count);
    }
}

/// A function by its table, or element by element. `out` may be `x`.
template <op Kind>
void function_row(const evaluation& e, const half* table, const half* x, half* out, std::int64_t count) {
    for (std::int64_t k = 0; k < count; ++k) {
        out[k] = table != nullptr ? table[x[k].bits] : numerics::unary<Kind>(e.arithmetic, x[k]);
    }
}

/// a / b, or its floor, as the product with the reciprocal of b.
template <op Kind> void quotient(evaluation& e, int index) {
    const numerics::row_kernels kernels = numerics::best_row_kernels();
    const half* const inverses = e.tables.unary<op::inverse>(e.arithmetic, 0.0F, 0.0F, e.count(index));
    const half* floors = nullptr;
    if constexpr (Kind == op::floor_div) {
        floors = e.tables.unary<op::floor>(e.arithmetic, 0.0F, 0.0F, e.count(index));
    }
    for_each_broadcast_row<2>(e.shape(index), {e.operand_shape(index, 0), e.operand_shape(index, 1)},
                              [&](std::int64_t to, const auto& from, const auto& steps, std::int64_t count) {
                                  constexpr std::int64_t most = 512;
                                  half inverse[most];
                                  for (std::int64_t first = 0; first < count; first += most) {
                                      const std::int64_t part = std::min(most, count - first);
                                      const half* const a = e.input(index, 0) + from[0] + first * steps[0];
                                      const half* const b = e.input(index, 1) + from[1] + first * steps[1];
                                      half* const y = e.result(index) + to + first;
                                      function_row<op::inverse>(e, inverses, b, inverse, steps[1] == 0 ? 1 : part);
                                      kernels.multiply(e.arithmetic, {a, steps[0]}, {inverse, steps[1]}, y, part);
                                      if constexpr (Kind == op::floor_div) {
                                          function_row<op::floor>(e, floors, y, y, part);
                                      }
                                  }
                              });
}

template <op Kind> void binary(evaluation& e, int index) {
    if constexpr (Kind == op::div || Kind == op::floor_div) {
        if (e.arithmetic.division == numerics::division_rule::reciprocal_table &&
            numerics::has_row_products(e.arithmetic)) {
            quotient<Kind>(e, index);
            return;
        }
    }
    const half* const a = e.input(index, 0);
    const half* const b = e.input(index, 1);
    half* const y = e.result(index);
    const numerics::row_kernels kernels = numerics::best_row_kernels();
    const bool by_rows = has_row<Kind>(e.arithmetic);
    for_each_broadcast_row<2>(e.shape(index), {e.operand_shape(index, 0), e.operand_shape(index, 1)},
                              [&](std::int64_t to, const auto& from, const auto& steps, std::int64_t count) {
                                  if (by_rows) {
                                      binary_row<Kind>(kernels, e.arithmetic, {a + from[0], steps[0]},
                                                       {b + from[1], steps[1]}, y + to, count);
                                      return;
                                  }
                                  for (std::int64_t k = 0; k < count; ++k) {
                                      const half left = a[from[0] + k * steps[0]];
                                      const half right = b[from[1] + k * steps[1]];
                                      if constexpr (Kind == op::pow) {
                                          y[to + k] = numerics::power_by_table(e.arithmetic, left, right);
                                      } else {
                                          y[to + k] = numerics::binary<Kind>(e.arithmetic, left, right);
                                      }
                                  }
                              });
}

/// scale_offset of rows: blocks with infinities element by element.
ANEMONE_INLINE void scale_offset_row(const numerics::datapath& path, const half* const (&from)[3],
                                     const std::array<std::int64_t, 3>& steps, half* y, std::int64_t count) {
    const numerics::row_kernels kernels = numerics::best_row_kernels();
    for (std::int64_t k = 0; k < count;) {
        const auto rest = [&](std::size_t operand) -> numerics::row_operand {
            return {from[operand] + k * steps[operand], steps[operand]};
        };
        k += kernels.scale_offset(path, rest(0), rest(1), rest(2), y + k, count - k);
        for (const std::int64_t end = std::min(k + numerics::scale_offset_block, count); k < end; ++k) {
            y[k] = numerics::scale_offset(path, from[0][k * steps[0]], from[1][k * steps[1]], from[2][k * steps[2]]);
        }
    }
}

/// A product of dequantized values whose codes take another scale, if the arithmetic has that; says whether it was one.
ANEMONE_INLINE bool product_of_exchanged_scales(evaluation& e, int index) {
    if (e.arithmetic.quantized_product_scale == numerics::product_scale_rule::own) {
        return false;
    }
    const quantized_product p = quantized_product_of(e.graph, index, e.plan.read);
    const half* operands[2] = {e.input(index, 0), e.input(index, 1)};
    std::vector<half> rescaled[2];
    for (int k = 0; k < 2; ++k) {
        const int d = p.exchanged(e.graph, k);
        if (d < 0) {
            continue;
        }
        kernels::scale_operands by = quantization_scales(e, d);
        by.scale = e.input(p.scaled_by, 1);
        rescaled[k].resize(static_cast<std::size_t>(e.count(d)));
        kernels::dequantize(e.operand_type(d, 0), e.bytes(d, 0), by, e.count(d), rescaled[k].data(),
                            [&](half q, kernels::scale_of_element with) {
                                return numerics::dequantize(e.arithmetic, q, with.scale, with.zero);
                            });
        operands[k] = rescaled[k].data();
    }
    if (rescaled[0].empty() && rescaled[1].empty()) {
        return false;
    }
    half* const y = e.result(index);
    for_each_broadcast_row<2>(e.shape(index), {e.operand_shape(index, 0), e.operand_shape(index, 1)},
                              [&](std::int64_t to, const auto& from, const auto& steps, std::int64_t count) {
                                  for (std::int64_t k = 0; k < count; ++k) {
                                      y[to + k] = numerics::multiply(e.arithmetic, operands[0][from[0] + k * steps[0]],
                                                                     operands[1][from[1] + k * steps[1]]);
                                  }
                              });
    return true;
}

/// A product that may be the gain of a gain-offset stage: with both present, x scale + offset has one rounding (N203).
ANEMONE_INLINE void mul(evaluation& e, int index) {
    const int partner = e.partner(index);
    if (partner < 0) {
        if (!product_of_exchanged_scales(e, index)) {
            binary<op::mul>(e, index);
        }
        return;
    }
    const bool first_constant = e.known(e.operand(index, 0));
    const int vector = e.role(index).vector;
    const int gain = vector >= 0 ? vector : e.operand(index, first_constant ? 0 : 1);
    const int source = e.operand(index, first_constant ? 1 : 0);
    const int offset = e.role(partner).vector;
    half* const y = e.result(index);
    for_each_broadcast_row<3>(
        e.shape(index), {e.shape(source), e.shape(gain), e.shape(offset)},
        [&](std::int64_t to, const auto& from, const auto& steps, std::int64_t count) {
            scale_offset_row(e.arithmetic, {e.data(source) + from[0], e.data(gain) + from[1], e.data(offset) + from[2]},
                             steps, y + to, count);
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
    const numerics::row_kernels kernels = numerics::best_row_kernels();
    for_each_broadcast_row<2>(e.shape(index), {e.operand_shape(index, 0), e.operand_shape(index, 1)},
                              [&](std::int64_t to, const auto& from, const auto& steps, std::int64_t count) {
                                  auto* const order = reinterpret_cast<std::int8_t*>(e.result_bytes(index)) + to;
                                  kernels.order({e.input(index, 0) + from[0], steps[0]},
                                                {e.input(index, 1) + from[1], steps[1]}, order, count);
                                  for (std::int64_t k = 0; k < count; ++k) {
                                      order[k] = static_cast<std::int8_t>(numerics::holds(Kind, order[k]));
                                  }
                              });
}

ANEMONE_INLINE void logical_not(evaluation& e, int index) {
    const std::byte* const x = e.bytes(index, 0);
    std::transform(x, x + e.count(index), e.result_bytes(index),
                   [](std::byte b) { return std::byte{b == std::byte{0}}; });
}

ANEMONE_INLINE void select(evaluation& e, int index) {
    for_each_broadcast_row<3>(
        e.shape(index), {e.operand_shape(index, 0), e.operand_shape(index, 1), e.operand_shape(index, 2)},
        [&](std::int64_t to, const auto& from, const auto& steps, std::int64_t count) {
            const std::byte* const condition = e.bytes(index, 0) + from[0];
            const half* const a = e.input(index, 1) + from[1];
            const half* const b = e.input(index, 2) + from[2];
            half* const y = e.result(index) + to;
            for (std::int64_t k = 0; k < count; ++k) {
                const unsigned first = condition[k * steps[0]] != std::byte{0} ? 0xFFFFU : 0U;
                const unsigned chosen = (a[k * steps[1]].bits & first) | (b[k * steps[2]].bits & ~first);
                y[k].bits = static_cast<std::uint16_t>(chosen);
            }
            numerics::best_row_kernels().entered(y, y, count);
        });
}

/// prelu (x, slope) and parametric_softplus (x, alpha, beta), whose vectors have one value for each channel, axis 1.
ANEMONE_INLINE void parametric(evaluation& e, int index) {
    const extents& shape = e.shape(index);
    const std::int64_t channels = shape[1];
    const std::int64_t inner = shape.count() / (shape[0] * channels);
    const half* const first = e.input(index, 1);
    const bool is_prelu = e.at(index).kind == op::prelu;
    const half* const second = is_prelu ? nullptr : e.input(index, 2);
    const bool by_rows = numerics::has_row_products(e.arithmetic);
    const numerics::row_kernels kernels = numerics::best_row_kernels();
    const half* const table =
        is_prelu || !by_rows ? nullptr : e.tables.unary<op::softplus>(e.arithmetic, 0.0F, 0.0F, e.count(index));
    for (std::int64_t row = 0; row < shape[0] * channels; ++row) {
        const half* const x = e.input(index, 0) + row * inner;
        half* const y = e.result(index) + row * inner;
        const std::int64_t c = row % channels;
        if (by_rows && is_prelu) {
            kernels.prelu(e.arithmetic, {x, 1}, {first + c, 0}, y, inner);
        } else if (by_rows) {
            kernels.multiply(e.arithmetic, {second + c, 0}, {x, 1}, y, inner);
            function_row<op::softplus>(e, table, y, y, inner);
            kernels.multiply(e.arithmetic, {first + c, 0}, {y, 1}, y, inner);
        } else {
            for (std::int64_t k = 0; k < inner; ++k) {
                y[k] = is_prelu ? numerics::prelu(e.arithmetic, x[k], first[c])
                                : numerics::parametric_softplus(e.arithmetic, x[k], first[c], second[c]);
            }
        }
    }
}

ANEMONE_INLINE void dropout(evaluation& e, int index) {
    numerics::best_row_kernels().entered(e.input(index, 0), e.result(index), e.count(index));
}

} // namespace ane::oracle::inline ANEMONE_WAY
