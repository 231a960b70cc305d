#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_decoder_decoder_hpp);

#include "decoder.hpp"
#include "decoder_state.hpp"
#include "required_option.hpp"
#include "stream_run.hpp"

#include <algorithm>
#include <utility>

namespace ane::detail::inline ANEMONE_WAY {

ANEMONE_INLINE void require_possible_decoder(const models::decoder_configuration& c, const decoder_options& how) {
    constexpr std::int64_t most = std::int64_t{1} << 22U;
    require_option(how.context >= 1 && how.context <= most, "context", how.context, formatted("from 1 to {}", most));
    require_option(how.rows >= 1 && how.rows <= 64, "rows", how.rows, "from 1 to 64");
    require_option(how.chunk >= how.rows && how.chunk <= 65536, "chunk", how.chunk,
                   formatted("from {}, the rows of a step, to 65536", how.rows));
    require_option(how.layers_per_program >= 0, "layers_per_program", how.layers_per_program,
                   "0 (as many as the engine takes) or above");
    require_option(how.head_parts >= 1 && how.head_parts <= c.vocabulary, "head_parts", how.head_parts,
                   formatted("from 1 to {}, the vocabulary", c.vocabulary));
    if (c.rotary.kind == models::rope_kind::none) {
        require_option(how.context <= c.positions, "context", how.context,
                       formatted("at most {}: the model has learned so many positions", c.positions));
    }
}

ANEMONE_INLINE void require_tokens(const decoder_state& by, std::span<const token_id> tokens, std::int64_t rows) {
    if (tokens.empty()) {
        throw error(errc::argument, "tokens", "are none, must be one or more");
    }
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (tokens[i] < 0 || tokens[i] >= by.configuration.vocabulary) {
            throw error(errc::argument, formatted("token {}", i),
                        formatted("is {}, must be from 0 to {}, the last of the vocabulary", tokens[i],
                                  by.configuration.vocabulary - 1));
        }
    }
    if (rows < 1 || rows > static_cast<std::int64_t>(tokens.size())) {
        throw error(errc::argument, "rows of logits",
                    formatted("are {}, must be from 1 to {}, the number of tokens", rows, tokens.size()));
    }
}

