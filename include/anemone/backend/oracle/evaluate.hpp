#pragma once

#include "../../base/cancellation.hpp"
#include "../../base/way.hpp"
#include "../../passes/print.hpp"
#include "step.hpp"

namespace ane::oracle::inline ANEMONE_WAY {

/// Computes one node from its operands' values. A bias or an offset was already computed with the stage before it, in
/// one rounding, and takes that stage's value.
ANEMONE_INLINE void evaluate(evaluation& e, int index) {
    const fusion& f = e.role(index);
    if (f.role == fused_as::bias || f.role == fused_as::offset) {
        e.copy(f.stage, index);
        return;
    }
    const evaluator step = e.steps[static_cast<std::size_t>(e.at(index).kind)];
    if (step == nullptr) {
        throw error(errc::lowering, print(e.graph, index), "the oracle has no arithmetic for this operation");
    }
    step(e, index);
}

/// Computes every node that is neither an input nor known.
ANEMONE_INLINE void evaluate_all(evaluation& e) {
    for (int i = 0; i < e.graph.size(); ++i) {
        ane::detail::stop_if_cancelled();
        if (e.at(i).kind != op::input && !e.known(i)) {
            evaluate(e, i);
        }
    }
}

} // namespace ane::oracle::inline ANEMONE_WAY
