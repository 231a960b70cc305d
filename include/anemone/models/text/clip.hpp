#pragma once

#include "../../graph/graph.hpp"
#include "../../graph/sequence.hpp"
#include "../encoder_maker.hpp"
#include "../host_tables.hpp"
#include "../publisher.hpp"
#include "../vision/patches.hpp"
#include "text_ports.hpp"

#include <cstdint>
#include <string_view>
#include <utility>

namespace ane::models {

/// One of CLIP's encoders.
struct clip_tower {
    std::int64_t layers = 12;
    std::int64_t width = 512;
    std::int64_t heads = 8;
    std::int64_t inner = 2048;
    double epsilon = 1e-5;
    bool has_quick_gelu = true; ///< x sigmoid(1.702 x), else gelu
    friend constexpr bool operator==(const clip_tower&, const clip_tower&) = default;
};

/// CLIP (Radford et al. 2021): two encoders that normalize first, of an image and of a text, whose embeddings are compared.
struct clip_configuration {
    static constexpr network_part parts[] = {network_part::image, network_part::text};

    publisher source = publisher::transformers;
    clip_tower image{.width = 768, .heads = 12, .inner = 3072};
    clip_tower text{};
    std::int64_t projected = 512; ///< width of the embeddings
    std::int64_t patch = 32;      ///< pixels, both ways
    std::int64_t channels = 3;
    std::int64_t size = 224; ///< of the image, both ways
    std::int64_t vocabulary = 49408;
    std::int64_t positions = 77;    ///< the most tokens of a text
    std::int64_t end_token = 49407; ///< behind the text: its place gives the embedding
    friend constexpr bool operator==(const clip_configuration&, const clip_configuration&) = default;
};
inline constexpr clip_configuration clip_b_32{};
inline constexpr clip_configuration clip_b_16{.patch = 16};
inline constexpr clip_configuration clip_l_14{.image = {.layers = 24, .width = 1024, .heads = 16, .inner = 4096},
                                              .text = {.width = 768, .heads = 12, .inner = 3072},
                                              .projected = 768,
                                              .patch = 14};

namespace detail {
constexpr std::string_view fault_of(const clip_tower& t) noexcept {
    for (const std::int64_t n : {t.width, t.heads, t.inner}) {
        if (n < 1 || n > 65536) {
            return "width, heads and inner layer of both towers must be from 1 to 65536";
        }
    }
    return t.layers < 1 || t.layers > 1000      ? "the layers of both towers must be from 1 to 1000"
           : t.width % t.heads != 0             ? "the width of a tower must be a multiple of its heads"
           : !(t.epsilon >= 0 && t.epsilon < 1) ? "epsilon must be from 0 to below 1"
                                                : "";
}
} // namespace detail

/// The sentence that says why there is no such network, empty where there is one.
constexpr std::string_view fault_of(const clip_configuration& c) noexcept {
    for (const clip_tower& each : {c.image, c.text}) {
        if (const std::string_view wrong = detail::fault_of(each); !wrong.empty()) {
            return wrong;
        }
    }
    return c.source != publisher::transformers              ? "the weights are known by the names of transformers"
           : c.projected < 1 || c.projected > 65536         ? "the embeddings must be from 1 to 65536 wide"
           : c.channels < 1 || c.channels > 65536           ? "the channels must be from 1 to 65536"
           : c.patch < 1 || c.patch > 1024                  ? "a patch must be from 1 to 1024 pixels wide"
           : c.size < c.patch || c.size > 16384             ? "the image must be from one patch to 16384 pixels wide"
           : c.size / c.patch > 1024                        ? "the image must be at most 1024 patches wide"
           : c.vocabulary < 1 || c.vocabulary > 1 << 24     ? "the vocabulary has 1 to 16777216 tokens"
           : c.positions < 1 || c.positions > 4096          ? "the positions of a text are from 1 to 4096"
           : c.end_token < 0 || c.end_token >= c.vocabulary ? "the token that ends a text must be one of the vocabulary"
                                                            : "";
}

/// What the host takes rows of for `x`: of tokens and of positions.
constexpr host_tables tables_of(const clip_configuration& c) noexcept {
    return {{{"text_model.embeddings.token_embedding.weight", c.vocabulary, c.text.width},
             {"text_model.embeddings.position_embedding.weight", c.positions, c.text.width},
             {}}};
}

/// How a text is given to a run.
constexpr text_ports ports_of(const clip_configuration& c) noexcept {
    return {.width = c.text.width,
            .positions = c.positions,
            .usual = c.positions,
            .mark = text_mark::end,
            .end_token = c.end_token};
}

/// The positions of patches, which are published as rows of tokens.
constexpr std::string_view positions_name(const clip_configuration&) noexcept {
    return "vision_model.embeddings.position_embedding.weight";
}

namespace detail {

inline constexpr encoder_layer_names clip_layer{.query = "self_attn.q_proj",
                                                .key = "self_attn.k_proj",
                                                .value = "self_attn.v_proj",
                                                .output = "self_attn.out_proj",
                                                .attention_norm = "layer_norm1",
                                                .up = "mlp.fc1",
                                                .down = "mlp.fc2",
                                                .inner_norm = "layer_norm2"};

constexpr int clip_layers(encoder_maker& m, int x, const clip_tower& t, std::string_view layer, int mask = -1) {
    const encoder_layer_form each{.heads = t.heads,
                                  .inner = t.inner,
                                  .epsilon = t.epsilon,
                                  .function = t.has_quick_gelu ? op::gelu_sigmoid : op::gelu};
    for (std::int64_t i = 0; i < t.layers; ++i) {
        m.enter(layer, 0, i);
        x = m.layer_normed_before(x, clip_layer, each, mask);
    }
    return x;
}

/// The product with the projection, of length one, as the output `embedding` [1, projected].
constexpr void clip_embedding(encoder_maker& m, int x, std::string_view projection, std::int64_t to) {
    const int w = m.weight(projection, ".weight", {to, m.shape(x).count()});
    m.output(m.of_length_one(m.emit(op::linear, no_attributes{}, {m.reshape(x, {1, m.shape(x).count()}), w})),
             "embedding");
}

constexpr dynamic_graph clip_image(const clip_configuration& c, const network_form& f) {
    encoder_maker m(f.layout);
    const int image = m.image(f, c.channels, c.size);
    m.enter_whole("stem");
    int x = patch_tokens(m, image,
                         {.token = "vision_model.embeddings.class_embedding",
                          .patches = "vision_model.embeddings.patch_embedding",
                          .positions = positions_name(c)},
                         c.patch, c.image.width, false);
    m.enter("vision_model.");
    x = m.normalized(x, "pre_layrnorm", c.image.epsilon); // its published name
    x = clip_layers(m, x, c.image, "vision_model.encoder.layers.*.");
    m.enter("vision_model.");
    x = m.normalized(m.token(x, 0), "post_layernorm", c.image.epsilon);
    m.enter_whole("head");
    clip_embedding(m, x, "visual_projection", c.projected);
    return std::move(m).taken();
}

/// 0 where a token sees another, [1, tokens, tokens]: itself and those before it.
constexpr int causal(encoder_maker& m, std::int64_t count) {
    sequence<float> values;
    for (std::int64_t at = 0; at < count; ++at) {
        for (std::int64_t other = 0; other < count; ++other) {
            values.push_back(other <= at ? 0.0F : -40000.0F);
        }
    }
    return m.constant({1, count, count}, {values.data(), values.size()});
}

constexpr dynamic_graph clip_text(const clip_configuration& c, const network_form& f) {
    refuse_pixels(f, "clip");
    const std::int64_t count = tokens_in(f, ports_of(c), "clip");
    encoder_maker m(f.layout);
    int x = m.input("x", m.token_shape(count, c.text.width));
    const int end = m.input("end", {1, count}, within(0, 1));
    m.enter_whole("text_model");
    const int mask = causal(m, count);
    x = clip_layers(m, x, c.text, "text_model.encoder.layers.*.", mask);
    m.enter_whole("head");
    x = m.weighed_sum(x, end); // the norm is of each token alone: of the last one it is enough
    m.enter("text_model.");
    x = m.normalized(x, "final_layer_norm", c.text.epsilon);
    m.enter_whole("head");
    clip_embedding(m, x, "text_projection", c.projected);
    return std::move(m).taken();
}

} // namespace detail

/// The graphs of CLIP. `network_part::image`: `image` [1, channels, size, size], as the form has it. `network_part::text`, of T
/// tokens (`network_form::positions`): `x` [T, width] (channels: [1, width, 1, T]), the rows of tokens and positions added up by
/// the host (text_inputs.hpp; bert.hpp says why), and `end` [1, T], 1 at the token that ends the text and 0 elsewhere; what is
/// behind it is not seen. Both give `embedding` [1, projected] of length one, so that a product of two is their cosine. Throws
/// `ane::error` (errc::graph) for a network or a form that cannot be.
constexpr dynamic_graph network_graph(const clip_configuration& c, const network_form& f = {}) {
    if (const std::string_view wrong = fault_of(c); !wrong.empty()) {
        ane::detail::refuse_graph("clip", wrong.data());
    }
    if (f.part != network_part::image && f.part != network_part::text) {
        ane::detail::refuse_graph("clip", "the network has two graphs: choose image or text");
    }
    if (f.part == network_part::image) { // no `? :`, whose result g++ 12 destroys twice in a constant expression
        return detail::clip_image(c, f);
    }
    return detail::clip_text(c, f);
}

} // namespace ane::models
