#pragma once

#include <string_view>

namespace ane::readers {

/// An operation of MIL that the engine's compiler was measured to refuse, though a graph can hold it, in other words.
struct unimplemented_operation {
    std::string_view name;
    std::string_view told; ///< what the compiler says, or what is known of it
};

/// Facts: mil-ops section 8 (the operator sweep of ANEForge on an M5, measured). Another project expects identity,
/// logical_and, read_state and slice_update to run, and gather along the innermost axis (mil-dialects): of those the
/// sources disagree, and they are not listed.
inline constexpr unimplemented_operation unimplemented_operations[] = {
    {"cumsum", "Not implemented"},        {"gather_along_axis", "Not implemented"},
    {"gather_nd", "Not implemented"},     {"logical_or", "Not implemented"},
    {"logical_xor", "Not implemented"},   {"mod", "Not implemented"},
    {"one_hot", "Not implemented"},       {"reduce_argmax", "Not implemented"},
    {"reduce_argmin", "Not implemented"}, {"reduce_prod", "Not implemented"},
    {"shape", "Not implemented"},         {"sliding_windows", "Not implemented"},
    {"argsort", "does not compile"},      {"reshape_like", "does not compile"},
};

/// What the compiler says of an operation; empty where it takes it, or the sources disagree.
constexpr std::string_view refusal_of_the_compiler(std::string_view operation) noexcept {
    for (const unimplemented_operation& o : unimplemented_operations) {
        if (o.name == operation) {
            return o.told;
        }
    }
    return {};
}

} // namespace ane::readers
