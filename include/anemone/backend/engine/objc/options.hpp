#pragma once

#include "../../../base/way.hpp"
#include "../driver/options.hpp"

namespace ane::objc::inline ANEMONE_WAY {

/// The class of service of every message that takes one: what the authors of the guide run with (facts: engine-runtime
/// 10.1; others use 21).
inline constexpr unsigned default_quality_of_service = 33;

/// Compiles after which the compiler, which leaks, fails in a process (measured by others; engine-runtime 7.3).
inline constexpr int compiles_per_process = 119;

/// After a load that failed it is tried once more after this long (facts: engine-runtime 10.1).
inline constexpr e5rt::time_span load_retry_delay{100'000'000};

/// What the netplist door takes beside the options that both doors have.
struct door_options {
    unsigned quality_of_service = default_quality_of_service;
    /// Compiles of this process, by this driver, before one more is refused.
    int compile_limit = compiles_per_process;
    /// Whether the surfaces are mapped once, before the first run. Some drivers do, some do not.
    bool map_surfaces = true;
};

} // namespace ane::objc::inline ANEMONE_WAY
