/// The workloads as graphs. Batch norms are folded into the convolutions before them, for every contender.

#include "problem.hpp"
#include <anemone/base/error.hpp>
#include <anemone/cost/cost.hpp>
#include <anemone/dynamic_builder.hpp>
#include <anemone/values/half.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <utility>

namespace suite {

namespace {

using ane::dynamic_tensor;
using ane::op;

/// A builder that counts the names of weights.
class network {
public:
    explicit network(bool small) : small_(small) {}

    /// One size or, in tests, the other.
    std::int64_t size(std::int64_t usual, std::int64_t small) const { return small_ ? small : usual; }

    dynamic_tensor input(const ane::extents& shape) { return g.input("x", shape); }
    dynamic_tensor weight(const ane::extents& shape) { return g.weight("w" + std::to_string(count_++), shape); }
    dynamic_tensor linear(const dynamic_tensor& x, std::int64_t width, bool bias = true) {
        const dynamic_tensor w = weight({width, x.shape().width()});
        return bias ? g.add(op::linear, {x, w, weight({width})}) : g.add(op::linear, {x, w});
    }
    dynamic_tensor conv(const dynamic_tensor& x, std::int64_t channels, int kernel, int stride = 1, int groups = 1) {
        const dynamic_tensor w = weight({channels, x.shape()[1] / groups, kernel, kernel});
        return g.add(op::conv2d, {x, w, weight({channels})},
                     ane::conv{.stride = stride, .padding = kernel / 2, .groups = groups});
    }
    dynamic_tensor relu(const dynamic_tensor& x) { return g.add(op::relu, {x}); }
    dynamic_tensor layer_norm(const dynamic_tensor& x) {
        const std::int64_t width = x.shape().width();
        return g.add(op::layer_norm, {x, weight({width}), weight({width})}, ane::stabilizer{.epsilon = 1e-5F});
    }
    /// [1, T, heads D] as [1, heads, T, D].
    dynamic_tensor in_heads(const dynamic_tensor& x, std::int64_t heads) {
        const auto split = g.reshape(x, {1, x.shape()[1], heads, x.shape().width() / heads});
        return g.add(op::transpose, {split}, ane::permutation{0, 2, 1, 3});
    }
    dynamic_tensor from_heads(const dynamic_tensor& x) {
        const auto rows = g.add(op::transpose, {x}, ane::permutation{0, 2, 1, 3});
        return g.reshape(rows, {1, rows.shape()[1], rows.shape()[2] * rows.shape()[3]});
    }
    problem finish(const dynamic_tensor& y) {
        g.output("y", y);
        problem p;
        p.graph = g.finish();
        return p;
    }

