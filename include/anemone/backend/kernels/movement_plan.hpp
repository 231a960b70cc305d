#pragma once

#include "../../base/error.hpp"
#include "../../base/way.hpp"
#include "../../graph/graph.hpp"
#include "../../values/half.hpp"
#include "moves.hpp"

#include <string>
#include <utility>

namespace ane::kernels::inline ANEMONE_WAY {

/// What a node moves: first every element of its result is set to the scalar operand `fill` (skipped if that is -1),
/// then the moves follow in order.
struct movement_plan {
    int fill = -1;
    std::vector<element_move> moves;
};

} // namespace ane::kernels::inline ANEMONE_WAY

namespace ane::kernels::detail::inline ANEMONE_WAY {

/// The elements begin, begin + step, ... of every axis of a dense tensor: where the first lies, and the steps.
struct spaced_elements {
    std::int64_t first = 0;
    indices steps{};
};

/// A move in which index i of the result reads index source(axis, i) of the operand.
template <class Source> element_move indexed_move(const extents& x, const extents& result, const Source& source) {
    element_move m{0, result, 0, row_major_strides(result), 0, row_major_strides(x), {}};
    for (int axis = 0; axis < x.rank; ++axis) {
        if (x[axis] == result[axis]) {
            continue; // an axis that does not grow keeps its indices
        }
        if (x[axis] == 1) {
            m.from[axis] = 0; // there is only one element to read
            continue;
        }
        std::vector<std::int64_t>& table = m.tables[static_cast<std::size_t>(axis)];
        table.reserve(static_cast<std::size_t>(result[axis]));
        for (std::int64_t i = 0; i < result[axis]; ++i) {
            table.push_back(source(axis, i) * m.from[axis]);
        }
    }
    return m;
}

} // namespace ane::kernels::detail::inline ANEMONE_WAY

namespace ane::kernels::inline ANEMONE_WAY {

/// The moves of an operation whose movement does not depend on data. Throws errc::lowering for any other.
ANEMONE_API movement_plan plan_movement(const graph_view& g, const node& n);

/// Runs a plan: `operand(k)` is the data of operand k.
template <class Element, class Operand>
void run_movement(const movement_plan& plan, const extents& result, const Operand& operand, Element* y) {
    if (plan.fill >= 0) {
        std::fill_n(y, result.count(), *operand(plan.fill));
    }
    for (const element_move& m : plan.moves) {
        move_elements(m, operand(m.operand), y);
    }
}

} // namespace ane::kernels::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "movement_plan.ipp"
#endif
