#pragma once

#include <anemone/anemone.hpp>

#include <fmt/format.h>

#include <string_view>

/// Prints the reports of a model that a target refuses and of its repaired twin; whether the one is refused on the M1
/// and the other accepted by every Mac.
inline bool show(std::string_view title, const ane::graph_view& broken, const ane::graph_view& repaired) {
    fmt::print("== {}\n{}repaired:\n{}\n", title, ane::report(broken, ane::h13).str(),
               ane::report(repaired, ane::h13).str());
    return !ane::accepts(broken, ane::describe(ane::h13)) && ane::accepting_targets(repaired, ane::macs) == ane::macs;
}

bool slice_above_4094();
bool matmul_above_32768();
bool dynamic_weight_at_batch_two();
bool attention_without_maximum();
bool large_loss_scale();
