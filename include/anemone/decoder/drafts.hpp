#ifndef ANEMONE_DECODER_DRAFTS_HPP
#define ANEMONE_DECODER_DRAFTS_HPP

#include "../base/way.hpp"
#include "decoder.hpp"
#include "sampling.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace ane::inline ANEMONE_WAY {

/// Proposes tokens that may follow a text, `most` of them at most; none is a proposal, too. What a generation makes of them
/// does not depend on whether they are right (speculative decoding, Leviathan 2023): only its speed does.
using draft_source = std::function<std::vector<token_id>(std::span<const token_id> text, std::int64_t most)>;

/// The tokens that followed the last place where the last `pattern` tokens of a text stood before; where there is no such
/// place, the last `pattern` - 1, down to one (prompt lookup, Saxena 2023). Good for texts that repeat what was there:
/// summaries, code that is edited.
ANEMONE_API_OF(anemone_decoder_drafts_hpp)
std::vector<token_id> looked_up(std::span<const token_id> text, std::int64_t most, std::int64_t pattern = 3);
ANEMONE_API_OF(anemone_decoder_drafts_hpp) draft_source drafts_of_text(std::int64_t pattern = 3);

/// The most likely tokens by a smaller model of the same vocabulary, whose stream lives as long as this is used. It goes on
/// from what its stream has in common with the text, and proposes nothing where its context is full.
ANEMONE_API_OF(anemone_decoder_drafts_hpp) draft_source drafts_of_model(decoder_stream& smaller);

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "drafts.ipp"
#endif
