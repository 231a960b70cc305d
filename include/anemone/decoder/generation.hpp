#ifndef ANEMONE_DECODER_GENERATION_HPP
#define ANEMONE_DECODER_GENERATION_HPP

#include "../base/way.hpp"
#include "decoder.hpp"
#include "drafts.hpp"
#include "sampling.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace ane {

/// Why a generation has ended.
enum class generation_end : std::uint8_t { not_yet, most_tokens, stop_token, full_context };

constexpr std::string_view name(generation_end end) noexcept {
    switch (end) {
    case generation_end::not_yet: return "not_yet";
    case generation_end::most_tokens: return "max_tokens";
    case generation_end::stop_token: return "stop";
    case generation_end::full_context: return "context";
    }
    return "";
}

/// How a generation went so far.
struct generation_figures {
    std::int64_t prompt = 0;   ///< tokens of it
    std::int64_t reused = 0;   ///< of these, those whose keys and values were there already
    std::int64_t tokens = 0;   ///< generated
    std::int64_t steps = 0;    ///< passes through the model after the prompt
    std::int64_t proposed = 0; ///< tokens, by drafts
    std::int64_t accepted = 0; ///< of these
    double first_seconds = 0;  ///< to the first token
    double seconds = 0;        ///< in all, within `next`

    /// Of the tokens after the first; 0 where there are none.
    double tokens_per_second() const {
        return tokens > 1 && seconds > first_seconds ? static_cast<double>(tokens - 1) / (seconds - first_seconds) : 0;
    }
};

} // namespace ane

namespace ane::inline ANEMONE_WAY {

struct generation_options {
    std::int64_t max_tokens = 128;
    sampling_options how{};
    std::vector<token_id> stop{}; ///< tokens that end it; they are not given
    draft_source drafts{};        ///< proposes up to `decoder_options::rows` - 1 tokens for each step; none: one by one
};

/// The tokens that follow a prompt, one by one.
///
/// With drafts, the last token and those that are proposed go through the model at once, and of the tokens that the model
/// then chooses itself all are given up to the first that was not proposed: the same tokens as without drafts, drawn ones
/// too, since a draw is that of its position. (The same but for rounding: in fp16, sums of a step of other width or with
/// keys in other places may differ in the last bit, and a tie of two logits within that may go the other way.)
class text_generation {
public:
    /// Throws `error` (errc::argument) for options out of their range, drafts for a decoder of one row, an empty prompt, one
    /// that the context has no room for, and ids out of the vocabulary. The stream lives as long as this.
    ANEMONE_API_OF(anemone_decoder_generation_hpp)
    text_generation(decoder_stream& stream, std::span<const token_id> prompt, generation_options how);

    /// The next token; none where the generation has ended. Throws as `decoder_stream::follow`, and `cancelled`; the call may
    /// then be repeated.
    ANEMONE_API_OF(anemone_decoder_generation_hpp) std::optional<token_id> next();

    /// The prompt and what was given of its continuation.
    ANEMONE_API_OF(anemone_decoder_generation_hpp) std::span<const token_id> text() const;
    generation_end ended() const { return next_ < text_.size() ? generation_end::not_yet : ended_; }
    const generation_figures& figures() const { return figures_; }

private:
    ANEMONE_API_OF(anemone_decoder_generation_hpp) void step();

    decoder_stream* stream_;
    generation_options how_;
    std::vector<token_id> text_; ///< with tokens that are chosen and not given yet
    std::size_t next_;           ///< the one that is given next
    generation_end ended_ = generation_end::not_yet;
    generation_figures figures_{};
};

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "generation.ipp"
#endif
