// Compressed weights in graphs: both backends run what the stored bytes stand for.

#include "byte_runs.hpp"
#include <anemone/numerics/matmul.hpp>
#include <anemone/numerics/quantization.hpp>
#include <anemone/ops/quantization.hpp>
#include <anemone/targets/table.hpp>
#include <anemone/weights/encode.hpp>
#include <anemone/weights/fold_constants.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

using namespace composing;

namespace {

struct product_model {
    op kind = op::linear;
    extents x{4, 24};
    extents w{6, 24};
    const compression* form = nullptr;
    bool left = false; ///< matmul only: the weight is the left operand

    dynamic_graph graph() const {
        composer c;
        const int in = c.input(x);
        const int plain = c.weight(w);
        const int weight = form == nullptr ? plain : c.add(op::compressed, *form, {plain});
        const int a = left ? weight : in;
        const int b = left ? in : weight;
        switch (kind) {
        case op::conv2d: c.output(c.add(kind, conv{.padding = padding2{1}}, {a, b})); break;
        case op::conv_transpose2d: c.output(c.add(kind, conv_transpose{}, {a, b})); break;
        case op::matmul: c.output(c.add(kind, transposed{.b = !left}, {a, b})); break;
        default: c.output(c.add(kind, no_attributes{}, {a, b})); break;
        }
        return c.finish();
    }
    weight_store weights(const std::vector<half>& values) const {
        weight_store store;
        store.add("weight.1", w, std::span<const half>(values));
        return store;
    }
};

const compression stored_forms[] = {palette<4>,
                                    palette<6, 2>,
                                    palette<8>,
                                    sparse,
                                    affine_int8,
                                    blockwise<8>,
                                    blockwise<4, 4>,
                                    {.form = weight_form::affine, .bits = 8, .zero_point = true},
                                    {.form = weight_form::sparse_palette, .bits = 4},
                                    {.form = weight_form::sparse_blockwise, .bits = 8, .block = 12}};

} // namespace

TEST_CASE("both backends run the values that a stored form stands for") {
    random_engine random(20261121);
    for (const compression& form : stored_forms) {
        CAPTURE(std::string(name(form.form)));
        for (const op kind : {op::linear, op::matmul, op::conv2d, op::conv_transpose2d}) {
            CAPTURE(std::string(name(kind)));
            product_model m{.kind = kind};
            if (kind == op::conv2d || kind == op::conv_transpose2d) {
                m.x = {2, 4, 5, 5};
                m.w = kind == op::conv2d ? extents{6, 4, 3, 2} : extents{4, 6, 2, 2};
            }
            const auto x = bytes_of(gaussian(random, static_cast<std::size_t>(m.x.count()), 1));
            const auto w = gaussian(random, static_cast<std::size_t>(m.w.count()), 0.5);
            const std::vector<half> decoded = stored_values(w, m.w, form);
            CHECK((form.form != weight_form::sparse || patterns(decoded) == patterns(w)));
            product_model dense = m;
            m.form = &form;
            CHECK(patterns(run(ane::backend::cpu{}, m.graph(), m.weights(w), {x})[0]) ==
                  patterns(run(ane::backend::cpu{}, dense.graph(), dense.weights(decoded), {x})[0]));
            for (const target t : {h13, h16, h18}) {
                numerics::datapath expanding = numerics::datapath_of(t); // scales that follow the sum: a test below
                expanding.weight_scale = numerics::scale_rule::before_products;
                CHECK(patterns(run(ane::backend::oracle{expanding}, m.graph(), m.weights(w), {x})[0]) ==
                      patterns(run(ane::backend::oracle{t}, dense.graph(), dense.weights(decoded), {x})[0]));
            }
        }
    }
}

TEST_CASE("a compressed weight as an output, folded, and as the operand of an elementwise operation") {
    random_engine random(2);
    const auto w = gaussian(random, 32, 1);
    const auto x = gaussian(random, 32, 1);
    composer c;
    const int in = c.input({4, 8});
    const int stored = c.add(op::compressed, compression{palette<2>}, {c.weight({4, 8})});
    c.output(stored);
    c.output(c.add(op::add, {in, c.add(op::mul, {stored, stored})})); // the square is folded
    const dynamic_graph g = c.finish();
    weight_store store;
    store.add("weight.1", {4, 8}, std::span<const half>(w));
    const std::vector<half> decoded = stored_values(w, {4, 8}, palette<2>);
    const auto hold = [&](const auto& on) {
        const auto y = run(on, g, store, {bytes_of(x)});
        CHECK(patterns(y[0]) == patterns(decoded));
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double square =
                static_cast<double>(half(static_cast<double>(decoded[i]) * static_cast<double>(decoded[i])));
            CHECK(static_cast<double>(y[1][i]) == doctest::Approx(static_cast<double>(x[i]) + square).epsilon(1e-3));
        }
    };
    hold(ane::backend::cpu{});
    hold(ane::backend::oracle{h13});
}

