#pragma once

#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

/// Models that the CPU backend runs here against double precision, and for tests/python/peer.py against NumPy.
namespace whole_models {

using namespace ane;

inline constexpr auto digits = graph([](auto& g) {
    auto x = g.input("image"_s, f16<1, 1, 28, 28>, within(0, 1));
    auto a = relu(conv2d<conv{.padding = same}>(x, g.weight("conv1.weight"_s, f16<16, 1, 3, 3>),
                                                g.weight("conv1.bias"_s, f16<16>)));
    auto b = max_pool<pool{.kernel = 2, .stride = 2}>(a);
    auto c = relu(conv2d<conv{.padding = same}>(b, g.weight("conv2.weight"_s, f16<32, 16, 3, 3>),
                                                g.weight("conv2.bias"_s, f16<32>)));
    auto d = max_pool<pool{.kernel = 2, .stride = 2}>(c);
    auto e = relu(linear(flatten(d), g.weight("fc1.weight"_s, f16<64, 1568>), g.weight("fc1.bias"_s, f16<64>)));
    g.output("probabilities"_s,
             softmax(linear(e, g.weight("fc2.weight"_s, f16<10, 64>), g.weight("fc2.bias"_s, f16<10>))));
});

inline constexpr auto residual = graph([](auto& g) {
    auto x = g.input("x"_s, f16<2, 6, 9, 9>);
    auto block = [&g](auto in, int number) {
        auto s = g.scope("block", number);
        auto y = conv2d<conv{.padding = same}>(in, s.weight("conv", f16<6, 6, 3, 3>));
        auto n = batch_norm(y, s.weight("mean", f16<6>), g.weight("positive.variance", f16<6>),
                            s.weight("gamma", f16<6>), s.weight("beta", f16<6>));
        return relu(n + in);
    };
    auto y = block(block(block(x, 0), 1), 2);
    auto d = conv2d<conv{.stride = 2, .padding = 1, .groups = 6}>(y, g.weight("depthwise"_s, f16<6, 1, 3, 3>));
    auto u = conv_transpose2d<conv_transpose{.stride = 2, .padding = 1, .groups = 2}>(
        d, g.weight("up"_s, f16<6, 2, 3, 3>), g.weight("up_bias"_s, f16<4>));
    g.output("y"_s, y);
    g.output("up"_s, u);
    g.output("mean"_s, avg_pool<pool{.kernel = 3, .stride = 2, .padding = 1, .exclude_padding = true}>(y));
});

inline constexpr auto encoder = graph([](auto& g) {
    auto x = g.input("tokens"_s, f16<2, 7, 16>);
    auto mask = g.input("mask"_s, f16<7, 7>);
    auto q = linear(x, g.weight("q"_s, f16<16, 16>));
    auto k = linear(x, g.weight("k"_s, f16<16, 16>), g.weight("k_bias"_s, f16<16>));
    auto v = linear(x, g.weight("v"_s, f16<16, 16>));
    auto heads = [](auto t) { return transpose<permutation{0, 2, 1, 3}>(reshape<2, 7, 4, 4>(t)); };
    auto a = attention(heads(q), heads(k), heads(v), mask);
    auto joined = reshape<2, 7, 16>(transpose<permutation{0, 2, 1, 3}>(a));
    auto n = layer_norm(joined + x, g.weight("gamma"_s, f16<16>), g.weight("beta"_s, f16<16>));
    auto h = gelu(linear(n, g.weight("up"_s, f16<32, 16>), g.weight("up_bias"_s, f16<32>)));
    g.output("out"_s, linear(h, g.weight("down"_s, f16<16, 32>)) + n);
    g.output("scores"_s, softmax<axis{1}>(matmul<transposed{.b = true}>(q, k)));
});

inline constexpr auto values = graph([](auto& g) {
    auto x = g.input("x"_s, f16<2, 3, 4, 5>);
    auto y = g.input("y"_s, f16<3, 1, 5>);
    auto p = abs(x) + 0.5;
    g.output("sum"_s, reduce_sum<axes{1, 3}>(x));
    g.output("mean"_s, reduce_mean(x * y));
    g.output("max"_s, reduce_max<axes{0}, false>(x));
    g.output("min"_s, reduce_min<axes{2}>(maximum(x, y)));
    g.output("first"_s, arg_max<axis{1}>(x));
    g.output("last"_s, arg_min<axis{-1}>(x));
    g.output("curves"_s,
             concat<axis{1}>(sigmoid(x), tanh(x), silu(x), leaky_relu(x, 0.1), relu6(x * 4.0), clamp(x, -1, 0.5)));
    g.output("roots"_s, concat<axis{-1}>(sqrt(p), rsqrt(p, 1e-2), log(p), exp(minimum(x, 2.0)), y / p));
    g.output("shares"_s, softmax<axis{1}>(x));
    g.output("norm"_s, layer_norm<axis{1}>(x, g.weight("gamma"_s, f16<3>), g.weight("beta"_s, f16<3>)));
});

inline constexpr auto movement = graph([](auto& g) {
    auto image = g.input("image"_s, u8<1, 3, 6, 7>);
    auto x = to_f16(image) / 255.0;
    auto t = transpose<permutation{3, 1, 0, 2}>(x);
    auto s = slice<window{.begin = {2, 1, 0, 3}, .size = {4, 2, 1, 3}}>(t);
    auto p = pad<pads{.before = {0, 1, 0, 2}, .after = {1, 0, 2, 0}}>(s, -0.25);
    g.output("image_back"_s, x);
    g.output("padded"_s, p);
    g.output("flat"_s, flatten<axis{2}>(p));
    g.output("joined"_s, concat<axis{2}>(p, p, relu(p)));
    g.output("row"_s, reshape<-1>(s));
});

} // namespace whole_models
