#include "../../../from_environment.hpp"
#include "fixtures.hpp"
#include <anemone/backend/cpu/kernels/elementwise.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

using namespace ane;
using namespace fixtures;

namespace {

/// The definition, in double.
double defined(op kind, double x, double p0, double p1) {
    switch (kind) {
    case op::relu: return std::isnan(x) ? x : std::max(x, 0.0);
    case op::relu6: return std::isnan(x) ? x : std::min(std::max(x, 0.0), 6.0);
    case op::leaky_relu: return x < 0 ? x * p0 : x;
    case op::clamp: return std::isnan(x) ? x : std::min(std::max(x, p0), p1);
    case op::sigmoid: return 1 / (1 + std::exp(-x));
    case op::tanh: return std::tanh(x);
    case op::gelu: return 0.5 * x * std::erfc(-x / std::sqrt(2.0));
    case op::silu: return x / (1 + std::exp(-x));
    case op::exp: return std::exp(x);
    case op::log2: return std::log2(x);
    case op::log: return std::log(x + p0);
    case op::sqrt: return std::sqrt(x);
    case op::rsqrt: return 1 / std::sqrt(p0 == 0 ? x : x + p0);
    case op::abs: return std::abs(x);
    case op::thresholded_relu: return x < p0 ? 0 : x;
    case op::clamped_relu: return std::isnan(x) ? x : std::min(x < 0 ? p0 * x : x, p1);
    case op::elu: return x < 0 ? p0 * std::expm1(x) : x;
    case op::hard_sigmoid: return std::isnan(x) ? x : std::min(std::max(p0 * x + p1, 0.0), 1.0);
    case op::scaled_tanh: return p0 * std::tanh(p1 * x);
    case op::gelu_sigmoid: return x / (1 + std::exp(-1.702 * x));
    case op::softplus: return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); // a NaN comes from the second
    case op::softsign: return x / (1 + std::abs(x));
    case op::erf: return std::erf(x);
    case op::exp2: return std::exp2(x);
    case op::inverse: return 1 / (p0 == 0 ? x : x + p0);
    case op::square: return x * x;
    case op::sign: return std::isnan(x) ? x : static_cast<double>((x > 0) - (x < 0));
    case op::ceil: return std::ceil(x);
    case op::floor: return std::floor(x);
    case op::round: return std::nearbyint(x);
    case op::sin: return std::sin(x);
    case op::cos: return std::cos(x);
    case op::atan: return std::atan(x);
    default: throw std::logic_error("no definition");
    }
}

double defined(op kind, double a, double b) {
    switch (kind) {
    case op::add: return a + b;
    case op::sub: return a - b;
    case op::mul: return a * b;
    case op::div: return a / b;
    case op::minimum: return std::isnan(a) || std::isnan(b) ? a + b : std::min(a, b);
    case op::maximum: return std::isnan(a) || std::isnan(b) ? a + b : std::max(a, b);
    case op::pow: return std::pow(a, b);
    case op::floor_div: return std::floor(a / b);
    default: throw std::logic_error("no definition");
    }
}

/// Zeros by their sign; any NaN is as good as another.
bool equal_or_nan(half a, half b) { return (is_nan(a) && is_nan(b)) || a.bits == b.bits; }

} // namespace

