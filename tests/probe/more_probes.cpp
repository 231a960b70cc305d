// Records of curves, tables and stored weights, as single graphs.

#include "more_probes.hpp"

#include <doctest/doctest.h>

#include <array>

using namespace probing;

namespace {

/// Relative error of rows x columns sums of depth k over normal operands of deviation 1/sqrt(k), against the products of
/// the unrounded ones. So many results leave a sampling error of one over the root of their number.
double product_error(const generation& g, std::int64_t rows, std::int64_t columns, std::int64_t k) {
    random_values random{160};
    const double deviation = 1 / std::sqrt(static_cast<double>(k));
    const auto operand = [&](std::int64_t count) {
        std::vector<double> values;
        for (std::int64_t i = 0; i < count * k; ++i) {
            values.push_back(deviation * random.normal());
        }
        return values;
    };
    const auto rounded = [](const std::vector<double>& values) {
        halves out;
        for (const double v : values) {
            out.emplace_back(v);
        }
        return out;
    };
    const std::vector<double> a = operand(rows), b = operand(columns);
    const halves got = product(g, rows, columns, k, rounded(a), rounded(b), true);
    double error = 0, norm = 0;
    for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t j = 0; j < columns; ++j) {
            double exact = 0;
            for (std::int64_t t = 0; t < k; ++t) {
                exact += a[static_cast<std::size_t>(i * k + t)] * b[static_cast<std::size_t>(j * k + t)];
            }
            const double difference = value(got[static_cast<std::size_t>(i * columns + j)]) - exact;
            error += difference * difference;
            norm += exact * exact;
        }
    }
    return std::sqrt(error / norm);
}

/// The square product of depth K has the published error, in millionths.
template <int K, int Millionths> void square_product(const generation& g) {
    CHECK(product_error(g, 24, 24, K) == doctest::Approx(Millionths * 1e-6).epsilon(0.1).scale(0));
}
/// That of a matrix and a vector; all its results share the vector, and its sampling error.
template <int K, int Millionths> void vector_product(const generation& g) {
    CHECK(product_error(g, 1, 256, K) == doctest::Approx(Millionths * 1e-6).epsilon(0.2).scale(0));
}

/// Every fp16 pattern but NaN, as [1, 1, 8, 8192]; the place of a pattern is the pattern.
const operand_values& every_value() {
    static const operand_values all = [] {
        operand_values v{{1, 1, 8, 8192}, {}};
        for (std::uint32_t bits = 0; bits < 65536; ++bits) {
            const half h = half::from_bits(static_cast<std::uint16_t>(bits));
            v.values.push_back(std::isnan(value(h)) ? half{} : h);
        }
        return v;
    }();
    return all;
}

/// The worst absolute error over the finite values of [low, high].
double worst(const generation& g, op kind, double (*truth)(double), double low, double high) {
    const halves table = run(g, kind, {}, {every_value()});
    double error = 0;
    for (std::size_t i = 0; i < table.size(); ++i) {
        const double x = value(every_value().values[i]);
        if (std::isfinite(x) && x >= low && x <= high && std::isfinite(value(table[i]))) {
            error = std::fmax(error, std::fabs(value(table[i]) - truth(x)));
        }
    }
    return error;
}
double rounded(double x, int digits) { return std::round(x * std::pow(10.0, digits)); }

constexpr double everywhere = 65504;
constexpr double half_turn = 3.14159265358979323846;
double gelu_truth(double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }

/// The last element along an axis, by a slice of [3, 3, 3, 3] that begins at 1 there and at 0 elsewhere.
void slice_along(const generation& g, int axis_of_slice, double expected) {
    window w{{0, 0, 0, 0}, {3, 3, 3, 3}};
    w.begin[axis_of_slice] = 1;
    w.size[axis_of_slice] = 2;
    for (const half y : run(g, op::slice, w, {{{3, 3, 3, 3}, halves(81, half(60000.0))}})) {
        CHECK(value(y) == expected);
    }
}

