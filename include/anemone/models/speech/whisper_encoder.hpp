#pragma once

#include "whisper_maker.hpp"

#include <utility>

namespace ane::models::detail {

/// A convolution of three spectra along the time, with a border of one, and its gelu.
constexpr int whisper_convolution(whisper_maker& m, int x, std::string_view part, int stride) {
    conv how;
    how.stride = {1, stride};
    how.padding.left = how.padding.right = 1;
    const std::int64_t width = m.configuration().width;
    const int kernel = m.weight(part, ".weight", {width, m.shape(x)[1], 1, 3});
    return m.function(op::gelu, m.emit(op::conv2d, how, {x, kernel, m.weight(part, ".bias", {width})}));
}

/// `mel` [1, mels, 2 * positions] (channels: [1, mels, 1, 2 * positions]) to `hidden`, tokens.
constexpr dynamic_graph whisper_encoder(const whisper_configuration& c, activation_layout layout,
                                        std::int64_t positions) {
    whisper_maker m(c, layout);
    // log_mel gives no others for sounds from -1 to 1.
    const contract promise = within(-1.5, 2);
    const std::int64_t spectra = 2 * positions;
    int x = m.input("mel", m.is_rows() ? extents{1, c.mels, spectra} : extents{1, c.mels, 1, spectra}, promise);
    m.enter_whole("stem");
    x = m.reshape(x, {1, c.mels, 1, spectra});
    x = whisper_convolution(m, x, "encoder.conv1", 1);
    x = whisper_convolution(m, x, "encoder.conv2", 2);
    if (m.is_rows()) {
        x = m.turned(m.reshape(x, {c.width, positions}), {1, 0});
    }
    int places = m.weight("encoder.embed_positions", ".weight", m.activation(c.positions));
    if (positions < c.positions) {
        places = m.slice(places, m.token_axis(), 0, positions);
    }
    x = m.add(x, places);
    for (std::int64_t layer = 0; layer < c.encoder_layers; ++layer) {
        m.enter("encoder.layers.*.", 0, layer);
        const int n = m.normalized(x, "self_attn_layer_norm");
        const int query = m.queries(n, "self_attn.q_proj", c.encoder_heads);
        const int key = m.keys(n, "self_attn.k_proj", c.encoder_heads);
        const int value = m.values(n, "self_attn.v_proj", c.encoder_heads);
        const int seen = m.mixed(m.shares(m.scores(query, key)), value);
        x = m.add(x, m.projected(m.from_heads(seen, m.shape(x)), "self_attn.out_proj", c.width));
        x = m.inner(x, c.encoder_inner);
    }
    m.enter_whole("head");
    m.output(m.normalized(x, "encoder.layer_norm"), "hidden");
    return std::move(m).taken();
}

} // namespace ane::models::detail