TEST_CASE("every operation of one operand, all 65,536 inputs: within one ulp of the definition, equal at every level") {
    struct variant {
        op kind;
        float p0 = 0, p1 = 0;
    };
    const variant variants[] = {{op::relu},
                                {op::relu6},
                                {op::leaky_relu, 0.01F},
                                {op::clamp, -1.5F, 2},
                                {op::thresholded_relu, 0.7F},
                                {op::clamped_relu, 0.1F, 3},
                                {op::elu, 1},
                                {op::elu, 0.3F},
                                {op::sigmoid},
                                {op::hard_sigmoid, 0.2F, 0.5F},
                                {op::hard_sigmoid, -3, 2},
                                {op::tanh},
                                {op::scaled_tanh, 1.7159F, 0.6667F},
                                {op::gelu},
                                {op::gelu_sigmoid},
                                {op::silu},
                                {op::softplus},
                                {op::softsign},
                                {op::erf},
                                {op::exp},
                                {op::exp2},
                                {op::log2},
                                {op::log},
                                {op::log, 1e-3F},
                                {op::log, 1e-40F},
                                {op::sqrt},
                                {op::rsqrt},
                                {op::rsqrt, 1e-5F},
                                {op::inverse},
                                {op::inverse, 1e-4F},
                                {op::square},
                                {op::abs},
                                {op::sign},
                                {op::ceil},
                                {op::floor},
                                {op::round},
                                {op::sin},
                                {op::cos},
                                {op::atan}};
    using enum op;
    const std::vector<op> exact{relu, relu6, clamp, sqrt, abs, thresholded_relu, square, sign, ceil, floor, round};
    std::vector<half> x;
    for (unsigned bits = 0; bits < 0x10000U; ++bits) {
        x.push_back(half::from_bits(static_cast<std::uint16_t>(bits)));
    }
    std::vector<bool> covered(op_count);
    std::vector<half> expected(x.size());
    for (const variant& v : variants) {
        covered[static_cast<std::size_t>(v.kind)] = true;
        for (std::size_t i = 0; i < x.size(); ++i) {
            expected[i] = half(defined(v.kind, wide(x[i]), static_cast<double>(v.p0), static_cast<double>(v.p1)));
        }
        std::vector<half> first_level;
        for (const kernel_set& set : kernel_sets()) {
            std::vector<half> out(x.size());
            cpu::unary(set.kernels, v.kind, x.data(), out.data(), 0x10000, v.p0, v.p1);
            std::size_t wrong = 0;
            std::size_t different = 0;
            std::size_t first = 0;
            for (std::size_t i = 0; i < x.size(); ++i) {
                const bool equal = same_value(out[i], expected[i]);
                different += !equal;
                // Rounding to the other neighbour happens only where the definition is next to a tie.
                if (!equal && (std::find(exact.begin(), exact.end(), v.kind) != exact.end() || is_nan(out[i]) ||
                               is_nan(expected[i]) || ulp_distance(out[i], expected[i]) > 1)) {
                    first = wrong++ == 0 ? i : first;
                }
            }
            INFO(name(v.kind), " ", set.name, " first wrong input ", wide(x[first]), " gives ", wide(out[first]));
            CHECK(wrong == 0);
            CHECK(different < 300);
            first_level = first_level.empty() ? out : first_level;
            CHECK(std::equal(out.begin(), out.end(), first_level.begin(), equal_or_nan));
        }
    }
    for (std::size_t i = 0; i < op_count; ++i) {
        CHECK(covered[i] == is_unary(static_cast<op>(i)));
    }
}

TEST_CASE("rows of fp32, as fused layers compute them: within 2^-20 of the definition, equal at every level") {
    struct function {
        op kind;
        double low, high;
        double bound = 0x1p-20;
    };
    // A gelu is a 32nd power of fp32; the product 1.702 x of a gelu_sigmoid is rounded before it is an exponent.
    const function functions[] = {{op::exp, -87, 88},
                                  {op::exp2, -125, 127},
                                  {op::sigmoid, -80, 80},
                                  {op::silu, -80, 80},
                                  {op::tanh, -20, 20},
                                  {op::gelu, -4, 20, 0x1p-16},
                                  {op::softplus, -60, 60},
                                  {op::elu, -20, 20},
                                  {op::erf, -5, 5},
                                  {op::log, 1e-30, 1e30},
                                  {op::sqrt, 0, 1e30},
                                  {op::rsqrt, 1e-30, 1e30},
                                  {op::gelu_sigmoid, -40, 40, 0x1p-17},
                                  {op::atan, -1e5, 1e5}};
    for (const function& f : functions) {
        CAPTURE(name(f.kind));
        std::vector<float> x;
        for (int i = 0; i <= 20000; ++i) {
            const double share = i / 20000.0;
            x.push_back(static_cast<float>(f.low + (f.high - f.low) * (f.high > 1e20 ? std::pow(share, 40) : share)));
        }
        std::vector<float> first;
        fixtures::at_each_level([&](const cpu::kernel_table& table) {
            std::vector<float> out(x.size());
            const float alpha = f.kind == op::elu ? 1.0F : 0.0F;
            table.unary(f.kind, x.data(), out.data(), static_cast<std::int64_t>(x.size()), alpha, 0);
            double worst = 0;
            for (std::size_t i = 0; i < x.size(); ++i) {
                const double exact = defined(f.kind, static_cast<double>(x[i]), static_cast<double>(alpha), 0);
                if (std::abs(exact) > 1e-37) {
                    worst = std::max(worst, std::abs(static_cast<double>(out[i]) - exact) / std::abs(exact));
                }
            }
            CHECK(worst <= f.bound);
            first = first.empty() ? out : first;
            CHECK(std::equal(out.begin(), out.end(), first.begin(), [](float a, float b) {
                return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
            }));
        });
    }
}

