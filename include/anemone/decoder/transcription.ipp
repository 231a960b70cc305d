#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_decoder_transcription_hpp);

#include "../base/formatted.hpp"
#include "speech_run.hpp"
#include "transcription.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace ane::detail::inline ANEMONE_WAY {

ANEMONE_INLINE void require_token(const char* subject, token_id token, std::size_t vocabulary) {
    if (token < 0 || static_cast<std::size_t>(token) >= vocabulary) {
        throw error(errc::argument, subject,
                    formatted("is {}, must be from 0 to {}, the last of the vocabulary", token, vocabulary - 1));
    }
}

/// Removes the tokens from `begin` on, before `end`.
ANEMONE_INLINE void remove(std::span<float> logits, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < std::min(end, logits.size()); ++i) {
        logits[i] = -std::numeric_limits<float>::infinity();
    }
}

/// ln of the sum of e^x, -infinity of none.
ANEMONE_INLINE double log_of_sum(std::span<const float> logits) {
    const float largest = logits.empty() ? -std::numeric_limits<float>::infinity() : *std::ranges::max_element(logits);
    if (!std::isfinite(largest)) {
        return static_cast<double>(largest);
    }
    double sum = 0;
    for (const float each : logits) {
        sum += std::exp(static_cast<double>(each) - static_cast<double>(largest));
    }
    return static_cast<double>(largest) + std::log(sum);
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF void keep_times_in_order(std::span<float> logits, std::span<const token_id> tokens,
                                         const timestamp_tokens& times) {
    detail::require_token("first time", times.first, logits.size());
    detail::require_token("end of the text", times.end, logits.size());
    if (times.most_at_first < 0) {
        throw error(errc::argument, "most_at_first", formatted("is {}, must be from 0 on", times.most_at_first));
    }
    const auto first = static_cast<std::size_t>(times.first);
    const auto is_time = [&](token_id token) { return token >= times.first; };
    if (times.none) {
        detail::require_token("token of no times", *times.none, logits.size());
        detail::remove(logits, static_cast<std::size_t>(*times.none), static_cast<std::size_t>(*times.none) + 1);
    }
    const std::size_t count = tokens.size();
    const bool ends_with_time = count > 0 && is_time(tokens[count - 1]);
    const bool is_pair = ends_with_time && (count < 2 || is_time(tokens[count - 2]));
    if (count == 0) {
        detail::remove(logits, 0, first);
        detail::remove(logits, first + static_cast<std::size_t>(times.most_at_first) + 1, logits.size());
    } else if (is_pair) { // words follow
        detail::remove(logits, first, logits.size());
    } else if (ends_with_time) { // its second time follows, or the end
        detail::remove(logits, 0, static_cast<std::size_t>(times.end));
    }
    const auto last = std::find_if(tokens.rbegin(), tokens.rend(), is_time);
    if (last != tokens.rend()) {
        // The end of a pair may be its beginning again, which a new time may not.
        const bool may_repeat = ends_with_time && !is_pair;
        detail::remove(logits, first, static_cast<std::size_t>(*last) + (may_repeat ? 0 : 1));
    }
    const std::span<float> others = logits.first(first);
    if (!others.empty() &&
        detail::log_of_sum(logits.subspan(first)) > static_cast<double>(*std::ranges::max_element(others))) {
        detail::remove(logits, 0, first);
    }
}

ANEMONE_BODY_OF speech_model::speech_model(const models::whisper_configuration& model, const weight_store& tensors,
                                           const speech_options& how, const backend::any& place) {
    if (how.rows < 1 || how.rows > model.text_positions) {
        throw error(errc::argument, "rows",
                    formatted("are {}, must be from 1 to {}, the positions", how.rows, model.text_positions));
    }
    state_ = hidden<detail::speech_state>::of(new detail::speech_state(model, tensors, how, place));
}

ANEMONE_BODY_OF const models::whisper_configuration& speech_model::configuration() const {
    return state_.get("model").configuration;
}

ANEMONE_BODY_OF void speech_model::hear(std::span<const float> mel) { state_.get("model").hear(mel); }

ANEMONE_BODY_OF std::vector<token_id> speech_model::transcribe(const transcription_options& how) {
    detail::speech_state& state = state_.get("model");
    const auto vocabulary = static_cast<std::size_t>(state.configuration.vocabulary);
    const auto positions = static_cast<std::size_t>(state.configuration.text_positions);
    if (how.prompt.empty() || how.prompt.size() > positions) {
        throw error(errc::argument, "prompt",
                    formatted("has {} tokens, must have 1 to {}, the positions", how.prompt.size(), positions));
    }
    for (const auto* const all : {&how.prompt, &how.never, &how.not_at_first}) {
        for (const token_id token : *all) {
            detail::require_token("token", token, vocabulary);
        }
    }
    const std::size_t room = positions - how.prompt.size();
    if (how.max_tokens < 0 || static_cast<std::size_t>(how.max_tokens) > room) {
        throw error(errc::argument, "max_tokens",
                    formatted("is {}, must be from 0 to {}, the positions behind the prompt", how.max_tokens, room));
    }
    const std::size_t most = how.max_tokens > 0 ? static_cast<std::size_t>(how.max_tokens) : room;
    std::vector<token_id> text;
    state.begin();
    std::span<const token_id> fresh = how.prompt;
    while (text.size() < most) {
        const std::span<float> logits = state.feed(fresh);
        for (const token_id token : how.never) {
            logits[static_cast<std::size_t>(token)] = -std::numeric_limits<float>::infinity();
        }
        for (const token_id token : text.empty() ? how.not_at_first : std::vector<token_id>{}) {
            logits[static_cast<std::size_t>(token)] = -std::numeric_limits<float>::infinity();
        }
        if (how.times) {
            keep_times_in_order(logits, text, *how.times);
        }
        const auto best = std::ranges::max_element(logits);
        if (!std::isfinite(*best)) {
            throw error(errc::argument, formatted("token {} behind the prompt", text.size()),
                        "has no choice: every token is one that must not follow");
        }
        const auto token = static_cast<token_id>(best - logits.begin());
        if (how.end == token) {
            break;
        }
        text.push_back(token);
        fresh = std::span(text).last(1);
    }
    return text;
}

} // namespace ane::inline ANEMONE_WAY
