#pragma once

#include "netplist_layer_models.hpp"
#include <anemone/backend/cpu/constants.hpp>
#include <anemone/build.hpp>
#include <anemone/formats/netplist.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/passes/lowering.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Models that together use every netplist form, small enough to be evaluated by a script
/// (tests/python/netplist.py). They make one node at a time: compilers evaluate the arguments of a call in different orders.
namespace netplist_models {

using namespace ane;

/// Multiples of 1/64 between -1 and 1 that depend on the name; variances lie between 1/4 and 5/4.
inline std::vector<float> sample(std::string_view name, std::int64_t count) {
    std::uint32_t state = 2166136261U;
    for (const char c : name) {
        state = (state ^ static_cast<unsigned char>(c)) * 16777619U;
    }
    const bool positive = name.find("variance") != std::string_view::npos;
    std::vector<float> result;
    for (std::int64_t i = 0; i < count; ++i) {
        state = state * 1664525U + 1013904223U;
        const int step = static_cast<int>(state >> 25U) - 64;
        result.push_back(positive ? static_cast<float>(step + 80) / 128.0F : static_cast<float>(step) / 64.0F);
    }
    return result;
}

/// The same for every input of a graph.
inline std::vector<std::vector<float>> samples(const graph_view& g) {
    std::vector<std::vector<float>> result;
    for (int i = 0; i < g.size(); ++i) {
        if (g[i].kind == op::input) {
            result.push_back(sample(g.name(i), g[i].shape.count()));
        }
    }
    return result;
}

inline weight_store sample_weights(const graph_view& g) {
    weight_store store;
    for (int i = 0; i < g.size(); ++i) {
        if (g[i].kind == op::weight) {
            const std::vector<float> values = sample(g.name(i), g[i].shape.count());
            store.add(std::string(g.name(i)), g[i].shape, std::span<const float>(values));
        }
    }
    return store;
}

inline netplist emit(const graph_view& g, std::string_view name = "anemone", const netplist_options& options = {},
                     op_set kept = {}) {
    const lowered_graph lowered = lower(g, kept);
    return emit_netplist(lowered.graph, fold_constants(lowered.graph, sample_weights(g)), name, options);
}

template <class G, class X> auto normalised(G g, X x, std::string_view scope) {
    constexpr std::int64_t channels = X::extent[1];
    auto s = g.scope(scope);
    auto mean = s.weight("mean", f16<channels>);
    auto variance = s.weight("variance", f16<channels>);
    auto gamma = s.weight("gamma", f16<channels>);
    auto beta = s.weight("beta", f16<channels>);
    return batch_norm(x, mean, variance, gamma, beta);
}

inline dynamic_graph digits() {
    return build_graph([](auto& g) {
        auto x = g.input("image"_s, f16<1, 1, 10, 10>);
        auto stem = g.weight("stem.weight", f16<4, 1, 3, 3>);
        auto a = relu(conv2d<conv{.padding = same}>(x, stem, g.weight("stem.bias", f16<4>)));
        auto b = max_pool<pool{.kernel = 2}>(normalised(g, a, "norm"));
        auto c = relu6(conv2d<conv{.padding = 1, .groups = 4}>(b, g.weight("depthwise.weight", f16<4, 1, 3, 3>)));
        auto flat = flatten(c);
        auto head = g.weight("head.weight", f16<10, 100>);
        auto l = linear(flat, head, g.weight("head.bias", f16<10>));
        g.output("probabilities"_s, softmax(l));
        g.output("label"_s, arg_max(l));
    });
}

inline dynamic_graph mlp() {
    return build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<4, 6>);
        auto first = g.weight("a.weight", f16<8, 6>);
        auto a = gelu(linear(x, first, g.weight("a.bias", f16<8>)));
        auto b = linear(a, g.weight("b.weight", f16<3, 8>)) * 0.5;
        g.output("y"_s, tanh(b));
    });
}

inline dynamic_graph residual() {
    return build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<2, 4, 5, 5>);
        auto a = relu(normalised(g, conv2d<conv{.padding = same}>(x, g.weight("a", f16<4, 4, 3, 3>)), "na"));
        auto b = normalised(g, conv2d(a, g.weight("b", f16<4, 4, 1, 1>)), "nb");
        g.output("features"_s, relu(b + x));
        g.output("mean"_s, reduce_mean<axes{2, 3}, false>(b));
    });
}