TEST_CASE("where an element stands, and among how many, does not matter") {
    std::vector<half> x;
    for (unsigned bits = 0; bits < 0x10000U; bits += 7) {
        x.push_back(half::from_bits(static_cast<std::uint16_t>(bits)));
    }
    const std::vector<half> y(x.rbegin(), x.rend());
    const auto count = static_cast<std::int64_t>(x.size());
    for (const kernel_set& set : kernel_sets()) {
        const cpu::kernel_table& table = set.kernels;
        for (std::size_t i = 0; i < op_count; ++i) {
            const op kind = static_cast<op>(i);
            if (!is_unary(kind) && !is_binary(kind)) {
                continue;
            }
            const auto run = [&](std::int64_t from, std::int64_t n, std::vector<half>& out) {
                if (is_unary(kind)) {
                    cpu::unary(table, kind, x.data() + from, out.data() + from, n, 0.3F, 0.6F);
                } else {
                    cpu::binary(table, kind, x.data() + from, {n}, y.data() + from, {n}, out.data() + from);
                }
            };
            std::vector<half> together(x.size());
            std::vector<half> apart(x.size());
            run(0, count, together);
            for (std::int64_t from = 0, n = 1; from < count; from += n, n = n % 37 + 1) {
                n = std::min(n, count - from);
                run(from, n, apart);
            }
            INFO(name(kind), " ", set.name);
            CHECK(std::equal(apart.begin(), apart.end(), together.begin(), equal_or_nan));
        }
    }
}

TEST_CASE("closed forms and limits of one operand") {
    const auto of = [](op kind, half x, float p0 = 0, float p1 = 0) {
        half out;
        cpu::unary(cpu::best_kernels(), kind, &x, &out, 1, p0, p1);
        return out;
    };
    CHECK(wide(of(op::sigmoid, half(0))) == 0.5);
    CHECK(wide(of(op::sigmoid, infinity)) == 1);
    CHECK(wide(of(op::sigmoid, -infinity)) == 0);
    CHECK(wide(of(op::tanh, -infinity)) == -1);
    CHECK(wide(of(op::gelu, infinity)) == std::numeric_limits<double>::infinity());
    CHECK(is_nan(of(op::gelu, -infinity))); // -inf * 0
    CHECK(wide(of(op::exp, -infinity)) == 0);
    CHECK(is_infinite(of(op::exp, half(12))));
    CHECK(wide(of(op::log, half(0))) == -std::numeric_limits<double>::infinity());
    CHECK(is_nan(of(op::log, half(-1))));
    CHECK(wide(of(op::log2, half(0))) == -std::numeric_limits<double>::infinity());
    for (int k = -24; k < 16; ++k) {
        CHECK(wide(of(op::log2, half(std::ldexp(1.0, k)))) == k);
    }
    CHECK(is_nan(of(op::sqrt, half(-1))));
    CHECK(wide(of(op::rsqrt, half(0), 0.0625F)) == 4);
    CHECK(of(op::tanh, half::from_bits(0x8000)).bits == 0x8000);
}

TEST_CASE("two operands: rounding, infinities, NaN, subnormals; equal at every level") {
    const unsigned seed = from_environment::seed();
    std::mt19937 random(seed);
    constexpr std::size_t count = 300'000;
    std::vector<half> a(count);
    std::vector<half> b(count);
    for (std::size_t i = 0; i < count; ++i) {
        a[i] = half::from_bits(static_cast<std::uint16_t>(random()));
        b[i] = half::from_bits(static_cast<std::uint16_t>(random()));
    }
    const extents shape{static_cast<std::int64_t>(count)};
    for (int i = 0; i < static_cast<int>(op_count); ++i) {
        const op kind = static_cast<op>(i);
        if (!is_binary(kind)) {
            continue;
        }
        std::vector<half> first_level;
        for (const kernel_set& set : kernel_sets()) {
            INFO(name(kind), " ", set.name);
            std::vector<half> out(count);
            cpu::binary(set.kernels, kind, a.data(), shape, b.data(), shape, out.data());
            std::size_t wrong = 0;
            for (std::size_t k = 0; k < count; ++k) {
                wrong += !same_value(out[k], half(defined(kind, wide(a[k]), wide(b[k]))));
            }
            CHECK(wrong <= (kind == op::pow ? 200 : 0)); // a power goes through fp32: sometimes rounded twice
            first_level = first_level.empty() ? out : first_level;
            CHECK(std::equal(out.begin(), out.end(), first_level.begin(), equal_or_nan));
        }
    }
}

