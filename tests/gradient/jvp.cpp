// Directional derivatives: closed forms, and against the gradient.

#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/gradient/jvp.hpp>
#include <anemone/model.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <string>

using namespace ane;

namespace {

/// y = tanh(x^2 w^T), its change along v, and what the gradient says of the sum of it.
constexpr auto moved_layer = graph([](auto& g) {
    auto x = g.input("x"_s, f16<2, 3>, within(-2, 2));
    auto v = g.input("v"_s, f16<2, 3>, within(-1, 1));
    auto w = g.constant(f16<2, 3>, {0.5F, -0.25F, 1.0F, 0.125F, 0.75F, -0.5F});
    auto y = tanh(linear(square(x), w));
    g.output("dy"_s, jvp(y, x, v));
    auto [dx] = gradient(reduce_sum<axes{0, 1}>(y), x);
    g.output("sum"_s, reduce_sum<axes{0, 1}>(dx * v));
});
static_assert(conforms<moved_layer, macs>);

} // namespace

TEST_CASE("a value moves along a direction by the Jacobian") {
    const double x[] = {0.5, -1, 0.25, 1, 0.75, -0.5};
    const double v[] = {1, 0.5, -0.25, -1, 0.5, 0.125};
    const double w[] = {0.5, -0.25, 1, 0.125, 0.75, -0.5};
    ndarray<shape<2, 3>> at;
    ndarray<shape<2, 3>> along;
    for (std::size_t i = 0; i < 6; ++i) {
        at[i] = half(x[i]);
        along[i] = half(v[i]);
    }
    auto program = compile<moved_layer>(backend::cpu{}, weight_store{});
    const auto r = program({"x"_s = at, "v"_s = along});
    double sum = 0;
    for (std::size_t n = 0; n < 2; ++n) {
        for (std::size_t o = 0; o < 2; ++o) {
            double z = 0;
            double dz = 0;
            for (std::size_t k = 0; k < 3; ++k) {
                z += w[3 * o + k] * x[3 * n + k] * x[3 * n + k];
                dz += w[3 * o + k] * 2 * x[3 * n + k] * v[3 * n + k];
            }
            const double expected = (1 - std::tanh(z) * std::tanh(z)) * dz;
            CHECK(std::fabs(static_cast<double>(r["dy"_s][2 * n + o]) - expected) < 3e-3);
            sum += expected;
        }
    }
    CHECK(std::fabs(static_cast<double>(r["sum"_s][0]) - sum) < 1e-2);
}

TEST_CASE("directions of other shapes are refused, and several values move at once") {
    dynamic_graph g = build_graph([](auto& b) {
        auto x = b.input("x"_s, f16<2>);
        auto z = b.input("z"_s, f16<2>);
        b.input("v"_s, f16<2>);
        b.input("wide"_s, f16<3>);
        b.output("y"_s, x * z);
    });
    const graph_view view = g;
    const int x = view.find(op::input, "x");
    const int z = view.find(op::input, "z");
    const int v = view.find(op::input, "v");
    const int wide = view.find(op::input, "wide");
    const int y = view.outputs[0].node;
    const int by[] = {x, z};
    const int twice[] = {v, v};
    const int wrong[] = {v, wide};
    CHECK_THROWS_AS((void)append_jvp(g, y, by, wrong), error);
    CHECK_THROWS_AS((void)append_jvp(g, y, by, std::span<const int>(twice, 1)), error);
    const int dy = append_jvp(g, y, by, twice); // z v + x v
    g.add_output(dy, "dy");
    validate(g);
    auto program = compile(prune(g), backend::cpu{}, weight_store{});
    const half values[4][3] = {{half(3.0), half(-1.0)}, {half(0.5), half(2.0)}, {half(2.0), half(4.0)}, {}};
    half out[2][2]{};
    const std::span<const std::byte> in[] = {
        std::as_bytes(std::span(values[0], 2)), std::as_bytes(std::span(values[1], 2)),
        std::as_bytes(std::span(values[2], 2)), std::as_bytes(std::span(values[3], 3))};
    const std::span<std::byte> to[] = {std::as_writable_bytes(std::span(out[0])),
                                       std::as_writable_bytes(std::span(out[1]))};
    program.run(in, to);
    CHECK(static_cast<double>(out[1][0]) == 2 * (3 + 0.5));
    CHECK(static_cast<double>(out[1][1]) == 4 * (-1 + 2));
}
