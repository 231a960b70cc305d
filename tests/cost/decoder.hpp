#pragma once

#include <anemone/dynamic_builder.hpp>

#include <cstdint>
#include <string>

/// A decoder with grouped queries as one program, its keys and values inputs (field-2026, sections 1 and 3).
namespace decoders {

struct sizes {
    std::int64_t layers, width, heads, kept_heads, depth, inner, vocabulary;
};
/// Qwen3-4B.
inline constexpr sizes qwen3_4b{36, 2560, 32, 8, 128, 9728, 151936};

/// How the keys come in.
enum class key_layout {
    columns, ///< (heads, depth, capacity): the product reads them as they lie
    rows     ///< (heads, capacity, depth), transposed in the graph
};

/// `positions` at once over caches of `capacity`. The scores of the new positions among themselves, a hundredth of all at a
/// capacity of 756 with 8 positions and a twelfth with 64, are left out; the new keys and values are outputs.
inline ane::dynamic_graph decoder(const sizes& s, std::int64_t positions, std::int64_t capacity,
                                  key_layout keys = key_layout::columns) {
    using namespace ane;
    dynamic_builder g;
    auto x = g.input("x", {positions, s.width});
    const auto mask = g.input("mask", {1, positions * (s.heads / s.kept_heads), capacity});
    const auto linear = [&](const std::string& name, const dynamic_tensor& v, std::int64_t out) {
        return g.add(op::linear, {v, g.weight(name, {out, v.shape().width()})});
    };
    const auto norm = [&](const std::string& name, const dynamic_tensor& v) {
        return g.add(op::rms_norm, {v, g.weight(name, {v.shape().width()})}, stabilizer{});
    };
    const auto heads_first = [&](const dynamic_tensor& v, std::int64_t heads) {
        return g.add(op::transpose, {g.reshape(v, {positions, heads, s.depth})}, permutation{1, 0, 2});
    };
    const std::int64_t group = s.heads / s.kept_heads;
    for (std::int64_t i = 0; i < s.layers; ++i) {
        const std::string at = "l" + std::to_string(i) + "_";
        const auto n = norm(at + "norm1", x);
        const auto q = norm(at + "q_norm", heads_first(linear(at + "q", n, s.heads * s.depth), s.heads));
        const auto k = norm(at + "k_norm", heads_first(linear(at + "k", n, s.kept_heads * s.depth), s.kept_heads));
        const auto v = heads_first(linear(at + "v", n, s.kept_heads * s.depth), s.kept_heads);
        g.output(at + "new_keys", k);
        g.output(at + "new_values", v);
        const bool by_columns = keys == key_layout::columns;
        auto kept = g.input(at + "keys", by_columns ? extents{s.kept_heads, s.depth, capacity}
                                                    : extents{s.kept_heads, capacity, s.depth});
        kept = by_columns ? kept : g.add(op::transpose, {kept}, permutation{0, 2, 1});
        const auto values = g.input(at + "values", {s.kept_heads, capacity, s.depth});
        const auto grouped = g.reshape(q, {s.kept_heads, group * positions, s.depth});
        const auto scores = g.add(op::add, {g.add(op::matmul, {grouped, kept}, transposed{}), mask});
        const auto mixed = g.add(op::matmul, {g.add(op::softmax, {scores}, axis{-1}), values}, transposed{});
        const auto joined =
            g.reshape(g.add(op::transpose, {g.reshape(mixed, {s.heads, positions, s.depth})}, permutation{1, 0, 2}),
                      {positions, s.heads * s.depth});
        x = g.add(op::add, {x, linear(at + "o", joined, s.width)});
        const auto m = norm(at + "norm2", x);
        const auto gate = g.add(op::silu, {linear(at + "gate", m, s.inner)});
        x = g.add(op::add, {x, linear(at + "down", g.add(op::mul, {gate, linear(at + "up", m, s.inner)}), s.width)});
    }
    g.output("logits", linear("head", norm("norm", x), s.vocabulary));
    return g.finish();
}

} // namespace decoders
