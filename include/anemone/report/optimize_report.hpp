#ifndef ANEMONE_REPORT_OPTIMIZE_REPORT_HPP
#define ANEMONE_REPORT_OPTIMIZE_REPORT_HPP

#include "../base/way.hpp"
#include "../proof/proof.hpp"
#include "../rewrites/optimize.hpp"

#include <string>

namespace ane::inline ANEMONE_WAY {

/// What a search over rewrites found, a row a step: the rewrite, its places, what it keeps, the typical time of a
/// dispatch before and after it, and why it pays.
ANEMONE_API_OF(anemone_report_optimize_report_hpp)
std::string optimize_text(const optimized& found, const target_description& d);
ANEMONE_API_OF(anemone_report_optimize_report_hpp) std::string optimize_text(const optimized& found, target t);

/// What a proof found, a row a step: how many values differ and by how much, what the rewrite allows, and whether it holds.
ANEMONE_API_OF(anemone_report_optimize_report_hpp) std::string proof_text(const rewrite_proof& proof);

/// All rewrites, a row each, with where each fits (docs/rewrites.md).
ANEMONE_API_OF(anemone_report_optimize_report_hpp) std::string rewrites_text();

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "optimize_report.ipp"
#endif
