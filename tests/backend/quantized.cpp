// Integers in graphs: quantize, dequantize, and products of int8 with int8.

#include "byte_runs.hpp"
#include <anemone/numerics/quantization.hpp>
#include <anemone/numerics/rounding.hpp>
#include <anemone/ops/quantization.hpp>
#include <anemone/weights/encode.hpp>
#include <anemone/weights/formats/sparse.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

using namespace composing;

namespace {

/// quantize and dequantize of one input: outputs the dequantized values, and (with a scale of one) the integers.
dynamic_graph round_trip(const extents& x, const quantization& form, const extents& scale, bool shifted) {
    dynamic_graph g;
    const auto source = [&](const char* name, const extents& shape) {
        node n;
        n.kind = op::input;
        n.shape = shape;
        n.attributes = contract{};
        n.name = g.intern(name);
        return g.append(n, {});
    };
    const int in = source("x", x);
    const int by = source("scale", scale);
    const int zero = shifted ? source("zero", scale) : -1;
    node n;
    n.kind = op::constant;
    const float ones[] = {1.0F};
    n.attributes = g.keep(ones);
    n.shape = {1};
    const int one = g.append(n, {});
    const auto add = [&](op kind, dtype type, std::vector<int> operands) {
        node made;
        made.kind = kind;
        made.type = type;
        made.shape = x;
        made.attributes = form;
        return g.append(made, operands);
    };
    const int q = shifted ? add(op::quantize, form.type, {in, by, zero}) : add(op::quantize, form.type, {in, by});
    g.add_output(shifted ? add(op::dequantize, dtype::f16, {q, by, zero}) : add(op::dequantize, dtype::f16, {q, by}),
                 "y");
    g.add_output(add(op::dequantize, dtype::f16, {q, one}), "q");
    return g;
}

} // namespace

TEST_CASE("quantize and dequantize as ONNX defines them, on the CPU") {
    random_engine random(9);
    for (const dtype type : {dtype::int8, dtype::uint8}) {
        for (const int along : {0, 1, 2}) {
            for (const bool shifted : {false, true}) {
                const extents shape{3, 4, 5};
                const bool single = along == 0 && shifted;
                const std::int64_t count = single ? 1 : shape[along];
                std::vector<half> x = gaussian(random, 60, 40);
                x[7] = half::from_bits(0x7C00);
                x[8] = half::from_bits(0xFC00);
                x[9] = half::from_bits(0x7E00);
                std::vector<half> scale;
                std::vector<half> zero;
                for (std::int64_t i = 0; i < count; ++i) {
                    scale.emplace_back(std::ldexp(1.0 + below(random, 3), below(random, 3) - 1));
                    zero.emplace_back(static_cast<double>(below(random, 100)));
                }
                std::vector<std::vector<std::byte>> inputs{bytes_of(x), bytes_of(scale)};
                if (shifted) {
                    inputs.push_back(bytes_of(zero));
                }
                // An axis may count from the last; with one scale it says nothing.
                const int axis = single ? 9 : along;
                const auto y = run(ane::backend::cpu{}, round_trip(shape, {type, axis}, {count}, shifted), {}, inputs);
                const double low = type == dtype::int8 ? -128 : 0;
                for (std::size_t i = 0; i < 60; ++i) {
                    CAPTURE(i);
                    const std::size_t inner = along == 2 ? 1 : (along == 1 ? 5 : 20);
                    const std::size_t s = single ? 0 : i / inner % static_cast<std::size_t>(count);
                    const auto by = static_cast<double>(scale[s]);
                    const double z = shifted ? static_cast<double>(zero[s]) : 0;
                    double q = std::nearbyint(static_cast<double>(x[i]) / by) + z; // halves to even
                    q = std::isnan(q) ? z : std::min(std::max(q, low), low + 255);
                    CHECK(static_cast<double>(y[1][i]) == q);
                    CHECK(y[0][i].bits == half((q - z) * by).bits);
                }
            }
        }
    }
    // Four bits are two to a byte, the low ones first.
    dynamic_graph g;
    node n;
    n.kind = op::input;
    n.type = dtype::int4;
    n.shape = {3};
    n.attributes = contract{};
    n.name = g.intern("q");
    const int q = g.append(n, {});
    node s;
    s.kind = op::constant;
    s.shape = {1};
    const float quarter[] = {0.25F};
    s.attributes = g.keep(quarter);
    const int operands[] = {q, g.append(s, {})};
    node d;
    d.kind = op::dequantize;
    d.shape = {3};
    d.attributes = quantization{dtype::int4, 0};
    g.add_output(g.append(d, operands), "y");
    CHECK(patterns(run(ane::backend::cpu{}, g, {}, {{std::byte{0x8F}, std::byte{0x07}}})[0]) ==
          patterns({half(-0.25), half(-2.0), half(1.75)}));
}

