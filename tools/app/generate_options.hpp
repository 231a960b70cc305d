#pragma once

#include "option.hpp"
#include <anemone/models/decoder_form.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace app {

template <>
inline constexpr std::array<named_value<ane::models::cache_form>, 2> words_of<ane::models::cache_form>{
    {{"inputs", ane::models::cache_form::inputs}, {"states", ane::models::cache_form::states}}};

/// How a language model is opened to decode.
struct decoding_options {
    std::int64_t context = 2048;
    std::int64_t chunk = 64;
    std::int64_t rows = 0;
    ane::models::cache_form caches = ane::models::cache_form::inputs;
    std::int64_t layers = 0;
    int head_parts = 1;
    std::string draft{};
    int lookup = 0;
    std::string backend = "cpu";
    int threads = 0;
    std::uint64_t max_memory = std::uint64_t{8} << 30U;

    static constexpr auto table() {
        return option_table(
            {.command = "generate", .c = "anemone_decoding", .python = "LanguageModel.__init__"},
            option(&decoding_options::context,
                   {.name = "context", .text = "Tokens that a text may have: the prompt and what follows it"},
                   {.least = 1, .most = 1 << 20}),
            option(&decoding_options::chunk,
                   {.name = "chunk", .text = "Tokens of a prompt that one run of its program takes"},
                   {.least = 1, .most = 65536}),
            option(&decoding_options::rows,
                   {.name = "rows",
                    .text =
                        "Tokens that one run of a step's program takes, the others of which are padding: 1, 4 or 8; 0: "
                        "8 with drafts, else 1"},
                   {.least = 0, .most = 64}),
            option(
                &decoding_options::caches,
                {.name = "caches",
                 .text =
                     "Keys and values of earlier tokens as inputs, which the host keeps, or as states of the program"}),
            option(&decoding_options::layers,
                   {.name = "layers",
                    .text = "Layers of one program; 0: as many as the engine takes",
                    .named = {.command = "layers_per_program"},
                    .is_plural = true},
                   {.least = 0, .most = 1000}),
            option(&decoding_options::head_parts,
                   {.name = "head_parts", .text = "Parts of the vocabulary, a product each", .is_plural = true},
                   {.least = 1, .most = 1024}),
            option(&decoding_options::draft,
                   {.name = "draft",
                    .text = "A smaller model of the same vocabulary, which proposes tokens: fewer steps, the same text",
                    .word = words::file}),
            option(&decoding_options::lookup,
                   {.name = "lookup",
                    .text =
                        "Tokens of a pattern that is looked up in the text, so that what followed it is proposed; 0: "
                        "nothing is"},
                   {.least = 0, .most = 64}),
            option(&decoding_options::backend, {.name = "backend",
                                                .text = "cpu, oracle:TARGET (a chip's arithmetic, bit by "
                                                        "bit) or engine:TARGET",
                                                .letter = 'b',
                                                .word = words::backends}),
            option(&decoding_options::threads, {.name = "threads", .text = "Of the CPU; 0: as many as it has"},
                   {.least = 0, .most = 1024}),
            option(&decoding_options::max_memory,
                   {.name = "max_memory",
                    .text = "Bytes that weights, and the keys and values of a text, may take",
                    .word = words::bytes},
                   {.least = 1}));
    }
};

/// How a text goes on.
struct generate_options {
    std::int64_t max_tokens = 128;
    double temperature = 0;
    int top_k = 0;
    double top_p = 1;
    double min_p = 0;
    double repetition_penalty = 1;
    std::uint64_t seed = 0;
    std::vector<int> stop{};

    static constexpr auto table() {
        return option_table(
            {.command = "generate", .c = "anemone_generating", .python = "LanguageModel.generate"},
            option(&generate_options::max_tokens,
                   {.name = "max_tokens",
                    .text = "Tokens that follow the prompt, at most",
                    .letter = 'n',
                    .is_plural = true},
                   {.least = 1, .most = 1 << 20}),
            option(
                &generate_options::temperature,
                {.name = "temperature", .text = "What logits are divided by before a draw; 0: the most likely token"},
                {.least = 0, .most = 1000}),
            option(&generate_options::top_k,
                   {.name = "top_k", .text = "Draw of the k most likely tokens only; 0: of all"},
                   {.least = 0, .most = 1 << 24}),
            option(&generate_options::top_p,
                   {.name = "top_p", .text = "Draw of the fewest tokens that together have this probability"},
                   {.least = 0, .most = 1}),
            option(&generate_options::min_p,
                   {.name = "min_p",
                    .text = "Draw of tokens that have this part of the probability of the most likely one"},
                   {.least = 0, .most = 1}),
            option(&generate_options::repetition_penalty,
                   {.name = "repetition_penalty",
                    .text = "What logits of tokens that were there are divided by, negative ones multiplied"},
                   {.least = 1e-3, .most = 1000}),
            option(&generate_options::seed, {.name = "seed", .text = "Of the draws"}),
            option(&generate_options::stop, {.name = "stop",
                                             .text = "Tokens that end the text, which they are no part of",
                                             .with_commas = true,
                                             .takes_one = true}));
    }
};

} // namespace app