TEST_CASE("broadcasting follows NumPy, random shapes") {
    const unsigned seed = from_environment::seed();
    std::mt19937 random(seed);
    for (int round = 0; round < 400; ++round) {
        extents full;
        for (unsigned rank = static_cast<unsigned>(random() % 6); rank > 0; --rank) {
            full.append(static_cast<std::int64_t>(1 + random() % 6));
        }
        if (full.rank > 0 && random() % 8 == 0) {
            full[full.rank - 1] = 1500;
        }
        const auto part = [&] {
            extents result;
            for (int axis = static_cast<int>(random() % static_cast<unsigned>(full.rank + 1)); axis < full.rank;
                 ++axis) {
                result.append(random() % 3 == 0 ? 1 : full[axis]);
            }
            return result;
        };
        const extents sa = part();
        const extents sb = part();
        const extents so = cpu::broadcast(sa, sb);
        std::vector<half> a(static_cast<std::size_t>(sa.count()));
        std::vector<half> b(static_cast<std::size_t>(sb.count()));
        for (half& value : a) {
            value = half(static_cast<int>(random() % 1000));
        }
        for (half& value : b) {
            value = half(static_cast<int>(random() % 1000));
        }
        std::vector<half> out(static_cast<std::size_t>(so.count()));
        cpu::binary(cpu::best_kernels(), op::sub, a.data(), sa, b.data(), sb, out.data());
        std::size_t wrong = 0;
        for (std::int64_t flat = 0; flat < so.count(); ++flat) {
            const auto at = [&](const extents& shape) {
                std::int64_t rest = flat;
                std::int64_t step = 1;
                std::int64_t index = 0;
                for (int back = 0; back < so.rank; ++back) {
                    const std::int64_t i = rest % so.from_last(back);
                    rest /= so.from_last(back);
                    index += shape.from_last(back) == 1 ? 0 : i * step;
                    step *= shape.from_last(back);
                }
                return static_cast<std::size_t>(index);
            };
            wrong += wide(out[static_cast<std::size_t>(flat)]) != wide(a[at(sa)]) - wide(b[at(sb)]);
        }
        CHECK(wrong == 0);
    }
    CHECK_THROWS_WITH_AS((void)cpu::broadcast({2, 3}, {2}),
                         "argument: broadcast: extents 3 and 2 of axis 1 differ and neither is 1", error);
    half out;
    CHECK_THROWS_AS(cpu::binary(cpu::best_kernels(), op::relu, &out, {}, &out, {}, &out), error);
    CHECK_THROWS_AS(cpu::unary(cpu::best_kernels(), op::add, &out, &out, 1), error);
}

TEST_CASE("functions of one operand at the edges") {
    const auto of = [](op kind, half x, float p0 = 0, float p1 = 0) {
        half out;
        cpu::unary(cpu::best_kernels(), kind, &x, &out, 1, p0, p1);
        return out;
    };
    const half minus_zero = half::from_bits(0x8000);
    for (const op odd : {op::erf, op::sin, op::atan, op::softsign, op::ceil, op::floor, op::round}) {
        CAPTURE(name(odd));
        CHECK(of(odd, minus_zero).bits == 0x8000);
        CHECK(of(odd, half(0)).bits == 0);
    }
    CHECK(of(op::sign, minus_zero).bits == 0); // as in NumPy and PyTorch
    CHECK(of(op::ceil, half(-0.5)).bits == 0x8000);
    CHECK(of(op::round, half(-0.5)).bits == 0x8000);
    CHECK(wide(of(op::round, half(2.5))) == 2);
    CHECK(wide(of(op::round, half(-1.5))) == -2);
    CHECK(wide(of(op::floor, half(-0.25))) == -1);
    CHECK(is_nan(of(op::sin, infinity)));
    CHECK(is_nan(of(op::cos, -infinity)));
    CHECK(wide(of(op::erf, -infinity)) == -1);
    CHECK(wide(of(op::atan, infinity)) == wide(half(std::acos(0.0))));
    CHECK(wide(of(op::softplus, infinity)) == std::numeric_limits<double>::infinity());
    CHECK(wide(of(op::softplus, -infinity)) == 0);
    CHECK(is_nan(of(op::softsign, infinity))); // inf / inf
    CHECK(wide(of(op::elu, -infinity, 2)) == -2);
    CHECK(wide(of(op::inverse, minus_zero)) == -std::numeric_limits<double>::infinity());
    CHECK(wide(of(op::exp2, half(-24))) == 0x1p-24);
    CHECK(is_infinite(of(op::exp2, half(16))));
    CHECK(wide(of(op::thresholded_relu, half(1), 1)) == 1);
    CHECK(wide(of(op::hard_sigmoid, -infinity, 0.2F, 0.5F)) == 0);
    CHECK(is_infinite(of(op::square, half(256))));
}
