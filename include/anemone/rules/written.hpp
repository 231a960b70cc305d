#pragma once

#include "../catalogue/catalogue.hpp"
#include "record.hpp"

#include <array>
#include <span>

/// What our files can say: told last, behind everything that the engine itself refuses.
namespace ane::rules {

namespace detail {

/// Whether a file of the policy's route can hold a node; for `any`, whether some route takes the whole model. What the
/// engine itself refuses on MIL is told by a rule of its own.
constexpr finding check_form(const subject& s) {
    const written_facts& w = s.written;
    const bool by_mil = s.route != compile_route::netplist && s.t.mil_supported;
    const bool by_netplist = s.route != compile_route::mil;
    if ((by_mil && w.mil_count == 0) || (by_netplist && w.netplist_count == 0)) {
        return {};
    }
    const bool knows_netplist = by_netplist && w.netplist_count > 0;
    if (!by_mil && !knows_netplist) {
        return {}; // target_has_no_mil tells that, or other rules what is wrong with the graph
    }
    const bool tells_mil = by_mil && (!knows_netplist || w.mil_count <= w.netplist_count);
    const std::span<const form_fault> told = tells_mil ? w.mil : w.netplist;
    const form_fault& fault = told.data()[static_cast<std::size_t>(s.index)];
    if (!fault || (s.route == compile_route::mil && support_of(s.n.kind).route == compile_route::netplist)) {
        return {};
    }
    return {true, fault.got, fault.limit, fault.why};
}

} // namespace detail

inline constexpr std::array written{
    // What our files cannot say, apart from what the engine refuses: who uses the oracle alone waives it.
    rule_record{.id = rule::operation_is_not_written,
                .fact = "written",
                .level = severity::reject,
                .ops = activation_ops,
                .sentence = "cannot be written in a file",
                .reject = "",
                .consequence = "compile() for the engine throws; the oracle and the CPU run it",
                .advice = "waive this rule where no engine is meant",
                .source = "netplist-units, mil-ops facts",
                .evidence = mark::predicted,
                .check = detail::check_form},
};

} // namespace ane::rules
