#include <anemone/backend/cpu/kernels/elementwise.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

using namespace ane;

namespace {

double wide(half value) { return static_cast<double>(value); }

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
    case op::log: return std::log(x + p0);
    case op::sqrt: return std::sqrt(x);
    case op::rsqrt: return 1 / std::sqrt(x + p0);
    case op::abs: return std::abs(x);
    default: return 0;
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
    default: return 0;
    }
}

bool same_value(half a, half b) { return (is_nan(a) && is_nan(b)) || a == b; }

} // namespace

TEST_CASE("every operation of one operand, all 65,536 inputs, within one ulp of the rounded definition") {
    struct variant {
        op kind;
        float p0, p1;
    };
    const variant variants[] = {
        {op::relu, 0, 0},    {op::relu6, 0, 0}, {op::leaky_relu, 0.01F, 0}, {op::clamp, -1.5F, 2}, {op::sigmoid, 0, 0},
        {op::tanh, 0, 0},    {op::gelu, 0, 0},  {op::silu, 0, 0},           {op::exp, 0, 0},       {op::log, 0, 0},
        {op::log, 1e-3F, 0}, {op::sqrt, 0, 0},  {op::rsqrt, 0, 0},          {op::rsqrt, 1e-5F, 0}, {op::abs, 0, 0}};
    std::vector<half> x;
    for (unsigned bits = 0; bits < 0x10000U; ++bits) {
        x.push_back(half::from_bits(static_cast<std::uint16_t>(bits)));
    }
    for (const variant& v : variants) {
        const bool exact =
            v.kind == op::relu || v.kind == op::relu6 || v.kind == op::clamp || v.kind == op::sqrt || v.kind == op::abs;
        for (const cpu::isa_level level : cpu::available_levels()) {
            std::vector<half> out(x.size());
            cpu::unary(cpu::kernels_for(level), v.kind, x.data(), out.data(), 0x10000, v.p0, v.p1);
            std::size_t wrong = 0;
            std::size_t different = 0;
            std::size_t first = 0;
            for (std::size_t i = 0; i < x.size(); ++i) {
                const half expected(defined(v.kind, wide(x[i]), static_cast<double>(v.p0), static_cast<double>(v.p1)));
                const bool equal = same_value(out[i], expected);
                different += !equal;
                // Rounding to the other neighbour happens only where the definition is next to a tie.
                if (!equal && (exact || is_nan(out[i]) || is_nan(expected) || ulp_distance(out[i], expected) > 1)) {
                    first = wrong++ == 0 ? i : first;
                }
            }
            INFO(name(v.kind), " ", cpu::name(level), " first wrong input ", wide(x[first]), " gives ",
                 wide(out[first]));
            CHECK(wrong == 0);
            CHECK(different < 200);
        }
    }
}

TEST_CASE("closed forms and limits of one operand") {
    const half infinity = std::numeric_limits<half>::infinity();
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
    CHECK(is_nan(of(op::sqrt, half(-1))));
    CHECK(wide(of(op::rsqrt, half(0), 0.0625F)) == 4);
    CHECK(of(op::tanh, half::from_bits(0x8000)).bits == 0x8000);
}

TEST_CASE("two operands: rounding, infinities, NaN, subnormals; equal at every level") {
    const unsigned seed = std::random_device{}();
    MESSAGE("seed ", seed);
    std::mt19937 random(seed);
    constexpr std::size_t count = 300'000;
    std::vector<half> a(count);
    std::vector<half> b(count);
    for (std::size_t i = 0; i < count; ++i) {
        a[i] = half::from_bits(static_cast<std::uint16_t>(random()));
        b[i] = half::from_bits(static_cast<std::uint16_t>(random()));
    }
    const extents shape{static_cast<std::int64_t>(count)};
    for (const op kind : {op::add, op::sub, op::mul, op::div, op::minimum, op::maximum}) {
        for (const cpu::isa_level level : cpu::available_levels()) {
            INFO(name(kind), " ", cpu::name(level));
            std::vector<half> out(count);
            cpu::binary(cpu::kernels_for(level), kind, a.data(), shape, b.data(), shape, out.data());
            std::size_t wrong = 0;
            for (std::size_t i = 0; i < count; ++i) {
                wrong += !same_value(out[i], half(defined(kind, wide(a[i]), wide(b[i]))));
            }
            CHECK(wrong == 0);
        }
    }
}

TEST_CASE("broadcasting follows NumPy, random shapes") {
    const unsigned seed = std::random_device{}();
    MESSAGE("seed ", seed);
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
