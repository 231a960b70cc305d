// The error envelope: closed forms, the published curve, and the accumulator itself on random operands.

#include "../sanitized.hpp"
#include <anemone/analysis/error_envelope.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/build.hpp>
#include <anemone/numerics/accumulator.hpp>
#include <anemone/numerics/matmul.hpp>
#include <anemone/numerics/quantization.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/passes/lowering.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

using namespace ane;

namespace {

/// A product of operands of this spread, without a bias.
contraction_error product(const spread& x, const spread& w, double terms, int scale = 0) {
    return detail::expected_error({x, w, {}, terms}, {}, scale);
}

/// x [m, k] w [n, k]^T, plus a bias if it is promised anything.
dynamic_graph layer(std::int64_t m, std::int64_t n, std::int64_t k, contract x, contract w, bool biased = false,
                    contract b = {}) {
    dynamic_graph g;
    const auto declare = [&g](op kind, std::string_view name, const extents& shape, contract promise) {
        node source;
        source.kind = kind;
        source.shape = shape;
        source.attributes = promise;
        source.name = g.intern(name);
        return g.append(source, {});
    };
    std::vector<int> operands{declare(op::input, "x", {m, k}, x), declare(op::weight, "w", {n, k}, w)};
    if (biased) {
        operands.push_back(declare(op::weight, "b", {n}, b));
    }
    node y;
    y.kind = op::linear;
    y.shape = {m, n};
    g.add_output(g.append(y, operands), "y");
    return g;
}

/// fp16 values drawn as a contract says: Gaussian within the range where a deviation is declared, else uniform.
std::vector<half> draw(const contract& c, std::size_t count, std::mt19937& random) {
    std::normal_distribution<double> normal(0, c.deviation > 0 ? c.deviation : 1);
    std::uniform_real_distribution<double> flat(c.low, c.high);
    std::vector<half> values(count);
    for (half& h : values) {
        double v = c.deviation > 0 ? normal(random) : flat(random);
        v = v < c.low ? c.low : (v > c.high ? c.high : v);
        h = half(v);
    }
    return values;
}

double root_mean_square(const std::vector<double>& v) {
    double sum = 0;
    for (const double x : v) {
        sum += x * x;
    }
    return std::sqrt(sum / static_cast<double>(v.size()));
}

} // namespace

TEST_CASE("the root in constant expressions") {
    CHECK(detail::positive_root(0) == 0);
    CHECK(detail::positive_root(-1) == 0);
    for (const double x : {1e-300, 3e-40, 0.5, 0.99999, 1.0, 2.0, 3.7, 4.0, 1e30}) {
        CHECK(detail::positive_root(x) == doctest::Approx(std::sqrt(x)).scale(0).epsilon(1e-14));
    }
}

TEST_CASE("partial moments of the half normal against the library's error function") {
    for (const double t : {1e-3, 0.1, 0.7, 1.0, 2.5, 4.0, 5.9, 7.0}) {
        CAPTURE(t);
        const detail::partial_moments m = detail::half_normal(t);
        const double density = std::sqrt(2 / std::acos(-1.0)) * std::exp(-t * t / 2);
        CHECK(m.mass == doctest::Approx(std::erf(t / std::sqrt(2.0))).scale(0).epsilon(1e-7));
        CHECK(m.first ==
              doctest::Approx(-std::sqrt(2 / std::acos(-1.0)) * std::expm1(-t * t / 2)).scale(0).epsilon(1e-7));
        if (t >= 0.1) { // the closed form cancels below
            CHECK(m.second == doctest::Approx(std::erf(t / std::sqrt(2.0)) - t * density).scale(0).epsilon(1e-6));
        }
    }
}

