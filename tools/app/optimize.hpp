#pragma once

#include "model.hpp"
#include "promises.hpp"
#include "target_names.hpp"
#include <anemone/proof/proof.hpp>
#include <anemone/rewrites/optimize.hpp>

#include <optional>
#include <string>
#include <vector>

namespace app {

struct optimize_options {
    std::string target = default_target;
    bool bits = false;
    bool values = false;
    bool errors = false;
    bool forms = false;
    bool vendor = false;
    bool resident = false;
    bool prove = false;
    std::vector<input_range> ranges{};

    static constexpr auto table() {
        return option_table(
            {.command = "optimize", .c = "anemone_optimizing", .python = "Model.optimize"},
            option(
                &optimize_options::target,
                {.name = "target", .text = "The chip", .letter = 't', .word = words::target, .is_argument_in_c = true}),
            option(&optimize_options::bits, {.name = "bits", .text = "Only rewrites that keep every bit"}),
            option(
                &optimize_options::values,
                {.name = "values",
                 .text = "First of all fewer values that may overflow, by the ranges of inputs and the true weights"}),
            option(&optimize_options::errors,
                   {.name = "errors",
                    .text = "First of all a smaller expected error of the least exact product, by the same"}),
            option(&optimize_options::forms,
                   {.name = "forms",
                    .text =
                        "First of all fewer stored weights that files hold as fp16: blocks become layers of their own, "
                        "which takes about 4 times as long"}),
            option(&optimize_options::vendor,
                   {.name = "vendor",
                    .text = "First of all fewer operations in another form than the engine's vendor asks for, whatever "
                            "that costs: attention head by head, layers as 1x1 convolutions"}),
            option(&optimize_options::resident,
                   {.name = "resident", .text = "No more operands than before that do not stay on the chip"}),
            option(&optimize_options::prove,
                   {.name = "prove",
                    .text = "Run the model before and after each step on random inputs, in the chip's arithmetic"}),
            option(&optimize_options::ranges,
                   {.name = "ranges",
                    .text = "What the values of inputs stay within",
                    .instead = {.command = "x=-1,1 promises a range of an input, data.npz measures it"},
                    .written = {.python = "{\"x\": (-1, 1)}"},
                    .letter = 'r',
                    .word = words::file,
                    .takes_one = true}));
    }
};

/// A search over rewrites, and what running the model before and after each step gave.
struct optimized {
    ane::target target;
    ane::dynamic_graph before; ///< with its promises
    ane::optimized found;
    model made; ///< what became of the model
    std::optional<ane::rewrite_proof> proof{};
};

/// Rewrites a model into a faster one that computes the same, by the cost model. Throws what `ane::optimize` and
/// `ane::prove` throw, `ane::error` (errc::argument) for an unknown target, and as `promise`.
optimized optimize(const model& of, const optimize_options& how, const caller& who);

std::string text(const optimized& o);
std::string json(const optimized& o);
/// SVG: the model before and after.
std::string drawing(const optimized& o);

} // namespace app
