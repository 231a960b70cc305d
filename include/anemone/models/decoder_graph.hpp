#pragma once

#include "../graph/graph.hpp"
#include "decoder_attention.hpp"

#include <utility>

namespace ane::models {

namespace detail {

/// Whether any layer of a form has a window, or has none.
constexpr bool any_layer(const decoder_configuration& c, const decoder_form& f, bool with_window) {
    for (std::int64_t i = f.first; i < end_of(c, f); ++i) {
        if (has_window(c, i) == with_window) {
            return true;
        }
    }
    return false;
}

/// The ports beside the activation, in the order: tables, masks, places.
constexpr shared_ports declare_ports(decoder_maker& m) {
    const decoder_configuration& c = m.configuration();
    const decoder_form& f = m.form();
    const bool global = any_layer(c, f, false);
    const bool local = any_layer(c, f, true);
    const bool own_tables = has_local_rotary(c);
    shared_ports ports;
    if (c.rotary.kind != rope_kind::none) {
        if (global || (local && !own_tables)) {
            ports.rotary = m.rotary_ports("cosines", "sines", c.rotary.attention_factor);
        }
        if (local && own_tables) {
            ports.local_rotary = m.rotary_ports("local_cosines", "local_sines", c.local_rotary.attention_factor);
        }
    }
    const bool is_inputs = f.caches == cache_form::inputs;
    const extents shape{m.rows(), is_inputs ? f.capacity + f.positions : f.capacity};
    if (global) {
        ports.mask = m.input("mask", shape, within(-40000, 0));
    }
    if (local) {
        ports.local_mask = m.input("local_mask", shape, within(-40000, 0));
    }
    if (!is_inputs && (global || local)) {
        ports.at = m.input("at", {f.batch * f.capacity, f.positions}, within(0, 1));
    }
    m.enter(-1, "ports");
    if (ports.rotary.sines >= 0) {
        m.prepare(ports.rotary);
    }
    if (ports.local_rotary.sines >= 0) {
        m.prepare(ports.local_rotary);
    }
    // A row for each query that shares a kept head.
    const std::int64_t group = f.positions > 1 ? c.heads / c.kept_heads : 1;
    for (int* const mask : {&ports.mask, &ports.local_mask}) {
        if (*mask < 0) {
            continue;
        }
        if (group > 1) {
            *mask = f.batch == 1
                        ? m.emit(op::tile, repeats{group, 1}, {*mask})
                        : m.emit(op::tile, repeats{1, group, 1}, {m.reshape(*mask, {f.batch, f.positions, shape[1]})});
        }
        *mask = m.back_from_texts(*mask, {f.batch, 1, group * f.positions, shape[1]});
    }
    if (ports.at >= 0) {
        const int written = f.positions == 1 ? ports.at : m.emit(op::reduce_sum, axes{1}, {ports.at});
        const int kept = m.emit(op::sub, no_attributes{}, {m.scalar(1), written});
        ports.kept_rows = m.back_from_texts(kept, {f.batch, 1, f.capacity, 1});
        ports.kept_columns =
            m.reshape(kept, f.batch == 1 ? extents{1, f.capacity} : extents{f.batch, 1, 1, f.capacity});
        ports.at = m.back_from_texts(ports.at, {f.batch, f.capacity, f.positions});
    }
    return ports;
}

/// The inner layer, without the residual connection.
constexpr int inner_layer(decoder_maker& m, int x) {
    const decoder_configuration& c = m.configuration();
    const published_names& n = m.names();
    const op function = c.act == activation::silu ? op::silu : op::gelu;
    int inner = -1;
    if (n.gate.empty()) {
        inner = m.emit(function, no_attributes{}, {m.product(x, n.up, c.width, c.inner, c.mlp_bias)});
    } else {
        const int gate = m.product(x, n.gate, c.width, c.inner, c.mlp_bias);
        const int up = m.product(x, n.up, c.width, c.inner, c.mlp_bias);
        inner = m.mul(m.emit(function, no_attributes{}, {gate}), up);
    }
    return m.product(inner, n.down, c.inner, c.width, c.mlp_bias);
}

/// One layer: attention and the inner layer, each behind a normalization and added to its operand.
constexpr int decoder_layer(decoder_maker& m, const shared_ports& ports, int x, std::int64_t layer,
                            decoder_maker::made_layer& kept) {
    const published_names& n = m.names();
    m.enter(layer, "attention");
    int mixed = decoder_attention(m, ports)(m.norm(x, n.attention_norm), layer);
    if (!n.attention_end.empty()) {
        mixed = m.norm(mixed, n.attention_end);
    }
    x = m.add(x, mixed);
    m.enter(layer, "mlp");
    kept.inner = m.made().view().size();
    int inner = inner_layer(m, m.norm(x, n.mlp_norm));
    if (!n.mlp_end.empty()) {
        inner = m.norm(inner, n.mlp_end);
    }
    return m.add(x, inner);
}

/// The same, kept as the model of those that follow.
constexpr int first_layer(decoder_maker& m, const shared_ports& ports, int x, std::int64_t layer,
                          decoder_maker::made_layer& kept) {
    kept = {.layer = layer, .first = m.made().view().size(), .first_output = m.made().outputs.size(), .x = x};
    kept.y = decoder_layer(m, ports, x, layer, kept);
    kept.end = m.made().view().size();
    kept.end_output = m.made().outputs.size();
    return kept.y;
}

/// The last normalization and the product with the vocabulary, in parts.
constexpr void decoder_head(decoder_maker& m, int x) {
    const decoder_configuration& c = m.configuration();
    const decoder_form& f = m.form();
    m.enter(-1, "head");
    x = m.norm(x, m.names().last_norm);
    for (int part = 0; part < f.head_parts; ++part) {
        const std::int64_t size = part_begin(c, f, part + 1) - part_begin(c, f, part);
        const sequence<char> suffix = m.part_of(".weight", part);
        int logits = m.product(x, head_of(c), c.width, size, false, m.view(suffix));
        if (c.logit_softcap > 0) {
            logits = m.emit(op::tanh, no_attributes{}, {m.scaled(logits, 1 / c.logit_softcap)});
            logits = m.scaled(logits, c.logit_softcap);
        }
        m.output(logits, m.view(m.part_of("logits", part)));
    }
}

} // namespace detail

/// The graph of a decoder, or of some layers of it. Ports, for P positions and a capacity of C:
///
/// - `x` [P, width] (channels: [1, width, 1, P]): rows of the embedding times `embedding_scale`, with those of the position
///   embedding added where there is one (gpt2); or what the layers before it gave
/// - `cosines`, `sines` [P, head width]: `rotary_tables`; `local_cosines`, `local_sines`: where layers with a window turn
///   otherwise (gemma3)
/// - `mask` [P, C + P], 0 where a query sees a position, else -40000: the C positions of the cache, then the P new ones;
///   `local_mask`, for layers with a window: `causal_mask`. Each stands there only if a layer of the form reads it
/// - caches as inputs: `keys_i` [kept heads, head width, C], `values_i` [kept heads, C, head width], and outputs `new_keys_i`,
///   `new_values_i` [kept heads, P, head width], keys as they are compared: normalized and turned
/// - caches as states: the same names, `mask` [P, C], and `at` [C, P], whose column p has a 1 in the row of the position that
///   p is written to; a column of zeros writes nothing
/// - outputs `logits` [P, vocabulary] (in parts `logits_0`, ...); without a head `y`, of the form of `x`
///
/// With a batch of several texts each of these has the parts of all texts one behind the other along its first axis: `mask`
/// [texts * P, C + P], `keys_i` [texts * kept heads, head width, C].
///
/// Weights have their published names with underscores for dots (names.hpp) and are [to, from]; channels: [to, from, 1, 1].
/// The normalizations of gemma are 1 + what is published. Parts of the head have `_0`, ... behind the name. Throws
/// `ane::error` (errc::graph) for a form that the decoder does not have.
constexpr dynamic_graph decoder_graph(const decoder_configuration& c, const decoder_form& f = {}) {
    require_form(c, f);
    decoder_maker m(c, f);
    int x = m.input("x", m.activation(c.width));
    const shared_ports ports = detail::declare_ports(m);
    decoder_maker::made_layer made[2]{}; // the first one without a window, and with one
    for (std::int64_t layer = f.first; layer < end_of(c, f); ++layer) {
        decoder_maker::made_layer& model = made[has_window(c, layer) ? 1 : 0];
        x = model.layer >= 0 ? m.again(model, layer, x) : detail::first_layer(m, ports, x, layer, model);
    }
    if (f.head) {
        detail::decoder_head(m, x);
    } else {
        m.output(x, "y");
    }
    return std::move(m).taken();
}

namespace detail {
template <decoder_configuration C, decoder_form F>
inline constexpr graph_size decoder_size = size_of(decoder_graph(C, F));
}

/// The same as a constant, for the checks of compilers: `static_assert(ane::conforms<decoder<small, form>, ane::macs>)`.
template <decoder_configuration C, decoder_form F = decoder_form{}>
inline constexpr static_graph<detail::decoder_size<C, F>> decoder{decoder_graph(C, F)};

} // namespace ane::models
