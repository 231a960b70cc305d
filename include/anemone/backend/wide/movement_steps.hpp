#pragma once

#include "../../base/way.hpp"
#include "../../passes/print.hpp"
#include "../kernels/gather.hpp"
#include "../kernels/movement_plan.hpp"
#include "../kernels/moves.hpp"
#include "step.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

/// Moves are those of backend/kernels, over doubles.
namespace ane::wide_reference::inline ANEMONE_WAY {

/// The value of the first operand, of whatever type.
ANEMONE_INLINE void pass(evaluation& e, int index) {
    const int from = e.operand(index, 0);
    std::copy(e.numbers(from).begin(), e.numbers(from).end(), e.result(index));
    std::copy(e.bytes(from).begin(), e.bytes(from).end(), e.result_bytes(index));
}

ANEMONE_INLINE void movement(evaluation& e, int index) {
    kernels::run_movement(
        kernels::plan_movement(e.graph, e.at(index)), e.shape(index), [&](int k) { return e.input(index, k); },
        e.result(index));
}

/// Bytes and booleans, value for value.
ANEMONE_INLINE void cast(evaluation& e, int index) {
    const std::array<half, 256> values = kernels::byte_values(e.operand_type(index, 0));
    const std::byte* const x = e.input_bytes(index, 0);
    std::transform(x, x + e.count(index), e.result(index),
                   [&values](std::byte b) { return static_cast<double>(values[std::to_integer<std::size_t>(b)]); });
}

/// Indices below zero count from the last element, as in ONNX.
ANEMONE_INLINE void gather(evaluation& e, int index) {
    const double* const x = e.input(index, 0);
    double* const y = e.result(index);
    const kernels::index_reader read{print(e.graph, index), kernels::negative_index::counts_from_the_end};
    kernels::for_each_gathered(
        kernels::gather_shape_of(e.graph, e.at(index)), e.input(index, 1), read,
        [&](std::int64_t to, std::int64_t from, std::int64_t count) { std::copy_n(x + from, count, y + to); });
}

/// 0 where the window leaves the tensor.
ANEMONE_INLINE void dynamic_slice(evaluation& e, int index) {
    const kernels::dynamic_slice_shape shape = kernels::dynamic_slice_shape_of(e.graph, e.at(index));
    const std::int64_t begin = shape.begin_at(e.input(index, 1)[0], print(e.graph, index));
    std::fill_n(e.result(index), e.count(index), 0.0);
    kernels::move_elements(shape.move_from(begin), e.input(index, 0), e.result(index));
}

} // namespace ane::wide_reference::inline ANEMONE_WAY
