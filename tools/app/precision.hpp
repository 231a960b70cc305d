#pragma once

#include "front_end.hpp"
#include "option.hpp"
#include <anemone/decoder/precision.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace app {

struct precision_options {
    std::string backend = "oracle:h13";
    std::int64_t context = 128;
    std::int64_t positions = 512;
    double bound = 0.05;
    bool quick = false;
    std::uint64_t max_memory = std::uint64_t{8} << 30U;

    static constexpr auto table() {
        return option_table(
            {.command = "precision", .c = "", .python = "precision"},
            option(&precision_options::backend,
                   {.name = "backend",
                    .text = "The arithmetic that is compared with double precision: cpu (fp16) or oracle:TARGET",
                    .letter = 'b',
                    .word = words::backends}),
            option(&precision_options::context,
                   {.name = "context",
                    .text = "Tokens of a piece that longer texts are cut into; pieces know nothing of each other"},
                   {.least = 1, .most = 1 << 20}),
            option(&precision_options::positions,
                   {.name = "positions", .text = "Positions that are computed, at most; 0: all", .is_plural = true},
                   {.least = 0, .most = std::int64_t{1} << 32U}),
            option(&precision_options::bound,
                   {.name = "bound",
                    .text = "How far a value may be from the exact one, relative to it and to the layer's root mean "
                            "square"},
                   {.least = 0}),
            option(&precision_options::quick,
                   {.name = "quick", .text = "Run no layer alone, and try no changes of the model"}),
            option(&precision_options::max_memory,
                   {.name = "max_memory",
                    .text = "Bytes that weights, and the values of a run, may take",
                    .word = words::bytes},
                   {.least = 1}));
    }
};

/// What the arithmetic of a backend costs a language model.
struct measured_precision {
    std::string path;
    ane::models::decoder_configuration configuration;
    std::vector<std::string> notes;
    ane::precision_report report;
    double seconds = 0;
};

/// Measures it on texts of tokens. Throws what `ane::models::read_checkpoint` and `ane::measure_precision` throw, and
/// `ane::error` (errc::argument) for options out of their range, a backend that has no layers to look at, and for values that
/// take more memory than they may.
measured_precision measure_precision(const std::string& path, const std::vector<std::vector<ane::token_id>>& texts,
                                     const precision_options& how, const caller& who);

std::string text(const measured_precision& p);
std::string json(const measured_precision& p);

} // namespace app
