#pragma once

#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "mil_syntax.hpp"

#include <algorithm>
#include <string>
#include <string_view>

/// Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// An argument that Core ML's public definition of an operation lets out, and the parser of MIL text does not.
struct required_argument {
    std::string_view operation;
    std::string_view argument;
};

/// Facts: mil-ops section 3 for epsilon and mode (measured on e5rt); those of pools and end_mask are what a user of the
/// same parser reports. What is not listed here was tried by nobody.
inline constexpr required_argument required_arguments[] = {
    {"log", "epsilon"},  {"rsqrt", "epsilon"},     {"inverse", "epsilon"},        {"gelu", "mode"},
    {"max_pool", "pad"}, {"max_pool", "pad_type"}, {"avg_pool", "pad"},           {"avg_pool", "pad_type"},
    {"l2_pool", "pad"},  {"l2_pool", "pad_type"},  {"slice_by_index", "end_mask"}};

/// Which arguments the parser of the engine's compiler misses in a statement; empty where it misses none.
ANEMONE_INLINE std::string refusal_of_missing_arguments(const mil_statement& s) {
    std::string missing;
    for (const required_argument& r : required_arguments) {
        const auto is_it = [&r](const mil_argument& a) { return a.name == r.argument; };
        if (r.operation == s.operation && std::none_of(s.arguments.begin(), s.arguments.end(), is_it) &&
            std::none_of(s.attributes.begin(), s.attributes.end(), is_it)) {
            missing += missing.empty() ? r.argument : formatted(" and {}", r.argument);
        }
    }
    return missing.empty() ? "" : formatted("its parser has no default for {}: write it (mil-ops, section 3)", missing);
}

} // namespace ane::readers::inline ANEMONE_WAY
