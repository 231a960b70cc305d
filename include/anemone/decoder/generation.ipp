#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_decoder_generation_hpp);

#include "../base/cancellation.hpp"
#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "decoder.hpp"
#include "drafts.hpp"
#include "generation.hpp"
#include "sampling.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF text_generation::text_generation(decoder_stream& stream, std::span<const token_id> prompt,
                                                 generation_options how)
    : stream_(&stream), how_(std::move(how)), text_(prompt.begin(), prompt.end()), next_(prompt.size()) {
    require_possible(how_.how);
    if (how_.max_tokens < 1) {
        throw error(errc::argument, "max_tokens", formatted("is {}, must be 1 or above", how_.max_tokens));
    }
    if (how_.drafts && stream.rows() < 2) {
        throw error(errc::argument, "drafts",
                    "need a decoder whose step takes several tokens at once: rows of 4 or 8 in its options");
    }
    for (const token_id stop : how_.stop) {
        if (stop < 0 || stop >= stream.vocabulary()) {
            throw error(errc::argument, "stop",
                        formatted("is {}, must be from 0 to {}, the last token of the vocabulary", stop,
                                  stream.vocabulary() - 1));
        }
    }
    stream.require(text_);
    figures_.prompt = static_cast<std::int64_t>(prompt.size());
}

ANEMONE_BODY_OF std::span<const token_id> text_generation::text() const { return std::span(text_).first(next_); }

ANEMONE_BODY_OF std::optional<token_id> text_generation::next() {
    if (next_ == text_.size() && ended_ == generation_end::not_yet) {
        const auto begin = std::chrono::steady_clock::now();
        step();
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
        figures_.seconds += took.count();
        figures_.first_seconds = figures_.tokens == 0 ? figures_.seconds : figures_.first_seconds;
    }
    if (next_ == text_.size()) {
        return std::nullopt;
    }
    ++figures_.tokens;
    return text_[next_++];
}

/// Chooses one token or more.
ANEMONE_BODY_OF void text_generation::step() {
    detail::stop_if_cancelled();
    const std::size_t before = text_.size();
    const auto chosen = static_cast<std::int64_t>(before) - figures_.prompt;
    const std::int64_t room = stream_->capacity() - static_cast<std::int64_t>(before);
    if (room < 0) { // the last token found no place
        ended_ = generation_end::full_context;
        return;
    }
    std::vector<token_id> tried = text_;
    if (how_.drafts && chosen > 0) { // the prompt goes alone
        const std::int64_t most = std::min({stream_->rows() - 1, how_.max_tokens - chosen - 1, room});
        for (const token_id each : most > 0 ? how_.drafts(text_, most) : std::vector<token_id>()) {
            if (each < 0 || each >= stream_->vocabulary() || static_cast<std::int64_t>(tried.size() - before) == most) {
                break;
            }
            tried.push_back(each);
        }
    }
    const std::size_t proposed = tried.size() - before;
    const std::span<const float> logits = stream_->follow(tried, static_cast<std::int64_t>(proposed) + 1);
    if (chosen == 0) {
        figures_.reused = stream_->reused();
    } else {
        ++figures_.steps;
    }
    figures_.proposed += static_cast<std::int64_t>(proposed);
    const auto vocabulary = static_cast<std::size_t>(stream_->vocabulary());
    std::vector<token_id> text = text_; // so that nothing is half done where logits are refused
    std::int64_t accepted = 0;
    for (std::size_t i = 0; i <= proposed; ++i) {
        const token_id token = next_token(logits.subspan(i * vocabulary, vocabulary), text, how_.how);
        if (std::find(how_.stop.begin(), how_.stop.end(), token) != how_.stop.end()) {
            ended_ = generation_end::stop_token;
            break;
        }
        text.push_back(token);
        if (static_cast<std::int64_t>(text.size()) - figures_.prompt == how_.max_tokens) {
            ended_ = generation_end::most_tokens;
            break;
        }
        if (i == proposed || token != tried[before + i]) {
            break;
        }
        ++accepted;
    }
    figures_.accepted += accepted;
    text_ = std::move(text);
}

} // namespace ane::inline ANEMONE_WAY