TEST_CASE("quantize on the engine: ties by the generation, ends saturate") {
    const std::vector<half> x{half(2.5),
                              half(3.5),
                              half(-2.5),
                              half(126.5),
                              half(127.5),
                              half(-4000.0),
                              half(65504.0),
                              half::from_bits(0xFC00),
                              half::from_bits(0x7E00)};
    const auto integers = [&](target t, double scale) {
        return patterns(run(ane::backend::oracle{t}, round_trip({9}, {dtype::int8, 0}, {1}, false), {},
                            {bytes_of(x), bytes_of({half(scale)})})[1]);
    };
    const auto of = [](std::initializer_list<int> values) {
        std::vector<half> all;
        for (const int v : values) {
            all.emplace_back(v);
        }
        return patterns(all);
    };
    CHECK(integers(h13, 1) == of({2, 4, -2, 126, 127, -128, 127, -128, 127}));
    CHECK(integers(h18, 1) == of({3, 4, -3, 127, 127, -128, 127, -128, 127}));
    CHECK(integers(h18, 2) == of({1, 2, -1, 63, 64, -128, 127, -128, 127}));
}

namespace {

/// linear or a convolution of int8 activations with int8 weights, and a bias: dequantize(quantize(x)) feeds it.
struct integer_model {
    op kind = op::linear;
    extents x;
    extents w;
    bool flat = false; ///< a reshape between
    conv form{.padding = padding2{1}};

    dynamic_graph graph() const {
        dynamic_graph g;
        const auto source = [&](op source_kind, const char* name, const extents& shape) {
            node n;
            n.kind = source_kind;
            n.shape = shape;
            n.attributes = contract{};
            n.name = g.intern(name);
            return g.append(n, {});
        };
        const auto add = [&](op made_kind, dtype type, const attributes& values, std::vector<int> operands) {
            node n;
            n.kind = made_kind;
            n.type = type;
            n.attributes = values;
            const int index = g.append(n, operands);
            g.nodes.back().shape = infer(g, g.nodes.back()).shape;
            return index;
        };
        const int in = source(op::input, "x", x);
        const int by = source(op::weight, "scale", {1});
        const int weight = source(op::weight, "w", w);
        const int bias = source(op::weight, "b", {w[0]});
        const int q = add(op::quantize, dtype::int8, quantization{dtype::int8, 0}, {in, by});
        int d = add(op::dequantize, dtype::f16, quantization{dtype::int8, 0}, {q, by});
        if (flat) {
            node n;
            n.kind = op::reshape;
            n.shape = {x[0], x.count() / x[0]};
            const int operands[] = {d};
            d = g.append(n, operands);
        }
        const int stored = add(op::compressed, dtype::f16, compression{affine_int8}, {weight});
        const attributes values = kind == op::conv2d ? attributes(form) : attributes{};
        g.add_output(add(kind, dtype::f16, values, {d, stored, bias}), "y");
        return g;
    }
    std::vector<half> run_on(const ane::backend::oracle& on, const std::vector<half>& input, double scale,
                             const std::vector<half>& weight, const std::vector<half>& bias) const {
        weight_store store;
        const std::vector<half> by{half(scale)};
        store.add("scale", {1}, std::span<const half>(by));
        store.add("w", w, std::span<const half>(weight));
        store.add("b", {w[0]}, std::span<const half>(bias));
        return run(on, graph(), store, {bytes_of(input)})[0];
    }
};

} // namespace

