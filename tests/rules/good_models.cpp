// Models that are written like those that run on the engine keep every rule that is an error, on every Mac.

#include "anemone/build.hpp"
#include "anemone/ops/ops.hpp"
#include "anemone/rules/evaluate.hpp"
#include "examples.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace ane;

namespace {

template <class Describe> void check_accepted(Describe describe_model) {
    const dynamic_graph g = build_graph(describe_model);
    for (const target t : macs) {
        for (const violation& v : violations(g, t)) {
            CHECK_MESSAGE(!v.is_error, std::string(name(v.rule)), " on ", std::string(name(v.operation)), " ", v.node);
        }
    }
}

template <int Out, int Kernel, int Stride = 1, class Tensor>
constexpr auto convolved(builder& g, std::string_view name, Tensor x) {
    constexpr auto in = Tensor::extent.channels();
    return conv2d<conv{.stride = Stride, .padding = same}>(x, g.weight(name, f16<Out, in, Kernel, Kernel>));
}

} // namespace

TEST_CASE("a residual network") {
    check_accepted([](builder& g) {
        auto x = g.input("image"_s, f16<1, 3, 224, 224>, within(-3, 3));
        auto stem = relu(conv2d<conv{.stride = 2, .padding = 3}>(x, g.weight("stem", f16<64, 3, 7, 7>)));
        auto h = max_pool<pool{.kernel = 3, .stride = 2, .padding = 1}>(stem);
        auto a = relu(convolved<64, 1>(g, "a", h));
        auto b = relu(convolved<64, 3, 2>(g, "b", a));
        auto y = relu(convolved<256, 1>(g, "c", b) + convolved<256, 1, 2>(g, "d", h));
        auto features = reshape<1, 256>(reduce_mean<axes{2, 3}>(y));
        g.output("y"_s, softmax(linear(features, g.weight("fc", f16<1000, 256>), g.weight("bias", f16<1000>))));
    });
}

TEST_CASE("inverted residuals with squeeze and excitation") {
    check_accepted([](builder& g) {
        auto x = g.input("image"_s, f16<1, 3, 224, 224>, within(-1, 1));
        auto h = relu6(convolved<32, 3, 2>(g, "stem", x));
        auto wide = relu6(convolved<192, 1>(g, "expand", h));
        constexpr conv each{.stride = 2, .padding = same, .groups = 192};
        auto deep = relu6(conv2d<each>(wide, g.weight("depthwise", f16<192, 1, 3, 3>)));
        auto gate = hard_sigmoid(convolved<192, 1>(g, "gate", reduce_mean<axes{2, 3}, true>(deep)));
        g.output("y"_s, convolved<24, 1>(g, "project", deep * gate));
    });
}

TEST_CASE("an encoder and a decoder with skips") {
    check_accepted([](builder& g) {
        auto x = g.input("image"_s, f16<1, 1, 256, 256>, within(0, 1));
        auto a = relu(convolved<32, 3>(g, "a", x));
        auto b = relu(convolved<64, 3>(g, "b", max_pool<pool{.kernel = 2}>(a)));
        auto up = conv_transpose2d<conv_transpose{.stride = 2}>(b, g.weight("up", f16<64, 32, 2, 2>));
        auto wide = upsample_bilinear<factors{2}>(b);
        g.output("y"_s, sigmoid(convolved<1, 1>(g, "out", concat<axis{1}>(concat<axis{1}>(up, a), wide))));
    });
}

TEST_CASE("a transformer block with batches and heads") {
    check_accepted([](builder& g) {
        auto x = g.input("x"_s, f16<2, 128, 256>, within(-4, 4));
        auto n = layer_norm(x, g.weight("gamma", f16<256>), g.weight("beta", f16<256>));
        const auto heads = [&](std::string_view name) {
            auto y = linear(n, g.weight(name, f16<256, 256>));
            return transpose<permutation{0, 2, 1, 3}>(reshape<2, 128, 4, 64>(y));
        };
        auto shares = softmax(matmul<transposed{.b = true}>(heads("q"), heads("k")) * 0.125);
        auto joined = reshape<2, 128, 256>(transpose<permutation{0, 2, 1, 3}>(matmul(shares, heads("v"))));
        auto h = x + linear(joined, g.weight("o", f16<256, 256>));
        auto up = gelu(linear(h, g.weight("up", f16<1024, 256>)));
        g.output("y"_s, h + linear(up, g.weight("down", f16<256, 1024>)));
    });
}

TEST_CASE("one-dimensional convolutions over a spectrogram, with gates") {
    check_accepted([](builder& g) {
        auto x = g.input("mel"_s, f16<1, 80, 1, 3000>, within(-1, 1));
        constexpr conv halved{.stride = size2{1, 2}, .padding = padding2{0, 0, 1, 1}};
        auto h = gelu(conv2d<halved>(x, g.weight("a", f16<384, 80, 1, 3>)));
        constexpr conv spread_out{.dilation = size2{1, 4}, .padding = padding2{0, 0, 4, 4}};
        auto d = conv2d<spread_out>(h, g.weight("b", f16<384, 384, 1, 3>));
        auto gated = slice<window{{0, 0, 0, 0}, {1, 192, 1, 1500}}>(d) *
                     sigmoid(slice<window{{0, 192, 0, 0}, {1, 192, 1, 1500}}>(d));
        g.output("y"_s, gated);
    });
}

