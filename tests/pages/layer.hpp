#pragma once

#include <anemone/model.hpp>

/// One layer of GPT-2, small: what the pages call `layer`.
inline constexpr auto layer = ane::graph([](const ane::builder& g) {
    using namespace ane::literals;
    constexpr int tokens = 4;
    constexpr int width = 16;
    const auto dense = [&](const char* name, auto x, auto type) {
        return linear(x, g.scope(name).weight("weight", type), g.scope(name).weight("bias", ane::f16<type.extent[0]>));
    };
    const auto norm = [&](const char* name, auto x) {
        return layer_norm(x, g.scope(name).weight("weight", ane::f16<width>),
                          g.scope(name).weight("bias", ane::f16<width>));
    };
    auto x = g.input("x"_s, ane::f16<tokens, width>);
    auto all = reshape<tokens, 3, width>(dense("attn.c_attn", norm("ln_1", x), ane::f16<3 * width, width>));
    auto [q, k, v] = split<3, ane::axis{1}>(all);
    const auto turned = [](auto y) { return transpose<ane::permutation{1, 0, 2}>(y); };
    auto mixed = reshape<tokens, width>(turned(attention(turned(q), turned(k), turned(v))));
    x += dense("attn.c_proj", mixed, ane::f16<width, width>);
    x += dense("mlp.c_proj", gelu(dense("mlp.c_fc", norm("ln_2", x), ane::f16<4 * width, width>)),
               ane::f16<width, 4 * width>);
    g.output("y"_s, x);
});
