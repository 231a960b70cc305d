#pragma once

#include "../../base/way.hpp"
#include "../../numerics/movement.hpp"
#include "../../numerics/width_offset.hpp"
#include "../../passes/print.hpp"
#include "../kernels/gather.hpp"
#include "../kernels/movement_plan.hpp"
#include "step.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace ane::oracle::inline ANEMONE_WAY {

ANEMONE_INLINE void reshape(evaluation& e, int index) { e.copy(e.operand(index, 0), index); }

/// Every operation that moves elements to positions independent of the data.
ANEMONE_INLINE void movement(evaluation& e, int index) {
    kernels::run_movement(
        kernels::plan_movement(e.graph, e.at(index)), e.shape(index), [&](int k) { return e.input(index, k); },
        e.result(index));
}

/// Applies the gain to values that were read from a width offset (numerics::slice_width_offset).
ANEMONE_INLINE void apply_width_offset(const evaluation& e, half* values, std::int64_t count) {
    std::transform(values, values + count, values,
                   [&e](half x) { return numerics::slice_width_offset(e.arithmetic, x); });
}

/// slice and strided_slice: a begin above 0 on the width axis has a gain (N060-N068).
ANEMONE_INLINE void slice(evaluation& e, int index) {
    movement(e, index);
    if (reads_inside_width(e.graph, e.at(index))) {
        apply_width_offset(e, e.result(index), e.count(index));
    }
}

/// Bytes and booleans, value for value.
ANEMONE_INLINE void cast(evaluation& e, int index) {
    const std::array<half, 256> values = kernels::byte_values(e.operand_type(index, 0));
    const std::byte* const x = e.bytes(index, 0);
    std::transform(x, x + e.count(index), e.result(index),
                   [&values](std::byte b) { return values[std::to_integer<std::size_t>(b)]; });
}

/// The engine's indices are unsigned (netplist: Gather takes UInt16): one below zero is an error.
ANEMONE_INLINE kernels::index_reader index_reader_of(const graph_view& g, int index) {
    return {print(g, index), kernels::negative_index::is_refused};
}

/// An element that a gather finds at a width above 0 comes through a width slice with its gain (netplist: Gather).
ANEMONE_INLINE void gather(evaluation& e, int index) {
    const kernels::gather_shape shape = kernels::gather_shape_of(e.graph, e.at(index));
    const std::int64_t width = shape.x.width();
    const bool offset = reads_inside_width(e.graph, e.at(index));
    const half* const x = e.input(index, 0);
    half* const y = e.result(index);
    kernels::for_each_gathered(shape, e.input(index, 1), index_reader_of(e.graph, index),
                               [&](std::int64_t to, std::int64_t from, std::int64_t count) {
                                   std::copy_n(x + from, count, y + to);
                                   if (offset && from % width != 0) { // its runs are single elements
                                       apply_width_offset(e, y + to, count);
                                   }
                               });
}

/// A window at a width above 0 is read as a slice that begins there (inferred: A13 has no dynamic slice, and no probe
/// of the A14 is published).
ANEMONE_INLINE void dynamic_slice(evaluation& e, int index) {
    const kernels::dynamic_slice_shape shape = kernels::dynamic_slice_shape_of(e.graph, e.at(index));
    const std::int64_t begin = shape.begin_at(e.input(index, 1)[0], print(e.graph, index));
    half* const y = e.result(index);
    std::fill_n(y, e.count(index), half{});
    kernels::move_elements(shape.move_from(begin), e.input(index, 0), y);
    if (shape.along == shape.x.rank - 1 && begin != 0) {
        apply_width_offset(e, y, e.count(index));
    }
}

/// Positions that are known when the graph is compiled are checked then. Throws errc::argument as a run would.
ANEMONE_INLINE void check_constant_indices(const evaluation& e) {
    for (int i = 0; i < e.graph.size(); ++i) {
        if (kernels::reads_indices(e.at(i).kind) && e.known(e.operand(i, 1))) {
            kernels::require_indices(e.graph, e.at(i), e.input(i, 1), index_reader_of(e.graph, i));
        }
    }
}

} // namespace ane::oracle::inline ANEMONE_WAY
