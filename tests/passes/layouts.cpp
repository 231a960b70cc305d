#include <anemone/build.hpp>
#include <anemone/dynamic_builder.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/passes/layouts.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace ane;

namespace {

constexpr op_set products{op::conv2d, op::linear, op::matmul};

/// A letter for each layer that is computed in a run: n for NHWC, c for NCHW, in capitals where it reorders.
std::string layouts_of(const graph_view& g) {
    const fused_layers layers = fuse_layers(g, products);
    const value_layouts chosen = choose_layouts(g, layers);
    const sequence<char> known = constant_nodes(g);
    std::string result;
    for (int i = 0; i < g.size(); ++i) {
        if (is_source(g[i].kind) || known[static_cast<std::size_t>(i)] != 0 || layers.end_of(i) != i) {
            CHECK(chosen.of(i) == layout::nchw);
            continue;
        }
        const bool reordered = reorders(g, layers, chosen, i);
        result += chosen.of(i) == layout::nhwc ? (reordered ? 'N' : 'n') : (reordered ? 'C' : 'c');
    }
    return result;
}

/// Convolutions and what stands between them in networks of images.
struct network {
    dynamic_builder g;
    int weights = 0;

    dynamic_tensor weight(const extents& shape) { return g.weight("w" + std::to_string(weights++), shape); }
    dynamic_tensor conv3(const dynamic_tensor& x, std::int64_t outputs, int stride = 1) {
        return g.add(op::conv2d, {x, weight({outputs, x.shape()[1], 3, 3})}, conv{.stride = stride, .padding = 1});
    }
    dynamic_tensor depthwise(const dynamic_tensor& x) {
        const std::int64_t channels = x.shape()[1];
        return g.add(op::conv2d, {x, weight({channels, 1, 3, 3})},
                     conv{.padding = 1, .groups = static_cast<int>(channels)});
    }
};

inline constexpr auto two_convolutions = graph([](auto& g) {
    const auto x = g.input("x"_s, f16<1, 3, 8, 8>);
    const auto y = relu(conv2d<conv{.padding = same}>(x, g.weight("a"_s, f16<16, 3, 3, 3>)));
    g.output("y"_s, conv2d<conv{.padding = same}>(y, g.weight("b"_s, f16<16, 16, 3, 3>)));
});

} // namespace

TEST_CASE("layouts: the compiler chooses as a run does") {
    static_assert([] {
        const graph_view g = two_convolutions;
        const value_layouts chosen = choose_layouts(g, fuse_layers(g, products));
        for (int i = 0; i < g.size(); ++i) { // the layer of the first convolution ends in relu
            if ((chosen.of(i) == layout::nhwc) != (g[i].kind == op::relu)) {
                return false;
            }
        }
        return true;
    }());
    CHECK(layouts_of(two_convolutions) == "NC");
}

TEST_CASE("layouts: extents in the order of memory") {
    static_assert(in_layout({2, 3, 4, 5}, layout::nhwc) == extents{2, 4, 5, 3});
    static_assert(in_layout({2, 3, 4, 5}, layout::nchw) == extents{2, 3, 4, 5});
    static_assert(in_layout({3, 1, 1}, layout::nhwc) == extents{1, 1, 1, 3});
    static_assert(in_layout({5}, layout::nhwc) == extents{1, 1, 5, 1});
    static_assert(has_one_layout({2, 8, 1, 1}) && has_one_layout({2, 1, 4, 5}) && !has_one_layout({1, 2, 1, 2}));
}

TEST_CASE("layouts: residual blocks, poolings and means between convolutions stay NHWC") {
    network n;
    const auto x = n.g.input("x", {1, 3, 16, 16});
    auto y = n.g.add(op::relu, {n.conv3(x, 16)});
    y = n.g.add(op::max_pool, {y}, pool{.kernel = 2, .stride = 2});
    auto z = n.g.add(op::relu, {n.conv3(y, 16)});
    z = n.g.add(op::relu, {n.g.add(op::add, {n.conv3(z, 16), y})});
    z = n.g.add(op::relu6, {n.depthwise(z)});
    z = n.g.add(op::reduce_mean, {z}, axes{2, 3});
    n.g.output("y", n.g.add(op::linear, {n.g.reshape(z, {1, 16}), n.weight({10, 16})}));
    CHECK(layouts_of(n.g.finish()) == "NnnnnCcc");
}

TEST_CASE("layouts: a caller, a state and operations of planes read NCHW, and so do sums beside them") {
    SUBCASE("an output") {
        network n;
        const auto y = n.conv3(n.g.input("x", {1, 16, 8, 8}), 16);
        n.g.output("y", y);
        n.g.output("z", n.conv3(y, 16));
        CHECK(layouts_of(n.g.finish()) == "cc");
    }
    SUBCASE("a softmax") {
        network n;
        const auto y = n.conv3(n.g.input("x", {1, 16, 8, 8}), 16);
        n.g.output("z", n.g.add(op::add, {n.conv3(y, 16), n.conv3(n.g.add(op::softmax, {y}, axis{3}), 16)}));
        CHECK(layouts_of(n.g.finish()).find('n') == std::string::npos);
    }
    SUBCASE("an input that is added") {
        network n;
        const auto x = n.g.input("x", {1, 16, 8, 8});
        const auto y = n.g.add(op::add, {n.conv3(x, 16), x});
        n.g.output("y", n.conv3(y, 16));
        CHECK(layouts_of(n.g.finish()) == "cc");
    }
    SUBCASE("the filter of another convolution") {
        network n;
        const auto y = n.conv3(n.g.input("x", {16, 16, 3, 3}), 16);
        n.g.output("y", n.g.add(op::conv2d, {n.g.input("z", {1, 16, 8, 8}), y}, conv{.padding = 1}));
        CHECK(layouts_of(n.g.finish()) == "cc");
    }
}

TEST_CASE("layouts: few channels and single places have one layout") {
    network n;
    auto y = n.conv3(n.g.input("x", {1, 3, 8, 8}), 7);
    y = n.conv3(y, 8);
    y = n.g.add(op::conv2d, {y, n.weight({12, 8, 8, 8})});
    n.g.output("y", n.g.add(op::conv2d, {y, n.weight({10, 12, 1, 1})}));
    CHECK(layouts_of(n.g.finish()) == "cNcc");
}

TEST_CASE(
    "layouts: factors of channels and of places are read by NHWC functions, those of images and channels are not") {
    const auto with = [](const extents& factor) {
        network n;
        auto y = n.conv3(n.g.input("x", {2, 3, 6, 6}), 16);
        y = n.g.add(op::mul, {y, n.weight(factor)});
        n.g.output("y", n.conv3(y, 8));
        return layouts_of(n.g.finish());
    };
    CHECK(with({1, 16, 1, 1}) == "NC");
    CHECK(with({16, 1, 1}) == "NC");
    CHECK(with({1}) == "NC");
    CHECK(with({1, 1, 6, 6}) == "NC");
    CHECK(with({2, 1, 1, 1}) == "NC");
    CHECK(with({1, 16, 6, 6}) == "cc");
}

TEST_CASE("layouts: poolings of large windows read planes") {
    const auto with = [](int window) {
        network n;
        const auto y = n.g.add(op::avg_pool, {n.conv3(n.g.input("x", {1, 3, 24, 24}), 16)}, pool{.kernel = window});
        n.g.output("y", n.conv3(y, 8));
        return layouts_of(n.g.finish());
    };
    CHECK(with(8) == "NnC");
    CHECK(with(9) == "ccc");
}
