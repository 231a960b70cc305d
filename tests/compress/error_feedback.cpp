#include <anemone/compress/error_feedback.hpp>
#include <anemone/compress/moments.hpp>
#include <anemone/dynamic_builder.hpp>
#include <anemone/ops/quantization.hpp>
#include <anemone/weights/encode.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <vector>

using namespace ane;
using compress::moments;
using compress::weight_matrix;

namespace {

std::vector<half> normal_values(std::size_t count, unsigned seed, double scale) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal(0, scale);
    std::vector<half> values(count);
    for (half& v : values) {
        v = half(normal(random));
    }
    return values;
}

/// Rows that depend on each other, as activations do: few directions carry most.
std::vector<half> dependent_rows(std::size_t rows, std::size_t columns, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    std::vector<half> values(rows * columns);
    for (std::size_t r = 0; r < rows; ++r) {
        const double shared = normal(random);
        const double other = normal(random);
        for (std::size_t c = 0; c < columns; ++c) {
            const double x = shared + (c % 3 == 0 ? other : 0) + 0.3 * normal(random);
            values[r * columns + c] = half(x > 0 ? x : 0);
        }
    }
    return values;
}

dynamic_graph linear_model(std::int64_t rows, std::int64_t out, std::int64_t in) {
    dynamic_builder g;
    g.output("y", g.add(op::linear, {g.input("x", {rows, in}), g.weight("w", {out, in})}));
    return g.finish();
}
int reader_in(const graph_view& g, op kind) {
    for (int i = 0; i < g.size(); ++i) {
        if (g[i].kind == kind) {
            return i;
        }
    }
    return -1;
}

/// |X (a - b)^T|^2 from the sums themselves.
double sums_moved(const std::vector<half>& x, const std::vector<half>& a, const std::vector<half>& b,
                  std::size_t columns) {
    double total = 0;
    for (std::size_t r = 0; r + columns <= x.size(); r += columns) {
        for (std::size_t o = 0; o + columns <= a.size(); o += columns) {
            double sum = 0;
            for (std::size_t c = 0; c < columns; ++c) {
                sum += static_cast<double>(x[r + c]) * (static_cast<double>(a[o + c]) - static_cast<double>(b[o + c]));
            }
            total += sum * sum;
        }
    }
    return total;
}

} // namespace

