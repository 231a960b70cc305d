#pragma once

#include <anemone/model.hpp>

/// Decoders of any number of layers: causal attention of two heads, a gated MLP, pre-norm with residuals.
namespace decoders {

using namespace ane;
using namespace ane::literals;

inline constexpr int length = 8, width = 16, heads = 2;

template <int Out, class Tensor> constexpr auto dense(const builder& g, std::string_view name, Tensor x) {
    return linear(x, g.weight(name, f16<Out, Tensor::extent.width()>));
}
constexpr auto split_heads(auto x) {
    return transpose<permutation{0, 2, 1, 3}>(reshape<1, length, heads, width / heads>(x));
}
constexpr auto norm(const builder& g, std::string_view name, auto x) { return rms_norm(x, g.weight(name, f16<width>)); }
template <class Tensor, class Mask> constexpr Tensor layer(const builder& g, Tensor x, Mask mask) {
    const auto n = norm(g, "norm1", x);
    const auto a = attention(split_heads(dense<width>(g, "query", n)), split_heads(dense<width>(g, "key", n)),
                             split_heads(dense<width>(g, "value", n)), mask);
    const auto joined = reshape<length, width>(transpose<permutation{0, 2, 1, 3}>(a));
    const auto h = x + dense<width>(g, "projection", joined);
    const auto m = norm(g, "norm2", h);
    return h + dense<width>(g, "down", silu(dense<2 * width>(g, "gate", m)) * dense<2 * width>(g, "up", m));
}

/// `Layers` layers and a last norm.
template <int Layers>
inline constexpr auto decoder = graph([](auto& g) {
    auto x = g.input("x"_s, f16<length, width>, within(-4, 4));
    const auto mask = g.input("mask"_s, f16<1, 1, length, length>, within(-1e4, 0));
    for (int i = 0; i < Layers; ++i) {
        x = layer(g.scope("layer", i), x, mask);
    }
    g.output("y"_s, norm(g, "norm", x));
});

/// The same a token at a time: each layer keeps the keys and values of all tokens in states.
template <int Layers>
inline constexpr auto token_decoder = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, width>, within(-4, 4));
    const auto at = g.input("at"_s, u8<length, 1>);
    const auto mask = g.input("mask"_s, f16<1, length>, within(-1e4, 0));
    for (int i = 0; i < Layers; ++i) {
        const builder own = g.scope("layer", i);
        const auto digit = static_cast<char>('a' + i);
        const char keys_name[] = {'k', 'e', 'y', 's', '_', digit, 0};
        const char values_name[] = {'v', 'a', 'l', 'u', 'e', 's', '_', digit, 0};
        const auto keys = g.state(keys_name, f16<length, width>);
        const auto values = g.state(values_name, f16<length, width>);
        const auto n = norm(own, "norm1", x);
        write_where(keys, at, dense<width>(own, "key", n));
        write_where(values, at, dense<width>(own, "value", n));
        x = x + attention(dense<width>(own, "query", n), read(keys), read(values), mask);
        x = x + dense<width>(own, "down", silu(dense<2 * width>(own, "up", norm(own, "norm2", x))));
    }
    g.output("y"_s, norm(g, "norm", x));
});

} // namespace decoders