inline dynamic_graph encoder() {
    return build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 6, 8>);
        auto gamma = g.weight("n.gamma", f16<8>);
        auto n = layer_norm(x, gamma, g.weight("n.beta", f16<8>));
        const auto heads = [&](std::string_view name) {
            auto s = g.scope(name);
            auto weight = s.weight("weight", f16<8, 8>);
            auto y = linear(n, weight, s.weight("bias", f16<8>));
            return transpose<permutation{0, 2, 1, 3}>(reshape<1, 6, 2, 4>(y));
        };
        auto q = heads("q");
        auto k = heads("k");
        auto v = heads("v");
        auto a = attention(q, k, v, g.weight("mask", f16<6, 6>));
        auto joined = reshape<1, 6, 8>(transpose<permutation{0, 2, 1, 3}>(a));
        auto r = x + linear(joined, g.weight("o.weight", f16<8, 8>));
        auto h = silu(linear(r, g.weight("up", f16<12, 8>)));
        g.output("y"_s, r + linear(h, g.weight("down", f16<8, 12>)));
    });
}

inline dynamic_graph stencil() {
    return build_graph([](auto& g) {
        auto u = g.input("u"_s, f16<1, 1, 6, 8>);
        auto p = pad<pads{{0, 0, 1, 1}, {0, 0, 1, 2}}>(u, 0.25);
        auto north = slice<window{{0, 0, 0, 1}, {1, 1, 6, 8}}>(p);
        auto south = slice<window{{0, 0, 2, 1}, {1, 1, 6, 8}}>(p);
        auto west = slice<window{{0, 0, 1, 0}, {1, 1, 6, 8}}>(p);
        auto east = slice<window{{0, 0, 1, 2}, {1, 1, 6, 8}}>(p);
        auto vertical = north + south;
        auto sum = vertical + (west + east);
        g.output("next"_s, u + (sum - u * 4.0) * 0.125);
        g.output("padded_behind"_s, pad<pads{{0, 0, 0, 0}, {0, 0, 3, 0}}>(u, -1.0));
    });
}

inline dynamic_graph deconvolution() {
    return build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 4, 3, 4>);
        auto kernel = g.weight("a", f16<4, 3, 2, 2>);
        auto a = conv_transpose2d<conv_transpose{.stride = 2}>(x, kernel, g.weight("a.bias", f16<3>));
        auto b = conv_transpose2d<conv_transpose{.padding = {1, 0, 0, 1}}>(x, g.weight("b", f16<4, 2, 3, 2>));
        auto c = conv_transpose2d<conv_transpose{.stride = {1, 2}, .groups = 2}>(x, g.weight("c", f16<4, 3, 3, 4>));
        auto d = conv_transpose2d<conv_transpose{.stride = 2, .groups = 4}>(x, g.weight("d", f16<4, 1, 3, 3>));
        g.output("a"_s, a);
        g.output("b"_s, b);
        g.output("c"_s, c);
        g.output("d"_s, d);
    });
}

inline dynamic_graph convolutions() {
    return build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<2, 4, 7, 9>);
        g.output("a"_s, conv2d<conv{.stride = {1, 2}, .padding = {1, 0, 2, 1}}>(x, g.weight("a", f16<3, 4, 2, 3>)));
        g.output("b"_s, conv2d<conv{.dilation = {2, 3}}>(x, g.weight("b", f16<2, 4, 3, 2>)));
        g.output("c"_s, conv2d<conv{.groups = 2}>(x, g.weight("c", f16<6, 2, 1, 2>)));
        g.output("d"_s, conv2d<conv{.dilation = 2, .padding = same, .groups = 4}>(x, g.weight("d", f16<4, 1, 3, 3>)));
        g.output("e"_s, conv2d<conv{.groups = 4}>(x, g.weight("e", f16<8, 1, 2, 2>)));
    });
}