TEST_CASE("norms by hand over declared ranges") {
    check_accepted([](builder& g) {
        auto x = g.input("x"_s, f16<32, 64>, within(-4, 4));
        auto d = x - reduce_mean<axes{1}, true>(x);
        auto variance = reduce_mean<axes{1}, true>(square(d));
        g.output("y"_s, d * rsqrt(variance + 1e-5));
        g.output("z"_s, d / sqrt(variance + 1e-5));
    });
}

TEST_CASE("a softmax by hand that subtracts its maximum, by quotient, inverse and logarithm (R082, R150, R157, R158)") {
    check_accepted([](builder& g) {
        auto x = g.input("x"_s, f16<4, 64>, within(-30, 30));
        auto shifted = x - reduce_max<axes{1}, true>(x);
        auto e = exp(shifted);
        auto sum = reduce_sum<axes{1}, true>(e);
        g.output("quotient"_s, e / sum);
        g.output("inverse"_s, e * inverse(sum));
        g.output("logarithm"_s, shifted - log(sum));
        // The axis that is taken away and brought back is the same maximum.
        g.output("same"_s, exp(x - reshape<4, 1>(reduce_max<axes{1}, false>(x))));
        g.output("all"_s, e * inverse(reduce_sum<axes{0, 1}, true>(e)));
    });
}

TEST_CASE("a maximum of something else subtracts nothing that counts") {
    using one_node::breaks;
    const auto model = [](auto most_of, auto sum_of) {
        return build_graph([&](builder& g) {
            auto x = g.input("x"_s, f16<4, 4>, within(-30, 30));
            auto y = g.input("y"_s, f16<4, 4>, within(-30, 30));
            auto e = exp(x - most_of(x, y));
            g.output("shares"_s, inverse(sum_of(e)) * e);
        });
    };
    const auto rows = [](auto e) { return reduce_sum<axes{1}, true>(e); };
    const auto own = model([](auto x, auto) { return reduce_max<axes{1}, true>(x); }, rows);
    const auto other = model([](auto, auto y) { return reduce_max<axes{1}, true>(y); }, rows);
    // The maximum of row i against column i.
    const auto turned = model([](auto x, auto) { return reduce_max<axes{1}, false>(x); }, rows);
    // Columns need not contain the maximum of a row.
    const auto across = model([](auto x, auto) { return reduce_max<axes{1}, true>(x); },
                              [](auto e) { return reduce_sum<axes{0}, true>(e); });
    CHECK_FALSE(breaks(own, rule::exponential_may_overflow));
    CHECK_FALSE(breaks(own, rule::softmax_does_not_subtract_its_maximum));
    CHECK_FALSE(breaks(own, rule::reciprocal_of_zero));
    for (const dynamic_graph* g : {&other, &turned}) {
        CHECK(breaks(*g, rule::exponential_may_overflow));
        CHECK(breaks(*g, rule::softmax_does_not_subtract_its_maximum));
        CHECK(breaks(*g, rule::reciprocal_of_zero));
    }
    CHECK_FALSE(breaks(across, rule::exponential_may_overflow));
    CHECK(breaks(across, rule::reciprocal_of_zero));
}

TEST_CASE("R082: exponentials of what is not positive need no maximum") {
    check_accepted([](builder& g) {
        auto x = g.input("x"_s, f16<4, 64>);
        auto e = exp(minimum(x, 0.0));
        g.output("y"_s, e / reduce_sum<axes{1}, true>(e));
    });
}

TEST_CASE("R069: a gather from a long table by indices whose range is declared") {
    const auto rows = [](const contract& promise) {
        return build_graph([&](builder& g) {
            auto table = g.weight("table", f16<30000, 16>);
            g.output("y"_s, gather<axis{0}>(table, g.input("i"_s, f16<8>, promise)));
        });
    };
    CHECK_BREAKS(rows({}), index_exceeds_half_precision, h14, 30000, 2048);
    CHECK_BREAKS(rows(within(0, 2048)), index_exceeds_half_precision, h14, 2049, 2048);
    CHECK_KEEPS(rows(within(0, 2047)), index_exceeds_half_precision, h14);
    CHECK_BREAKS(rows(within(-1, 2047)), index_exceeds_half_precision, h14, 30000, 2048);
}

TEST_CASE("R090 R092: a slice with a stride begins inside the last axis like one without") {
    const auto every_other = [](std::int64_t begin, std::int64_t step, const contract& promise) {
        const std::int64_t size = step > 0 ? (8 - begin + step - 1) / step : begin + 1;
        return one_node::make(op::strided_slice, strided_window{{0, begin}, {1, step}}, {one_node::in({4, 8}, promise)},
                              {4, size}, true);
    };
    CHECK_BREAKS(every_other(1, 2, within(0, 4096)), width_slice_may_saturate, h13, 4096, 4094);
    CHECK_KEEPS(every_other(1, 2, within(0, 4094)), width_slice_may_saturate, h13);
    CHECK_KEEPS(every_other(0, 2, within(0, 4096)), width_slice_may_saturate, h13);
    CHECK_KEEPS(every_other(1, 2, within(0, 4096)), width_slice_may_saturate, h15);
    CHECK_KEEPS(every_other(7, -1, within(0, 4096)), width_slice_may_saturate, h13); // reversed, not cut
    dynamic_graph g = every_other(1, 2, within(0, 1));
    g = one_node::then(g, op::strided_slice, strided_window{{0, 2}, {1, 2}}, {0}, {4, 3}, true);
    CHECK_BREAKS(one_node::then(g, op::concat, axis{1}, {1, 2}), width_slices_are_joined, h13, 2, 1);
}
