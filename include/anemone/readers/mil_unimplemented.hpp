#pragma once

#include "../base/way.hpp"
#include "mil_syntax.hpp"

#include <algorithm>
#include <string_view>

/// Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// An operation of MIL that the engine's compiler was measured to refuse, though a graph can hold it, in other words.
struct unimplemented_operation {
    std::string_view name;
    std::string_view told; ///< what the compiler says, or what is known of it
};

/// Facts: mil-ops section 8 (the operator sweep of ANEForge on an M5, measured). Another project expects identity,
/// logical_and, read_state and slice_update to run, and gather along the innermost axis (mil-dialects): of those the
/// sources disagree, and they are not listed.
inline constexpr unimplemented_operation unimplemented_operations[] = {
    {"gru", "Not implemented"},           {"lstm", "Not implemented"},
    {"rnn", "Not implemented"},           {"reverse_sequence", "Not implemented"},
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

/// What the compiler says of a constexpr operation `reader` whose argument is the result of another one, `made_by` (empty:
/// of none). One such operation a weight; two are a validation error (weights facts, section 2, decompiled) but for the
/// forms of zeros that have two results. Of tables that are integers with a scale the sources disagree (mil-dialects), and
/// a scale on a palette is a hazard: of these nothing is said here.
constexpr std::string_view refusal_of_a_chain(std::string_view made_by, std::string_view reader,
                                              std::string_view argument) noexcept {
    const bool pair = (made_by == "constexpr_lut_to_sparse" || made_by == "constexpr_sparse_blockwise_shift_scale") &&
                      (reader == "constexpr_sparse_to_dense" || reader == "constexpr_sparse_blockwise_shift_scale");
    const bool scaled_palette = made_by == "constexpr_lut_to_dense" && reader == "constexpr_blockwise_shift_scale";
    if (made_by.empty() || pair || argument == "lut" || scaled_palette) {
        return {};
    }
    return "a constexpr operation that reads another one is a validation error, but for the pairs of sparse weights "
           "(weights, section 2): store the weight in one form";
}

/// What a system was seen to do with such a chain.
constexpr std::string_view hazard_of_a_chain(std::string_view made_by, std::string_view reader,
                                             std::string_view argument) noexcept {
    const bool scaled_palette = made_by == "constexpr_lut_to_dense" && reader == "constexpr_blockwise_shift_scale";
    return scaled_palette && argument == "data"
               ? "a palette with a scale on top crashes the loader of macOS 26 (reported, field-2026): store the weight as a "
                 "palette alone, or let anemone convert write it expanded"
               : "";
}

/// The same of the form of an operation that it otherwise takes.
ANEMONE_INLINE std::string_view refusal_of_a_form(const mil_statement& s) {
    const auto names_scale = [](const mil_argument& a) { return a.name == "scale"; };
    const bool scaled = s.operation == "scaled_dot_product_attention" &&
                        std::any_of(s.arguments.begin(), s.arguments.end(), names_scale);
    return scaled ? "an argument scale is refused (mil-dialects: tmc)" : "";
}

} // namespace ane::readers::inline ANEMONE_WAY
