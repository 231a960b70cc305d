#pragma once

#include "model.hpp"
#include <anemone/cost/cost.hpp>
#include <anemone/passes/lowering.hpp>

#include <string>
#include <vector>

namespace app {

struct cost_options {
    std::string targets = "macs";
    bool shared_ports = false;

    static constexpr auto table() {
        return option_table(
            {.command = "cost", .c = "", .python = "Model.cost"},
            option(&cost_options::targets, {.name = "targets",
                                            .text = "macs, all, h13, h14..h16, h15.., or several with commas",
                                            .letter = 't',
                                            .word = words::targets}),
            option(
                &cost_options::shared_ports,
                {.name = "shared_ports",
                 .text =
                     "Inputs and outputs lie in memory that the engine reads in place; otherwise the host copies them"}));
    }
};

/// What a run costs on a target.
struct target_cost {
    ane::target target;
    ane::cost cost;
};

/// What a run costs on each target.
struct estimates {
    ane::lowered_graph lowered;
    std::vector<target_cost> rows;
};

/// Throws `ane::error` (errc::argument) for targets that are none.
estimates cost(const model& of, const cost_options& how, const caller& who);
/// The same of one target, which is named.
ane::cost cost(const model& of, const std::string& target, const caller& who);

} // namespace app
