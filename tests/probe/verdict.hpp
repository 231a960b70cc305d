#pragma once

#include <string_view>

namespace kit {

/// How an item ended. The first three are no failures.
enum class verdict {
    agrees,      ///< every graph gave the oracle's bits, and what was published for this chip
    partly,      ///< so did those that the door takes; others it refuses by its rules
    unposed,     ///< no graph of it can be put to the engine
    differs,     ///< another bit than the oracle's
    contradicts, ///< the oracle's bits, which are not what was published for this chip
    failed,      ///< a call into the runtime, or the check itself, threw
    died,        ///< the process ended within the item
    hung         ///< no sign of life for too long
};

inline constexpr std::string_view verdict_names[] = {"agrees",      "partly", "unposed", "differs",
                                                     "contradicts", "failed", "died",    "hung"};
constexpr std::string_view name(verdict v) { return verdict_names[static_cast<int>(v)]; }
constexpr bool is_good(verdict v) { return v <= verdict::unposed; }

} // namespace kit
