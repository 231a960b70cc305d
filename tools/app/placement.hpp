#pragma once

#include "model.hpp"
#include "target_names.hpp"
#include <anemone/cost/device_plan.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace app {

template <>
inline constexpr std::array<named_value<ane::placement_goal>, 2> words_of<ane::placement_goal>{
    {{"time", ane::placement_goal::time}, {"energy", ane::placement_goal::energy}}};

struct placement_options {
    std::string target = default_target;
    ane::placement_goal goal = ane::placement_goal::time;
    std::optional<std::int64_t> batches{};
    bool gpu_graph = false;

    static constexpr auto table() {
        return option_table(
            {.command = "placement", .c = "anemone_placing", .python = "Model.placement"},
            option(
                &placement_options::target,
                {.name = "target", .text = "The chip", .letter = 't', .word = words::target, .is_argument_in_c = true}),
            option(&placement_options::goal, {.name = "goal", .text = "What is to be least"}),
            option(
                &placement_options::batches,
                {.name = "batches", .text = "The text also has batches of 1, 2, 4 ... up to this", .is_plural = true},
                {.least = 1, .most = 65536}),
            option(&placement_options::gpu_graph,
                   {.name = "gpu_graph",
                    .text =
                        "The GPU runs under a framework that encodes a whole graph, as those for language models do; "
                        "otherwise layer after layer"}));
    }
};

/// Where a model and its layers belong: on the engine, the GPU or the CPU. Throws what `ane::place_model` throws, and
/// `ane::error` (errc::argument) for an unknown target.
ane::device_plan place(const model& of, const placement_options& how, const caller& who);

/// The same as text, also for a target of which no clock is known: then what the system's rules alone say. Batches need
/// the clock.
std::string placement_text(const model& of, const placement_options& how, const caller& who);

} // namespace app