TEST_CASE("binades hold the whole distribution") {
    spread cut = gaussian_spread(0.3);
    cut.form = spread_form::rectified;
    for (const spread& s : {uniform_spread(-1, 3), uniform_spread(0.001, 0.002), uniform_spread(-5, -4),
                            uniform_spread(0.25, 0.25), gaussian_spread(1e-3), gaussian_spread(7), cut}) {
        CAPTURE(s.low);
        CAPTURE(s.deviation);
        const binade_moments b(s);
        double mass = 0;
        double first = 0;
        double second = 0;
        for (const auto& m : b.place) {
            mass += m.mass;
            first += m.first;
            second += m.second;
        }
        CHECK(mass == doctest::Approx(1));
        CHECK(first == doctest::Approx(s.mean()).scale(s.deviation));
        CHECK(second == doctest::Approx(s.square()).scale(0));
    }
    const binade_moments flat(uniform_spread(0, 1));
    CHECK(flat.place[14].mass == doctest::Approx(0.5)); // [1/2, 1)
    CHECK(flat.place[13].mass == doctest::Approx(0.25).scale(0));
    CHECK(flat.place[13].second == doctest::Approx((0.125 - 1.0 / 64) / 3).scale(0));
}

TEST_CASE("the published error of a matrix product against K follows from the model") {
    // N160-N165 (M5 Pro, M6) and the M1 figures of numerics-datapath section 1: operands of deviation 1 / sqrt(K).
    const double published[][2] = {{256, 0.00125},   {512, 0.002578}, {1024, 0.005528}, {2048, 0.012132},
                                   {4096, 0.027238}, {6144, 0.04399}, {8192, 0.06164}};
    for (const auto& row : published) {
        const double k = row[0];
        CAPTURE(k);
        const spread s = gaussian_spread(1 / std::sqrt(k));
        CHECK(product(s, s, k).expected_relative() == doctest::Approx(row[1]).epsilon(0.02).scale(0));
    }
}

TEST_CASE("products far above the quantum lose only the rounding of the result") {
    const contraction_error e = product(gaussian_spread(1), gaussian_spread(1), 256);
    CHECK(e.dropped < 1e-3);
    CHECK(e.products == doctest::Approx(16 * 0x1p-16 / std::sqrt(12.0)).epsilon(0.01).scale(0));
    CHECK(e.rounding / e.result == doctest::Approx(2.1e-4).epsilon(0.05).scale(0)); // half an ulp, root mean square
}

TEST_CASE("products of one sign that are dropped add up") {
    // Every product is 2^-18: all vanish, and the error is the result.
    const contraction_error e = product(uniform_spread(0x1p-9, 0x1p-9), uniform_spread(0x1p-9, 0x1p-9), 1024);
    CHECK(e.dropped == doctest::Approx(1));
    CHECK(e.products == doctest::Approx(1024 * 0x1p-18).scale(0));
    CHECK(e.expected_relative() == doctest::Approx(1));
    // With a factor of four they are one quantum each, and exact.
    CHECK(product(uniform_spread(0x1p-9, 0x1p-9), uniform_spread(0x1p-9, 0x1p-9), 1024, 2).dropped == 0);
}

