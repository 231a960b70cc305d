#pragma once

#include <anemone/anemone.hpp>

#include <string>
#include <string_view>

/// A language model's decoder, one token a run: twelve layers of attention and a gated MLP, each with the keys and values
/// of the tokens before in states of its own.

inline constexpr int layers = 12, length = 64, width = 16;

template <int Out, class Tensor> constexpr auto dense(const ane::builder& g, std::string_view name, Tensor x) {
    return linear(x, g.weight(name, ane::f16<Out, Tensor::extent.width()>));
}
constexpr auto norm(const ane::builder& g, std::string_view name, auto x) {
    return rms_norm(x, g.weight(name, ane::f16<width>));
}

/// `at` marks the row of the new token, `mask` is 0 for the tokens so far and -10000 for those to come.
inline constexpr auto decoder = ane::graph([](ane::builder& g) {
    using namespace ane::literals;
    auto x = g.input("x"_s, ane::f16<1, width>, ane::within(-4, 4));
    const auto at = g.input("at"_s, ane::f16<length, 1>, ane::within(0, 1)) > 0.5;
    const auto mask = g.input("mask"_s, ane::f16<1, length>, ane::within(-1e4, 0));
    for (int i = 0; i < layers; ++i) {
        const ane::builder own = g.scope("layer", i);
        const char letter[] = {static_cast<char>('a' + i), '\0'};
        ane::sequence<char> keys_name;
        keys_name.append(std::string_view("keys_"));
        keys_name.append(std::string_view(letter));
        ane::sequence<char> values_name;
        values_name.append(std::string_view("values_"));
        values_name.append(std::string_view(letter));
        const auto keys = g.state(std::string_view(keys_name.data(), keys_name.size()), ane::f16<length, width>);
        const auto values = g.state(std::string_view(values_name.data(), values_name.size()), ane::f16<length, width>);
        const auto n = norm(own, "norm1", x);
        write_where(keys, at, dense<width>(own, "key", n));
        write_where(values, at, dense<width>(own, "value", n));
        x = x + attention(dense<width>(own, "query", n), read(keys), read(values), mask);
        const auto m = norm(own, "norm2", x);
        x = x + dense<width>(own, "down", relu(dense<2 * width>(own, "gate", m)) * dense<2 * width>(own, "up", m));
    }
    g.output("y"_s, norm(g, "norm", x));
});