inline dynamic_graph pools() {
    return build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 2, 6, 7>);
        g.output("a"_s, max_pool<pool{.kernel = {2, 3}, .stride = {1, 2}, .padding = {1, 0, 1, 1}}>(x));
        g.output("b"_s, avg_pool<pool{.kernel = 3, .stride = 1, .padding = 1}>(x));
        g.output("c"_s, avg_pool<pool{.kernel = 3, .stride = 1, .padding = 1, .exclude_padding = true}>(x));
        g.output("d"_s, max_pool<pool{.kernel = 2, .stride = 2, .ceil_mode = true}>(x));
        g.output("e"_s, avg_pool<pool{.kernel = 3, .stride = 2, .ceil_mode = true, .exclude_padding = true}>(x));
        g.output("f"_s, avg_pool<pool{.kernel = 3, .stride = 2, .ceil_mode = true}>(x));
    });
}

inline dynamic_graph reductions() {
    return build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<2, 3, 4, 5>);
        auto v = g.input("v"_s, f16<7>);
        auto m = g.input("m"_s, f16<3, 4>);
        auto c = g.input("c"_s, f16<5, 1, 1>);
        g.output("a"_s, reduce_sum<axes{1}>(x));
        g.output("b"_s, reduce_mean<axes{2, 3}>(x));
        g.output("e"_s, reduce_max<axes{0, 3}, false>(x));
        g.output("f"_s, reduce_min(x));
        g.output("h"_s, reduce_sum(v));
        g.output("i"_s, reduce_sum<axes{0}>(reduce_mean(v)));
        g.output("j"_s, arg_max(v));
        g.output("k"_s, arg_min<axis{1}>(x));
        g.output("l"_s, arg_max(m));
        g.output("n"_s, arg_max<axis{0}>(c));
        g.output("o"_s, arg_min<axis{0}>(m));
        g.output("r"_s, arg_min(v));
        g.output("s"_s, arg_min<axis{0}>(c));
        g.output("t"_s, arg_max<axis{2}>(x));
        g.output("p"_s, softmax<axis{1}>(x));
        g.output("q"_s, softmax<axis{2}>(x));
    });
}

/// Reductions over axes of one element, alone and with others.
inline dynamic_graph reductions_of_ones() {
    return build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 2, 1, 4>);
        auto v = g.input("v"_s, f16<1>);
        g.output("a"_s, reduce_sum<axes{2}>(x));
        g.output("b"_s, reduce_mean<axes{0, 2}>(x));
        g.output("c"_s, reduce_max<axes{0}>(x) * 2.0);
        g.output("d"_s, reduce_min<axes{2}, false>(x));
        g.output("e"_s, reduce_sum<axes{1, 2}>(x));
        g.output("f"_s, reduce_sum(v));
    });
}

inline dynamic_graph activations() {
    return build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 2, 3, 4>);
        g.output("a"_s, relu(x));
        g.output("b"_s, relu6(x * 8.0));
        g.output("c"_s, leaky_relu(x));
        g.output("d"_s, clamp(x, -0.5, 0.25));
        g.output("e"_s, sigmoid(x));
        g.output("f"_s, tanh(x));
        g.output("h"_s, gelu(x));
        g.output("i"_s, silu(x));
        g.output("j"_s, exp(x));
        auto p = abs(x) + 0.5;
        g.output("k"_s, log(p));
        g.output("l"_s, log(p, 0.125));
        g.output("m"_s, sqrt(p));
        g.output("n"_s, rsqrt(p));
        g.output("o"_s, rsqrt(p, 1e-3));
    });
}

inline dynamic_graph arithmetic() {
    return build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 3, 2, 4>);
        auto y = g.input("y"_s, f16<3, 1, 4>);
        auto channel = g.weight("channel", f16<3, 1, 1>);
        auto row = g.weight("row", f16<4>);
        auto full = g.weight("full.variance", f16<3, 2, 4>);
        g.output("a"_s, (x + y) - channel);
        g.output("b"_s, 2.0 - x * channel);
        g.output("c"_s, channel - x);
        g.output("d"_s, row - x);
        g.output("e"_s, minimum(x, row));
        g.output("f"_s, maximum(0.125, y));
        g.output("h"_s, x * x);
        g.output("i"_s, (x - x) + x);
        g.output("j"_s, x / full);
        g.output("k"_s, channel / (abs(x) + 1.0));
        g.output("l"_s, y / (x * x + 0.5));
        g.output("m"_s, channel + row);
        g.output("n"_s, sigmoid(row));
    });
}

