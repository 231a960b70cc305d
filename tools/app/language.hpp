#pragma once

#include "cost.hpp"
#include "reading.hpp"
#include <anemone/models/decode_figures.hpp>

#include <optional>
#include <string>
#include <vector>

namespace app {

/// What a published language model takes, chip by chip.
struct language_cost {
    ane::models::decoder_configuration configuration;
    std::vector<ane::models::decode_figures> rows; ///< of the targets whose rates are known
};

/// The same of a path, from its configuration alone: a folder with `config.json`, or a GGUF file; none for other models.
/// The context is that of the reading, the caches have room for 256 positions more; a chunk of 1, to decode, stands for one
/// of 64. Throws as `read`.
std::optional<language_cost> cost_of_language(const std::string& path, const reading_options& reading,
                                              const cost_options& how, const caller& who);

/// The same of a path that must be a language model's. Throws `ane::error` (errc::argument) where it is another model's, and
/// for targets whose rates are not known if there is no other.
language_cost cost_of_decoding(const std::string& path, const reading_options& reading, const cost_options& how,
                               const caller& who);

/// An array of JSON, an object a chip: `decode` of what `anemone cost --format json` prints.
std::string json(const language_cost& of);

} // namespace app
