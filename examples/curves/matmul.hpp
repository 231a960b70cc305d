#pragma once

#include "curve.hpp"
#include "engine.hpp"

#include <fmt/format.h>

/// Relative error of a matrix product and of a matrix times a vector against the depth K of its sums.
namespace curves {

struct product_errors {
    double engine;   ///< the engine's multiply-accumulate path
    double fp32_sum; ///< the same fp16 operands, products added in fp32 and rounded once: what a GPU or CPU does
};

/// m x n results of depth k. Both operands are normal with a standard deviation of spread / sqrt(k), rounded to fp16;
/// the reference is the product of the unrounded ones.
inline product_errors product_error(const ane::numerics::datapath& path, std::int64_t m, std::int64_t n, std::int64_t k,
                                    double spread, std::uint64_t seed) {
    random_source random(seed);
    const double deviation = spread / std::sqrt(static_cast<double>(k));
    const std::vector<double> a = random.normals(m * k, deviation);
    const std::vector<double> b = random.normals(n * k, deviation); // transposed: a row for each column
    const std::vector<ane::half> a16 = to_halves(a), b16 = to_halves(b);
    const std::vector<ane::half> engine =
        on_engine(path, ane::op::matmul, ane::transposed{.b = true}, {{{m, k}, a16}, {{n, k}, b16}});
    std::vector<ane::half> fp32;
    std::vector<double> exact;
    const std::vector<double> a_rounded = to_doubles(a16), b_rounded = to_doubles(b16);
    for (std::int64_t i = 0; i < m; ++i) {
        for (std::int64_t j = 0; j < n; ++j) {
            double sum = 0;
            float single = 0;
            for (std::int64_t t = 0; t < k; ++t) {
                const auto left = static_cast<std::size_t>(i * k + t), right = static_cast<std::size_t>(j * k + t);
                sum += a[left] * b[right];
                single += static_cast<float>(a_rounded[left] * b_rounded[right]);
            }
            exact.push_back(sum);
            fp32.emplace_back(static_cast<double>(single));
        }
    }
    return {relative_error(engine, exact), relative_error(fp32, exact)};
}

inline result matmul_curve(effort e) {
    const ane::numerics::datapath m1 = ane::numerics::datapath_of(ane::family::a13);
    const ane::numerics::datapath m5 = ane::numerics::datapath_of(ane::family::a17);
    const std::int64_t side = e == effort::full ? 48 : 40;
    const std::int64_t rows = e == effort::full ? 1024 : 400; // of a matrix that multiplies one vector
    const std::int64_t deepest = e == effort::full ? 8192 : 1024;
    result r;
    ane::plot_series model{"model: matrix product, M5's arithmetic", ane::plot_style::line, {}};
    ane::plot_series vectors{"model: matrix times vector", ane::plot_style::dots, {}};
    ane::plot_series single{"the same operands with sums in fp32 (the GPU: 3.6e-4, N188)", ane::plot_style::dashed, {}};
    ane::plot_series expected{"ANEForge's cost model: 1e-3 sqrt(K) (N189, predicted)", ane::plot_style::dashed, {}};
    ane::plot_series published{"published: M1, M1 Max, M5, M5 Pro, M6 (N160-N165, N170-N175, N180-N182, N187, N198)",
                               ane::plot_style::rings,
                               {}};

    struct published_product {
        std::int64_t depth;
        double error;
        const char* source;
    };
    for (const published_product& p : {published_product{256, 0.0012522854, "N180 M1 Max, M5"},
                                       {512, 0.002578, "N160 M5 Pro, M6"},
                                       {1024, 0.005528, "N161 M5 Pro, M6"},
                                       {1024, 0.005521, "N182 M1 Max"},
                                       {2048, 0.012132, "N162 M5 Pro, M6"},
                                       {4096, 0.027238, "N163 M5 Pro, M6"},
                                       {4096, 0.02727549, "N181 M1 Max, M5"},
                                       {4096, 0.027, "N187 M1"},
                                       {6144, 0.04399, "N164 M5 Pro, M6"},
                                       {8192, 0.06164, "N165 M5 Pro, M6"}}) {
        if (p.depth > deepest) {
            continue;
        }
        const bool first_chip = std::string_view(p.source).find(" M1") != std::string_view::npos;
        const product_errors errors = product_error(first_chip ? m1 : m5, side, side, p.depth, 1, 1);
        r.rows.push_back({fmt::format("matmul K = {}", p.depth), p.error, errors.engine, 1.05, p.source, "measured"});
        published.points.emplace_back(p.depth, p.error);
        if (!first_chip || p.depth == 256) {
            model.points.emplace_back(p.depth, errors.engine);
            single.points.emplace_back(p.depth, errors.fp32_sum);
            expected.points.emplace_back(p.depth, 1e-3 * std::sqrt(static_cast<double>(p.depth)));
        }
    }
    r.rows.push_back({"fp32 sums, any K (GPU)", 0.00036, single.points.back().second, 1.05, "N188 M5", "measured"});
    for (const published_product& p : {published_product{512, 0.00244, "N170 M5"},
                                       {1024, 0.0054, "N171 M5"},
                                       {2048, 0.01207, "N172 M5"},
                                       {4096, 0.02696, "N173 M5"},
                                       {6144, 0.04428, "N174 M5"},
                                       {8192, 0.06303, "N175 M5"}}) {
        if (p.depth > deepest) {
            continue;
        }
        const double error = product_error(m5, 1, rows, p.depth, 1, 2).engine;
        r.rows.push_back({fmt::format("gemv K = {}", p.depth), p.error, error, 1.12, p.source, "measured"});
        vectors.points.emplace_back(p.depth, error);
        published.points.emplace_back(p.depth, p.error);
    }
    if (deepest >= 5632) {
        const double projection = product_error(m1, side, side, 5632, 1, 1).engine;
        r.rows.push_back({"down projection K = 5632", 0.03, projection, 1.4, "N198 M1", "measured"});
        published.points.emplace_back(5632, 0.03);
        r.notes.push_back(fmt::format(
            "The down projection is published as \"about 3 percent\", its operands are not. Its error goes with the inverse of "
            "their product: {:.1f} % with 1/sqrt(K), {:.1f} % with deviations 15 % larger.",
            100 * projection, 100 * product_error(m1, side, side, 5632, 1.15, 1).engine));
    }
    r.notes.insert(
        r.notes.begin(),
        {"Inputs: both operands normal, standard deviation 1/sqrt(K) (facts: numerics-datapath section 1).",
         fmt::format(
             "Factor 1.05 for products: {} results leave a sampling error of {:.1f} % (one over the root of their "
             "number), and the published figures have their own.",
             side * side, 100 / std::sqrt(static_cast<double>(side * side))),
         "Factor 1.12 for one vector: all results share it, so that the sampling error is larger, there and here."});
    r.figure = {.title = "Relative error of a matrix product against K",
                .note =
                    "Normal operands of deviation 1/sqrt(K); products below 2^-16 are lost, the others rounded to it",
                .x = {.label = "K, products in a sum", .ticks = {256, 512, 1024, 2048, 4096, 8192}},
                .y = {.label = "relative error"},
                .series = {model, vectors, single, expected, published}};
    return r;
}

} // namespace curves
