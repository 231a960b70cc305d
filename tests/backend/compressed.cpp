// Compressed weights in graphs: both backends run what the stored bytes stand for.

#include "byte_runs.hpp"
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
                CHECK(patterns(run(ane::backend::oracle{t}, m.graph(), m.weights(w), {x})[0]) ==
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