/// The stream's turn is held.
ANEMONE_INLINE std::span<const float> feed_tokens(stream_state& stream, std::span<const token_id> tokens,
                                                  std::int64_t rows) {
    decoder_state& by = *stream.by;
    const std::size_t before = stream.tokens.size();
    const auto capacity = static_cast<std::size_t>(by.how.context);
    if (tokens.size() > capacity - before) {
        throw error(
            errc::argument, "context",
            formatted("has room for {} tokens, {} are there and {} are to follow: open the decoder with a context "
                      "of {} or more, or begin anew with fewer",
                      capacity, before, tokens.size(), before + tokens.size()));
    }
    const auto vocabulary = static_cast<std::size_t>(by.configuration.vocabulary);
    stream.logits.resize(static_cast<std::size_t>(rows) * vocabulary);
    const std::size_t wanted_from = tokens.size() - static_cast<std::size_t>(rows);
    try {
        for (std::size_t done = 0; done < tokens.size();) {
            const std::size_t left = tokens.size() - done;
            const std::int64_t positions = static_cast<std::int64_t>(left) <= by.how.rows ? by.how.rows : by.how.chunk;
            const std::size_t count = std::min(left, static_cast<std::size_t>(positions));
            stream_run run(stream, tokens.subspan(done, count), by.chain(positions));
            run.compute();
            if (done + count > wanted_from) {
                const std::size_t row = wanted_from > done ? wanted_from - done : 0;
                const std::size_t written = done + row - wanted_from;
                run.logits_from(static_cast<std::int64_t>(row),
                                std::span(stream.logits).subspan(written * vocabulary, (count - row) * vocabulary));
            }
            run.keep();
            done += count;
        }
    } catch (const cancelled&) {
        throw;
    } catch (...) {
        if (by.with_states()) { // in which something may be that is not finite
            by.forget(stream);
            stream.tokens.clear();
            for (layer_cache& each : stream.caches) {
                std::fill(each.keys.begin(), each.keys.end(), half(0.0F));
                std::fill(each.values.begin(), each.values.end(), half(0.0F));
            }
        }
        throw;
    }
    return stream.logits;
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF decoder::decoder(const models::decoder_configuration& model, weight_store weights,
                                 const decoder_options& how, const backend::any& place) {
    detail::require_possible_decoder(model, how);
    state_ = std::make_shared<detail::decoder_state>(model, detail::with_head_parts(std::move(weights), model, how),
                                                     how, place);
    const models::published_names names = models::names_of(model.kind);
    state_->embedding = detail::token_rows(state_->weights, names.embedding, model.vocabulary, model.width);
    if (!names.position_embedding.empty()) {
        state_->position_rows =
            detail::token_rows(state_->weights, names.position_embedding, model.positions, model.width);
    }
}

ANEMONE_BODY_OF const models::decoder_configuration& decoder::configuration() const { return state_->configuration; }
ANEMONE_BODY_OF const decoder_options& decoder::options() const { return state_->how; }

ANEMONE_BODY_OF decoder_stream decoder::open() {
    const models::decoder_configuration& c = state_->configuration;
    decoder_stream made;
    made.state_ = hidden<detail::stream_state>::of(new detail::stream_state(state_));
    detail::stream_state& stream = made.state_.get("stream");
    const auto count = static_cast<std::size_t>(c.kept_heads * c.head_width * state_->how.context);
    stream.caches.resize(static_cast<std::size_t>(c.layers));
    for (detail::layer_cache& each : stream.caches) {
        each.keys.resize(count);
        each.values.resize(count);
    }
    return made;
}

ANEMONE_BODY_OF const std::vector<token_id>& decoder_stream::tokens() const { return state_.get("stream").tokens; }
ANEMONE_BODY_OF std::int64_t decoder_stream::capacity() const { return state_.get("stream").by->how.context; }
ANEMONE_BODY_OF std::int64_t decoder_stream::vocabulary() const {
    return state_.get("stream").by->configuration.vocabulary;
}
ANEMONE_BODY_OF std::int64_t decoder_stream::rows() const { return state_.get("stream").by->how.rows; }
ANEMONE_BODY_OF std::int64_t decoder_stream::reused() const { return state_.get("stream").reused; }

ANEMONE_BODY_OF std::span<const float> decoder_stream::feed(std::span<const token_id> tokens, std::int64_t rows) {
    detail::stream_state& stream = state_.get("stream");
    detail::require_tokens(*stream.by, tokens, rows);
    const std::scoped_lock lock(stream.by->turn);
    return detail::feed_tokens(stream, tokens, rows);
}

ANEMONE_BODY_OF std::span<const float> decoder_stream::follow(std::span<const token_id> tokens, std::int64_t rows) {
    detail::stream_state& stream = state_.get("stream");
    detail::require_tokens(*stream.by, tokens, rows);
    require(tokens);
    const std::scoped_lock lock(stream.by->turn);
    const std::size_t most = std::min(stream.tokens.size(), tokens.size() - static_cast<std::size_t>(rows));
    const auto same =
        std::mismatch(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(most), stream.tokens.begin());
    const auto kept = static_cast<std::size_t>(same.first - tokens.begin());
    stream.tokens.resize(kept);
    stream.reused = static_cast<std::int64_t>(kept);
    return detail::feed_tokens(stream, tokens.subspan(kept), rows);
}

ANEMONE_BODY_OF void decoder_stream::require(std::span<const token_id> tokens) const {
    const detail::decoder_state& by = *state_.get("stream").by;
    detail::require_tokens(by, tokens, 1);
    if (tokens.size() > static_cast<std::size_t>(by.how.context)) {
        throw error(
            errc::argument, "context",
            formatted("has room for {} tokens, there are {}: open the decoder with a context of {} or more, or give "
                      "fewer tokens",
                      by.how.context, tokens.size(), tokens.size()));
    }
}

ANEMONE_BODY_OF void decoder_stream::truncate(std::int64_t size) {
    detail::stream_state& stream = state_.get("stream");
    if (size < 0 || size > static_cast<std::int64_t>(stream.tokens.size())) {
        throw error(errc::argument, "size",
                    formatted("is {}, must be from 0 to {}, the tokens of the stream", size, stream.tokens.size()));
    }
    stream.tokens.resize(static_cast<std::size_t>(size));
}

} // namespace ane::inline ANEMONE_WAY