TEST_CASE("W8A8: products of int8 add integers and are scaled once") {
    random_engine random(88);
    constexpr double step = 0.03125;
    for (const bool convolution : {false, true}) {
        const integer_model m = convolution ? integer_model{op::conv2d, {2, 3, 4, 5}, {4, 3, 3, 3}}
                                            : integer_model{op::linear, {3, 2, 20}, {5, 40}, true};
        const auto x = gaussian(random, static_cast<std::size_t>(m.x.count()), 1.5);
        const auto w = gaussian(random, static_cast<std::size_t>(m.w.count()), 0.2);
        const auto b = gaussian(random, static_cast<std::size_t>(m.w[0]), 1);
        const auto y = m.run_on(ane::backend::oracle{h18}, x, step, w, b);
        const encoded_weight stored = encode_weight(w, m.w, affine_int8);
        const auto q = [&](std::size_t i) {
            return std::min(std::max(std::floor(std::fabs(static_cast<double>(x[i])) / step + 0.5) *
                                         (static_cast<double>(x[i]) < 0 ? -1 : 1),
                                     -128.0),
                            127.0);
        };
        const std::int64_t row = m.w.count() / m.w[0];
        for (std::size_t i = 0; i < y.size(); ++i) {
            CAPTURE(i);
            const auto out = static_cast<std::int64_t>(i);
            const std::int64_t o = convolution ? out / 20 % 4 : out % 5;
            double sum = 0;
            for (std::int64_t k = 0; k < row; ++k) {
                std::int64_t from = out / 5 * 40 + k;
                if (convolution) {
                    const std::int64_t h = out % 20 / 5 + k / 3 % 3 - 1;
                    const std::int64_t v = out % 5 + k % 3 - 1;
                    from = h < 0 || h > 3 || v < 0 || v > 4 ? -1 : ((out / 80 * 3 + k / 9) * 4 + h) * 5 + v;
                }
                const auto weight = static_cast<std::int8_t>(stored.data[static_cast<std::size_t>(o * row + k)]);
                sum += from < 0 ? 0.0 : q(static_cast<std::size_t>(from)) * weight;
            }
            const double exact = sum * step * static_cast<double>(weight_formats::half_at(stored.scales, o)) +
                                 static_cast<double>(b[static_cast<std::size_t>(o)]);
            CHECK(y[i].bits == numerics::round_to_half(exact, numerics::tie_rule::half_away).bits);
        }
        // The M1 expands the weights: sums of fp16 products, nearly the same.
        const auto on_m1 = m.run_on(ane::backend::oracle{h13}, x, step, w, b);
        for (std::size_t i = 0; i < y.size(); ++i) {
            CHECK(static_cast<double>(on_m1[i]) == doctest::Approx(static_cast<double>(y[i])).epsilon(0.01).scale(1));
        }
    }
}

TEST_CASE("W8A8: strides, dilations and groups as in products of fp16") {
    random_engine random(3);
    numerics::datapath integers = numerics::datapath_of(h18);
    numerics::datapath halves = integers;
    halves.int8_products = false;
    for (const conv& form : {conv{.stride = {2, 1}}, conv{.dilation = {1, 2}, .padding = {1, 0, 2, 1}},
                             conv{.stride = 2, .padding = padding2{1}, .groups = 2}, conv{.groups = 4}}) {
        const integer_model m{op::conv2d, {2, 4, 7, 6}, {8, 4 / form.groups, 3, 2}, false, form};
        const auto x = gaussian(random, static_cast<std::size_t>(m.x.count()), 1);
        const auto w = gaussian(random, static_cast<std::size_t>(m.w.count()), 0.3);
        const auto b = gaussian(random, 8, 1);
        const auto y = m.run_on(ane::backend::oracle{integers}, x, 0.03125, w, b);
        const auto z = m.run_on(ane::backend::oracle{halves}, x, 0.03125, w, b);
        REQUIRE(y.size() == z.size());
        for (std::size_t i = 0; i < y.size(); ++i) {
            CHECK(static_cast<double>(y[i]) == doctest::Approx(static_cast<double>(z[i])).epsilon(0.002).scale(1));
        }
    }
}

TEST_CASE("W8A8: no ceiling at 32768, but one at 2^31") {
    const auto result = [](std::int64_t products, double scale, const ane::backend::oracle& on) {
        const integer_model m{op::linear, {1, products}, {1, products}};
        const std::vector<half> x(static_cast<std::size_t>(products), half(127 * scale));
        const std::vector<half> w(static_cast<std::size_t>(products), half(1.0));
        return static_cast<double>(m.run_on(on, x, scale, w, {half{}})[0]);
    };
    const double weight = 0.00787353515625; // 1 / 127 as fp16
    // 127 127 products of 2^-3 / 127: above the Q15.16 register's end, below that of fp16.
    CHECK(result(2500, 0.125, ane::backend::oracle{h18}) ==
          static_cast<double>(numerics::round_to_half(2500 * 16129 * 0.125 * weight, numerics::tie_rule::half_away)));
    CHECK(result(2500, 0.125, ane::backend::oracle{h13}) == INFINITY);
    // 133144 * 127^2 is below 2^31, one more is not.
    CHECK(result(133144, 0x1p-10, ane::backend::oracle{h18}) == doctest::Approx(16512).epsilon(1e-3));
    CHECK(result(133145, 0x1p-10, ane::backend::oracle{h18}) == INFINITY);
}

