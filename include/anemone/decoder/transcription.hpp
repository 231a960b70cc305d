#ifndef ANEMONE_DECODER_TRANSCRIPTION_HPP
#define ANEMONE_DECODER_TRANSCRIPTION_HPP

#include "../backend/any.hpp"
#include "../base/hidden.hpp"
#include "../base/way.hpp"
#include "../models/speech/whisper_configuration.hpp"
#include "../weights/store.hpp"
#include "sampling.hpp"
#include "speech_options.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace ane::detail::inline ANEMONE_WAY {

struct speech_state;

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

/// Tokens that mean a time, and what Whisper demands of them.
struct timestamp_tokens {
    token_id first = 0;                ///< 0.00 s; each that follows is 0.02 s later, to the end of the vocabulary
    token_id end = 0;                  ///< of the text; tokens below are words
    std::optional<token_id> none = {}; ///< the token that a text without times begins with: it is not chosen
    std::int64_t most_at_first = 50;   ///< the largest time that a text may begin with, in steps of 0.02 s
};

/// Removes (makes -infinity) what may not follow `tokens`, those behind the prompt (Radford et al. 2022, section 4.5): a text
/// begins with a time; times come in pairs, or before the end; none is less than the one before; and where the times together
/// are more likely than every other token, only times are left. Throws `error` (errc::argument) for tokens that are not
/// among the logits.
ANEMONE_API_OF(anemone_decoder_transcription_hpp)
void keep_times_in_order(std::span<float> logits, std::span<const token_id> tokens, const timestamp_tokens& times);

/// How a sound becomes tokens. The most likely one is chosen, of equal ones the first.
struct transcription_options {
    std::vector<token_id> prompt{}; ///< start of the transcript, language, task: one at least
    std::optional<token_id> end{};  ///< after which nothing follows; it is not given
    std::int64_t max_tokens = 0;    ///< behind the prompt; 0: as many as there are positions
    std::vector<token_id> never{};  ///< tokens that are not chosen
    std::vector<token_id> not_at_first{};
    std::optional<timestamp_tokens> times{}; ///< without them, times are tokens like others
};

/// Whisper on a backend: a program for the sound, one for the keys and values that the sound gives each layer of the
/// decoder, computed once, and one for steps of tokens, whose caches the host keeps; rows of the tables of tokens and
/// positions, masks and the choice of tokens are the host's.
///
///     speech_model m(models::whisper_tiny, load_safetensors("whisper-tiny/model.safetensors"), {}, backend::cpu{});
///     m.hear(models::log_mel(sound, 80));
///     const std::vector<token_id> text = m.transcribe({.prompt = {50258, 50259, 50359}, .end = 50257});
///
/// Never run on Apple silicon, like everything here.
class speech_model {
public:
    /// With tensors by their published names. Throws `error` (errc::argument) for rows that are not 1 to the decoder's
    /// positions, (errc::weights) where a table of the host is not there or has another shape, `unreadable` for tensors that
    /// `models::network_model` refuses, and what the backend throws.
    ANEMONE_API_OF(anemone_decoder_transcription_hpp)
    speech_model(const models::whisper_configuration& model, const weight_store& tensors, const speech_options& how,
                 const backend::any& place);

    ANEMONE_API_OF(anemone_decoder_transcription_hpp) const models::whisper_configuration& configuration() const;

    /// The spectra of a sound, row by row [mels, 2 * positions]: `models::log_mel`. Throws `error` (errc::argument) for
    /// others, and (errc::port) for keys and values that are not finite.
    ANEMONE_API_OF(anemone_decoder_transcription_hpp) void hear(std::span<const float> mel);

    /// The tokens behind the prompt of what was heard. Throws `error` (errc::argument) where nothing was heard, for a prompt
    /// that is empty, longer than the positions or not of the vocabulary, and (errc::port) for logits that are not finite.
    ANEMONE_API_OF(anemone_decoder_transcription_hpp)
    std::vector<token_id> transcribe(const transcription_options& how);

private:
    hidden<detail::speech_state> state_;
};

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "transcription.ipp"
#endif
