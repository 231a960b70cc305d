// Published records about single values: NaN, infinities, zeros, subnormals, tables, stored weights.

#include "probes.hpp"
#include <anemone/numerics/activation_table.hpp>
#include <anemone/numerics/movement.hpp>
#include <anemone/numerics/path.hpp>
#include <anemone/numerics/quantization.hpp>
#include <anemone/numerics/softmax.hpp>

#include <doctest/doctest.h>

#include <array>

using namespace probing;

namespace {

template <op Kind> double of(const generation& g, half x) { return value(unary(g.path, Kind, x)); }
template <op Kind> double of(const generation& g, double x) { return of<Kind>(g, half(x)); }

halves softmax_of(const generation& g, halves x) {
    softmax(g.path, x.data(), x.data(), static_cast<std::int64_t>(x.size()), 1);
    return x;
}

/// x / sqrt(mean(x^2) + epsilon) in the steps to which lowering takes rms_norm apart.
halves rms_norm_of(const generation& g, const halves& x) {
    halves squares, out;
    for (const half v : x) {
        squares.push_back(multiply(g.path, v, v));
    }
    const half mean = reduce(g.path, op::reduce_mean, squares.data(), static_cast<std::int64_t>(x.size()), 1);
    const half scale = unary(g.path, op::rsqrt, add(g.path, mean, half(1e-5)));
    for (const half v : x) {
        out.push_back(multiply(g.path, v, scale));
    }
    return out;
}

constexpr half subnormal = half::from_bits(1); // 2^-24

constexpr auto probes = std::to_array<probe>({
    {"N034", // fp16 weight, wide sum, scale and bias in fp16, table, fp16
     [](const generation& g) {
         const half weight = dequantize(g.path, half(3.0), half(0.1), half{});
         // 3 fp16(0.1) is half way between two fp16 values; 1024 times it would be 307.125 if it stayed unrounded.
         const double rest = dot(g, {half(1024.0), half(-1.0)}, {weight, half(307.0)});
         CHECK(rest == (g.path.elementwise_ties == tie_rule::half_away ? 0.25 : 0));
         const half sum(dot(g, {half(1.5), half(2.0)}, {weight, weight}));
         const half stored = sigmoid(g.path, scale_offset(g.path, sum, half(0.5), half(0.25)));
         CHECK(value(stored) == doctest::Approx(1 / (1 + std::exp(-(3.5 * 0.3 * 0.5 + 0.25)))).epsilon(0.005).scale(0));
     }},
    {"N080", [](const generation& g) { CHECK(value(add(g.path, not_a_number, half{})) == inf); }},
    {"N081", [](const generation& g) { CHECK(of<op::relu>(g, not_a_number) == inf); }},
    {"N082", [](const generation& g) { CHECK(of<op::sigmoid>(g, not_a_number) == 1); }},
    {"N083", [](const generation& g) { CHECK(of<op::tanh>(g, not_a_number) == 1); }},
    {"N084", [](const generation& g) { CHECK(of<op::erf>(g, not_a_number) == 1); }},
    {"N085", [](const generation& g) { CHECK(of<op::exp>(g, not_a_number) == inf); }},
    {"N086", [](const generation& g) { CHECK(value(binary(g.path, op::maximum, not_a_number, half(3.0))) == inf); }},
    {"N087",
     [](const generation& g) {
         const halves y = softmax_of(g, {half(1.0), not_a_number, half(2.0)});
         CHECK((value(y[0]) == 0 && value(y[1]) == 1 && value(y[2]) == 0));
     }},
    {"N088",
     [](const generation& g) {
         const halves nan = rms_norm_of(g, {half(1.0), not_a_number, half(-2.0)});
         const halves infinite = rms_norm_of(g, {half(1.0), plus_infinity, half(-2.0)});
         for (std::size_t i = 0; i < 3; ++i) {
             CHECK(nan[i].bits == infinite[i].bits);
         }
     }},
    {"N091", [](const generation& g) { CHECK(subtract(g.path, plus_infinity, plus_infinity).bits == 0); }},
    {"N092", [](const generation& g) { CHECK(multiply(g.path, half{}, plus_infinity).bits == 0); }},
    {"N093", [](const generation& g) { CHECK(unary(g.path, op::sqrt, half(-1.0)).bits == 0); }},
    {"N094", [](const generation& g) { CHECK(unary(g.path, op::rsqrt, half(-1.0)).bits == 0); }},
    {"N095", [](const generation& g) { CHECK(unary(g.path, op::log, half(-1.0)).bits == 0); }},
    {"N096", [](const generation& g) { CHECK(of<op::log>(g, 0.0) == -45440); }},
    {"N097", [](const generation& g) { CHECK(of<op::log>(g, plus_infinity) == 0); }},
    {"N098", [](const generation& g) { CHECK(unary(g.path, op::softplus, plus_infinity).bits == 0); }},
    {"N099", [](const generation& g) { CHECK(unary(g.path, op::softsign, plus_infinity).bits == 0); }},
    {"N100", // x is not published: of all fp16 values, -0.8 rounded is the one
     [](const generation& g) { CHECK(value(multiply(g.path, plus_infinity, half(-0.8))) == -52416); }},
    {"N101", [](const generation& g) { CHECK(of<op::cos>(g, plus_infinity) == 0); }},
    {"N102", [](const generation& g) { CHECK(of<op::inverse>(g, minus_zero) == inf); }},
    {"N103", [](const generation& g) { CHECK(of<op::rsqrt>(g, minus_zero) == inf); }},
    {"N104", [](const generation& g) { CHECK(unary(g.path, op::sqrt, minus_zero).bits == 0); }},
    {"N105", [](const generation& g) { CHECK(add(g.path, minus_zero, half{}).bits == 0); }},
    {"N106",
     [](const generation& g) {
         CHECK(add(g.path, subnormal, half{}).bits == subnormal.bits);
         CHECK(multiply(g.path, subnormal, half(1.0)).bits == subnormal.bits);
     }},
    {"N107", [](const generation& g) { CHECK(dot_with_ones(g, {half(0x1p-15), half(0x1p-16)}) == 0); }},
    {"N108", // with a normal partner; a product of two is NC_N108
     [](const generation& g) { CHECK(dot_with_ones(g, {half(0x1p-15), half(0x1p-16)}) == 0x1p-15 + 0x1p-16); }},
    {"N109",
     [](const generation& g) {
         const halves y = softmax_of(g, {half(1000.0), half(1.0), half(2.0), half(3.0)});
         CHECK((value(y[0]) == 1 && value(y[1]) == 0 && value(y[2]) == 0 && value(y[3]) == 0));
     }},
    {"N110",
     [](const generation& g) {
         for (const double a : {-60000.0, -1.0, 0.0, 0.3, 700.0}) {
             for (const half y : softmax_of(g, halves(4, half(a)))) {
                 CHECK(value(y) == 0.25);
             }
         }
     }},
    {"N111",
     [](const generation& g) { // 11.094 in fp16 is 11.09375; the value before it is 11.0859375
         CHECK(of<op::exp>(g, 11.09375) == inf);
         CHECK(std::isfinite(of<op::exp>(g, 11.0859375)));
     }},
    {"N112",
     [](const generation& g) {
         CHECK(of<op::square>(g, 256.0) == inf);
         CHECK(std::isfinite(of<op::square>(g, 255.875)));
     }},
    {"N113", [](const generation& g) { CHECK(of<op::gelu>(g, 0.0) == doctest::Approx(-0.000543).epsilon(2e-3).scale(0)); }},
    {"N114", [](const generation& g) { CHECK(of<op::silu>(g, 0.0) == doctest::Approx(-0.001259).epsilon(2e-3).scale(0)); }},
    {"N115", // the chip is not named: a table of its own
     [](const generation& g) {
         generation other = g;
         other.path.tables = table_variant::third;
         CHECK(of<op::gelu>(other, 0.0) == doctest::Approx(-0.000754).epsilon(2e-3).scale(0));
     }},
    {"N116",
     [](const generation& g) { // the ends of the table in fp16 and beyond
         CHECK(of<op::sigmoid>(g, 8.328125) == 1);
         CHECK(of<op::sigmoid>(g, 8.0) < 1);
         CHECK(of<op::sigmoid>(g, -9.9453125) == 0);
         CHECK(of<op::sigmoid>(g, -9.9296875) > 0);
         CHECK(activation_table::segments == 32);
     }},
    {"N121", // 2 clamps, flag, scale, knots, 4 tail coefficients and a mode word: 43 entries if the word takes two
     [](const generation&) {
         const int knots = activation_table::segments + 1;
         CHECK(knots == 33);
         CHECK(2 + 1 + 1 + knots + 4 + 2 == 43);
     }},
    {"N122", // the only sigmoid there is has the wide domain of the high-precision table
     [](const generation& g) {
         CHECK(path_of(op::sigmoid).path == arithmetic_path::table);
         CHECK(of<op::sigmoid>(g, 7.0) < 1);
         CHECK(of<op::sigmoid>(g, -7.0) > 0);
     }},
    {"N123", [](const generation& g) { CHECK(value(floor_divide(g.path, half(6.0), half(3.0))) == 1); }},
    {"N203", // fp16(act(fp16(fp16(sum) scale + bias))): the bias is added in fp16
     [](const generation& g) {
         const half sum(dot(g, repeated({1}, 2049), halves(2049, half(1.0))));
         CHECK(value(sum) == (g.path.mac_ties == tie_rule::half_away ? 2050 : 2048)); // stored before the scale
         CHECK(value(scale_offset(g.path, sum, half(1.0), half(0.25))) == value(sum));
         CHECK(value(scale_offset(g.path, half(3.0), half(0.5), half(0.25))) == 1.75);
     }},
});

} // namespace

std::span<const probe> probing::value_probes() { return probes; }
