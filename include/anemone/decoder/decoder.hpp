#ifndef ANEMONE_DECODER_DECODER_HPP
#define ANEMONE_DECODER_DECODER_HPP

#include "../backend/any.hpp"
#include "../base/hidden.hpp"
#include "../base/way.hpp"
#include "../models/configuration.hpp"
#include "../weights/store.hpp"
#include "decoder_options.hpp"
#include "sampling.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace ane::detail::inline ANEMONE_WAY {

struct decoder_state;
struct stream_state;

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

/// A text that a decoder goes through: the tokens so far, and the keys and values of each of their positions. Several
/// streams share the programs and weights of one decoder and may be used in turn, by any threads, one call at a time for
/// each; a stream keeps its decoder's programs alive. Positions that are given up cost nothing.
class decoder_stream {
public:
    /// The tokens whose keys and values are there.
    ANEMONE_API_OF(anemone_decoder_decoder_hpp) const std::vector<token_id>& tokens() const;
    /// How many there may be.
    ANEMONE_API_OF(anemone_decoder_decoder_hpp) std::int64_t capacity() const;
    /// The extent of a row of logits.
    ANEMONE_API_OF(anemone_decoder_decoder_hpp) std::int64_t vocabulary() const;
    /// How many tokens the program of a step takes at once (`decoder_options::rows`).
    ANEMONE_API_OF(anemone_decoder_decoder_hpp) std::int64_t rows() const;

    /// Goes on behind the tokens that are there. Gives the logits that follow the last `rows` of the new ones, row by row;
    /// they hold until the next call.
    ///
    /// Throws `error`: (errc::argument) for no tokens, for ids that are not in the vocabulary and for more positions than the
    /// capacity; (errc::port) for keys, values or logits that are not finite; and what the backend's program does.
    /// Tokens before the failing program's are kept, with `cache_form::states` none.
    ANEMONE_API_OF(anemone_decoder_decoder_hpp)
    std::span<const float> feed(std::span<const token_id> tokens, std::int64_t rows = 1);

    /// The same for a text as a whole: what it has in common with the tokens that are there is not computed again, but for
    /// the last `rows` of them; other tokens behind it are given up.
    ANEMONE_API_OF(anemone_decoder_decoder_hpp)
    std::span<const float> follow(std::span<const token_id> tokens, std::int64_t rows = 1);
    /// How many tokens the last `follow` did not compute again.
    ANEMONE_API_OF(anemone_decoder_decoder_hpp) std::int64_t reused() const;

    /// Throws what `follow` throws before it computes anything.
    ANEMONE_API_OF(anemone_decoder_decoder_hpp) void require(std::span<const token_id> tokens) const;
    /// Gives up all tokens but the first `size`; throws `error` (errc::argument) where there are fewer.
    ANEMONE_API_OF(anemone_decoder_decoder_hpp) void truncate(std::int64_t size);

private:
    friend class decoder;
    hidden<detail::stream_state> state_;
};

/// A language model on a backend: a program for chunks of prompts and one for tokens, whose caches of keys and values the
/// host keeps (`cache_form::inputs`) or the program (`states`); rows of the embedding, tables of positions and masks are the
/// host's. A program is compiled when it is first needed.
///
///     models::checkpoint c = models::read_checkpoint("SmolLM-135M");
///     decoder d(c.configuration, c.weights, {.context = 1024}, backend::cpu{});
///     decoder_stream text = d.open();
///     const std::vector<token_id> prompt = {1, 2, 3};
///     text_generation g(text, prompt, {.max_tokens = 64}); // generation.hpp
///     while (auto token = g.next()) { ... }
///
/// Never run on Apple silicon, like everything here.
class decoder {
public:
    /// Throws `error` (errc::argument) for options out of their range, and (errc::weights) where the table of the embedding
    /// is not there or has another shape. Weights that stay in their files are read from there.
    ANEMONE_API_OF(anemone_decoder_decoder_hpp)
    decoder(const models::decoder_configuration& model, weight_store weights, const decoder_options& how,
            const backend::any& place);

    ANEMONE_API_OF(anemone_decoder_decoder_hpp) const models::decoder_configuration& configuration() const;
    ANEMONE_API_OF(anemone_decoder_decoder_hpp) const decoder_options& options() const;

    /// A stream without tokens.
    ANEMONE_API_OF(anemone_decoder_decoder_hpp) decoder_stream open();

private:
    std::shared_ptr<detail::decoder_state> state_;
};

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "decoder.ipp"
#endif
