#ifndef ANEMONE_BACKEND_CPU_PLAN_REPORT_HPP
#define ANEMONE_BACKEND_CPU_PLAN_REPORT_HPP

#include "../../base/way.hpp"
#include "cpu.hpp"

#include <string>

namespace ane::inline ANEMONE_WAY {

/// What the CPU backend makes of a model, as text: a line for each layer with its operations, its shape, where its value
/// lies in the arena and the temporary memory of its step; then sums. Compiles the model, and throws what that throws.
ANEMONE_API_OF(anemone_backend_cpu_plan_report_hpp)
std::string plan_report(const graph_view& model, const weight_store& weights = {}, const backend::cpu& place = {});

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "plan_report.ipp"
#endif