    ane::dynamic_builder g;

private:
    bool small_;
    int count_ = 0;
};

problem product(network& n, std::int64_t rows, std::int64_t in, std::int64_t out) {
    return n.finish(n.linear(n.input({rows, in}), out, false));
}

problem convolution(network& n, std::int64_t in, std::int64_t out, int kernel, int stride = 1, bool depthwise = false) {
    const std::int64_t side = n.size(56, 14);
    const std::int64_t least = n.size(in, std::min<std::int64_t>(in, 32));
    const std::int64_t made = n.size(out, std::min<std::int64_t>(out, 32));
    const auto x = n.input({1, least, side, side});
    return n.finish(n.conv(x, made, kernel, stride, depthwise ? static_cast<int>(least) : 1));
}

problem rowwise(network& n, op kind) {
    const auto x = n.input({n.size(512, 12), n.size(768, 96)});
    const std::int64_t width = x.shape().width();
    switch (kind) { // NOLINT(clang-diagnostic-switch-enum): four of many
    case op::layer_norm: return n.finish(n.layer_norm(x));
    case op::rms_norm: return n.finish(n.g.add(kind, {x, n.weight({width})}, ane::stabilizer{.epsilon = 1e-5F}));
    default: return n.finish(n.g.add(kind, {x}));
    }
}

problem attention(network& n) {
    const ane::extents shape{1, n.size(12, 2), n.size(197, 19), n.size(64, 16)};
    return n.finish(n.g.add(op::attention, {n.g.input("q", shape), n.g.input("k", shape), n.g.input("v", shape)},
                            ane::score_scaling{}));
}

problem perceptron(network& n, std::int64_t batch) {
    auto x = n.input({batch, n.size(784, 84)});
    x = n.relu(n.linear(x, n.size(512, 52)));
    x = n.relu(n.linear(x, n.size(512, 52)));
    return n.finish(n.linear(x, 10));
}

problem encoder(network& n) {
    const std::int64_t width = n.size(768, 48);
    const std::int64_t heads = n.size(12, 3);
    const auto x = n.input({1, n.size(128, 13), width});
    const auto a = n.layer_norm(x);
    const auto q = n.in_heads(n.linear(a, width), heads);
    const auto k = n.in_heads(n.linear(a, width), heads);
    const auto v = n.in_heads(n.linear(a, width), heads);
    const auto mixed = n.from_heads(n.g.add(op::attention, {q, k, v}, ane::score_scaling{}));
    const auto y = n.g.add(op::add, {x, n.linear(mixed, width)});
    const auto inner = n.g.add(op::gelu, {n.linear(n.layer_norm(y), 4 * width)});
    return n.finish(n.g.add(op::add, {y, n.linear(inner, width)}));
}

dynamic_tensor residual_block(network& n, const dynamic_tensor& x, std::int64_t channels, int stride) {
    const auto inner = n.conv(n.relu(n.conv(x, channels, 3, stride)), channels, 3);
    const bool same_shape = stride == 1 && x.shape()[1] == channels;
    return n.relu(n.g.add(op::add, {inner, same_shape ? x : n.conv(x, channels, 1, stride)}));
}

problem resnet18(network& n) {
    const std::int64_t side = n.size(224, 32);
    auto x = n.relu(n.conv(n.input({1, 3, side, side}), n.size(64, 8), 7, 2));
    x = n.g.add(op::max_pool, {x}, ane::pool{.kernel = 3, .stride = 2, .padding = 1});
    for (int stage = 0; stage < 4; ++stage) {
        const std::int64_t channels = n.size(64, 8) << stage;
        x = residual_block(n, x, channels, stage == 0 ? 1 : 2);
        x = residual_block(n, x, channels, 1);
    }
    x = n.g.add(op::reduce_mean, {x}, ane::axes{2, 3});
    return n.finish(n.linear(n.g.reshape(x, {1, -1}), n.size(1000, 50)));
}

dynamic_tensor inverted_residual(network& n, const dynamic_tensor& x, std::int64_t channels, int stride, int expand) {
    auto y = x;
    if (expand > 1) {
        y = n.g.add(op::relu6, {n.conv(y, x.shape()[1] * expand, 1)});
    }
    y = n.g.add(op::relu6, {n.conv(y, y.shape()[1], 3, stride, static_cast<int>(y.shape()[1]))});
    y = n.conv(y, channels, 1);
    return stride == 1 && x.shape()[1] == channels ? n.g.add(op::add, {x, y}) : y;
}

problem mobilenet(network& n) {
    const std::int64_t side = n.size(224, 32);
    auto x = n.g.add(op::relu6, {n.conv(n.input({1, 3, side, side}), n.size(32, 8), 3, 2)});
    struct stage {
        int expand;
        std::int64_t channels;
        int blocks;
        int stride;
    };
    for (const stage& s : {stage{1, 16, 1, 1}, stage{6, 24, 2, 2}, stage{6, 32, 3, 2}, stage{6, 64, 4, 2},
                           stage{6, 96, 3, 1}, stage{6, 160, 3, 2}, stage{6, 320, 1, 1}}) {
        const int blocks = static_cast<int>(n.size(s.blocks, 1));
        for (int i = 0; i < blocks; ++i) {
            x = inverted_residual(n, x, n.size(s.channels, s.channels / 4), i == 0 ? s.stride : 1, s.expand);
        }
    }
    x = n.g.add(op::relu6, {n.conv(x, n.size(1280, 64), 1)});
    x = n.g.add(op::reduce_mean, {x}, ane::axes{2, 3});
    return n.finish(n.linear(n.g.reshape(x, {1, -1}), n.size(1000, 50)));
}

/// One token through four blocks with caches of 512 keys and values, of which this run writes the last.
problem decoder(network& n) {
    const std::int64_t width = n.size(768, 48);
    const std::int64_t heads = n.size(12, 3);
    const std::int64_t length = n.size(512, 24);
    auto x = n.input({1, 1, width});
    const auto at = n.g.input("at", {length, 1}, {}, ane::dtype::uint8);
    const auto mask = n.g.input("mask", {1, 1, 1, length});
    const auto here = n.g.add(op::not_equal, {n.g.add(op::cast, {at}), n.g.constant(0.0)});
    for (int block = 0; block < static_cast<int>(n.size(4, 2)); ++block) {
        const auto a = n.layer_norm(x);
        const auto q = n.in_heads(n.linear(a, width), heads);
        const auto cached = [&](const char* what) {
            const auto row = n.in_heads(n.linear(a, width), heads);
            const auto cache = n.g.input(what + std::to_string(block), ane::extents{1, heads, length, width / heads});
            const auto kept = n.g.add(op::select, {here, row, cache});
            n.g.keep(cache, kept);
            return kept;
        };
        const auto k = cached("keys");
        const auto v = cached("values");
        const auto mixed = n.from_heads(n.g.add(op::attention, {q, k, v, mask}, ane::score_scaling{}));
        const auto y = n.g.add(op::add, {x, n.linear(mixed, width)});
        const auto inner = n.g.add(op::gelu, {n.linear(n.layer_norm(y), 4 * width)});
        x = n.g.add(op::add, {y, n.linear(inner, width)});
    }
    return n.finish(x);
}

struct row {
    const char* name;
    const char* title;
    std::function<problem(network&)> make;
    bool whole = false;
};

const std::vector<row>& rows() {
    const auto gemm = [](std::int64_t size) {
        return [size](network& n) { return product(n, n.size(size, 40), n.size(size, 48), n.size(size, 56)); };
    };
    static const std::vector<row> table{
        {"gemm_128", "GEMM 128", gemm(128)},
        {"gemm_256", "GEMM 256", gemm(256)},
        {"gemm_512", "GEMM 512", gemm(512)},
        {"gemm_1024", "GEMM 1024", gemm(1024)},
        {"gemm_2048", "GEMM 2048", gemm(2048)},
        {"gemv", "GEMV 768 to 3072", [](network& n) { return product(n, 1, n.size(768, 48), n.size(3072, 96)); }},
        {"conv1x1_64_256", "conv 1x1, 64 to 256, 56x56", [](network& n) { return convolution(n, 64, 256, 1); }},
        {"conv1x1_256_64", "conv 1x1, 256 to 64, 56x56", [](network& n) { return convolution(n, 256, 64, 1); }},
        {"conv3x3_64", "conv 3x3, 64 to 64, 56x56", [](network& n) { return convolution(n, 64, 64, 3); }},
        {"conv3x3_256", "conv 3x3, 256 to 256, 56x56", [](network& n) { return convolution(n, 256, 256, 3); }},
        {"conv3x3_s2", "conv 3x3 by 2, 64 to 128, 56x56", [](network& n) { return convolution(n, 64, 128, 3, 2); }},
        {"depthwise", "depthwise 3x3, 256, 56x56", [](network& n) { return convolution(n, 256, 256, 3, 1, true); }},
        {"layer_norm", "layer norm 512x768", [](network& n) { return rowwise(n, op::layer_norm); }},
        {"rms_norm", "rms norm 512x768", [](network& n) { return rowwise(n, op::rms_norm); }},
        {"softmax", "softmax 512x768", [](network& n) { return rowwise(n, op::softmax); }},
        {"gelu", "gelu 512x768", [](network& n) { return rowwise(n, op::gelu); }},
        {"attention", "attention 197x64, 12 heads", attention},
        {"mlp_1", "MLP 784-512-512-10, batch 1", [](network& n) { return perceptron(n, 1); }},
        {"mlp_64", "MLP 784-512-512-10, batch 64", [](network& n) { return perceptron(n, n.size(64, 7)); }},
        {"encoder", "encoder block 768, 128 tokens", encoder, true},
        {"resnet18", "ResNet-18, 224x224", resnet18, true},
        {"mobilenet", "MobileNetV2, 224x224", mobilenet, true},
        {"decoder", "decoder step, 4 blocks of 768, 512 cached", decoder, true},
    };
    return table;
}

/// A number between -1 and 1; the same in every standard library.
class numbers {
public:
    double operator()() { return static_cast<double>(engine_()) / static_cast<double>(std::mt19937::max()) * 2 - 1; }

private:
    std::mt19937 engine_{20261123};
};

float rounded(double value) { return static_cast<float>(ane::half(value)); }

/// Values that keep what flows through a network near 1: weights by their fan-in, residual branches small.
void fill(problem& p, const std::string& name) {
    const ane::graph_view g = p.graph;
    numbers next;
    p.values.resize(static_cast<std::size_t>(g.size()));
    for (int i = 0; i < g.size(); ++i) {
        const ane::node& n = g[i];
        auto& list = p.values[static_cast<std::size_t>(i)];
        const auto count = static_cast<std::size_t>(n.shape.count());
        if (n.kind == op::constant) {
            for (std::size_t k = 0; k < count; ++k) {
                list.push_back(g.value(n, static_cast<std::int64_t>(k)));
            }
        }
        if (n.kind != op::input && n.kind != op::weight) {
            continue;
        }
        list.reserve(count);
        const std::int64_t fan = n.shape.rank > 1 ? n.shape.count() / n.shape[0] : 0;
        const bool convolution = n.shape.rank == 4;
        const double scale = n.kind == op::input ? 1 : std::sqrt((convolution ? 4.0 : 3.0) / static_cast<double>(fan));
        for (std::size_t k = 0; k < count; ++k) {
            if (n.type == ane::dtype::uint8) {
                list.push_back(k + 1 == count ? 1.0F : 0.0F);
            } else if (n.kind == op::input && g.name(i) == "mask") {
                list.push_back(k % 7 == 3 ? -2.0F : 0.0F);
            } else if (fan == 0) { // a bias, or the factor and offset of a norm
                list.push_back(rounded(0.1 * next() + (name == "rms_norm" ? 1 : 0)));
            } else {
                list.push_back(rounded(scale * next()));
            }
        }
    }
    for (int i = 0; i < g.size(); ++i) { // factors of norms are near 1
        if (g[i].kind == op::layer_norm) {
            for (float& v : p.values[static_cast<std::size_t>(g.operands(i)[1])]) {
                v = rounded(1.0 + static_cast<double>(v));
            }
        }
    }
}

void count_work(problem& p) {
    const ane::graph_view g = p.graph;
    for (int i = 0; i < g.size(); ++i) {
        p.flops += static_cast<double>(ane::work_of(g, g[i]).flops());
        if (g[i].kind == op::input || g[i].kind == op::weight) {
            p.bytes += static_cast<double>(ane::bytes(g[i].type, g[i].shape.count()));
        }
    }
    for (const int i : p.output_nodes()) {
        p.bytes += static_cast<double>(ane::bytes(g[i].type, g[i].shape.count()));
    }
}

void find_cache_writes(problem& p) {
    const ane::graph_view g = p.graph;
    for (const ane::output_port& port : g.outputs) {
        if (port.is_state() && g[port.node].kind == op::select) {
            p.writes.push_back(
                {port.node, port.state, g.operands(port.node)[1], 2, static_cast<int>(g[port.state].shape[2]) - 1});
        }
    }
}

} // namespace

std::vector<std::string> workload_names() {
    std::vector<std::string> names;
    for (const row& r : rows()) {
        names.emplace_back(r.name);
    }
    return names;
}

problem make_problem(const std::string& name, bool small) {
    for (const row& r : rows()) {
        if (r.name == name) {
            network n(small);
            problem p = r.make(n);
            p.name = r.name;
            p.title = r.title;
            p.whole = r.whole;
            fill(p, name);
            count_work(p);
            find_cache_writes(p);
            return p;
        }
    }
    throw ane::error(ane::errc::argument, name, "is no workload");
}

} // namespace suite
