/// Two blocks of transformers, which learn to sort eight numbers: as the first ones had it (layer norm, gelu), and as LLaMA
/// has it (rms norm, rotary positions, a gated MLP).
#include "example.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace {

constexpr int batch = 32, length = 8, width = 32, heads = 4, kinds = 10;

template <int Out, class Tensor> constexpr auto dense(const ane::builder& g, std::string_view name, Tensor x) {
    return linear(x, g.weight(name, ane::f16<Out, Tensor::extent.width()>));
}
/// [batch * length, width] as [batch, heads, length, width / heads], and back.
constexpr auto split(auto x) {
    return transpose<ane::permutation{0, 2, 1, 3}>(ane::reshape<batch, length, heads, width / heads>(x));
}
constexpr auto joined(auto x) {
    return ane::reshape<batch * length, width>(transpose<ane::permutation{0, 2, 1, 3}>(x));
}

constexpr auto transformer = ane::graph([](ane::builder& g) {
    using namespace ane::literals;
    auto tokens = g.input("tokens"_s, ane::f16<batch, length, kinds>, ane::within(0, 1));
    auto places = g.weight("places", ane::f16<length, width>);
    auto h = ane::reshape<batch * length, width>(
        ane::reshape<batch, length, width>(dense<width>(g, "embed", ane::reshape<batch * length, kinds>(tokens))) +
        ane::reshape<1, length, width>(places));
    auto n = layer_norm(h, g.weight("norm1.weight", ane::f16<width>), g.weight("norm1.bias", ane::f16<width>));
    h = h + dense<width>(g, "projection",
                         joined(attention(split(dense<width>(g, "query", n)), split(dense<width>(g, "key", n)),
                                          split(dense<width>(g, "value", n)))));
    auto m = layer_norm(h, g.weight("norm2.weight", ane::f16<width>), g.weight("norm2.bias", ane::f16<width>));
    h = h + dense<width>(g, "down", gelu(dense<4 * width>(g, "up", m)));
    g.output("logits"_s, ane::reshape<batch, length, kinds>(dense<kinds>(g, "head", h)));
});

/// x turned by its place: pairs (a, b) of the two halves become (a cos - b sin, a sin + b cos).
constexpr auto turned(auto x, auto cosines, auto sines) {
    constexpr int half = width / heads / 2;
    auto [a, b] = ane::split<ane::axis{3}, half, half>(x);
    return ane::concat<ane::axis{3}>(a * cosines - b * sines, a * sines + b * cosines);
}

constexpr auto llama = ane::graph([](ane::builder& g) {
    using namespace ane::literals;
    auto tokens = g.input("tokens"_s, ane::f16<batch, length, kinds>, ane::within(0, 1));
    auto cosines = g.weight("rotary.cos", ane::f16<1, 1, length, width / heads / 2>);
    auto sines = g.weight("rotary.sin", ane::f16<1, 1, length, width / heads / 2>);
    auto h = dense<width>(g, "embed", ane::reshape<batch * length, kinds>(tokens));
    auto n = rms_norm(h, g.weight("norm1", ane::f16<width>));
    h = h + dense<width>(g, "projection",
                         joined(attention(turned(split(dense<width>(g, "query", n)), cosines, sines),
                                          turned(split(dense<width>(g, "key", n)), cosines, sines),
                                          split(dense<width>(g, "value", n)))));
    auto m = rms_norm(h, g.weight("norm2", ane::f16<width>));
    h = h + dense<width>(g, "down", silu(dense<2 * width>(g, "gate", m)) * dense<2 * width>(g, "up", m));
    g.output("logits"_s, ane::reshape<batch, length, kinds>(
                             dense<kinds>(g, "head", rms_norm(h, g.weight("norm", ane::f16<width>)))));
});

/// Eight digits, and the same in order.
ane::weight_store draw_rows(int count, std::uint64_t seed) {
    random_numbers random(seed);
    std::vector<float> tokens(static_cast<std::size_t>(count) * length * kinds);
    std::vector<float> labels;
    for (int i = 0; i < count; ++i) {
        std::array<int, length> row{};
        for (int k = 0; k < length; ++k) {
            row[static_cast<std::size_t>(k)] = random.below(kinds);
            tokens[static_cast<std::size_t>((i * length + k) * kinds + row[static_cast<std::size_t>(k)])] = 1;
        }
        std::sort(row.begin(), row.end());
        labels.insert(labels.end(), row.begin(), row.end());
    }
    ane::weight_store data;
    data.add("tokens", {count, length, kinds}, tokens);
    data.add("wanted", {count, length}, labels);
    return data;
}

/// Random weights; gains of norms are 1, and rotary positions are what they are called.
ane::weight_store first_weights(const ane::graph_view& model) {
    ane::weight_store weights = ane::random_weights(model, 1);
    if (weights.contains("rotary.cos")) {
        constexpr int half = width / heads / 2;
        std::vector<float> cosines;
        std::vector<float> sines;
        for (int place = 0; place < length; ++place) {
            for (int k = 0; k < half; ++k) {
                const double angle = place * std::pow(100., -static_cast<double>(k) / half);
                cosines.push_back(static_cast<float>(std::cos(angle)));
                sines.push_back(static_cast<float>(std::sin(angle)));
            }
        }
        weights.remove("rotary.cos");
        weights.remove("rotary.sin");
        weights.add("rotary.cos", {1, 1, length, half}, cosines);
        weights.add("rotary.sin", {1, 1, length, half}, sines);
    }
    return weights;
}

reached train_block(const ane::graph_view& model, const std::string& name, const amount& wanted) {
    const std::string_view frozen[] = {"rotary.*"};
    ane::training_options what{.by = ane::adam{}, .scale = ane::dynamic_loss_scale};
    if (name == "llama") {
        what.frozen = frozen;
    }
    ane::trainer t(model, first_weights(model), what, ane::backend::cpu{});
    const ane::sample_arrays data(t.ports(), draw_rows(wanted.is_full ? 6400 : 320, 1));
    const ane::sample_arrays held_out(t.ports(), draw_rows(wanted.is_full ? 320 : 64, 2));
    const ane::training_result r = t.train(data,
                                           {.epochs = wanted.is_full ? 6. : 2.,
                                            .rate = {.rate = 0.005, .form = ane::rate_form::cosine, .warm_up = 10},
                                            .told = told(name)},
                                           &held_out);
    draw(r, wanted, name,
         name == "llama" ? "a block as LLaMA has it, which sorts" : "a transformer block, which sorts");
    return {name + ": right places of new rows", t.validate(held_out).accuracy, wanted.is_full ? 0.9 : 0.15};
}

} // namespace

reached train_transformer(const amount& wanted) { return train_block(transformer, "transformer", wanted); }
reached train_llama(const amount& wanted) { return train_block(llama, "llama", wanted); }
