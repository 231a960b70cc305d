/// A decoder that no program is to hold: two layers in each, and a choice at its end that the M1 leaves to the host. In
/// pieces it computes the bits of the whole.
#include <anemone/anemone.hpp>

#include <fmt/format.h>

#include <cmath>
#include <cstddef>

using namespace ane::literals;

inline constexpr int layers = 6, length = 16, width = 32, heads = 2, candidates = 64;

/// A fully connected layer without a bias.
template <int Out, class Tensor> constexpr auto dense(const ane::builder& g, std::string_view name, Tensor x) {
    return linear(x, g.weight(name, ane::f16<Out, Tensor::extent.width()>));
}
constexpr auto split_heads(auto x) {
    return transpose<ane::permutation{0, 2, 1, 3}>(ane::reshape<1, length, heads, width / heads>(x));
}
/// Attention and a gated MLP, each behind a norm and with a residual.
template <class Tensor> constexpr Tensor layer(const ane::builder& g, Tensor x) {
    const auto n = rms_norm(x, g.weight("norm1", ane::f16<width>));
    const auto a = attention(split_heads(dense<width>(g, "query", n)), split_heads(dense<width>(g, "key", n)),
                             split_heads(dense<width>(g, "value", n)));
    const auto joined = ane::reshape<length, width>(transpose<ane::permutation{0, 2, 1, 3}>(a));
    const auto h = x + dense<width>(g, "projection", joined);
    const auto m = rms_norm(h, g.weight("norm2", ane::f16<width>));
    return h + dense<width>(g, "down", silu(dense<2 * width>(g, "gate", m)) * dense<2 * width>(g, "up", m));
}

constexpr auto model = ane::graph([](auto& g) {
    auto x = g.input("x"_s, ane::f16<length, width>, ane::within(-4, 4));
    for (int i = 0; i < layers; ++i) {
        x = layer(g.scope("layer", i), x);
    }
    const auto scores = dense<candidates>(g, "head", x);
    g.output("best"_s, softmax(top_k<5>(scores).values));
});

constexpr ane::segment_limits two_layers{.decoder_layers = 2};
static_assert(ane::segments<model, ane::h13>.size() == 3);             // the engine, the host, the engine
static_assert(ane::segments<model, ane::h13, two_layers>.size() == 5); // and three programs before the host
static_assert(ane::segments<model, ane::h17s>.size() == 1);            // the M5 has top-k

int main() {
    const ane::weight_store weights = ane::random_weights(model, 1);
    ane::ndarray<ane::shape<length, width>> x;
    for (std::size_t i = 0; i < x.size; ++i) {
        x[i] = ane::half(std::sin(0.7 * static_cast<double>(i)));
    }
    const ane::backend::oracle m1(ane::h13);
    auto whole = ane::compile<model>(m1, weights);
    auto parts = ane::compile<model>(ane::backend::segmented(ane::h13, m1, {.limits = two_layers}), weights);
    fmt::print("{}", parts.compiled().report());

    const auto wanted = whole({"x"_s = x});
    const auto got = parts({"x"_s = x});
    const auto difference = ane::compare(wanted["best"_s].elements(), got["best"_s].elements());
    fmt::print("against the whole: {}\n", difference.identical() ? "the same bits" : "other bits");
    return difference.identical() ? 0 : 1;
}
