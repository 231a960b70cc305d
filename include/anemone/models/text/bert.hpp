#pragma once

#include "../../graph/graph.hpp"
#include "../encoder_maker.hpp"
#include "../host_tables.hpp"
#include "../publisher.hpp"
#include "text_ports.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

namespace ane::models {

/// Whose names the tensors have, and what is particular: roberta counts positions from 2 and has one token type, distilbert has
/// none and no pooler.
enum class bert_family : std::uint8_t { bert, roberta, distilbert };

constexpr std::string_view name(bert_family f) noexcept {
    constexpr std::string_view names[] = {"bert", "roberta", "distilbert"};
    return names[static_cast<int>(f)];
}

/// How the tokens of a sentence become one vector: not at all, by their mean, or as the first token alone.
enum class sentence_pooling : std::uint8_t { none, mean, first };

constexpr std::string_view name(sentence_pooling p) noexcept {
    constexpr std::string_view names[] = {"none", "mean", "first"};
    return names[static_cast<int>(p)];
}

/// BERT (Devlin et al. 2018), RoBERTa (Liu et al. 2019), DistilBERT (Sanh et al. 2019) and the models of sentences that are made
/// of them (Reimers and Gurevych 2019): an encoder that normalizes behind each sum.
struct bert_configuration {
    publisher source = publisher::transformers;
    bert_family family = bert_family::bert;
    std::int64_t vocabulary = 30522;
    std::int64_t layers = 12;
    std::int64_t width = 768;
    std::int64_t heads = 12;
    std::int64_t inner = 3072;
    std::int64_t positions = 512;    ///< the most tokens of a text
    std::int64_t usual = 128;        ///< tokens of a run where the form says none
    std::int64_t first_position = 0; ///< the row of the first token's position
    std::int64_t types = 2;          ///< of tokens; 0: no such table
    double epsilon = 1e-12;
    bool has_pooler = true; ///< `pooled`, tanh(w x + b) of the first token
    sentence_pooling pooling = sentence_pooling::none;
    bool has_length_one = true; ///< the embedding of a sentence is divided by its length
    friend constexpr bool operator==(const bert_configuration&, const bert_configuration&) = default;
};
inline constexpr bert_configuration bert_base{};
inline constexpr bert_configuration bert_large{.layers = 24, .width = 1024, .heads = 16, .inner = 4096};
inline constexpr bert_configuration roberta_base{
    .family = bert_family::roberta, .vocabulary = 50265, .first_position = 2, .types = 1, .epsilon = 1e-5};
inline constexpr bert_configuration distilbert_base{
    .family = bert_family::distilbert, .layers = 6, .types = 0, .has_pooler = false};
inline constexpr bert_configuration minilm_l6{
    .layers = 6, .width = 384, .inner = 1536, .usual = 256, .has_pooler = false, .pooling = sentence_pooling::mean};
inline constexpr bert_configuration minilm_l12{
    .width = 384, .inner = 1536, .has_pooler = false, .pooling = sentence_pooling::mean};
inline constexpr bert_configuration bge_small{
    .width = 384, .inner = 1536, .usual = 512, .has_pooler = false, .pooling = sentence_pooling::first};
inline constexpr bert_configuration bge_base{.usual = 512, .has_pooler = false, .pooling = sentence_pooling::first};

/// The sentence that says why there is no such network, empty where there is one.
constexpr std::string_view fault_of(const bert_configuration& c) noexcept {
    for (const std::int64_t n : {c.width, c.heads, c.inner, c.positions, c.usual}) {
        if (n < 1 || n > 65536) {
            return "width, heads, inner layer and positions must be from 1 to 65536";
        }
    }
    return c.source != publisher::transformers          ? "the weights are known by the names of transformers"
           : c.layers < 1 || c.layers > 1000            ? "the layers must be from 1 to 1000"
           : c.width % c.heads != 0                     ? "the width must be a multiple of the heads"
           : c.vocabulary < 1 || c.vocabulary > 1 << 24 ? "the vocabulary has 1 to 16777216 tokens"
           : c.usual > c.positions                      ? "a run has at most as many tokens as there are positions"
           : c.first_position < 0 || c.first_position > 65536    ? "the first position is from 0 to 65536"
           : c.types < 0 || c.types > 65536                      ? "the token types are from 0 to 65536"
           : c.family == bert_family::distilbert && c.has_pooler ? "distilbert has no pooler"
           : !(c.epsilon >= 0 && c.epsilon < 1)                  ? "epsilon must be from 0 to below 1"
                                                                 : "";
}

/// What the host takes rows of for `x`: of tokens, positions and token types.
constexpr host_tables tables_of(const bert_configuration& c) noexcept {
    return {{{"embeddings.word_embeddings.weight", c.vocabulary, c.width},
             {"embeddings.position_embeddings.weight", c.positions + c.first_position, c.width},
             {c.types > 0 ? "embeddings.token_type_embeddings.weight" : "", c.types, c.width}}};
}

/// How a text is given to a run.
constexpr text_ports ports_of(const bert_configuration& c) noexcept {
    return {.width = c.width,
            .positions = c.positions,
            .usual = c.usual,
            .first_position = c.first_position,
            .mark = text_mark::padding};
}

namespace detail {

struct bert_names {
    std::string_view layer; ///< '*': its number
    encoder_layer_names parts;
};
constexpr bert_names names_of(const bert_configuration& c) noexcept {
    if (c.family == bert_family::distilbert) {
        return {.layer = "transformer.layer.*.",
                .parts = {.query = "attention.q_lin",
                          .key = "attention.k_lin",
                          .value = "attention.v_lin",
                          .output = "attention.out_lin",
                          .attention_norm = "sa_layer_norm",
                          .up = "ffn.lin1",
                          .down = "ffn.lin2",
                          .inner_norm = "output_layer_norm"}};
    }
    return {.layer = "encoder.layer.*.",
            .parts = {.query = "attention.self.query",
                      .key = "attention.self.key",
                      .value = "attention.self.value",
                      .output = "attention.output.dense",
                      .attention_norm = "attention.output.LayerNorm",
                      .up = "intermediate.dense",
                      .down = "output.dense",
                      .inner_norm = "output.LayerNorm"}};
}

/// How much each token counts in the mean of those that are no padding, [1, tokens]: 1 + mask from 0 to 1 is exactly 1 or 0.
/// Of padding alone it is 0.
constexpr int mean_weights(encoder_maker& m, int mask) {
    const int is_real = m.emit(op::clamp, clip_range{0, 1}, {m.add(mask, m.scalar(1))});
    const int count = m.emit(op::maximum, no_attributes{}, {m.emit(op::reduce_sum, axes{1}, {is_real}), m.scalar(1)});
    const int share = m.emit(op::inverse, stabilizer{.epsilon = 0}, {count});
    return m.mul(is_real, share);
}

} // namespace detail

/// The graph of BERT and its like for T tokens (`network_form::positions`), which may be padded:
///
/// - `x` [T, width] (channels: [1, width, 1, T]): the rows of tokens, positions and token types, added up. The host takes them
///   out of their tables (text_inputs.hpp), as it does for decoders: a chip that gathers has indices in fp16, exact up to 2048,
///   and would read a table of tens of megabytes for a few rows
/// - `mask` [1, T]: 0 for a token, -40000 for padding, which nothing sees
///
/// to `hidden` [T, width] (channels: as `x`); `pooled` [1, width] where the model has a pooler; `embedding` [1, width] of a
/// sentence where the configuration pools, of length one where it says so. Rows of padding in `hidden` mean nothing. Throws
/// `ane::error` (errc::graph) for a network or a form that cannot be.
constexpr dynamic_graph network_graph(const bert_configuration& c, const network_form& f = {}) {
    if (const std::string_view wrong = fault_of(c); !wrong.empty()) {
        ane::detail::refuse_graph("bert", wrong.data());
    }
    refuse_pixels(f, "bert");
    const std::int64_t count = detail::tokens_in(f, ports_of(c), "bert");
    const detail::bert_names n = detail::names_of(c);
    const encoder_layer_form each{.heads = c.heads, .inner = c.inner, .epsilon = c.epsilon};
    encoder_maker m(f.layout);
    int x = m.input("x", m.token_shape(count, c.width));
    const int mask = m.input("mask", {1, count}, within(-40000, 0));
    m.enter("embeddings.");
    x = m.normalized(x, "LayerNorm", c.epsilon);
    const int seen = m.reshape(mask, {1, 1, count});
    for (std::int64_t layer = 0; layer < c.layers; ++layer) {
        m.enter(n.layer, 0, layer);
        x = m.layer_normed_behind(x, n.parts, each, seen);
    }
    m.output(x, "hidden");
    if (c.has_pooler) {
        m.enter("pooler.");
        m.output(m.function(op::tanh, m.product(m.token(x, 0), "dense", c.width)), "pooled");
    }
    if (c.pooling != sentence_pooling::none) {
        m.enter_whole("pooling");
        const int pooled = c.pooling == sentence_pooling::first ? m.reshape(m.token(x, 0), {1, c.width})
                                                                : m.weighed_sum(x, detail::mean_weights(m, mask));
        m.output(c.has_length_one ? m.of_length_one(pooled) : pooled, "embedding");
    }
    return std::move(m).taken();
}

} // namespace ane::models
