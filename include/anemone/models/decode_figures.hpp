#ifndef ANEMONE_MODELS_DECODE_FIGURES_HPP
#define ANEMONE_MODELS_DECODE_FIGURES_HPP

#include "../base/way.hpp"
#include "../cost/cost.hpp"
#include "../segments/limits.hpp"
#include "../targets/target.hpp"
#include "configuration.hpp"

#include <cstdint>

/// What a language model takes on a chip, from its configuration alone: by the cost model (docs/cost.md), never run on Apple
/// silicon.
namespace ane::models {

/// How the model is cut into programs and run. What is 0 is chosen.
struct decode_options {
    std::int64_t context = 2048; ///< positions before the token
    std::int64_t capacity = 0;   ///< of the caches, which a program pays whatever they hold; else the context and 256
    std::int64_t queries = 8;    ///< of a program that gives a token: 1 and 2 fail, 4 and 8 run (field-2026)
    std::int64_t chunk = 64;     ///< positions of the prompt at once
    std::int64_t batch = 1;      ///< texts that a run gives a token each, or that chunks are of
    std::int64_t layers_per_program = 0; ///< else as many as `limits` allow
    segment_limits limits{};
};

/// A figure with the interval that holds it in nine of ten cases, as far as the model's constants are measured.
struct decode_interval {
    double typical = 0, at_least = 0, at_most = 0;
};

/// Where the time of a token goes, s. The sum is the typical time.
struct decode_shares {
    double weights = 0;    ///< products that wait for their weights
    double arithmetic = 0; ///< layers that the array's rate bounds
    double caches = 0;     ///< inputs and outputs, nearly all of them keys and values
    double values = 0;     ///< between layers
    double dispatches = 0; ///< what each program takes besides
};

/// What a token, and a position of the prompt, take on one chip.
struct decode_figures {
    ane::target target{};
    decode_options how{}; ///< with everything that was chosen
    int programs = 0;     ///< that a token runs (`programs_of`); the prompt has as many of its own, of the same weights
    decode_interval token;    ///< s, of one token: a run, which takes `batch` times as long, gives one to each text
    decode_interval position; ///< s, of the prompt
    decode_interval token_joules, position_joules; ///< of the package above idle
    decode_shares shares;                          ///< of a token
    std::int64_t weight_bytes = 0;                 ///< of all programs
    std::int64_t embedding_bytes =
        0;                           ///< the table that the host takes rows of; no file of its own where it is the head
    std::int64_t cache_bytes = 0;    ///< of all texts
    mark known_by = mark::predicted; ///< measured: the rates are those of this chip

    std::int64_t memory_bytes() const { return weight_bytes + embedding_bytes + cache_bytes; }
    std::int64_t disk_bytes(const decoder_configuration& c) const {
        return weight_bytes + (c.ties_embeddings ? 0 : embedding_bytes);
    }
};

} // namespace ane::models

namespace ane::models::inline ANEMONE_WAY {

/// What a token and the prompt take on a chip with a cost model. Throws errc::argument for numbers of `how` that are out of
/// range, and for a chip of which no rates are known.
ANEMONE_API_OF(anemone_models_decode_figures_hpp)
decode_figures figures_of(const decoder_configuration& c, target t, const decode_options& how = {});

} // namespace ane::models::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "decode_figures.ipp"
#endif
