// Comparisons, selection, powers and parameters for each channel: what the CPU backend computes from special values.

#include "../../../from_environment.hpp"
#include "fixtures.hpp"
#include <anemone/backend/cpu/kernels/elementwise.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

using namespace ane;
using namespace fixtures;

namespace {

/// Zeros, ones, subnormals, the ends of the range, infinities, NaN: with both signs, and some ordinary numbers.
std::vector<half> special_values() {
    std::vector<half> values;
    for (const double v :
         {0.0, 0x1p-24, 0x1p-14 - 0x1p-24, 0x1p-14, 0.5, 0.75, 1.0, 2.0, 3.0, 2.5, 6.0, 2048.0, 65504.0}) {
        values.push_back(half(v));
        values.push_back(-half(v));
    }
    for (const half h : {infinity, not_a_number}) {
        values.push_back(h);
        values.push_back(-h);
    }
    return values;
}

bool holds(op kind, double a, double b) {
    switch (kind) {
    case op::equal: return a == b;
    case op::not_equal: return a != b;
    case op::greater: return a > b;
    case op::greater_equal: return a >= b;
    case op::less: return a < b;
    default: return a <= b;
    }
}

} // namespace

TEST_CASE("comparisons of all pairs of special values, as an outer product by broadcasting") {
    const std::vector<half> v = special_values();
    const auto count = static_cast<std::int64_t>(v.size());
    at_each_level([&](const cpu::kernel_table& table) {
        for (const op kind : {op::equal, op::not_equal, op::greater, op::greater_equal, op::less, op::less_equal}) {
            CAPTURE(name(kind));
            std::vector<std::uint8_t> out(v.size() * v.size(), 7);
            cpu::compare(table, kind, v.data(), {count, 1}, v.data(), {count}, out.data());
            std::size_t wrong = 0;
            for (std::size_t i = 0; i < out.size(); ++i) {
                wrong += out[i] != static_cast<std::uint8_t>(holds(kind, wide(v[i / v.size()]), wide(v[i % v.size()])));
            }
            CHECK(wrong == 0);
            std::uint8_t one = 7;
            cpu::compare(table, kind, v.data(), {}, v.data(), {}, &one);
            CHECK(one == static_cast<std::uint8_t>(holds(kind, 0, 0)));
        }
    });
    std::uint8_t truth[] = {0, 1, 1, 0, 1};
    cpu::logical_not(truth, truth, 5);
    CHECK(std::vector<std::uint8_t>(truth, truth + 5) == std::vector<std::uint8_t>{1, 0, 0, 1, 0});
    CHECK_THROWS_AS(cpu::compare(cpu::best_kernels(), op::add, v.data(), {1}, v.data(), {1}, truth), error);
    CHECK_THROWS_AS(cpu::compare(cpu::best_kernels(), op::less, v.data(), {2}, v.data(), {3}, truth), error);
}

TEST_CASE("powers and floored quotients of all pairs of special values") {
    const std::vector<half> v = special_values();
    const auto count = static_cast<std::int64_t>(v.size());
    at_each_level([&](const cpu::kernel_table& table) {
        for (const op kind : {op::pow, op::floor_div}) {
            CAPTURE(name(kind));
            std::vector<half> out(v.size() * v.size());
            cpu::binary(table, kind, v.data(), {count, 1}, v.data(), {count}, out.data());
            for (std::size_t i = 0; i < out.size(); ++i) {
                const double a = wide(v[i / v.size()]);
                const double b = wide(v[i % v.size()]);
                CAPTURE(a);
                CAPTURE(b);
                CHECK(same_value(out[i], half(kind == op::pow ? std::pow(a, b) : std::floor(a / b))));
            }
        }
    });
    const half six(6);
    const half three(3);
    half out;
    cpu::binary(cpu::best_kernels(), op::floor_div, &six, {}, &three, {}, &out);
    CHECK(wide(out) == 2); // 6 fp16(1 / 3) is 1.9995: N123
}