TEST_CASE("the worst error of one product, by brute force over exponents and significands") {
    const auto brute = [](double low_x, double high_x, double low_w, double high_w, const numerics::datapath& path) {
        double worst = 0;
        for (int a = 1; a < 0x7C00; a += 61) {
            for (int b = 1; b < 0x7C00; b += 61) {
                // Steps of 61, and always the last significand of each binade.
                for (const int extra : {0, 1023}) {
                    const half x = half::from_bits(static_cast<std::uint16_t>(extra != 0 ? a | 1023 : a));
                    const half w = half::from_bits(static_cast<std::uint16_t>(extra != 0 ? b | 1023 : b));
                    const auto u = static_cast<double>(x);
                    const auto v = static_cast<double>(w);
                    if (u < low_x || u > high_x || v < low_w || v > high_w) {
                        continue;
                    }
                    if (u * v < 30000) {
                        numerics::accumulator sum(path);
                        sum.multiply_add(x, w);
                        worst = std::fmax(worst, std::fabs(static_cast<double>(sum.raw()) * 0x1p-16 - u * v));
                    }
                }
            }
        }
        return worst;
    };
    const double cases[][4] = {{0, 65504, 0, 65504}, {0, 0.001, 0, 0.001}, {0, 1, 0, 0x1p-12},
                               {1, 2, 1, 2},         {0, 1e-4, 0, 8},      {0.1, 0.2, 0, 1e-4}};
    numerics::datapath flushing;
    flushing.mac_keeps_subnormals = false;
    for (const auto& c : cases) {
        CAPTURE(c[1]);
        CAPTURE(c[3]);
        for (const numerics::datapath& path : {numerics::datapath{}, flushing}) {
            const double bound = worst_error_of_product({c[0], c[1], true}, {c[2], c[3], true}, path);
            const double found = brute(c[0], c[1], c[2], c[3], path);
            CHECK(found <= bound);
            CHECK(bound <= std::fmax(0x1p-17, 2.5 * found));
            if (path.mac_keeps_subnormals) {
                CHECK(bound < 0x1p-15);
            }
        }
    }
}

TEST_CASE("random data inside the contracts: below the worst, and within a factor of two of the expected") {
    const unsigned seed = 20;
    CAPTURE(seed);
    std::mt19937 random(seed);
    const contract promises[] = {bounded(1),
                                 bounded(0.05),
                                 bounded(0.004),
                                 within(0, 0.01),
                                 within(0, 1),
                                 within(-0.1, 0.3),
                                 bounded(0.5) & deviating(0.06),
                                 bounded(8) & deviating(1.0),
                                 bounded(0.05) & deviating(0.008)};
    constexpr std::int64_t m = 8;
    constexpr std::int64_t n = 64;
    for (const contract& x : promises) {
        for (const contract& w : promises) {
            for (const std::int64_t k : {1, 7, 64, sanitized ? 65 : 700}) {
                for (const bool biased : {false, true}) {
                    CAPTURE(x.low);
                    CAPTURE(x.high);
                    CAPTURE(w.low);
                    CAPTURE(w.high);
                    CAPTURE(k);
                    CAPTURE(biased);
                    const contract b = bounded(0.25);
                    const dynamic_graph g = layer(m, n, k, x, w, biased, b);
                    const contraction_error e = error_envelope(g).at(0);
                    CHECK(e.terms == k);
                    const auto xs = draw(x, static_cast<std::size_t>(m * k), random);
                    const auto ws = draw(w, static_cast<std::size_t>(n * k), random);
                    const auto bs = draw(b, static_cast<std::size_t>(n), random);
                    std::vector<half> out(static_cast<std::size_t>(m * n));
                    numerics::matmul_shape shape{.m = m, .n = n, .k = k, .transpose_b = true};
                    numerics::matmul({}, shape, xs.data(), ws.data(), biased ? bs.data() : nullptr, out.data());
                    std::vector<double> errors;
                    std::vector<double> exact;
                    double largest = 0;
                    for (std::int64_t r = 0; r < m; ++r) {
                        for (std::int64_t c = 0; c < n; ++c) {
                            double sum = biased ? static_cast<double>(bs[static_cast<std::size_t>(c)]) : 0;
                            double magnitude = std::fabs(sum);
                            for (std::int64_t i = 0; i < k; ++i) {
                                const double p = static_cast<double>(xs[static_cast<std::size_t>(r * k + i)]) *
                                                 static_cast<double>(ws[static_cast<std::size_t>(c * k + i)]);
                                sum += p; // exact: fp16 products of this size in double
                                magnitude += std::fabs(p);
                            }
                            const double got = static_cast<double>(out[static_cast<std::size_t>(r * n + c)]);
                            exact.push_back(sum);
                            errors.push_back(got - sum);
                            largest = std::fmax(largest, std::fabs(got - sum));
                            CHECK(magnitude <= e.bound);
                        }
                    }
                    CHECK(largest <= e.worst);
                    // One product on its own: its error depends on which it is, and few are drawn.
                    if (k >= 64) {
                        CHECK(root_mean_square(exact) < 2 * e.result);
                        CHECK(root_mean_square(exact) > e.result / 2);
                        CHECK(root_mean_square(errors) < 2 * e.expected());
                        CHECK(root_mean_square(errors) > e.expected() / 2);
                    }
                }
            }
        }
    }
}

