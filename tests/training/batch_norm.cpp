// Normalisation by the statistics of a batch, and its derivative, which goes through them, in closed form.

#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/gradient/gradient.hpp>
#include <anemone/model.hpp>
#include <anemone/training/batch_norm.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using namespace ane;

namespace {

constexpr auto normalized_layer = graph([](auto& g) {
    auto x = g.input("x"_s, f16<3, 2, 2, 2>);
    auto pull = g.input("pull"_s, f16<3, 2, 2, 2>, within(-1, 1));
    auto gamma = g.constant(f16<2>, {1.5F, -0.5F});
    auto beta = g.constant(f16<2>, {0.25F, 1.0F});
    auto n = normalized_batch(x, gamma, beta, 0.01);
    g.output("y"_s, n.value);
    g.output("mean"_s, n.mean);
    g.output("variance"_s, n.variance);
    auto [dx] = gradient(reduce_sum<axes{0, 1, 2, 3}>(n.value * pull), x);
    g.output("dx"_s, dx);
});
static_assert(conforms<normalized_layer, macs>);

} // namespace

TEST_CASE("a batch is normalised by its own statistics, and the gradient goes through them") {
    ndarray<shape<3, 2, 2, 2>> x;
    ndarray<shape<3, 2, 2, 2>> pull;
    for (std::size_t i = 0; i < 24; ++i) {
        x[i] = half(2 * std::sin(1.3 * static_cast<double>(i)));
        pull[i] = half(std::cos(0.7 * static_cast<double>(i)));
    }
    auto program = compile<normalized_layer>(backend::cpu{}, weight_store{});
    const auto r = program({"x"_s = x, "pull"_s = pull});
    const double gamma[] = {1.5, -0.5};
    const double beta[] = {0.25, 1};
    for (std::size_t c = 0; c < 2; ++c) {
        std::vector<double> values;
        std::vector<double> pulls;
        std::vector<std::size_t> places;
        double mean = 0;
        for (std::size_t i = 0; i < 24; ++i) {
            if (i / 4 % 2 == c) {
                places.push_back(i);
                values.push_back(static_cast<double>(x[i]));
                pulls.push_back(static_cast<double>(pull[i]));
                mean += values.back() / 12;
            }
        }
        double variance = 0;
        for (const double v : values) {
            variance += (v - mean) * (v - mean) / 12;
        }
        const double root = std::sqrt(variance + 0.01);
        double pull_mean = 0;
        double pull_along = 0;
        for (std::size_t k = 0; k < 12; ++k) {
            pull_mean += pulls[k] / 12;
            pull_along += pulls[k] * (values[k] - mean) / root / 12;
        }
        CHECK(std::fabs(static_cast<double>(r["mean"_s][c]) - mean) < 2e-3);
        CHECK(std::fabs(static_cast<double>(r["variance"_s][c]) - variance) < 4e-3);
        for (std::size_t k = 0; k < 12; ++k) {
            const double apart = (values[k] - mean) / root;
            const double y = gamma[c] * apart + beta[c];
            const double dx = gamma[c] / root * (pulls[k] - pull_mean - apart * pull_along);
            CHECK(std::fabs(static_cast<double>(r["y"_s][places[k]]) - y) < 6e-3);
            CHECK(std::fabs(static_cast<double>(r["dx"_s][places[k]]) - dx) < 6e-3);
        }
    }
}
