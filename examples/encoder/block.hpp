#pragma once

#include <anemone/anemone.hpp>

/// A transformer block: pre-norm, four heads, additive mask, residuals around attention and around the gelu MLP.

inline constexpr int length = 32, width = 64, heads = 4;

/// layer_norm over the last axis, with its weights under the scope's name.
constexpr auto norm(ane::builder g, auto x) {
    return layer_norm(x, g.weight("weight", ane::f16<width>, ane::bounded(1)),
                      g.weight("bias", ane::f16<width>, ane::bounded(0.1)));
}
/// A fully connected layer with a bias.
template <int Out, class Tensor> constexpr auto dense(ane::builder g, Tensor x) {
    return linear(x, g.weight("weight", ane::f16<Out, Tensor::extent.width()>, ane::bounded(0.07)),
                  g.weight("bias", ane::f16<Out>, ane::bounded(0.07)));
}
/// [length, width] as [1, heads, length, width / heads].
constexpr auto split_heads(auto x) {
    return transpose<ane::permutation{0, 2, 1, 3}>(ane::reshape<1, length, heads, width / heads>(x));
}

inline constexpr auto block = ane::graph([](auto& g) {
    using namespace ane::literals;
    auto x = g.input("x"_s, ane::f16<length, width>, ane::within(-4, 4));
    auto mask = g.input("mask"_s, ane::f16<1, 1, length, length>, ane::within(-1e4, 0));

    auto n = norm(g.scope("norm1"), x);
    auto a = attention(split_heads(dense<width>(g.scope("query"), n)), split_heads(dense<width>(g.scope("key"), n)),
                       split_heads(dense<width>(g.scope("value"), n)), mask);
    auto joined = ane::reshape<length, width>(transpose<ane::permutation{0, 2, 1, 3}>(a));
    auto h = x + dense<width>(g.scope("projection"), joined);

    auto m = gelu(dense<4 * width>(g.scope("mlp.up"), norm(g.scope("norm2"), h)));
    g.output("y"_s, h + dense<width>(g.scope("mlp.down"), m));
});
static_assert(ane::conforms<block, ane::macs>); // rules of shape, and no overflow by the declared ranges