TEST_CASE("sums are bounded by promised row and column sums") {
    const auto bound = [](auto describe) { return error_envelope(build_graph(describe)).at(0).bound; };
    const double slack = 1.01;
    double b = bound([](auto& g) {
        auto x = g.input("x"_s, f16<4, 100>, bounded(2));
        g.output("y"_s, linear(x, g.weight("w", f16<8, 100>, row_l1(3))));
    });
    CHECK(b >= 6);
    CHECK(b < 6 * slack);
    b = bound([](auto& g) {
        auto x = g.input("x"_s, f16<4, 100>, bounded(2));
        g.output("y"_s, matmul(x, g.weight("w", f16<100, 8>, column_l1(3))));
    });
    CHECK(b >= 6);
    CHECK(b < 6 * slack);
    b = bound([](auto& g) {
        auto x = g.input("x"_s, f16<4, 100>, bounded(2));
        g.output("y"_s, linear(x, scaled<3>(g.weight("w", f16<8, 100>, row_l1(3))), g.weight("b", f16<8>, bounded(1))));
    });
    CHECK(b >= 8 * 7);
    CHECK(b < 8 * 7 * slack);
    b = bound([](auto& g) { // rows of the wrong axis say nothing
        auto x = g.input("x"_s, f16<4, 100>, bounded(2));
        g.output("y"_s, matmul(x, g.weight("w", f16<100, 8>, row_l1(3))));
    });
    CHECK(b >= 600);
}

TEST_CASE("a transposed convolution with a stride sums part of its kernel") {
    const auto terms = [](auto describe) { return error_envelope(build_graph(describe)).at(0).terms; };
    CHECK(terms([](auto& g) {
              auto x = g.input("x"_s, f16<1, 6, 5, 5>);
              g.output("y"_s, conv_transpose2d<conv_transpose{.stride = 2}>(x, g.weight("w", f16<6, 3, 4, 3>)));
          }) == 6 * 2 * 2);
    CHECK(terms([](auto& g) {
              auto x = g.input("x"_s, f16<1, 6, 9, 9>);
              g.output("y"_s, conv2d<conv{.stride = 2, .groups = 2}>(x, g.weight("w", f16<4, 3, 3, 5>)));
          }) == 3 * 3 * 5);
}

TEST_CASE("the recommended scale leaves a binade and gains what there is to gain") {
    const auto first = [](contract x, contract w, std::int64_t k, bool biased = false, contract b = {}) {
        return error_envelope(layer(4, 4, k, x, w, biased, b)).at(0);
    };
    const double s = 1.0 / 64;
    contraction_error e = first(bounded(6 * s) & deviating(s), bounded(6 * s) & deviating(s), 4096);
    CHECK(e.scale >= 6);
    CHECK(e.bound * std::exp2(e.scale) < 16384);
    CHECK(e.gain() > 50);
    CHECK_FALSE(e.assumed);
    CHECK(recommended_scale(layer(4, 4, 4096, bounded(6 * s) & deviating(s), bounded(6 * s) & deviating(s)), 2) ==
          e.scale);
    // The weight may not leave fp16, nor the sum with its bias the accumulator.
    CHECK(first(bounded(1e-4), bounded(10000) & deviating(1.0), 64).scale == 2);
    e = first(bounded(1e-3), bounded(1e-3), 64, true, bounded(1000) & deviating(1e-3));
    CHECK(e.scale == 4); // 1000 * 2^4 < 16384
    // Nothing to gain, nothing known, no room.
    CHECK(first(bounded(4), bounded(4), 64).scale == 0);
    CHECK(first({}, bounded(1e-3), 64).scale == 0);
    CHECK_FALSE(first({}, bounded(1e-3), 64).known());
    // Without a range the deviation has to do.
    e = first(deviating(s), deviating(s), 4096);
    CHECK(e.assumed);
    CHECK(e.scale >= 6);
    CHECK(e.basis == spread_basis::deviation);
}