TEST_CASE("N210: quantize rounds ties away from zero on M5, every finite value at scale 1") {
    const numerics::datapath m5 = numerics::datapath_of(h17s);
    int checked = 0;
    for (unsigned bits = 0; bits < 65536; ++bits) {
        const half x = half::from_bits(static_cast<std::uint16_t>(bits));
        if (!is_finite(x)) {
            continue;
        }
        const double v = static_cast<double>(x);
        const double whole = std::copysign(std::floor(std::fabs(v) + 0.5), v);
        const double want = std::min(127.0, std::max(-128.0, whole));
        const int q = numerics::quantize(m5, x, half(1.0), half{}, -128, 127);
        checked += q == want && numerics::dequantize(m5, half(q), half(1.0), half{}) == half(want + 0.0) ? 1 : 0;
    }
    CHECK(checked == 63488);
}

namespace {

/// a times b, each through int8 by its scale where that is not 0; the product through int8 by `last`, if that is not 0,
/// and clamped before to what it can hold. `b_first`: b is built before a.
struct gate {
    double a_scale = 0;
    double b_scale = 0;
    double last = 0;
    bool clamped = false;
    bool b_first = false;

    dynamic_graph graph() const {
        composer c;
        const int a = c.input({4});
        const int b = c.input({4});
        const quantization as{dtype::int8, 0};
        const auto through = [&](int x, double scale) {
            if (scale == 0) {
                return x;
            }
            const int s = c.constant(static_cast<float>(scale));
            return c.add(op::dequantize, as, {c.add(op::quantize, as, {x, s}), s});
        };
        const int first = b_first ? through(b, b_scale) : through(a, a_scale);
        const int second = b_first ? through(a, a_scale) : through(b, b_scale);
        int y = c.add(op::mul, {first, second});
        if (clamped) {
            const auto end = static_cast<float>(last);
            y = c.add(op::clamp, clip_range{-128 * end, 127 * end}, {y});
        }
        c.output(through(y, last));
        return c.finish();
    }
    double run_with(numerics::product_scale_rule rule, double a, double b) const {
        numerics::datapath path = numerics::datapath_of(h17s);
        path.quantized_product_scale = rule;
        const std::vector<half> left(4, half(a));
        const std::vector<half> right(4, half(b));
        return static_cast<double>(
            run(ane::backend::oracle(path), graph(), {}, {bytes_of(left), bytes_of(right)})[0][3]);
    }
};

} // namespace

TEST_CASE("who reads a quantized product is searched up to the last of them, and not to the last node") {
    composer c;
    const quantization as{dtype::int8, 0};
    const int x = c.input({4});
    int operands[2];
    for (int k = 0; k < 2; ++k) {
        const int s = c.constant(k == 0 ? 0.5F : 2.0F);
        operands[k] = c.add(op::dequantize, as, {c.add(op::quantize, as, {x, s}), s});
    }
    const int product = c.add(op::mul, {operands[0], operands[1]});
    const int clamped = c.add(op::clamp, clip_range{-128, 127}, {product});
    c.output(clamped);
    c.output(c.add(op::relu, {product}));
    const dynamic_graph g = c.finish();
    sequence<int> read = uses(g);
    CHECK(takes_another_scale(g, product));
    CHECK(takes_another_scale(g, product, read));
    read[static_cast<std::size_t>(product)] = 1; // the clamp: what follows is not looked at
    CHECK_FALSE(takes_another_scale(g, product, read));
}

TEST_CASE("N211, N212: the codes of a quantized product take another scale, on request") {
    using numerics::product_scale_rule;
    // y = Q_out(a Q_1/16(b)), all ones.
    const double measured[] = {1, 2, 4, 8};
    for (int k = 0; k < 4; ++k) {
        const double out = std::ldexp(1.0, k - 4);
        const gate g{.b_scale = 0.0625, .last = out};
        CHECK(g.run_with(product_scale_rule::shared, 1, 1) == measured[k]);
        CHECK(g.run_with(product_scale_rule::own, 1, 1) == 1);
        const gate clamped{.b_scale = 0.0625, .last = out, .clamped = true};
        CHECK(clamped.run_with(product_scale_rule::shared, 1, 1) == 1);
        CHECK(takes_another_scale(clamped.graph(), 6) == false);
    }
    // g = 2 at scale 0.5 times u = 8 at scale 2: both codes are 4.
    const gate two{.a_scale = 0.5, .b_scale = 2};
    CHECK(two.run_with(product_scale_rule::own, 2, 8) == 16);
    CHECK(two.run_with(product_scale_rule::shared, 2, 8) == 4);
    const gate other{.a_scale = 0.5, .b_scale = 2, .b_first = true};
    CHECK(other.run_with(product_scale_rule::shared, 2, 8) == 64);
    const gate equal{.a_scale = 0.5, .b_scale = 0.5};
    CHECK(equal.run_with(product_scale_rule::shared, 2, 8) == 16);
}