TEST_CASE("selection keeps bits and broadcasts three ways, random shapes") {
    const unsigned seed = from_environment::seed();
    std::mt19937 random(seed);
    for (int round = 0; round < 200; ++round) {
        extents full;
        for (unsigned rank = static_cast<unsigned>(random() % 5); rank > 0; --rank) {
            full.append(static_cast<std::int64_t>(1 + random() % 5));
        }
        const auto part = [&] {
            extents result;
            for (int axis = static_cast<int>(random() % static_cast<unsigned>(full.rank + 1)); axis < full.rank;
                 ++axis) {
                result.append(random() % 3 == 0 ? 1 : full[axis]);
            }
            return result;
        };
        const extents sc = part();
        const extents sa = part();
        const extents sb = part();
        const extents so = cpu::broadcast(sc, cpu::broadcast(sa, sb));
        std::vector<std::uint8_t> c(static_cast<std::size_t>(sc.count()));
        std::vector<half> a(static_cast<std::size_t>(sa.count()));
        std::vector<half> b(static_cast<std::size_t>(sb.count()));
        std::generate(c.begin(), c.end(), [&] { return static_cast<std::uint8_t>(random() % 2); });
        for (std::vector<half>* const values : {&a, &b}) {
            for (half& h : *values) {
                h = half::from_bits(static_cast<std::uint16_t>(random()));
            }
        }
        std::vector<half> out(static_cast<std::size_t>(so.count()));
        cpu::select(c.data(), sc, a.data(), sa, b.data(), sb, out.data());
        std::size_t wrong = 0;
        for (std::int64_t flat = 0; flat < so.count(); ++flat) {
            const auto at = [&](const extents& shape) {
                std::int64_t rest = flat;
                std::int64_t step = 1;
                std::int64_t index = 0;
                for (int back = 0; back < shape.rank; ++back) {
                    index += shape.from_last(back) == 1 ? 0 : rest % so.from_last(back) * step;
                    rest /= so.from_last(back);
                    step *= shape.from_last(back);
                }
                return static_cast<std::size_t>(index);
            };
            wrong += out[static_cast<std::size_t>(flat)].bits != (c[at(sc)] != 0 ? a[at(sa)] : b[at(sb)]).bits;
        }
        CHECK(wrong == 0);
    }
}

TEST_CASE("parameters for each channel: the slope and the softplus of their own channel") {
    const unsigned seed = from_environment::seed();
    std::mt19937 random(seed);
    for (const std::int64_t plane : {1, 5, 40, 1500}) {
        const std::int64_t batch = 2;
        const std::int64_t channels = 3;
        std::vector<half> x(static_cast<std::size_t>(batch * channels * plane));
        std::uniform_real_distribution<double> uniform(-8, 8);
        for (half& h : x) {
            h = half(uniform(random));
        }
        x.front() = not_a_number;
        x.back() = -infinity;
        const half first[] = {half(0.25), half(-1.5), half(3)};
        const half second[] = {half(1), half(2), half(0.5)};
        at_each_level([&](const cpu::kernel_table& table) {
            std::vector<half> sloped(x.size());
            std::vector<half> soft(x.size());
            cpu::parametric(table, op::prelu, x.data(), batch, channels, plane, first, nullptr, sloped.data());
            cpu::parametric(table, op::parametric_softplus, x.data(), batch, channels, plane, first, second,
                            soft.data());
            std::size_t wrong = 0;
            for (std::size_t i = 0; i < x.size(); ++i) {
                const auto c = i / static_cast<std::size_t>(plane) % 3;
                const double v = wide(x[i]);
                const double t = wide(second[c]) * v;
                const half softplus(wide(first[c]) * (std::max(t, 0.0) + std::log1p(std::exp(-std::abs(t)))));
                wrong += !same_value(sloped[i], half(v < 0 ? v * wide(first[c]) : v));
                wrong +=
                    is_nan(softplus) != is_nan(soft[i]) || (!is_nan(softplus) && ulp_distance(softplus, soft[i]) > 1);
            }
            CHECK(wrong == 0);
        });
    }
    half out;
    CHECK_THROWS_AS(cpu::parametric(cpu::best_kernels(), op::relu, &out, 1, 1, 1, &out, &out, &out), error);
}
