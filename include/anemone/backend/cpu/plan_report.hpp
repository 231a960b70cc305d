#pragma once

#include "../../base/way.hpp"
#include "cpu.hpp"

#include <string>

namespace ane::inline ANEMONE_WAY {

/// What the CPU backend makes of a model, as text: a line for each layer with its operations, its shape, where its value
/// lies in the arena and the temporary memory of its step; then sums. Compiles the model, and throws what that throws.
ANEMONE_API std::string plan_report(const graph_view& model, const weight_store& weights = {},
                                    const backend::cpu& place = {});

} // namespace ane::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "plan_report.ipp"
#endif