TEST_CASE("N137: an int8 convolution is off by about 0.6 %") {
    random_engine random(137);
    product_model m{.kind = op::conv2d, .x = {1, 32, 12, 12}, .w = {32, 32, 3, 3}};
    const auto x = gaussian(random, static_cast<std::size_t>(m.x.count()), 1);
    const auto w = gaussian(random, static_cast<std::size_t>(m.w.count()), 0.1);
    const compression int8 = affine_int8;
    product_model quantized = m;
    quantized.form = &int8;
    // The reference: in double, on the weights as they are given.
    std::vector<double> want;
    for (int o = 0; o < 32; ++o) {
        for (int p = 0; p < 144; ++p) {
            double sum = 0;
            for (int k = 0; k < 32 * 9; ++k) {
                const int y = p / 12 + k / 3 % 3 - 1;
                const int z = p % 12 + k % 3 - 1;
                if (y >= 0 && y < 12 && z >= 0 && z < 12) {
                    sum += static_cast<double>(w[static_cast<std::size_t>(o * 288 + k)]) *
                           static_cast<double>(x[static_cast<std::size_t>((k / 9 * 12 + y) * 12 + z)]);
                }
            }
            want.push_back(sum);
        }
    }
    const auto got = run(ane::backend::oracle{h13}, quantized.graph(), quantized.weights(w), {bytes_of(x)})[0];
    double error = 0;
    double squares = 0;
    double others = 0;
    double both = 0;
    for (std::size_t i = 0; i < want.size(); ++i) {
        const auto y = static_cast<double>(got[i]);
        error += (y - want[i]) * (y - want[i]);
        squares += want[i] * want[i];
        others += y * y;
        both += y * want[i];
    }
    const double relative = std::sqrt(error / squares);
    MESSAGE("relative error of int8 weights: ", relative);
    CHECK(relative > 0.003);
    CHECK(relative < 0.01); // chapter 3 says 0.6 %, chapter 7 about 1 %
    CHECK(both / std::sqrt(squares * others) > 0.9999);
}

namespace {

/// The 32 terms whose sum was measured on an M5 Pro (N208): codes of 4 bits, of scale 0.007476806640625, and inputs.
constexpr double riddle_scale = 0.007476806640625;
constexpr double riddle_result = -0.05987548828125;
constexpr int riddle_codes[] = {2, -2, 4, -7, 1, 0, -6, -3, 3, 1, -6, 0, -2, -6, -6, 1,
                                5, 5,  5, 6,  7, 3, -8, -1, 1, 2, -3, 4, -2, 0,  2,  -7};
constexpr double riddle_inputs[] = {
    -0.1640625, -0.02734375, 0.01953125,  0.09765625,  -0.0078125,  0.0234375,   0.0703125,  0.0234375,
    -0.1328125, 0.0390625,   -0.02734375, 0.0234375,   0.03125,     0.109375,    0.0390625,  0.00390625,
    0.02734375, 0.02734375,  -0.06640625, -0.02734375, -0.10546875, -0.32421875, 0.234375,   -0.02734375,
    -0.03125,   -0.09375,    0.05859375,  -0.0625,     -0.03515625, 0.0703125,   0.01171875, 0.1640625};

} // namespace

