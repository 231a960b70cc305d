#pragma once

#include "../base/way.hpp"
#include "../io/json.hpp"
#include "../models/decode_figures.hpp"

#include <span>
#include <string>

namespace ane::inline ANEMONE_WAY {

/// What language models take, chip by chip: tokens/s of a decoding and of its prompt and J a token, each with its interval;
/// programs, memory, disk; and under it where the time of a token goes, with what would change it. By the cost model, never
/// run on Apple silicon, as the text says. All figures are of one configuration.
ANEMONE_API std::string decode_text(const models::decoder_configuration& c,
                                    std::span<const models::decode_figures> all);

/// One of them as an object of JSON, of the values of a writer.
ANEMONE_API void write_decode_json(json_writer& json, const models::decoder_configuration& c,
                                   const models::decode_figures& f);

} // namespace ane::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "decode_report.ipp"
#endif
