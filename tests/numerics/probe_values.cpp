// Published records about single values: NaN, infinities, zeros, subnormals, tables, stored weights.

#include "probes.hpp"
#include <anemone/catalogue/engine_path.hpp>
#include <anemone/numerics/activation_table.hpp>

#include <doctest/doctest.h>

#include <array>

using namespace probing;

namespace {

template <op Kind> double of(const generation& g, half x) { return value(of(g, Kind, x)); }
template <op Kind> double of(const generation& g, double x) { return of<Kind>(g, half(x)); }
/// Those that take an epsilon: none.
template <op Kind> half bare(const generation& g, half x) { return of(g, Kind, x, stabilizer{}); }

halves softmax_of(const generation& g, const halves& x) { return run(g, op::softmax, axis{0}, {vector_of(x)}); }

halves rms_norm_of(const generation& g, const halves& x) {
    const auto n = static_cast<std::int64_t>(x.size());
    return run(g, op::rms_norm, stabilizer{1e-5F, -1}, {matrix_of(1, n, x), ones_of({n})});
}

/// x scale + offset of constants, which is one layer.
half scale_offset(const generation& g, half x, double scale, double offset) {
    probe_graph graph;
    const dynamic_tensor scaled = graph.add(op::mul, {graph.value(vector_of({x})), graph.number(scale)});
    return graph.run(g, graph.add(op::add, {scaled, graph.number(offset)}))[0];
}

half dequantized(const generation& g, std::int8_t q, double scale) {
    probe_graph graph;
    const operand_values by{{1}, {half(scale)}, true};
    return graph.run(
        g, graph.add(op::dequantize, {graph.integers({q}), graph.value(by)}, quantization{dtype::int8, 0}))[0];
}

constexpr half subnormal = half::from_bits(1); // 2^-24

constexpr auto probes = std::to_array<probe>({
    {"N034", // fp16 weight, wide sum, scale and bias in fp16, table, fp16
     [](const generation& g) {
         const half weight = dequantized(g, 3, 0.1);
         // 3 fp16(0.1) is half way between two fp16 values; 1024 times it would be 307.125 if it stayed unrounded.
         const double rest = dot(g, {half(1024.0), half(-1.0)}, {weight, half(307.0)});
         CHECK(rest == (g.path.elementwise_ties == tie_rule::half_away ? 0.25 : 0));
         const half sum(dot(g, {half(1.5), half(2.0)}, {weight, weight}));
         const half stored = of(g, op::sigmoid, scale_offset(g, sum, 0.5, 0.25));
         CHECK(value(stored) == doctest::Approx(1 / (1 + std::exp(-(3.5 * 0.3 * 0.5 + 0.25)))).epsilon(0.005).scale(0));
     }},
    {"N080", [](const generation& g) { CHECK(value(of(g, op::add, not_a_number, half{})) == inf); }},
    {"N081", [](const generation& g) { CHECK(of<op::relu>(g, not_a_number) == inf); }},
    {"N082", [](const generation& g) { CHECK(of<op::sigmoid>(g, not_a_number) == 1); }},
    {"N083", [](const generation& g) { CHECK(of<op::tanh>(g, not_a_number) == 1); }},
    {"N084", [](const generation& g) { CHECK(of<op::erf>(g, not_a_number) == 1); }},
    {"N085", [](const generation& g) { CHECK(of<op::exp>(g, not_a_number) == inf); }},
    {"N086", [](const generation& g) { CHECK(value(of(g, op::maximum, not_a_number, half(3.0))) == inf); }},
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
    {"N091", [](const generation& g) { CHECK(of(g, op::sub, plus_infinity, plus_infinity).bits == 0); }},
    {"N092", [](const generation& g) { CHECK(of(g, op::mul, half{}, plus_infinity).bits == 0); }},
    {"N093", [](const generation& g) { CHECK(of(g, op::sqrt, half(-1.0)).bits == 0); }},
    {"N094", [](const generation& g) { CHECK(bare<op::rsqrt>(g, half(-1.0)).bits == 0); }},
    {"N095", [](const generation& g) { CHECK(bare<op::log>(g, half(-1.0)).bits == 0); }},
    {"N096", [](const generation& g) { CHECK(value(bare<op::log>(g, half{})) == -45440); }},
    {"N097", [](const generation& g) { CHECK(value(bare<op::log>(g, plus_infinity)) == 0); }},
    {"N098", // the engine's own layer, which parametric_softplus is; softplus itself is written in two parts (M5: the
             // layer is 0 from 11.09 on), and their sum of infinity is infinite
     [](const generation& g) {
         const operand_values one = ones_of({1});
         const operand_values infinite{{1, 1, 1}, {plus_infinity}};
         CHECK(run(g, op::parametric_softplus, {}, {infinite, one, one})[0].bits == 0);
         CHECK(of<op::softplus>(g, plus_infinity) == inf);
     }},
    {"N099", [](const generation& g) { CHECK(of(g, op::softsign, plus_infinity).bits == 0); }},
    {"N100", // x is not published: of all fp16 values, -0.8 rounded is the one
     [](const generation& g) { CHECK(value(of(g, op::mul, plus_infinity, half(-0.8))) == -52416); }},
    {"N101", [](const generation& g) { CHECK(of<op::cos>(g, plus_infinity) == 0); }},
    {"N102", [](const generation& g) { CHECK(value(bare<op::inverse>(g, minus_zero)) == inf); }},
    {"N103", [](const generation& g) { CHECK(value(bare<op::rsqrt>(g, minus_zero)) == inf); }},
    {"N104", [](const generation& g) { CHECK(of(g, op::sqrt, minus_zero).bits == 0); }},
    {"N105", [](const generation& g) { CHECK(of(g, op::add, minus_zero, half{}).bits == 0); }},
    {"N106",
     [](const generation& g) {
         CHECK(of(g, op::add, subnormal, half{}).bits == subnormal.bits);
         CHECK(of(g, op::mul, subnormal, half(1.0)).bits == subnormal.bits);
     }},
    {"N107",
     [](const generation& g) {
         CHECK(dot_with_ones(g, {half(0x1p-15), half(0x1p-16)}) == 0);
     }},
    {"N108", // with a normal partner; a product of two is NC_N108
     [](const generation& g) {
         CHECK(dot_with_ones(g, {half(0x1p-15), half(0x1p-16)}) == 0x1p-15 + 0x1p-16);
     }},
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
    {"N113",
     [](const generation& g) { CHECK(of<op::gelu>(g, 0.0) == doctest::Approx(-0.000543).epsilon(2e-3).scale(0)); }},
    {"N114",
     [](const generation& g) { CHECK(of<op::silu>(g, 0.0) == doctest::Approx(-0.001259).epsilon(2e-3).scale(0)); }},
    {"N115", // the chip is not named: a table of its own
     [](const generation& g) {
         generation other = g;
         other.path.tables = table_variant::m5;
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
         CHECK(engine_path_of(op::sigmoid).path == arithmetic_path::table);
         CHECK(of<op::sigmoid>(g, 7.0) < 1);
         CHECK(of<op::sigmoid>(g, -7.0) > 0);
     }},
    {"N123", // of the layer itself: what is written for a floor_div is exact
     [](const generation& g) {
         probe_graph graph;
         const dynamic_tensor six = graph.value(vector_of({half(6.0)}));
         const dynamic_tensor three = graph.value(vector_of({half(3.0)}));
         CHECK(value(graph.run(g, graph.add(op::floor_div, {six, three}), layer_forms::own)[0]) == 1);
     }},
    {"N203", // fp16(act(fp16(fp16(sum) scale + bias))): the bias is added in fp16
     [](const generation& g) {
         const half sum(dot(g, repeated({1}, 2049), halves(2049, half(1.0))));
         CHECK(value(sum) == (g.path.mac_ties == tie_rule::half_away ? 2050 : 2048)); // stored before the scale
         CHECK(value(scale_offset(g, sum, 1.0, 0.25)) == value(sum));
         CHECK(value(scale_offset(g, half(3.0), 0.5, 0.25)) == 1.75);
     }},
});

} // namespace

std::span<const probe> probing::value_probes() { return probes; }
