#pragma once

#include "mil_ast.hpp"
#include <anemone/targets/target.hpp>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace ane::standin {

/// What the stand-in's compiler needs to know of an architecture: its generation and the sizes it takes. The figures
/// are written down here a second time (facts: engine-runtime 7.2, mil-ops 4), so that a slip in the library's table
/// shows.
struct machine {
    std::string_view name;
    family generation = family::a13;
    std::int64_t max_extent = 16384; ///< height, width
    std::int64_t max_contraction = 16384;
    std::int64_t max_channels = 65536;
    std::int64_t max_kernel_width = 13;
    std::int64_t max_kernel_height = 29;
    std::int64_t max_maximum_width = 16384; ///< of a window of max_pool
    std::int64_t max_transpose = 8388607;
};

inline constexpr std::array<std::string_view, 28> machine_names = {
    "h11",  "h12",  "m9",   "t0",  "h13",  "h13g", "t1",   "h14",  "h14g", "h14c", "h15", "h15g", "h15c", "h16",
    "h16g", "h16s", "h16c", "h17", "h17a", "h17g", "h17s", "h17c", "h17d", "h18",  "m11", "u1",   "u2",   "u3"};

constexpr machine machine_of(std::string_view known) {
    machine result;
    result.name = known;
    const std::string_view stem = known.substr(0, 3);
    if (stem == "h11" || stem == "h12" || known == "m9" || known == "t0") {
        result.generation = family::older;
    } else if (stem == "h14" || stem == "h15") {
        result.generation = stem == "h14" ? family::a14 : family::a15;
        result.max_kernel_height = 32;
    } else if (known == "m11") {
        result.generation = family::small;
    } else if (stem == "h16" || stem == "h17" || stem == "h18") {
        result.generation = stem == "h16" ? family::a16 : stem == "h17" ? family::a17 : family::a18;
        result.max_extent = 65536;
        result.max_kernel_width = 15;
        result.max_transpose = 16777215;
        // L001, L003, L006 of measured_limits.csv
        result.max_maximum_width = 8;
        result.max_kernel_height = 31;
        result.max_contraction = 32768;
    } else if (known[0] == 'u') {
        result.generation = family::reference;
    }
    return result;
}

constexpr bool is_known_machine(std::string_view text) {
    for (const std::string_view known : machine_names) {
        if (known == text) {
            return true;
        }
    }
    return false;
}

/// The machine the process "runs on": ANEMONE_STANDIN_HOST in either case, h13 when unset or unknown. Read anew at
/// every call, so that a test can change hosts.
inline std::string host_name() {
    const char* const asked = std::getenv("ANEMONE_STANDIN_HOST");
    std::string host = asked != nullptr ? asked : "";
    for (char& c : host) {
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return is_known_machine(host) ? host : "h13";
}

/// The machine a compile is for: an unknown TargetArchitecture silently means the host, as on the real one.
inline machine compile_machine(std::string_view target_architecture) {
    for (const std::string_view known : machine_names) {
        if (known == target_architecture) {
            return machine_of(known);
        }
    }
    const std::string host = host_name();
    for (const std::string_view known : machine_names) {
        if (known == host) {
            return machine_of(known);
        }
    }
    return machine_of("h13");
}

} // namespace ane::standin