TEST_CASE("N208: the scale of a weight of codes follows the sum, on M5; M1 expands the weight") {
    // Exactly -2049/256, a tie of fp16: rounded away from zero, then times the scale.
    double sum = 0;
    double expanded = 0;
    for (int i = 0; i < 32; ++i) {
        sum += riddle_codes[i] * riddle_inputs[i];
        expanded += static_cast<double>(half(riddle_codes[i] * riddle_scale)) * riddle_inputs[i];
    }
    REQUIRE(sum == -2049.0 / 256);
    REQUIRE(expanded == -1004010 * 0x1p-24); // which fp16 has as -0.0598449 or -0.0598145
    REQUIRE(static_cast<double>(half(-8.0078125 * riddle_scale)) == riddle_result);
    std::vector<half> x;
    std::vector<half> w;
    for (int i = 0; i < 32; ++i) {
        x.emplace_back(riddle_inputs[i]);
        w.emplace_back(riddle_codes[i] * riddle_scale);
    }
    const numerics::datapath m5 = numerics::datapath_of(h17s);
    std::vector<half> codes;
    for (const int q : riddle_codes) {
        codes.emplace_back(static_cast<double>(q));
    }
    half y;
    const numerics::matmul_shape shape{.m = 1, .n = 1, .k = 32, .transpose_b = true};
    numerics::matmul(m5, shape, x.data(), codes.data(), nullptr, &y);
    CHECK(static_cast<double>(y) == -8.0078125);
    CHECK(static_cast<double>(numerics::scale_after_sum(m5, y, riddle_scale, half{})) == riddle_result);
    // Through a graph: a palette of sixteen codes times the scale, as a file of others has it.
    std::vector<half> both = w;
    for (int q = -8; q < 8; ++q) { // a second channel, so that the table has every code
        both.emplace_back(q * riddle_scale);
        both.emplace_back(q * riddle_scale);
    }
    composer c;
    const int in = c.input({1, 32});
    c.output(c.add(op::linear, {in, c.add(op::compressed, compression{palette<4>}, {c.weight({2, 32})})}));
    const dynamic_graph g = c.finish();
    weight_store store;
    store.add("weight.1", {2, 32}, std::span<const half>(both));
    const auto on = [&](target t, layer_forms layers) {
        return static_cast<double>(run(ane::backend::oracle(t).layers(layers), g, store, {bytes_of(x)})[0][0]);
    };
    CHECK(on(h17s, layer_forms::own) == riddle_result);
    CHECK(on(h13, layer_forms::own) == doctest::Approx(-0.059906).epsilon(1e-5));
    CHECK(on(h17s, layer_forms::safe) == on(h13, layer_forms::own)); // we write its values
    // The register of what the weights stand for, as A13 has it, gives another.
    numerics::matmul(m5, shape, x.data(), w.data(), nullptr, &y);
    CHECK(static_cast<double>(y) == doctest::Approx(-0.059906).epsilon(1e-5));
}

TEST_CASE("palettes of codes: the largest scale, or none") {
    const auto scale_of = [](const std::vector<double>& values, int bits) {
        std::vector<half> w;
        for (const double v : values) {
            w.emplace_back(v);
        }
        const compression form{.form = weight_form::palette, .bits = bits};
        const auto scale = scale_of_palette(encode_weight(w, {1, static_cast<std::int64_t>(w.size())}, form));
        return scale ? static_cast<double>(*scale) : 0.0;
    };
    CHECK(scale_of({0.5, -1, 1.5, 0, 2}, 4) == 0.5);
    CHECK(scale_of({1, 1.5}, 4) == 0.5); // 2 and 3
    CHECK(scale_of({-8 * 0.0625, 7 * 0.0625}, 4) == 0.0625);
    CHECK(scale_of({9 * 0.0625, 0.0625}, 4) == 0); // 9 is no code of 4 bits
    CHECK(scale_of({9 * 0.0625, 0.0625}, 8) == 0.0625);
    CHECK(scale_of({0.1, 0.2718, 0.3141, -0.5772}, 4) == 0);
    CHECK(scale_of({0, 0}, 4) == 0);
    CHECK_FALSE(scale_of_palette(encode_weight({}, {0, 4}, affine_int8)).has_value());
}

TEST_CASE("N208, N203: products with codes are fp16(fp16(sum of codes) scale + bias), channel by channel") {
    const auto away = [](double v) { // fp16, ties away from zero; of normal numbers
        int exponent = 0;
        std::frexp(v, &exponent);
        const double unit = std::ldexp(1.0, exponent - 11);
        return std::copysign(std::floor(std::fabs(v) / unit + 0.5), v) * unit;
    };
    random_engine random(208);
    int differ = 0;                                                     // from products of the expanded weights
    constexpr double scales[] = {0.009765625, 0.01171875, 0.005859375}; // times 127 they are fp16
    for (const int bits : {8, 4}) {
        for (const bool window : {false, true}) {
            CAPTURE(bits);
            CAPTURE(window);
            const int last = bits == 8 ? 127 : 7;
            const extents in = window ? extents{2, 40, 1, 3} : extents{6, 40};
            const extents weight = window ? extents{3, 40, 1, 1} : extents{3, 40};
            std::vector<int> q(120);
            std::vector<half> w;
            std::uniform_int_distribution<int> code(-last, last);
            for (std::size_t i = 0; i < q.size(); ++i) {
                q[i] = i % 40 == 7 ? last : code(random);
                w.emplace_back(q[i] * scales[i / 40]);
            }
            std::vector<half> x;
            std::uniform_int_distribution<int> numerator(-255, 255);
            for (int i = 0; i < 240; ++i) {
                x.emplace_back(numerator(random) / 256.0);
            }
            const double bias[] = {0.25, -1.5, 3};
            composer c;
            const int from = c.input(in);
            const int plain = c.weight(weight);
            const int stored = c.add(op::compressed, compression{.form = weight_form::affine, .bits = bits}, {plain});
            const int product = window ? c.add(op::conv2d, conv{}, {from, stored}) : c.add(op::linear, {from, stored});
            const int start = c.constant(window ? extents{3, 1, 1} : extents{3}, {0.25F, -1.5F, 3});
            c.output(c.add(op::add, {product, start}));
            weight_store store;
            store.add("weight.1", weight, std::span<const half>(w));
            const dynamic_graph g = c.finish();
            const auto on = [&](target t, layer_forms layers) {
                return run(ane::backend::oracle(t).layers(layers), g, store, {bytes_of(x)})[0];
            };
            for (const target t : {h14, h16, h17s, h18}) {
                const auto y = on(t, layer_forms::own);
                const auto written = on(t, layer_forms::safe);
                const auto expanded = on(h13, layer_forms::own);
                for (std::size_t i = 0; i < y.size(); ++i) {
                    const std::size_t channel = window ? i / 3 % 3 : i % 3;
                    double sum = 0;
                    for (std::size_t k = 0; k < 40; ++k) {
                        const std::size_t at = window ? i / 9 * 120 + k * 3 + i % 3 : i / 3 * 40 + k;
                        sum += q[channel * 40 + k] * static_cast<double>(x[at]);
                    }
                    CHECK(static_cast<double>(y[i]) == away(away(sum) * scales[channel] + bias[channel]));
                    differ += y[i] != expanded[i] ? 1 : 0;
                }
                // What is written for the engine holds codes of 8 bits; those of 4 as fp16.
                CHECK(patterns(written) == patterns(bits == 8 ? y : expanded));
            }
        }
    }
    CHECK(differ > 0);
}

