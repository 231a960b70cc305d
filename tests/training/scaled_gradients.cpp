// The infinities of the guide's table (chapter 15, R154) out of the oracle: the gradient of a convolution's weight at loss
// scales from 256 to 1024. The guide does not tell its shape. This one is chosen so that each element of the gradient is known
// without a run, and nothing is searched:
//
// - a kernel [6, 1, 3, 3] that is joined from its three columns, so that its gradient goes back through slices of the last axis,
//   of which two begin inside of it: 36 of 54 elements;
// - four images with one pixel of 1/2 each, and the loss sum of y^2 / 2: y = x * w has one w beside the other times 1/2, and
//   the gradient is w itself, times the square of the scale of the inputs;
// - the 36 elements fall as 9.1 rank^-0.39: one lies above 4095 / 512, three above 4095 / 768, eight above 4095 / 1024, and all
//   above 4095 / 256 / 4^2. The 18 of the first column are 10.

#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/gradient/gradient.hpp>
#include <anemone/model.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <vector>

using namespace ane;

namespace {

constexpr auto scaled_gradient = graph([](auto& g) {
    auto x = g.input("x"_s, f16<4, 1, 8, 8>);
    auto scale = g.input("scale"_s, f16<1>);
    auto a = g.input("a"_s, f16<6, 1, 3, 1>);
    auto b = g.input("b"_s, f16<6, 1, 3, 1>);
    auto c = g.input("c"_s, f16<6, 1, 3, 1>);
    auto y = conv2d<conv{.padding = 1}>(x, concat<axis{3}>(a, b, c));
    auto loss = reduce_sum<axes{0, 1, 2, 3}>(square(y) * 0.5 * scale);
    auto [da, db, dc] = gradient(loss, a, b, c);
    g.output("da"_s, da);
    g.output("db"_s, db);
    g.output("dc"_s, dc);
});

/// How many elements of the gradient are infinite, of the first column and of the others.
struct infinities {
    int first = 0;
    int others = 0;
};
infinities count_infinities(target t, double input_scale, double loss_scale) {
    ndarray<shape<4, 1, 8, 8>> x;
    for (std::size_t n = 0; n < 4; ++n) {
        x(n, 0, 2 + n, 5 - n) = half(0.5 * input_scale);
    }
    ndarray<shape<6, 1, 3, 1>> a;
    ndarray<shape<6, 1, 3, 1>> b;
    ndarray<shape<6, 1, 3, 1>> c;
    for (std::size_t i = 0; i < 18; ++i) {
        a[i] = half(10.0);
        b[i] = half(9.1 * std::pow(static_cast<double>(2 * i + 1), -0.39));
        c[i] = half(9.1 * std::pow(static_cast<double>(2 * i + 2), -0.39));
    }
    ndarray<shape<1>> scale;
    scale[0] = half(loss_scale);
    auto program = compile<scaled_gradient>(backend::oracle{t}, weight_store{});
    const auto r = program({"x"_s = x, "scale"_s = scale, "a"_s = a, "b"_s = b, "c"_s = c});
    infinities found;
    const auto count = [&](const auto& gradient, const auto& w, int& infinite) {
        for (std::size_t i = 0; i < 18; ++i) {
            const auto g = static_cast<double>(gradient[i]);
            infinite += std::isinf(g) ? 1 : 0;
            if (std::isfinite(g)) {
                const double exact = static_cast<double>(w[i]) * loss_scale * input_scale * input_scale;
                CHECK(std::fabs(g - exact) < 4e-3 * exact);
            }
        }
    };
    count(r["da"_s], a, found.first);
    count(r["db"_s], b, found.others);
    count(r["dc"_s], c, found.others);
    return found;
}

struct row {
    double input_scale;
    double loss_scale;
    int infinite;
};
constexpr row guide_table[] = {{1, 256, 0}, {1, 384, 0}, {1, 512, 1}, {1, 768, 3}, {1, 1024, 8}, {4, 256, 36}};

} // namespace

TEST_CASE("the gradient of a convolution's weight has the infinities of the guide on M1, and none on M5") {
    for (const row& r : guide_table) {
        CAPTURE(r.input_scale);
        CAPTURE(r.loss_scale);
        for (const target t : {h13, h14}) { // M1, M2
            const infinities found = count_infinities(t, r.input_scale, r.loss_scale);
            CHECK(found.first == 0);
            CHECK(found.others == r.infinite);
        }
        const infinities on_m5 = count_infinities(h17s, r.input_scale, r.loss_scale);
        CHECK(on_m5.first + on_m5.others == 0);
    }
}
