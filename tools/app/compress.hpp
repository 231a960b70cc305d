#pragma once

#include "model.hpp"
#include "samples.hpp"
#include "target_names.hpp"
#include <anemone/compress/compress.hpp>

#include <array>
#include <cstddef>
#include <string>

namespace app {

template <>
inline constexpr std::array<named_value<ane::compression_goal>, 2> words_of<ane::compression_goal>{
    {{"size", ane::compression_goal::size}, {"time", ane::compression_goal::time}}};

template <>
inline constexpr std::array<named_value<ane::weight_file>, 2> words_of<ane::weight_file>{
    {{"mil", ane::weight_file::mil}, {"mlpackage", ane::weight_file::mil_every_form}}};

struct compress_options {
    std::string target = default_target;
    std::size_t random_runs = 32;
    double most_loss = 0.01;
    ane::compression_goal goal = ane::compression_goal::size;
    bool plain = false;
    std::string backend = "cpu";
    ane::weight_file to = ane::weight_file::mil;

    static constexpr auto table() {
        return option_table(
            {.command = "compress", .c = "anemone_compressing", .python = "Model.compress"},
            option(
                &compress_options::target,
                {.name = "target", .text = "The chip", .letter = 't', .word = words::target, .is_argument_in_c = true}),
            given_apart{data()},
            option(&compress_options::random_runs,
                   {.name = "random_runs",
                    .text = "How many runs of random numbers, without data",
                    .named = {.c = "runs"},
                    .instead = {.c = "How many runs the data have, or of random numbers"},
                    .is_plural = true},
                   {.least = 1, .most = 4096}),
            option(&compress_options::most_loss,
                   {.name = "most_loss", .text = "The largest relative error of the outputs"}, {.least = 0}),
            option(
                &compress_options::goal,
                {.name = "goal", .text = "What is to be least, the size of the weights or the time by the cost model"}),
            option(&compress_options::plain, {.name = "plain", .text = "Round to the nearest, without error feedback"}),
            option(&compress_options::backend,
                   {.name = "backend",
                    .text = "Where the runs are judged: cpu, oracle:TARGET or engine:TARGET",
                    .letter = 'b',
                    .word = words::backends}),
            option(&compress_options::to,
                   {.name = "to", .text = "The file that is to hold the weights, of which mlpackage has more forms"}));
    }

    /// Runs to learn from, to choose by and to judge by.
    static constexpr description data() {
        return {
            .name = "data",
            .text = "Runs to learn from, to choose by and to judge by",
            .instead =
                {.command =
                     "Runs to learn from, to choose by and to judge by: .npz with the inputs by name, .npy for a "
                     "model of one; several runs in a file along a first axis. None: random numbers",
                 .c = "Of each input the runs to learn from, to choose by and to judge by, one after the other; NULL: "
                      "random numbers",
                 .python =
                     "Runs to learn from, to choose by and to judge by, by the names of inputs, along a first axis; "
                     "None: random numbers"},
            .letter = 'd'};
    }
};

/// The form that was chosen for each weight, without the weights' values in it.
struct compressed {
    ane::compression_plan found;
    model made;       ///< what became of the model
    std::string note; ///< what there is to say of the runs: a line, or nothing
};

/// Chooses a form for each weight: as small, or as fast, as a bound on the loss allows. `data` are runs of the model; where
/// they are empty, `random_runs` of random numbers. Throws what `ane::choose_compression` throws, and `ane::error`
/// (errc::argument) for an unknown target or backend, for a model that was read to be judged, and for one whose run
/// takes more memory than it may.
compressed compress(const model& of, const compress_options& how, ane::model_samples data, const caller& who);

std::string text(const compressed& c);
std::string json(const compressed& c);
/// SVG: sizes, or times, and errors.
std::string drawing(const compressed& c);

} // namespace app
