#pragma once

#include "../../../base/way.hpp"
#include "clock.hpp"
#include "dispatch.hpp"
#include "options.hpp"
#include "pacing.hpp"
#include "release_report.hpp"

namespace ane::e5rt::detail::inline ANEMONE_WAY {

/// The options with the clock, pacing, gate and report of the process where none is given.
ANEMONE_INLINE session_options completed(session_options options) {
    const auto complete = [](auto& chosen, const auto& own) {
        if (!chosen)
            chosen = own();
    };
    complete(options.time, [] { return clock_source::system(); });
    complete(options.pacing, [] { return compile_pacing::process(); });
    complete(options.gate, [] { return dispatch_gate::process(); });
    complete(options.report, [] { return release_report::to_stderr(); });
    return options;
}

} // namespace ane::e5rt::detail::inline ANEMONE_WAY
