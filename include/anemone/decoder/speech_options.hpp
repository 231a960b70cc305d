#pragma once

#include "../models/activation_layout.hpp"

#include <cstdint>

namespace ane {

/// How the programs of a network of speech are made.
struct speech_options {
    models::activation_layout layout = models::activation_layout::rows;
    std::int64_t rows =
        4; ///< tokens of a step: engines fail at 1 and 2 (attention_has_few_queries); what is left over is padding
};

} // namespace ane