constexpr auto probes = std::to_array<probe>({
    {"N065", // a slice from 0
     [](const generation& g) {
         const halves y = run(g, op::slice, window{{0}, {1}}, {vector_of({half(60000.0), half{}})});
         CHECK(value(y[0]) == 60000);
     }},
    {"N066",
     [](const generation& g) {
         for (const int along : {0, 1, 2}) {
             slice_along(g, along, 60000);
         }
     }},
    {"N072",
     [](const generation& g) {
         for (const double x : {4094.0, 4096.0}) {
             const halves y = run(g, op::slice, window{{0, 0, 2}, {1, 2, 1}}, {{{1, 2, 3}, halves(6, half(x))}});
             CHECK(value(y[0]) == (g.path.width_slice_gain == 1 || x == 4094 ? x : inf));
         }
     }},
    {"N117",
     [](const generation& g) {
         const auto truth = [](double x) { return 1 / (1 + std::exp(-x)); };
         CHECK(rounded(worst(g, op::sigmoid, truth, -everywhere, everywhere), 4) == 34);
     }},
    {"N118",
     [](const generation& g) {
         const auto truth = [](double x) { return std::tanh(x); };
         CHECK(rounded(worst(g, op::tanh, truth, -everywhere, everywhere), 4) == 17);
     }},
    {"N119",
     [](const generation& g) { CHECK(rounded(worst(g, op::gelu, gelu_truth, -everywhere, everywhere), 4) == 59); }},
    {"N120",
     [](const generation& g) {
         const auto sine = [](double x) { return std::sin(x); };
         const auto arc = [](double x) { return std::atan(x); };
         const double seam = worst(g, op::sin, sine, -half_turn, half_turn);
         CHECK((seam >= 0.04 && seam <= 0.12));
         const double end = worst(g, op::atan, arc, -everywhere, everywhere);
         CHECK((end >= 0.04 && end <= 0.12));
     }},
    {"N205", // folded before it comes in: within a quarter of a turn the error is small
     [](const generation& g) {
         const auto sine = [](double x) { return std::sin(x); };
         CHECK(worst(g, op::sin, sine, -half_turn / 2, half_turn / 2) <= 1e-3);
     }},
    {"N206",
     [](const generation& g) {
         const auto arc = [](double x) { return std::atan(x); };
         CHECK(worst(g, op::atan, arc, -16, 16) == doctest::Approx(0.01881).epsilon(0.03).scale(0));
     }},
    {"N204",
     [](const generation& g) {
         for (const op kind : {op::relu, op::sigmoid, op::tanh, op::gelu, op::silu, op::exp}) {
             for (const half y : run(g, kind, {}, {vector_of({not_a_number, half::from_bits(0xFE00)})})) {
                 CHECK_FALSE(std::isnan(value(y)));
             }
         }
     }},
    {"NC6", // both sides: the worst error of gelu near 0 is absolute, relative it is 8 %
     [](const generation& g) {
         CHECK(worst(g, op::gelu, gelu_truth, -everywhere, everywhere) < 0.0062);
         const auto smooth = [](double x) { return x / (1 + std::exp(-x)); };
         CHECK(worst(g, op::silu, smooth, -2, 2) >= 9.97e-3);
     }},
    {"N160", square_product<512, 2578>},
    {"N161", square_product<1024, 5528>},
    {"N162", square_product<2048, 12132>},
    {"N163", square_product<4096, 27238>},
    {"N164", square_product<6144, 43990>},
    {"N165", square_product<8192, 61640>},
    {"N170", vector_product<512, 2440>},
    {"N171", vector_product<1024, 5400>},
    {"N172", vector_product<2048, 12070>},
    {"N173", vector_product<4096, 26960>},
    {"N174", vector_product<6144, 44280>},
    {"N175", vector_product<8192, 63030>},
    {"N180", square_product<256, 1252>},
    {"N181", square_product<4096, 27275>},
    {"N182", square_product<1024, 5521>},
    {"N187", square_product<4096, 27000>},
    {"N189", // a bound
     [](const generation& g) { CHECK(product_error(g, 24, 24, 1024) < 1e-3 * std::sqrt(1024.0)); }},
    {"N198", // operands are not published
     [](const generation& g) { CHECK(product_error(g, 24, 24, 5632) == doctest::Approx(0.03).epsilon(0.4).scale(0)); }},
    {"NC10", // the error grows with K, faster than the root
     [](const generation& g) { CHECK(product_error(g, 24, 24, 2048) > 3 * product_error(g, 24, 24, 512)); }},
    {"NC_MAC", // half away, on a register of 2^-16: 2049 is 2050, and products below 2^-17 are lost
     [](const generation& g) {
         CHECK(dot_with_ones(g, {half(2048.0), half(1.0)}) == 2050);
         CHECK(dot(g, halves(512, half(0x1p-10)), halves(512, half(0x1p-8))) == 0);
     }},
});

constexpr std::string_view bytes = "a form of stored bytes: what an engine reads, not what it returns";
constexpr std::string_view steps = "a curve of many steps: examples/curves has it, on the oracle alone";

constexpr kit::beyond_a_graph others[] = {
    {"N076", "weights of 8-bit integers: the probes have no store of weights"},
    {"N077", "weights of 8-bit integers: the probes have no store of weights"},
    {"N208", "weights of 4-bit integers: the probes have no store of weights"},
    {"N209", "the question of N115"},
    {"N210", "integers between operations: the probes have values of fp16"},
    {"N211", "integers between operations: the probes have values of fp16"},
    {"N212", "integers between operations: the probes have values of fp16"},
    {"N213", "products below the floor of exponents, which other probes ask for"},
    {"N137", "weights of 8-bit integers: the probes have no store of weights"},
    {"N130", bytes},
    {"N131", bytes},
    {"N132", bytes},
    {"N133", bytes},
    {"N134", bytes},
    {"N135", bytes},
    {"N136", bytes},
    {"N138", bytes},
    {"N139", bytes},
    {"N140", bytes},
    {"N183", steps},
    {"N184", steps},
    {"N185", steps},
    {"N186", steps},
    {"N193", steps},
    {"N199", steps},
    {"N188", "a figure of the GPU"},
};

} // namespace

std::span<const probe> kit::more_probes() { return probes; }
std::span<const kit::beyond_a_graph> kit::records_beyond_a_graph() { return others; }
