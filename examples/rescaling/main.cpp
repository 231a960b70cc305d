/// How much accuracy a power of two wins.
///
/// The engine adds products in a register whose last bit is 2^-16. Where both operands are of order 1 / sqrt(K), as the
/// activations and weights of a wide layer are, a product is of order 1 / K and the last bit is a large part of it. The
/// compiler computes the error to be expected, picks the scale, and the oracle measures both models.
///
///     example_rescaling [plot.svg]
#include <anemone/anemone.hpp>
#include <anemone/report/error_report.hpp>
#include <anemone/report/plot.hpp>

#include <fmt/format.h>

#include <cmath>
#include <random>
#include <vector>

using namespace ane::literals;

constexpr int rows = 16;
constexpr int columns = 64;

/// Values of this deviation, none of them farther out than six of it.
constexpr ane::contract around_zero(double deviation) {
    return ane::bounded(6 * deviation) & ane::deviating(deviation);
}

/// 1 / sqrt(K)
constexpr double deviation_of(int terms) {
    double root = 1;
    for (int i = 0; i < 40; ++i) {
        root = (root + terms / root) / 2;
    }
    return 1 / root;
}

/// x W of K products, with a factor of 2^Scale on W.
template <int K, int Scale>
constexpr auto layer = ane::graph([](auto& g) {
    auto x = g.input("x"_s, ane::f16<rows, K>, around_zero(deviation_of(K)));
    auto w = g.weight("w", ane::f16<K, columns>, around_zero(deviation_of(K)));
    g.output("y"_s, matmul(x, ane::scaled<Scale>(w)));
});

/// Values of exactly this root mean square, inside the contract: the loader holds weights to both.
std::vector<ane::half> gaussian(std::size_t count, double deviation, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal(0, 1);
    std::vector<double> drawn(count);
    double square = 0;
    for (double& v : drawn) {
        do {
            v = normal(random);
        } while (std::fabs(v) > 5.9);
        square += v * v;
    }
    std::vector<ane::half> values(count);
    for (std::size_t i = 0; i < count; ++i) {
        values[i] = ane::half(drawn[i] * deviation / std::sqrt(square / static_cast<double>(count)));
    }
    return values;
}

/// The relative error of a model in the oracle: root mean square over all elements, against sums in double.
template <const auto& Model, int K> double measured(const std::vector<ane::half>& x, const std::vector<ane::half>& w) {
    ane::weight_store weights;
    weights.add("w", {K, columns}, w);
    auto program = ane::compile<Model>(ane::backend::oracle(ane::h17s), weights);
    ane::ndarray<ane::shape<rows, K>> input;
    std::copy(x.begin(), x.end(), input.begin());
    const auto result = program({"x"_s = input});
    const auto y = result["y"_s];
    double error = 0;
    double size = 0;
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t c = 0; c < columns; ++c) {
            double exact = 0;
            for (std::size_t i = 0; i < K; ++i) {
                exact += static_cast<double>(x[r * K + i]) * static_cast<double>(w[i * columns + c]);
            }
            const double off = static_cast<double>(y[r * columns + c]) - exact;
            error += off * off;
            size += exact * exact;
        }
    }
    return std::sqrt(error / size);
}

/// One row of the table. Relative errors.
struct row {
    int terms;
    int scale;
    double expected, measured, published, scaled_expected, scaled;
};

ane::plot picture_of(const std::vector<row>& table) {
    const auto series = [&](const char* label, ane::plot_style style, double row::*error) {
        ane::plot_series s{label, style, {}};
        for (const row& r : table) {
            s.points.emplace_back(r.terms, r.*error);
        }
        return s;
    };
    return {.title = "Relative error of a matrix product",
            .note = "Operands of deviation 1/sqrt(K)",
            .x = {.label = "K", .ticks = {512, 1024, 2048, 4096, 8192}},
            .y = {.label = "relative error"},
            .series = {
                series("expected", ane::plot_style::line, &row::expected),
                series("the oracle", ane::plot_style::dots, &row::measured),
                series("expected with scaled<k>", ane::plot_style::dashed, &row::scaled_expected),
                series("the oracle with scaled<k>", ane::plot_style::dots, &row::scaled),
                series("published, measured on M5 Pro and M6 (N160-N165)", ane::plot_style::rings, &row::published)}};
}

template <int K> row compare(double published) {
    static constexpr ane::contraction_error plain = ane::error_envelope(layer<K, 0>)[0];
    static constexpr ane::contraction_error scaled = ane::error_envelope(layer<K, plain.scale>)[0];
    // Without the scale the products are near the quantum; with it the model keeps every rule, this warning included.
    constexpr auto strict = ane::as_error(ane::rule::products_are_near_the_quantum);
    static_assert(!ane::conforms<layer<K, 0>, ane::macs, strict>);
    static_assert(ane::conforms<layer<K, plain.scale>, ane::macs, strict>);

    const auto x = gaussian(std::size_t{rows} * K, deviation_of(K), 1);
    const auto w = gaussian(std::size_t{columns} * K, deviation_of(K), 2);
    return {K,
            plain.scale,
            plain.expected_relative(),
            measured<layer<K, 0>, K>(x, w),
            published,
            scaled.expected_relative(),
            measured<layer<K, plain.scale>, K>(x, w)};
}

int main(int count, char** arguments) {
    // The published figures were measured on M5 Pro and M6 (N160-N163, N165).
    const std::vector<row> table{compare<512>(0.002578), compare<1024>(0.005528), compare<2048>(0.012132),
                                 compare<4096>(0.027238), compare<8192>(0.06164)};
    fmt::print("operands of deviation 1/sqrt(K); relative errors\n");
    fmt::print("{:>6} {:>10} {:>10} {:>10}   {:>9} {:>10} {:>10} {:>6}\n", "K", "expected", "oracle", "published",
               "scaled by", "expected", "oracle", "gain");
    bool good = true;
    for (const row& r : table) {
        const double gain = r.measured / r.scaled;
        fmt::print("{:>6} {:>10.6f} {:>10.6f} {:>10.6f}   {:>9} {:>10.6f} {:>10.6f} {:>6.1f}\n", r.terms, r.expected,
                   r.measured, r.published, fmt::format("2^{}", r.scale), r.scaled_expected, r.scaled, gain);
        good = good && std::fabs(r.measured / r.published - 1) < 0.1 && (r.terms < 4096 || gain >= 10);
    }
    fmt::print("\n{}", ane::report_errors(layer<4096, 0>, ane::h17s).str());
    if (count > 1) {
        ane::write_file(arguments[1], ane::draw_plot(picture_of(table)));
    }
    return good ? 0 : 1;
}
