#pragma once

#include "../models/decoder_form.hpp"

#include <cstdint>

namespace ane {

/// How a decoder is compiled.
struct decoder_options {
    std::int64_t context = 2048; ///< positions that a stream may have: the capacity of its caches
    std::int64_t chunk = 64;     ///< positions of the program that prompts go through
    std::int64_t rows = 1; ///< positions of the program that tokens go through: 1, or 4 or 8, of which those that stand
                           ///< for no token are padding; drafts take as many at once
    models::cache_form caches = models::cache_form::inputs;
    std::int64_t layers_per_program = 0; ///< 0: as many as the engine takes (`models::programs_of`)
    int head_parts = 1;                  ///< parts of the vocabulary, a product each
};

} // namespace ane