TEST_CASE("N076, N077: activations above 4094 are infinite before weights of 8-bit integers, on M1, M2 and M5") {
    const compression int4{.form = weight_form::affine, .bits = 4};
    for (const target t : {h13, h14, h17s}) {
        CAPTURE(std::string(name(t)));
        for (const op kind : {op::linear, op::matmul, op::conv2d, op::conv_transpose2d}) {
            CAPTURE(std::string(name(kind)));
            for (const double scale : {0.0078125, 0.5}) { // invariant to the scale of the weights
                product_model m{.kind = kind};
                if (kind == op::conv2d || kind == op::conv_transpose2d) {
                    m.x = {1, 2, 3, 3};
                    m.w = kind == op::conv2d ? extents{2, 2, 3, 3} : extents{2, 2, 1, 1};
                }
                const auto first_result = [&](double activation, const compression& form) {
                    std::vector<half> x(static_cast<std::size_t>(m.x.count()));
                    x[0] = half(activation);
                    m.form = &form;
                    const std::vector<half> w(static_cast<std::size_t>(m.w.count()), half(scale));
                    return static_cast<double>(
                        run(ane::backend::oracle{t}, m.graph(), m.weights(w), {bytes_of(x)})[0][0]);
                };
                CHECK(std::isfinite(first_result(4094, affine_int8)));
                if (kind == op::conv_transpose2d) { // its weights are written as the fp16 values that they stand for
                    CHECK(std::isfinite(first_result(4096, affine_int8)));
                } else {
                    CHECK(first_result(4096, affine_int8) == INFINITY);
                    CHECK(first_result(-4096, affine_int8) == -INFINITY);
                }
                CHECK(std::isfinite(first_result(4096, palette<8>)));
                CHECK(std::isfinite(first_result(4096, int4)));
                CHECK(std::isfinite(first_result(4096, sparse)));
            }
        }
        // Only the sums that it has a part in, with a weight that is not zero.
        const product_model rows{.x = {3, 2}, .w = {2, 2}, .form = &affine_int8};
        const auto y =
            run(ane::backend::oracle{t}, rows.graph(), rows.weights({half(0.5), half(-0.5), half(0.5), half(0.0)}),
                {bytes_of({half(1.0), half(2.0), half(2.0), half(5000.0), half(4.0), half(-4.0)})})[0];
        CHECK(y[0] == half(-0.5));
        CHECK(y[1] == half(0.5));
        CHECK(y[2] == half::from_bits(0xFC00));
        CHECK(y[3] == half(1.0));
        CHECK(y[4] == half(4.0));
        // The weight on the left of a product is written as fp16, too.
        product_model m{.kind = op::matmul, .x = {4, 3}, .w = {2, 4}, .form = &affine_int8, .left = true};
        const std::vector<half> w(8, half(0.5));
        CHECK(run(ane::backend::oracle{t}, m.graph(), m.weights(w),
                  {bytes_of(std::vector<half>(12, half(4096.0)))})[0][0] == half(4 * 4096 * 0.5));
    }
}
