#pragma once

#include "model.hpp"
#include "samples.hpp"
#include <anemone/diff/remedies.hpp>
#include <anemone/diff/wide_diff.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace app {

struct layer_error_options {
    std::string backend = "oracle:h13";
    double bound = 0.05;
    std::optional<double> absolute{};
    std::size_t random_runs = 1;
    bool quick = false;

    static constexpr auto table() {
        return option_table(
            {.command = "diff", .c = "anemone_differing", .python = "Model.diff"},
            option(
                &layer_error_options::backend,
                {.name = "backend",
                 .text = "The arithmetic that is compared with double precision: cpu (fp16) or oracle:TARGET",
                 .instead = {.command = "With --reference f64: what is compared with it, cpu (fp16) or oracle:TARGET; "
                                        "the oracle of --target where it is left out"},
                 .letter = 'b',
                 .word = words::backends}),
            option(
                &layer_error_options::bound,
                {.name = "bound",
                 .text =
                     "How far a value may be from the exact one, relative to it and to the layer's root mean square",
                 .instead = {.command = "With --reference f64: how far a value may be from the exact one, relative to "
                                        "it and to the layer's root mean square"}},
                {.least = 0}),
            option(
                &layer_error_options::absolute,
                {.name = "absolute",
                 .text = "How far a value may be from the exact one at least, in place of the share of the root mean "
                         "square",
                 .instead = {.command = "With --reference f64: how far a value may be from the exact one at least, in "
                                        "place of the share of the root mean square"},
                 .left_out = {.c = "0 is a bound of its own, and what is 0 in a structure is the default"}},
                {.least = 0}),
            given_apart{data()},
            option(
                &layer_error_options::random_runs,
                {.name = "random_runs",
                 .text = "How many samples of random numbers, without data",
                 .named = {.c = "runs"},
                 .instead = {.command = "With --reference f64: how many samples of random numbers, where there are no "
                                        "data",
                             .c = "How many samples the data have, or of random numbers"},
                 .is_plural = true},
                {.least = 1, .most = 4096}),
            option(
                &layer_error_options::quick,
                {.name = "quick",
                 .text = "Run only those layers alone at which errors arise, and try no changes of the model",
                 .instead = {.command = "With --reference f64: run only those layers alone at which errors arise, and "
                                        "try no changes of the model"}}));
    }

    /// Samples to compare on.
    static constexpr description data() {
        return {.name = "data",
                .text = "Samples to compare on",
                .instead = {.command =
                                "With --reference f64: samples, .npz with the inputs by name, .npy for a model of "
                                "one, or a folder of such; several in a file along a first axis. None: random "
                                "numbers",
                            .c = "Of each input the samples, one after the other; NULL: random numbers",
                            .python = "Samples to compare on, by the names of inputs, along a first axis; None: random "
                                      "numbers"},
                .letter = 'd'};
    }
};

/// The errors of a model's layers against double precision, and what helps.
struct layer_errors {
    model of;
    ane::wide_difference found;
    std::string first_name{}; ///< of the first layer beyond the bound
    std::optional<ane::remedy_search> remedies{};
};

/// Compares an arithmetic with double precision, layer by layer, on samples or on random numbers by a seed, and tries what
/// may help where the outputs are beyond the bound. Of a model whose values take more than 256 MB, or of more than 1000
/// nodes, only those layers are run alone at which errors arise, and changes are tried on the part behind the first.
/// Throws `ane::error` (errc::argument) for any other backend, and what `ane::diff` throws.
layer_errors compare_layers(const model& of, const layer_error_options& how, ane::model_samples data,
                            std::uint64_t seed, const caller& who);

std::string text(const layer_errors& e, bool coloured = false);
std::string json(const layer_errors& e);
/// SVG: a bar for the error of each layer.
std::string drawing(const layer_errors& e);

} // namespace app
