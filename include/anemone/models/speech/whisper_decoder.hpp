#pragma once

#include "../programs.hpp"
#include "whisper_maker.hpp"

#include <string_view>
#include <utility>

namespace ane::models {

/// The parts of the logits, of which each is a row that all Macs take.
constexpr std::int64_t head_parts_of(const whisper_configuration& c) noexcept {
    return (c.vocabulary + widest_row - 1) / widest_row;
}
/// The first word of a part: equal parts, of which the last is smaller.
constexpr std::int64_t part_begin(const whisper_configuration& c, std::int64_t part) noexcept {
    const std::int64_t size = (c.vocabulary + head_parts_of(c) - 1) / head_parts_of(c);
    return size * part < c.vocabulary ? size * part : c.vocabulary;
}

namespace detail {

/// "keys" with the number of a layer or of a part behind it.
constexpr sequence<char> numbered(std::string_view name, std::int64_t number) {
    sequence<char> text;
    text.append(name);
    text.push_back('_');
    ane::detail::append_number(text, number);
    return text;
}

/// Where a run of tokens stands.
struct whisper_run {
    std::int64_t positions = 1; ///< tokens of the run
    std::int64_t capacity =
        0; ///< earlier ones, in caches; 0: there are none, and `hidden` is read instead of cross keys
};

/// The layers of the decoder, in which tokens see those before them and all that the encoder gave.
class whisper_decoder {
public:
    constexpr whisper_decoder(const whisper_configuration& c, activation_layout layout, const whisper_run& run)
        : c_(c), run_(run), m_(c, layout) {}

    constexpr dynamic_graph graph() && {
        int x = m_.input("x", m_.activation(run_.positions));
        mask_ = m_.input("mask", {run_.positions, run_.capacity + run_.positions}, within(-40000, 0));
        if (run_.capacity == 0) {
            hidden_ = m_.input("hidden", m_.activation(c_.positions));
        }
        for (std::int64_t layer = 0; layer < c_.decoder_layers; ++layer) {
            m_.enter("decoder.layers.*.", 0, layer);
            x = m_.add(x, m_.projected(m_.from_heads(own(x, layer)), "self_attn.out_proj", c_.width));
            x = m_.add(x, m_.projected(m_.from_heads(cross(x, layer)), "encoder_attn.out_proj", c_.width));
            x = m_.inner(x, c_.decoder_inner);
        }
        m_.enter_whole("head");
        head(m_.normalized(x, "decoder.layer_norm"));
        return std::move(m_).taken();
    }

private:
    constexpr int port(std::string_view name, std::int64_t layer, std::int64_t tokens) {
        const sequence<char> text = numbered(name, layer);
        return m_.input(m_.view(text), m_.heads(c_.decoder_heads, tokens));
    }
    constexpr void give(int value, std::string_view name, std::int64_t layer) {
        const sequence<char> text = numbered(name, layer);
        m_.output(value, m_.view(text));
    }

    /// Of the tokens among themselves, as heads.
    constexpr int own(int x, std::int64_t layer) {
        const int n = m_.normalized(x, "self_attn_layer_norm");
        const int query = m_.queries(n, "self_attn.q_proj", c_.decoder_heads);
        const int key = m_.keys(n, "self_attn.k_proj", c_.decoder_heads);
        const int value = m_.values(n, "self_attn.v_proj", c_.decoder_heads);
        const int fresh = m_.scores(query, key);
        if (run_.capacity == 0) {
            return m_.mixed(m_.weighed(m_.add(fresh, mask_)), value);
        }
        const int keys = port("keys", layer, run_.capacity);
        const int values = port("values", layer, run_.capacity);
        give(key, "new_keys", layer);
        give(value, "new_values", layer);
        // The caches are not copied behind the new ones: their products are added.
        const int all = m_.emit(op::concat, axis{2}, {m_.scores(query, keys), fresh});
        const int weights = m_.weighed(m_.add(all, mask_));
        const int of_old = m_.mixed(m_.slice(weights, 2, 0, run_.capacity), values);
        return m_.add(of_old, m_.mixed(m_.slice(weights, 2, run_.capacity, run_.positions), value));
    }
    /// Of the tokens and what the encoder gave, as heads.
    constexpr int cross(int x, std::int64_t layer) {
        const int n = m_.normalized(x, "encoder_attn_layer_norm");
        const int query = m_.queries(n, "encoder_attn.q_proj", c_.decoder_heads);
        const bool has_hidden = run_.capacity == 0;
        const int key = has_hidden ? m_.keys(hidden_, "encoder_attn.k_proj", c_.decoder_heads)
                                   : port("cross_keys", layer, c_.positions);
        const int value = has_hidden ? m_.values(hidden_, "encoder_attn.v_proj", c_.decoder_heads)
                                     : port("cross_values", layer, c_.positions);
        return m_.mixed(m_.weighed(m_.scores(query, key)), value);
    }
    /// The product with the table of the tokens.
    constexpr void head(int x) {
        const std::int64_t parts = head_parts_of(c_);
        if (parts == 1) {
            m_.output(m_.projected(x, "decoder.embed_tokens", c_.vocabulary, false), "logits");
            return;
        }
        for (std::int64_t part = 0; part < parts; ++part) {
            const std::int64_t size = part_begin(c_, part + 1) - part_begin(c_, part);
            const sequence<char> suffix = numbered(".weight", part);
            give(m_.projected(x, "decoder.embed_tokens", size, false, m_.view(suffix)), "logits", part);
        }
    }

    whisper_configuration c_;
    whisper_run run_;
    whisper_maker m_;
    int mask_ = -1;
    int hidden_ = -1;
};

/// The keys and values that every token compares itself with: they depend on the sound alone, so that computing them in each
/// step would cost more than all the rest of it.
constexpr dynamic_graph whisper_cross(const whisper_configuration& c, activation_layout layout) {
    whisper_maker m(c, layout);
    const int hidden = m.input("hidden", m.activation(c.positions));
    for (std::int64_t layer = 0; layer < c.decoder_layers; ++layer) {
        m.enter("decoder.layers.*.", 0, layer);
        const sequence<char> keys = numbered("cross_keys", layer);
        const sequence<char> values = numbered("cross_values", layer);
        m.output(m.keys(hidden, "encoder_attn.k_proj", c.decoder_heads), m.view(keys));
        m.output(m.values(hidden, "encoder_attn.v_proj", c.decoder_heads), m.view(values));
    }
    return std::move(m).taken();
}

} // namespace detail

} // namespace ane::models
