#pragma once

#include "../../graph/graph.hpp"
#include "../../graph/refusal.hpp"
#include "whisper_decoder.hpp"
#include "whisper_encoder.hpp"

namespace ane::models {

/// The positions of a run of a part of Whisper, 0 for those that are usual: all frames, all tokens, one token. Throws
/// `ane::error` (errc::graph) for more than there are.
constexpr std::int64_t positions_of_run(const whisper_configuration& c, const network_form& f) {
    const bool is_sound = f.part == network_part::encoder || f.part == network_part::cross;
    const std::int64_t most = is_sound ? c.positions : c.text_positions;
    if (f.positions < 0 || f.positions > most) {
        ane::detail::refuse_graph("positions",
                                  is_sound ? "the encoder has fewer positions" : "the decoder has fewer positions",
                                  f.positions, most);
    }
    return f.positions > 0 ? f.positions : f.part == network_part::step ? 1 : most;
}

/// The earlier tokens that the caches of `step` hold, 0 for as many as there are positions. Throws `ane::error` (errc::graph)
/// for more.
constexpr std::int64_t capacity_of_run(const whisper_configuration& c, const network_form& f) {
    if (f.capacity < 0 || f.capacity > c.text_positions) {
        ane::detail::refuse_graph("capacity", "the decoder has fewer positions", f.capacity, c.text_positions);
    }
    return f.capacity > 0 ? f.capacity : c.text_positions;
}

/// The graph of a part of Whisper. In rows, for W the width, F the frames that the encoder gives, P the positions of a run and C
/// the capacity; what is [tokens, W] is [1, W, 1, tokens] in channels, what is [heads, tokens, width of a head] has its last two
/// axes exchanged:
///
/// - `encoder`: `mel` [1, mels, 2F] (channels: [1, mels, 1, 2F]), which `log_mel` gives, to `hidden` [F, W]
/// - `cross`: `hidden` to `cross_keys_i`, `cross_values_i` [heads, F, width of a head], of each layer of the decoder
/// - `decoder`: a text as a whole: `x` [P, W], the sums of the rows of `decoder.embed_tokens` and `decoder.embed_positions`;
///   `mask` [P, P] (`causal_mask` with a capacity of 0); `hidden`; to `logits` [P, vocabulary]
/// - `step`: the same behind C earlier tokens: `x`, `mask` [P, C + P], `keys_i`, `values_i` [heads, C, width of a head],
///   `cross_keys_i`, `cross_values_i`, to `new_keys_i`, `new_values_i` [heads, P, width of a head], which the host puts behind
///   the old ones, and `logits`
///
/// Logits of more than 16384 words come in parts, `logits_0`, ..., whose weights are rows of `decoder.embed_tokens`. Throws
/// `ane::error` (errc::graph) for a network or a form that cannot be.
constexpr dynamic_graph network_graph(const whisper_configuration& c, const network_form& f = {}) {
    if (const std::string_view wrong = fault_of(c); !wrong.empty()) {
        ane::detail::refuse_graph("whisper", wrong.data());
    }
    refuse_pixels(f, "whisper");
    const std::int64_t positions = positions_of_run(c, f);
    if (f.part != network_part::step && f.capacity != 0) {
        ane::detail::refuse_graph("capacity", "only a step has caches", f.capacity, 0);
    }
    if (f.part == network_part::encoder) {
        return detail::whisper_encoder(c, f.layout, positions);
    }
    if (f.part == network_part::cross) {
        if (positions != c.positions) {
            ane::detail::refuse_graph("positions", "the decoder sees all frames", positions, c.positions);
        }
        return detail::whisper_cross(c, f.layout);
    }
    if (f.part == network_part::decoder) {
        return detail::whisper_decoder(c, f.layout, {positions, 0}).graph();
    }
    if (f.part == network_part::step) {
        return detail::whisper_decoder(c, f.layout, {positions, capacity_of_run(c, f)}).graph();
    }
    ane::detail::refuse_graph("whisper", "its parts are encoder, cross, decoder and step");
}

} // namespace ane::models