TEST_CASE("moments: the energy of a difference is that of the sums, for a linear layer") {
    const dynamic_graph g = linear_model(7, 5, 6);
    const int reader = reader_in(g, op::linear);
    const weight_matrix layout = compress::matrix_of(g, reader);
    CHECK(layout.rows == 5);
    CHECK(layout.columns == 6);
    const auto x = dependent_rows(7, 6, 3);
    const auto a = normal_values(30, 1, 0.5);
    const auto b = normal_values(30, 2, 0.5);
    moments m = compress::no_moments(layout);
    compress::add_moments(m, g, reader, x);
    compress::complete(m);
    std::vector<double> d;
    for (std::size_t i = 0; i < a.size(); ++i) {
        d.push_back(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    }
    CHECK(compress::output_energy(m, layout, d) == doctest::Approx(sums_moved(x, a, b, 6)).epsilon(1e-12));
}

TEST_CASE("moments: of a convolution with groups, stride, dilation and padding, against the definition of its sums") {
    dynamic_builder b;
    const conv attributes{.stride = {2, 1}, .dilation = {1, 2}, .padding = padding2(1, 0, 2, 1), .groups = 2};
    b.output("y", b.add(op::conv2d, {b.input("x", {2, 4, 5, 6}), b.weight("w", {6, 2, 2, 3})}, attributes));
    const dynamic_graph made = b.finish();
    const graph_view g = made;
    const int reader = reader_in(g, op::conv2d);
    const weight_matrix layout = compress::matrix_of(g, reader);
    CHECK(layout.rows == 6);
    CHECK(layout.columns == 12);
    CHECK(layout.groups == 2);
    const auto x = normal_values(2 * 4 * 5 * 6, 5, 1);
    const auto w = normal_values(6 * 12, 6, 1);
    moments m = compress::no_moments(layout);
    compress::add_moments(m, g, reader, x);
    compress::complete(m);
    std::vector<double> weights;
    for (const half h : w) {
        weights.push_back(static_cast<double>(h));
    }
    double energy = 0; // of the convolution's results, from its definition
    const extents& y = g[reader].shape;
    for (std::int64_t n = 0; n < y[0]; ++n) {
        for (std::int64_t o = 0; o < y[1]; ++o) {
            for (std::int64_t p = 0; p < y[2]; ++p) {
                for (std::int64_t q = 0; q < y[3]; ++q) {
                    double sum = 0;
                    for (std::int64_t c = 0; c < 2; ++c) {
                        for (std::int64_t i = 0; i < 2; ++i) {
                            for (std::int64_t j = 0; j < 3; ++j) {
                                const std::int64_t row = 2 * p + i - 1;
                                const std::int64_t column = q + 2 * j - 2;
                                if (row < 0 || row >= 5 || column < 0 || column >= 6) {
                                    continue;
                                }
                                const std::int64_t channel = o / 3 * 2 + c;
                                sum += static_cast<double>(
                                           x[static_cast<std::size_t>(((n * 4 + channel) * 5 + row) * 6 + column)]) *
                                       weights[static_cast<std::size_t>(((o * 2 + c) * 2 + i) * 3 + j)];
                            }
                        }
                    }
                    energy += sum * sum;
                }
            }
        }
    }
    CHECK(compress::output_energy(m, layout, weights) == doctest::Approx(energy).epsilon(1e-12));
}

TEST_CASE("moments: products that are not read as one matrix are not known") {
    dynamic_builder g;
    auto a = g.input("a", {2, 3, 4});
    g.output("y", g.add(op::matmul, {a, g.weight("w", {2, 4, 5})}));
    const dynamic_graph made = g.finish();
    CHECK(!compress::matrix_of(made, reader_in(made, op::matmul)).known());
    CHECK(!compress::matrix_of(made, reader_in(made, op::input)).known());
}

TEST_CASE(
    "error feedback: what it chooses encodes to itself, and moves the sums less than rounding, on what it learnt from "
    "and on other rows") {
    constexpr std::size_t columns = 48;
    constexpr std::size_t outputs = 20;
    const dynamic_graph g = linear_model(300, outputs, columns);
    const int reader = reader_in(g, op::linear);
    const weight_matrix layout = compress::matrix_of(g, reader);
    const extents shape{outputs, columns};
    for (const compression& form :
         {compression(affine_int8), compression(palette<4>), compression(palette<2>), compression(palette<8>),
          compression(blockwise<16>), compression(blockwise<16, 4>)}) {
        CAPTURE(name(form.form));
        CAPTURE(form.bits);
        double nearest = 0;
        double fed = 0;
        double nearest_fresh = 0;
        double fed_fresh = 0;
        for (unsigned seed = 1; seed <= 6; ++seed) {
            CAPTURE(seed);
            const auto x = dependent_rows(300, columns, seed);
            const auto fresh = dependent_rows(300, columns, seed + 100);
            const auto w = normal_values(outputs * columns, seed + 50, 0.1);
            moments m = compress::no_moments(layout);
            compress::add_moments(m, g, reader, x);
            compress::complete(m);
            const auto basis = compress::feedback_basis_of(m);
            const auto given = compress::with_error_feedback(w, shape, form, layout, basis);
            REQUIRE(given);
            const std::vector<half> stored = stored_values(*given, shape, form);
            CHECK(compress::with_error_feedback(w, shape, form, layout, basis) == given); // deterministic
            const std::vector<half> rounded = stored_values(w, shape, form);
            nearest += sums_moved(x, rounded, w, columns);
            fed += sums_moved(x, stored, w, columns);
            nearest_fresh += sums_moved(fresh, rounded, w, columns);
            fed_fresh += sums_moved(fresh, stored, w, columns);
        }
        CHECK(fed <= nearest);
        CHECK(fed < 0.6 * nearest);
        CHECK(fed_fresh < 0.7 * nearest_fresh);
    }
}

TEST_CASE("error feedback: grids keep their scales, also where these are subnormal, and zeros stay zeros") {
    constexpr std::size_t columns = 16;
    const dynamic_graph g = linear_model(100, 4, columns);
    const int reader = reader_in(g, op::linear);
    const weight_matrix layout = compress::matrix_of(g, reader);
    moments m = compress::no_moments(layout);
    compress::add_moments(m, g, reader, dependent_rows(100, columns, 9));
    compress::complete(m);
    const auto basis = compress::feedback_basis_of(m);
    std::vector<half> w = normal_values(4 * columns, 8, 0.2);
    for (std::size_t i = 0; i < columns; ++i) {
        w[columns + i] = half{};                                                   // a row of zeros
        w[2 * columns + i] = half(static_cast<double>(w[2 * columns + i]) * 1e-4); // and one of a subnormal scale
    }
    for (const compression& form : {compression(affine_int8), compression(blockwise<16, 4>)}) {
        const auto given = compress::with_error_feedback(w, {4, columns}, form, layout, basis);
        REQUIRE(given);
        CHECK(encode_weight(*given, {4, columns}, form).scales == encode_weight(w, {4, columns}, form).scales);
        for (std::size_t i = 0; i < columns; ++i) {
            CHECK(static_cast<double>((*given)[columns + i]) == 0);
        }
    }
}

TEST_CASE("error feedback: there is none for forms without a grid of their own, nor without activations") {
    const dynamic_graph g = linear_model(3, 2, 4);
    const int reader = reader_in(g, op::linear);
    const weight_matrix layout = compress::matrix_of(g, reader);
    moments m = compress::no_moments(layout);
    CHECK(!compress::feedback_basis_of(m).known()); // nothing but zeros
    compress::add_moments(m, g, reader, dependent_rows(3, 4, 1));
    compress::complete(m);
    const auto basis = compress::feedback_basis_of(m);
    const auto w = normal_values(8, 1, 1);
    CHECK(compress::with_error_feedback(w, {2, 4}, palette<4>, layout, basis));
    CHECK(!compress::with_error_feedback(w, {2, 4}, sparse, layout, basis));
    CHECK(!compress::with_error_feedback(w, {2, 4}, palette<4, 2>, layout, basis));
    CHECK(!compress::with_error_feedback(w, {2, 4}, {.form = weight_form::affine, .bits = 8, .zero_point = true},
                                         layout, basis));
    CHECK(!compress::with_error_feedback(w, {2, 4}, palette<4>, layout, {}));
}
