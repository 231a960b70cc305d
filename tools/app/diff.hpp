#pragma once

#include "arrays.hpp"
#include "model.hpp"
#include <anemone/diff/diff.hpp>
#include <anemone/diff/model_pair.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace app {

/// The reference that is no backend of an engine: double precision (layer_errors.hpp).
inline constexpr const char* wide_reference = "f64";

struct diff_options {
    std::string target = "h13";
    std::string reference = "cpu";
    std::uint64_t seed = 0;

    static constexpr auto table() {
        return option_table({.command = "diff", .c = "", .python = ""},
                            option(&diff_options::target, {.name = "target",
                                                           .text = "The chip whose arithmetic is looked at",
                                                           .letter = 't',
                                                           .word = words::target}),
                            option(&diff_options::reference,
                                   {.name = "reference",
                                    .text = "cpu, another chip, or f64: double precision, to see which layer breaks; "
                                            "of two files, what both run on",
                                    .letter = 'r',
                                    .word = words::reference}),
                            option(&diff_options::seed, {.name = "seed", .text = "Of the random numbers"}));
    }
};

/// Compares the arithmetic of a chip with another, node by node, on the same inputs: arrays by name, or random numbers
/// where there is none. Throws `ane::error` (errc::argument) for unknown chips and for a model whose two runs take
/// more memory than they may; as `input_memory`, and what the backends throw.
ane::model_difference diff(const model& of, const diff_options& how, const std::vector<input_array>& inputs,
                           const caller& who);

/// Compares two models of the same ports, both in the arithmetic of the reference. Throws what the comparison of
/// chips throws (errc::argument for runs that take too much memory).
ane::pair_difference diff(const model& a, const model& b, const diff_options& how,
                          const std::vector<input_array>& inputs, const caller& who);

} // namespace app