TEST_CASE("spreads follow the graph by rules of thumb") {
    const auto last = [](auto describe) {
        const dynamic_graph g = build_graph(describe);
        const std::vector<interval> known = ranges(g);
        const std::vector<spread> all = spreads(g, known);
        return all[static_cast<std::size_t>(g.outputs[0].node)];
    };
    const spread y = last([](auto& g) {
        auto x = g.input("x"_s, f16<4, 100>, deviating(0.5));
        g.output("y"_s, linear(x, g.weight("w", f16<8, 100>, deviating(0.2))));
    });
    CHECK(y.deviation == doctest::Approx(1)); // sqrt(100) 0.5 0.2
    CHECK(y.basis == spread_basis::propagated);
    const spread r = last([](auto& g) { g.output("y"_s, relu(g.input("x"_s, f16<4, 100>, deviating(2))) * 0.25); });
    CHECK(r.form == spread_form::rectified);
    CHECK(r.square() == doctest::Approx(0.125));
    CHECK_FALSE(last([](auto& g) { g.output("y"_s, relu(g.input("x"_s, f16<4, 100>))); }).known());
    const spread shares = last([](auto& g) { g.output("y"_s, softmax(g.input("x"_s, f16<4, 100>))); });
    CHECK(shares.mean() == doctest::Approx(0.01).scale(0));
    CHECK(last([](auto& g) {
              auto x = g.input("x"_s, f16<4, 100>);
              g.output("y"_s, layer_norm(x, g.weight("g", f16<100>, within(2, 2)), g.weight("b", f16<100>)));
          }).deviation == doctest::Approx(2));
}

namespace {
constexpr auto constant_model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<16, 4096>, bounded(0.1) & deviating(1.0 / 64));
    g.output("y"_s, linear(x, g.weight("w", f16<16, 4096>, bounded(0.1) & deviating(1.0 / 64))));
});
static_assert(recommended_scale(constant_model, 2) >= 6);
} // namespace

TEST_CASE("a bias is found before and after lowering") {
    const dynamic_graph g = layer(4, 8, 100, bounded(0.1), bounded(0.1), true, bounded(3));
    const lowered_graph lowered = lower(g);
    const contraction_error before = error_envelope(g).at(0);
    const contraction_error after = error_envelope(lowered.graph).at(0);
    CHECK(before.biased);
    CHECK(after.biased);
    CHECK(after.terms == before.terms);
    CHECK(after.worst == doctest::Approx(before.worst).scale(0));
    CHECK(after.bound == doctest::Approx(before.bound).scale(0));
    CHECK(after.expected() == doctest::Approx(before.expected()).scale(0));
    CHECK(after.scale == before.scale);
}

