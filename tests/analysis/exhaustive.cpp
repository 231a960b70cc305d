// Every fp16 value through every elementwise operation of one operand, on every datapath and on the CPU: no result
// leaves the interval of that one value.

#include "../backend/composer.hpp"
#include "../numbers.hpp"
#include "../sanitized.hpp"
#include "anemone/analysis/ranges.hpp"
#include "anemone/catalogue/engine_path.hpp"
#include "anemone/numerics/elementwise.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/oracle/oracle.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

using namespace composing;

namespace {

struct function {
    op kind;
    attributes values;
    float p0 = 0;
    float p1 = 0;
};

std::vector<function> functions() {
    const auto with = [](op kind, float alpha, float beta = 0) {
        return function{kind, numbers::of(kind, {alpha, beta}), alpha, beta};
    };
    std::vector<function> all{with(op::leaky_relu, 0.01F),        with(op::leaky_relu, -0.3F),
                              with(op::clamp, -0.7F, 1.3F),       with(op::thresholded_relu, 0.5F),
                              with(op::clamped_relu, 0.1F, 6),    with(op::elu, 0.7F),
                              with(op::hard_sigmoid, 0.2F, 0.5F), with(op::scaled_tanh, 1.7F, 0.6F)};
    for (const float epsilon : {0.0F, 1e-3F, 1e-6F}) {
        for (const op kind : {op::log, op::rsqrt, op::inverse}) {
            all.push_back({kind, stabilizer{.epsilon = epsilon}, epsilon});
        }
    }
    for (std::size_t k = 0; k < op_count; ++k) {
        const op kind = static_cast<op>(k);
        if (is_unary(kind) && signature(kind).attributes == attribute_kind::none) {
            all.push_back({kind, no_attributes{}});
        }
    }
    return all;
}

interval range_at(const function& f, double low, double high) {
    node n;
    n.kind = f.kind;
    n.attributes = f.values;
    const interval x{low, high, true};
    return ane::detail::range_of_node({}, n, ane::detail::catalogue::operand_ranges(&x));
}

bool inside(const interval& r, double v) {
    return std::isnan(v) || (std::isinf(v) ? (v > 0 ? r.high >= unbounded : r.low <= -unbounded) : r.contains(v));
}

constexpr int patterns = 65536;

/// Every finite value lies in the range of itself and of the block of 64 around it.
void hold(const function& f, const std::vector<half>& result, const std::string& who) {
    int broken = 0;
    std::string first;
    for (int block = 0; block < patterns; block += 64) {
        double low = 1e9;
        double high = -1e9;
        for (int i = block; i < block + 64; ++i) {
            const auto x = static_cast<double>(half::from_bits(static_cast<std::uint16_t>(i)));
            if (std::isfinite(x)) {
                low = std::min(low, x);
                high = std::max(high, x);
            }
        }
        if (low > high) {
            continue;
        }
        const interval around = range_at(f, low, high);
        for (int i = block; i < block + 64; ++i) {
            const auto x = static_cast<double>(half::from_bits(static_cast<std::uint16_t>(i)));
            const auto y = static_cast<double>(result[static_cast<std::size_t>(i)]);
            const interval itself = range_at(f, x, x);
            if (!inside(itself, y) || !inside(around, y)) {
                if (++broken == 1) {
                    first = fmt::format("{} gives {}, range {} to {}, of its block {} to {}", x, y, itself.low,
                                        itself.high, around.low, around.high);
                }
            }
        }
    }
    CHECK_MESSAGE(broken == 0, who, " ", std::string(name(f.kind)), ": ", broken, " values, first ", first);
}

/// The functions themselves, in double: what any good kernel rounds once.
double exact(const function& f, double x) {
    const auto a = static_cast<double>(f.p0);
    const auto b = static_cast<double>(f.p1);
    switch (f.kind) {
    case op::relu: return std::max(x, 0.0);
    case op::relu6: return std::clamp(x, 0.0, 6.0);
    case op::leaky_relu: return x < 0 ? a * x : x;
    case op::clamp: return std::clamp(x, a, b);
    case op::thresholded_relu: return x >= a ? x : 0;
    case op::clamped_relu: return std::min(b, x < 0 ? a * x : x);
    case op::elu: return x < 0 ? a * std::expm1(x) : x;
    case op::sigmoid: return 1 / (1 + std::exp(-x));
    case op::hard_sigmoid: return std::clamp(a * x + b, 0.0, 1.0);
    case op::tanh: return std::tanh(x);
    case op::scaled_tanh: return a * std::tanh(b * x);
    case op::gelu: return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
    case op::gelu_sigmoid: return x / (1 + std::exp(-1.702 * x));
    case op::silu: return x / (1 + std::exp(-x));
    case op::softplus: return x > 30 ? x : std::log1p(std::exp(x));
    case op::softsign: return x / (1 + std::fabs(x));
    case op::erf: return std::erf(x);
    case op::exp: return std::exp(x);
    case op::exp2: return std::exp2(x);
    case op::log2: return std::log2(x);
    case op::log: return std::log(x + a);
    case op::sqrt: return std::sqrt(x);
    case op::rsqrt: return 1 / std::sqrt(x + a);
    case op::inverse: return 1 / (x + a);
    case op::square: return x * x;
    case op::abs: return std::fabs(x);
    case op::sign: return x > 0 ? 1 : (x < 0 ? -1 : 0);
    case op::ceil: return std::ceil(x);
    case op::floor: return std::floor(x);
    case op::round: return std::nearbyint(x);
    case op::sin: return std::sin(x);
    case op::cos: return std::cos(x);
    default: return std::atan(x);
    }
}

} // namespace

TEST_CASE("every function of one operand by its formula") {
    for (const function& f : functions()) {
        std::vector<half> result;
        for (int i = 0; i < patterns; ++i) {
            const half h = half::from_bits(static_cast<std::uint16_t>(i));
            result.push_back(half(exact(f, is_finite(h) ? static_cast<double>(h) : 0.0)));
        }
        hold(f, result, "formula");
    }
}

TEST_CASE("every value of every function of one operand lies in its interval") {
    std::vector<half> all;
    for (int i = 0; i < patterns; ++i) {
        const half h = half::from_bits(static_cast<std::uint16_t>(i));
        all.push_back(is_finite(h) ? h : half{});
    }
    for (const function& f : functions()) {
        if (has_engine_path(f.kind)) {
            for (const family generation : {family::a13, family::a14, family::a18}) {
                if (sanitized && generation != family::a18) {
                    continue;
                }
                const numerics::datapath path = numerics::datapath_of(generation);
                std::vector<half> result;
                try {
                    for (const half h : all) {
                        result.push_back(numerics::unary(path, f.kind, h, f.p0, f.p1));
                    }
                } catch (const error&) {
                    break; // modelled by lowering only
                }
                hold(f, result, "oracle " + std::string(name(generation)));
            }
        }
        if (ane::backend::cpu::supports(f.kind)) {
            composer c;
            const int x = c.input({patterns});
            c.output(c.add(f.kind, f.values, {x}));
            const dynamic_graph g = c.finish();
            auto program = ane::backend::cpu{}.rounding(ane::rounding::each_operation).compile(g, weight_store{});
            port_memory in({all.size() * 2});
            std::copy(all.begin(), all.end(), in.halves(0).begin());
            port_memory out({all.size() * 2});
            program.run(in.inputs(), out.outputs());
            const auto y = out.halves(0);
            std::vector<half> result(y.begin(), y.end());
            hold(f, result, "cpu");
        }
    }
}
