#pragma once

#include "../forms/system_floor.hpp"
#include "record.hpp"

#include <array>

/// What an older system's Core ML does not know, where a policy names the system.
namespace ane::rules {

inline constexpr std::array system{
    rule_record{.id = rule::operation_is_newer_than_the_system,
                .fact = "opset",
                .level = severity::reject,
                .ops = op_set::where([](op o) {
                    return o == op::input || o == op::compressed || named_by_others.contains(o) ||
                           system_floors[o] != operating_system::macos12;
                }),
                .sentence = "needs macOS {got}, the system is macOS {limit}",
                .reject = "",
                .consequence = "Core ML does not load the file",
                .advice = "ask for the newer system, or let anemone convert write it with other operations",
                .source = "public schema of Core ML, the operations by opset",
                .evidence = mark::predicted,
                .check = [](const subject& s) -> finding {
                    if (s.system == operating_system::any) {
                        return {};
                    }
                    const bool is_state = s.n.kind == op::input && s.next() >= 0;
                    const operating_system needed = first_system_of(s.n, s.layers == layer_forms::own, is_state);
                    return holds_if(needed <= s.system, macos_version(needed), macos_version(s.system));
                }},
};

} // namespace ane::rules