TEST_CASE("the second product of an attention, by the rule of thumb for its shares") {
    const unsigned seed = 4;
    CAPTURE(seed);
    std::mt19937 random(seed);
    constexpr std::int64_t length = 512;
    const dynamic_graph g = build_graph([](auto& b) {
        auto q = b.input("q"_s, f16<1, length, 32>, bounded(6) & deviating(1.0));
        auto v = b.input("v"_s, f16<1, length, 32>, bounded(1) & deviating(0.2));
        b.output("y"_s, attention(q, q, v));
    });
    const lowered_graph lowered = lower(g);
    const contraction_error e = error_envelope(lowered.graph).at(1);
    auto program = backend::oracle(numerics::datapath{}).compile(g, {});
    const std::vector<half> q = draw(bounded(6) & deviating(1.0), length * 32, random);
    const std::vector<half> v = draw(bounded(1) & deviating(0.2), length * 32, random);
    std::vector<half> y(length * 32);
    const std::span<const std::byte> in[] = {std::as_bytes(std::span(q)), std::as_bytes(std::span(v))};
    const std::span<std::byte> out[] = {std::as_writable_bytes(std::span(y))};
    program.run(in, out);
    const std::span<const half> shares = program.value(lowered.view().operands(e.node)[0]);
    std::vector<double> errors;
    for (std::size_t r = 0; r < length; ++r) {
        for (std::size_t c = 0; c < 32; ++c) {
            double sum = 0;
            for (std::size_t i = 0; i < length; ++i) {
                sum += static_cast<double>(shares[r * length + i]) * static_cast<double>(v[i * 32 + c]);
            }
            errors.push_back(static_cast<double>(y[r * 32 + c]) - sum);
        }
    }
    CHECK(root_mean_square(errors) < 2 * e.expected());
    CHECK(root_mean_square(errors) > e.expected() / 2);
}

TEST_CASE("sums of codes: the expected error is that of the codes in the register, rounded, scaled and rounded again") {
    constexpr std::int64_t k = 512;
    constexpr int rows = 300;
    const numerics::datapath m5 = numerics::datapath_of(h17s);
    std::mt19937 random(208);
    for (const double reach : {0.02, 1.0}) { // whatever the weights are worth
        CAPTURE(reach);
        const double scale = static_cast<double>(half(reach / 127));
        std::uniform_real_distribution<double> unit(-1, 1);
        std::uniform_int_distribution<int> code(-127, 127);
        double error = 0;
        double square = 0;
        for (int row = 0; row < rows; ++row) {
            std::vector<half> x;
            std::vector<half> codes;
            double exact = 0;
            for (std::int64_t i = 0; i < k; ++i) {
                x.emplace_back(unit(random));
                const int q = code(random);
                codes.emplace_back(q * numerics::code_unit(m5, 8));
                exact += static_cast<double>(x.back()) * q * scale;
            }
            half y;
            numerics::matmul(m5, {.m = 1, .n = 1, .k = k, .transpose_b = true}, x.data(), codes.data(), nullptr, &y);
            y = numerics::scale_after_sum(m5, y, scale / numerics::code_unit(m5, 8), half{});
            error += (static_cast<double>(y) - exact) * (static_cast<double>(y) - exact);
            square += exact * exact;
        }
        dynamic_graph g = layer(1, 1, k, within(-1, 1), within(-reach, reach));
        node& product = g.nodes.back();
        node stored = product;
        stored.kind = op::compressed;
        stored.shape = {1, k};
        stored.attributes = compression{.form = weight_form::affine, .bits = 8};
        dynamic_graph with;
        const int in = with.append(g.nodes[0], {});
        const int weight = with.append(g.nodes[1], {});
        const int weights[] = {weight};
        const int operands[] = {in, with.append(stored, weights)};
        with.add_output(with.append(product, operands), "y");
        const std::vector<contraction_error> found = error_envelope(with, m5);
        REQUIRE(found.size() == 1);
        CHECK(found[0].expected_relative() == doctest::Approx(std::sqrt(error / square)).epsilon(0.1));
        CHECK(found[0].scale == 0);
        CHECK(found[0].worst > std::sqrt(error / rows));
        // Before the products the size of the weights matters.
        const double expanded = error_envelope(with, numerics::datapath_of(h13))[0].expected_relative();
        CHECK((expanded > 2 * found[0].expected_relative()) == (reach < 0.1));
    }
}
