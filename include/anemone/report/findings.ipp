#pragma once

#include "findings.hpp"
#include "terminal.hpp"

namespace ane::detail::inline ANEMONE_WAY {

ANEMONE_BODY std::string finding_counts::str() const { return counted_findings(errors, warnings, notes); }

} // namespace ane::detail::inline ANEMONE_WAY
