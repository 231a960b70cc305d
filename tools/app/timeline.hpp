#pragma once

#include "model.hpp"
#include "target_names.hpp"
#include <anemone/cost/timeline_values.hpp>

#include <string>
#include <vector>

namespace app {

struct timeline_options {
    std::string target = default_target;
    int calls = 8;
    double period = 0; ///< s
    double idle = 0;   ///< s
    bool warm = false;
    std::vector<int> batches{};

    static constexpr auto table() {
        return option_table(
            {.command = "timeline", .c = "anemone_calling", .python = "Model.timeline"},
            option(
                &timeline_options::target,
                {.name = "target", .text = "The chip", .letter = 't', .word = words::target, .is_argument_in_c = true}),
            option(&timeline_options::calls,
                   {.name = "calls", .text = "Calls of each model", .letter = 'n', .is_plural = true},
                   {.least = 1, .most = 100000}),
            option(&timeline_options::period,
                   {.name = "period",
                    .text = "Seconds from one call of a model to its next; 0: when the one before it has ended",
                    .instead = {.command = "Milliseconds from one call of a model to its next; 0: when the one before "
                                           "it has ended"},
                    .command_unit = 1e-3},
                   {.least = 0, .most = ane::longest_timeline}),
            option(&timeline_options::idle, {.name = "idle", .text = "Seconds of rest before the first call"},
                   {.least = 0, .most = ane::longest_timeline}),
            option(&timeline_options::warm, {.name = "warm", .text = "The models have run before"}),
            option(&timeline_options::batches,
                   {.name = "batches",
                    .text = "The text also has what one sample takes in batches of these sizes",
                    .with_commas = true,
                    .takes_one = true}));
    }
};

/// A model as the engine sees its calls.
struct called_model {
    ane::program_time times;
    std::string name;
    std::string batches; ///< what a sample takes in each of the options' batches; empty without any
};

/// Throws what `ane::estimate` throws, and `ane::error` (errc::argument) for an unknown target.
called_model called(const model& of, const timeline_options& how, const caller& who);

/// Calls over time, and the models that are called.
struct simulated {
    ane::timeline found;
    std::vector<std::string> names;
    std::string batches;
};

/// Calls of models that share the engine. Throws what `ane::simulate` throws, and `ane::error` (errc::argument) for no
/// model.
simulated simulate(const std::vector<called_model>& models, const timeline_options& how, const caller& who);

std::string text(const simulated& s);
std::string json(const simulated& s);
/// SVG: the calls over time.
std::string drawing(const simulated& s);

} // namespace app