inline dynamic_graph products() {
    return build_graph([](auto& g) {
        auto a = g.input("a"_s, f16<2, 3, 4, 5>);
        auto b = g.input("b"_s, f16<2, 3, 5, 6>);
        auto m = g.input("m"_s, f16<4, 5>);
        auto h = g.input("h"_s, f16<3, 5, 4>);
        g.output("plain"_s, matmul(a, b));
        g.output("left"_s, matmul<transposed{.a = true}>(a, matmul(m, b)));
        g.output("right"_s, matmul<transposed{.b = true}>(a, m));
        g.output("both"_s, matmul<transposed{true, true}>(b, a));
        g.output("heads"_s, matmul(a, h));
        g.output("outer"_s, matmul(m, h));
        g.output("w"_s, matmul(a, g.weight("w1", f16<5, 2>)));
        g.output("x"_s, matmul<transposed{.b = true}>(m, g.weight("w2", f16<2, 3, 7, 5>)));
        g.output("y"_s, matmul(g.weight("w3", f16<3, 5>), h + g.weight("w4", f16<3, 1, 1>)));
        auto deep = g.input("deep"_s, f16<2, 1, 2, 2, 3>);
        g.output("deep_constant"_s, matmul(deep, g.weight("w6", f16<2, 1, 2, 3, 2>)));
        g.output("deep_device"_s, matmul<transposed{.b = true}>(deep, deep));
        g.output("some"_s, matmul(a, reshape<2, 1, 5, 3>(g.input("part"_s, f16<2, 5, 3>))));
        g.output("z"_s, matmul<transposed{.a = true}>(a, g.weight("w5", f16<3, 4, 2>)));
    });
}

inline dynamic_graph movement() {
    return build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<2, 3, 4, 5>);
        auto v = g.input("v"_s, f16<2, 2, 1, 3, 4>);
        auto w = g.weight("block", f16<2, 3, 1, 5>);
        g.output("a"_s, transpose<permutation{3, 0, 1, 2}>(x));
        g.output("b"_s, transpose<permutation{0, 1, 2, 3}>(x));
        g.output("c"_s, reshape<6, 20>(x));
        g.output("d"_s, concat<axis{2}>(x, w, x));
        g.output("e"_s, concat<axis{0}>(x, relu(x)));
        g.output("f"_s, slice<window{{1, 0, 1, 2}, {1, 3, 2, 3}}>(x));
        g.output("h"_s, slice<window{{0, 0, 0, 0}, {2, 3, 4, 5}}>(x));
        g.output("i"_s, transpose<permutation{1, 0, 2, 4, 3}>(v));
        g.output("j"_s, reduce_max<axes{1}>(v) + v);
        g.output("k"_s, concat<axis{1}>(v, sigmoid(v)));
    });
}

struct named_model {
    std::string_view name;
    dynamic_graph (*build)();
    netplist_options options{};
    op_set kept{}; ///< what lowering leaves whole

    netplist program() const { return emit(build(), name, options, kept); }
};

inline constexpr named_model all[] = {
    {"digits", digits},
    {"mlp", mlp},
    {"residual", residual},
    {"encoder", encoder},
    {"stencil", stencil},
    {"deconvolution", deconvolution},
    {"convolutions", convolutions},
    {"pools", pools},
    {"reductions", reductions},
    {"reductions_of_ones", reductions_of_ones},
    {"activations", activations},
    {"arithmetic", arithmetic},
    {"products", products},
    {"movement", movement},
};

/// The units that those lack, and the other options.
inline constexpr named_model rare[] = {
    {"functions", functions}, {"rounding", rounding},
    {"logic", logic},         {"layers", layers},
    {"views", views},         {"whole", whole, {}, {op::attention, op::minmax_norm}},
    {"lines", lines},         {"lines_in_one", lines, {.one_goc = true, .global_arg = true}},
    {"places", places},       {"global_places", places, {.global_arg = true}},
};

template <class Function> void for_each_model(const Function& function) {
    for (const named_model& model : all) {
        function(model);
    }
    for (const named_model& model : rare) {
        function(model);
    }
}

} // namespace netplist_models
