#pragma once

#include "model.hpp"
#include "promises.hpp"
#include "systems.hpp"
#include <anemone/report/aside.hpp>
#include <anemone/report/verdicts.hpp>
#include <anemone/targets/operation_support.hpp>

#include <array>
#include <string>
#include <vector>

namespace app {

template <>
inline constexpr std::array<named_value<ane::compile_route>, 3> words_of<ane::compile_route>{
    {{"any", ane::compile_route::any}, {"mil", ane::compile_route::mil}, {"netplist", ane::compile_route::netplist}}};

template <>
inline constexpr std::array<named_value<ane::check_profile>, 2> words_of<ane::check_profile>{
    {{"engine", ane::check_profile::engine}, {"vendor", ane::check_profile::vendor}}};

/// Which findings count, and on which targets.
struct check_options {
    std::string targets = "macs";
    std::vector<std::string> errors{};
    std::vector<std::string> waive{};
    ane::compile_route route = ane::compile_route::any;
    ane::check_profile profile = ane::check_profile::engine;
    ane::operating_system system = ane::operating_system::any;
    std::vector<input_range> ranges{};

    static constexpr auto table() {
        return option_table(
            {.command = "check", .c = "anemone_policy", .python = "Model.check"},
            option(&check_options::targets,
                   {.name = "targets",
                    .text = "macs, all, h13, h14..h16, h15.., ..h14, M1, \"M3 Pro\", or several with commas",
                    .letter = 't',
                    .word = words::targets,
                    .is_argument_in_c = true}),
            option(&check_options::errors, {.name = "errors",
                                            .text = "Rules whose warnings are errors, by fact (R030) or name",
                                            .named = {.command = "error"},
                                            .word = words::rules,
                                            .with_commas = true,
                                            .takes_one = true}),
            option(&check_options::waive, {.name = "waive",
                                           .text = "Rules that are not checked",
                                           .named = {.c = "waived"},
                                           .word = words::rules,
                                           .with_commas = true,
                                           .takes_one = true}),
            option(&check_options::route, {.name = "route", .text = "The rules of one route too"}),
            option(&check_options::profile,
                   {.name = "profile",
                    .text =
                        "What the model is held to: vendor adds the vendor's own guidance to what is refused or wrong, "
                        "and leaves other remarks out"}),
            option(&check_options::system,
                   {.name = "system", .text = "What this system's Core ML does not know is an error"}),
            option(
                &check_options::ranges,
                {.name = "ranges",
                 .text = "Of inputs",
                 .instead = {.command = "Of inputs: x=-1,1 declares, data.npz measures the arrays named like inputs"},
                 .written = {.python = "{\"x\": (-1, 1)}"},
                 .left_out = {.c = "anemone_policy has no room for them"},
                 .letter = 'r',
                 .word = words::file,
                 .takes_one = true}));
    }
};

/// What is found in a model.
struct judgement {
    ane::dynamic_graph graph; ///< with the promises of its inputs and weights: what was judged
    ane::report_policy rules;
    ane::verdict_table verdicts;
    std::vector<ane::aside> observed;
};

/// Judges a model: promises of its inputs and weights what is known of their values, and asks the rules. What bounds
/// cannot exclude need not happen, and those of a deep model exclude little: such hazards are warnings, unless the model
/// overflows at an end of the promised ranges, for which it is run where that takes a moment. Observed are those points, what
/// the reader remarks, weights that are not finite or lose digits as fp16, `measured`, and of MIL text what its words are
/// refused for. Throws `ane::error` (errc::argument) for unknown targets and rules, and as `promise`.
judgement check(const model& of, const check_options& how, const caller& who,
                const std::vector<ane::aside>& measured = {});

} // namespace app
