// What a norm passes back in fp16 where the rest of a difference is small: of few elements it takes almost all of what they get, and
// of elements far from nothing the mean is rounded. Against the closed form in double precision.

#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/gradient/gradient.hpp>
#include <anemone/model.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

using namespace ane;

namespace {

enum class norm { layer, rms, softmax };

template <norm Kind, int Width> constexpr auto derived_norm() {
    return graph([](auto& g) {
        auto x = g.input("x"_s, f16<64, Width>);
        auto got = g.input("got"_s, f16<64, Width>);
        auto y = [&] {
            if constexpr (Kind == norm::layer) {
                return layer_norm<axis{1}>(x, g.weight("gamma", f16<Width>), g.weight("beta", f16<Width>), 1e-2);
            } else if constexpr (Kind == norm::rms) {
                return rms_norm<axis{1}>(x, g.weight("gamma", f16<Width>), 1e-2);
            } else {
                return softmax<axis{1}>(x);
            }
        }();
        auto [dx] = gradient(reduce_sum<axes{0, 1}>(y * got), x);
        g.output("dx"_s, dx);
    });
}

/// dx of a row in double precision.
template <norm Kind> std::vector<double> closed_form(const std::vector<double>& x, const std::vector<double>& got) {
    const std::size_t n = x.size();
    const auto mean = [&](const auto& value) {
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i) {
            sum += value(i);
        }
        return sum / static_cast<double>(n);
    };
    std::vector<double> dx(n);
    if constexpr (Kind == norm::softmax) {
        const double all = mean([&](std::size_t i) { return std::exp(x[i]); }) * static_cast<double>(n);
        double along = 0;
        for (std::size_t i = 0; i < n; ++i) {
            along += got[i] * std::exp(x[i]) / all;
        }
        for (std::size_t i = 0; i < n; ++i) {
            dx[i] = std::exp(x[i]) / all * (got[i] - along);
        }
    } else {
        const double centre = Kind == norm::layer ? mean([&](std::size_t i) { return x[i]; }) : 0;
        const double given = Kind == norm::layer ? mean([&](std::size_t i) { return got[i]; }) : 0;
        const double scale =
            1 / std::sqrt(mean([&](std::size_t i) { return (x[i] - centre) * (x[i] - centre); }) + 1e-2);
        const double along = mean([&](std::size_t i) { return got[i] * (x[i] - centre) * scale; });
        for (std::size_t i = 0; i < n; ++i) {
            dx[i] = scale * (got[i] - given - (x[i] - centre) * scale * along);
        }
    }
    return dx;
}

/// The largest error of a row beside its length, of 64 rows; of rows as long as a unit of the last place of what they get, beside that.
template <norm Kind, int Width> double error_of(double centre, double deviation) {
    static constexpr auto model = derived_norm<Kind, Width>();
    weight_store weights;
    weights.add("gamma", {Width}, std::vector<float>(Width, 1));
    weights.add("beta", {Width}, std::vector<float>(Width, 0));
    auto program = compile<model>(backend::cpu{}, weights_for(model, weights));
    std::mt19937 random(7);
    std::uniform_real_distribution<double> unit(-1, 1);
    ndarray<shape<64, Width>> x;
    ndarray<shape<64, Width>> got;
    for (std::size_t i = 0; i < 64 * Width; ++i) {
        x[i] = half(centre + deviation * (unit(random) + (i % 2 == 0 ? 1 : -1)));
        got[i] = half(unit(random));
    }
    const auto r = program({"x"_s = x, "got"_s = got});
    double worst = 0;
    for (std::size_t row = 0; row < 64; ++row) {
        std::vector<double> of_x;
        std::vector<double> of_got;
        for (std::size_t k = 0; k < Width; ++k) {
            of_x.push_back(static_cast<double>(x[row * Width + k]));
            of_got.push_back(static_cast<double>(got[row * Width + k]));
        }
        const std::vector<double> exact = closed_form<Kind>(of_x, of_got);
        double difference = 0;
        double length = 0;
        for (std::size_t k = 0; k < Width; ++k) {
            difference = std::hypot(difference, static_cast<double>(r["dx"_s][row * Width + k]) - exact[k]);
            length = std::hypot(length, exact[k]);
        }
        worst = std::max(worst, difference / std::max(length, 0x1p-10));
    }
    return worst;
}

} // namespace

TEST_CASE("norms of few elements keep the small rest of what they get") {
    CHECK(error_of<norm::layer, 2>(0, 1) < 0.02);
    CHECK(error_of<norm::layer, 3>(0, 1) < 0.02);
    CHECK(error_of<norm::rms, 1>(0, 1) < 0.02);
    CHECK(error_of<norm::rms, 2>(0, 1) < 0.02);
    CHECK(error_of<norm::softmax, 2>(0, 4) < 0.02);
}

TEST_CASE("a norm of elements far from nothing centres them without the rounding of their mean") {
    CHECK(error_of<norm::layer, 16>(8, 0.05) < 0.02);
    CHECK(error_of<norm::layer, 64>(-30, 0.5) < 0.02);
    CHECK(error_of<norm::layer, 2>(20, 1) < 0.02);
}
