#pragma once

#include <anemone/anemone.hpp>

/// Causal attention twice: over all tokens at once, and over one token a run with the keys and values of the tokens
/// before it in a cache, as language models decode.

inline constexpr int length = 16, heads = 2, depth = 8, width = heads * depth;

/// Rows of tokens, [1, T, width], by a matrix, in heads: [1, heads, T, depth].
template <class Tokens> constexpr auto in_heads(ane::builder& g, std::string_view name, Tokens x) {
    constexpr std::int64_t count = Tokens::extent[1];
    auto projected = linear(x, g.weight(name, ane::f16<width, width>, ane::row_l1(1)));
    return transpose<ane::permutation{0, 2, 1, 3}>(ane::reshape<1, count, heads, depth>(projected));
}

/// The values of the keys that each query sees, mixed. `seen` has a byte for each query and key.
template <class Query, class Keys, class Seen> constexpr auto mix(Query q, Keys k, Keys v, Seen seen) {
    constexpr std::int64_t count = Query::extent[2];
    auto scores = matmul(q, transpose<ane::permutation{0, 1, 3, 2}>(k)) * 0.25;
    auto weights = softmax<ane::axis{-1}>(select(not_equal(to_f16(seen), 0), scores, -10000));
    return ane::reshape<1, count, width>(transpose<ane::permutation{0, 2, 1, 3}>(matmul(weights, v)));
}

/// All tokens at once.
inline constexpr auto whole = ane::graph([](ane::builder& g) {
    using namespace ane::literals;
    auto x = g.input("x"_s, ane::f16<1, length, width>, ane::within(-4, 4));
    auto seen = g.input("seen"_s, ane::u8<length, length>);
    auto k = in_heads(g, "key", x);
    auto v = in_heads(g, "value", x);
    g.output("y"_s, mix(in_heads(g, "query", x), k, v, seen));
});

/// One token. The host says by two ports of bytes where in the cache it belongs, and which rows there are by then.
inline constexpr auto token = ane::graph([](ane::builder& g) {
    using namespace ane::literals;
    auto x = g.input("x"_s, ane::f16<1, 1, width>, ane::within(-4, 4));
    auto at = g.input("at"_s, ane::u8<length, 1>);
    auto seen = g.input("seen"_s, ane::u8<1, length>);
    auto keys = g.state("keys"_s, ane::f16<1, heads, length, depth>, ane::within(-4, 4));
    auto values = g.state("values"_s, ane::f16<1, heads, length, depth>, ane::within(-4, 4));
    write_where(keys, at, in_heads(g, "key", x));
    write_where(values, at, in_heads(g, "value", x));
    g.output("y"_s, mix(in_heads(g, "query", x), read(keys), read(values), seen));
});
static_assert(ane::conforms<whole, ane::macs> && ane::conforms<token, ane::macs>);
