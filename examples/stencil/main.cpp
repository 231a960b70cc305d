/// Not a neural network: the heat equation on a square, eight explicit time steps in one graph.
///
///     u' = u + r (north + south + east + west - 4 u),   u = 0 outside
///
/// The five-point stencil is a convolution with a constant kernel; the zeros outside are its padding. A product of
/// sines keeps its form and shrinks by 1 - 8 r sin^2(k pi / 2 (n + 1)) per step, which tells whether the answer is
/// right.
#include <anemone/anemone.hpp>
#include <anemone/fmt.hpp>

#include <fmt/format.h>

#include <cmath>
#include <numbers>

using namespace ane::literals;

constexpr int n = 31;    // inner points on a side
constexpr int steps = 8; // in one graph
constexpr int mode = 4;  // half waves on a side
constexpr float r = 0.125F;

constexpr auto heat = ane::graph([](auto& g) {
    auto u = g.input("u"_s, ane::f16<1, 1, n, n>, ane::within(-1, 1));
    auto stencil = g.constant(ane::f16<1, 1, 3, 3>, {0, r, 0, r, 1 - 4 * r, r, 0, r, 0});
    for (int i = 0; i < steps; ++i) {
        u = conv2d<ane::conv{.padding = ane::same}>(u, stencil); // every step reads the one constant
    }
    g.output("later"_s, u);
});
// The kernel is a constant whose weights add up to one: the bound of every step is the sum of their magnitudes, one, so
// that nothing can overflow however many steps there are.
static_assert(ane::conforms<heat, ane::macs>);

using field = ane::ndarray<ane::shape<1, 1, n, n>>;

/// Runs `rounds` times eight steps, prints each against the closed form, and returns the largest error.
template <class Backend> double largest_error(const Backend& backend, int rounds) {
    auto program = ane::compile<heat>(backend);
    const double wave = mode * std::numbers::pi / (n + 1);
    const double decay = std::pow(1 - 8 * static_cast<double>(r) * std::pow(std::sin(wave / 2), 2), steps);
    field u;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            u(0, 0, i, j) = ane::half(std::sin(wave * (i + 1)) * std::sin(wave * (j + 1)));
        }
    }
    const field start = u;
    fmt::print("{}\n  steps   peak     exact    largest error\n", backend.name());
    double worst = 0;
    for (int round = 1; round <= rounds; ++round) {
        const auto result = program({"u"_s = u});
        u = field(result["later"_s].elements()); // feed the result back
        double error = 0;
        for (std::size_t i = 0; i < u.size; ++i) {
            error = std::max(
                error, std::fabs(static_cast<double>(u[i]) - static_cast<double>(start[i]) * std::pow(decay, round)));
        }
        fmt::print("  {:>5}   {:.5f}  {:.5f}  {:.6f}\n", round * steps, u(0, 0, 3, 3), std::pow(decay, round), error);
        worst = std::max(worst, error);
    }
    return worst;
}

int main() {
    const double on_cpu = largest_error(ane::backend::cpu{}, 4);
    const double on_oracle = largest_error(ane::backend::oracle{ane::h13}, 4); // the M1's arithmetic
    return on_cpu < 0.002 && on_oracle < 0.002 ? 0 : 1;
}
