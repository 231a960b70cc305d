#pragma once

#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "../cost/timeline.hpp"
#include "cost_text.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// Parts of texts about timelines.
namespace ane::detail::inline ANEMONE_WAY {

/// "h13 (M1)"
ANEMONE_INLINE std::string device_name(const timeline& t) {
    cost c;
    c.target = t.target;
    c.product = t.product;
    return device_name(c);
}

/// Refuses a list of names that is neither empty nor complete.
ANEMONE_INLINE void require_names(const timeline& t, const std::vector<std::string>& names) {
    if (!names.empty() && names.size() < static_cast<std::size_t>(t.programs)) {
        throw error(errc::argument, "names", formatted("{} for {} programs", names.size(), t.programs));
    }
}

ANEMONE_INLINE std::string program_name(const std::vector<std::string>& names, int program) {
    return names.empty() ? formatted("program {}", program) : names[static_cast<std::size_t>(program)];
}

/// "first calls, program switched"
ANEMONE_INLINE std::string remarks(const served_request& s) {
    std::vector<std::string> all;
    if (s.cause != wake_cause::none) {
        all.emplace_back(name(s.cause));
    }
    if (s.switched) {
        all.emplace_back("switched");
    }
    if (s.queued > s.ready) {
        all.emplace_back("held back");
    }
    return joined(all);
}

/// "24 requests on h13 (M1) in 12.3 ms: 1950 a second", and a line of latencies.
ANEMONE_INLINE std::string timeline_lines(const timeline& t) {
    if (t.requests.empty()) {
        return formatted("no requests on {}\n", device_name(t));
    }
    return formatted("{} on {} in {}: {:.4g} a second\n"
                     "latency {} in the mean, half within {}, 99 % within {}, all within {}\n",
                     counted(t.requests.size(), "request"), device_name(t), milliseconds(t.seconds()), t.throughput(),
                     milliseconds(t.mean_latency()), milliseconds(t.latency(50)), milliseconds(t.latency(99)),
                     milliseconds(t.latency(100)));
}

} // namespace ane::detail::inline ANEMONE_WAY
