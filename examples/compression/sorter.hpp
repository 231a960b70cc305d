#pragma once

#include <anemone/anemone.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

/// An encoder of two transformer blocks that sorts: sixteen tokens out of sixteen, each as a row with a single one, come
/// out in ascending order, as a score of each token at each place. Trained by train.py.
namespace sorting {

inline constexpr int length = 16, tokens = 16, width = 64, heads = 4, inner = 128;

constexpr auto norm(const ane::builder& g, auto x) {
    using namespace ane::literals;
    return layer_norm(x, g.weight("weight", ane::f16<width>), g.weight("bias", ane::f16<width>));
}
template <int Out, class Tensor> constexpr auto dense(const ane::builder& g, Tensor x) {
    return linear(x, g.weight("weight", ane::f16<Out, Tensor::extent.width()>), g.weight("bias", ane::f16<Out>));
}
constexpr auto split_heads(auto x) {
    return transpose<ane::permutation{0, 2, 1, 3}>(ane::reshape<1, length, heads, width / heads>(x));
}
constexpr auto block(const ane::builder& g, auto x) {
    auto n = norm(g.scope("norm1"), x);
    auto a = attention(split_heads(dense<width>(g.scope("query"), n)), split_heads(dense<width>(g.scope("key"), n)),
                       split_heads(dense<width>(g.scope("value"), n)));
    auto joined = ane::reshape<length, width>(transpose<ane::permutation{0, 2, 1, 3}>(a));
    auto h = x + dense<width>(g.scope("projection"), joined);
    auto m = gelu(dense<inner>(g.scope("up"), norm(g.scope("norm2"), h)));
    return h + dense<width>(g.scope("down"), m);
}

inline constexpr auto sorter = ane::graph([](auto& g) {
    using namespace ane::literals;
    auto x = g.input("tokens"_s, ane::f16<length, tokens>, ane::within(0, 1));
    auto e =
        linear(x, g.weight("embed.weight", ane::f16<width, tokens>)) + g.weight("position", ane::f16<length, width>);
    auto b = block(g.scope("blocks", 1), block(g.scope("blocks", 0), e));
    auto y = dense<tokens>(g.scope("head"), norm(g.scope("norm"), b));
    g.output("scores"_s, y);
});

using sequence = std::array<int, length>;

/// Sequences from the upper four bits of a linear congruential generator; train.py holds back those of 12345.
inline std::vector<sequence> drawn(std::uint32_t state, std::size_t count) {
    std::vector<sequence> all(count);
    for (sequence& s : all) {
        for (int& token : s) {
            state = state * 1664525U + 1013904223U;
            token = static_cast<int>(state >> 28U);
        }
    }
    return all;
}

inline std::vector<ane::half> one_hot(const sequence& s) {
    std::vector<ane::half> rows(std::size_t{length} * tokens);
    for (std::size_t i = 0; i < s.size(); ++i) {
        rows[i * tokens + static_cast<std::size_t>(s[i])] = ane::half(1);
    }
    return rows;
}

} // namespace sorting
