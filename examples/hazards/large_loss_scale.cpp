/// The gradient of a convolution's weight, from a gradient that a loss scale has enlarged: its windows are slices
/// inside the last axis, and on the A13 and A14 scaled gradients become infinite there (guide chapters 15 and 19, R154,
/// R090).
#include "hazard.hpp"

using namespace ane::literals;

namespace {
/// dW[o, i, k] = sum over the image of dy[o, y, x - k] x[i, y, x], for the three columns k of a 1 x 3 kernel, the last
/// one first.
template <int LossScale>
constexpr auto weight_gradient = [](auto& g) {
    auto x = g.input("x"_s, ane::f16<1, 4, 8, 8>, ane::within(-1, 1));
    auto dy = mul(g.input("dy"_s, ane::f16<1, 4, 8, 8>, ane::within(-8, 8)), LossScale);
    auto padded = pad<ane::pads{{0, 0, 0, 1}, {0, 0, 0, 1}}>(dy);
    const auto column = [&](auto window) {
        return matmul<ane::transposed{.b = true}>(reshape<4, 64>(window), reshape<4, 64>(x));
    };
    auto left = column(slice<ane::window{{0, 0, 0, 0}, {1, 4, 8, 8}}>(padded));
    auto middle = column(slice<ane::window{{0, 0, 0, 1}, {1, 4, 8, 8}}>(padded));
    auto right = column(slice<ane::window{{0, 0, 0, 2}, {1, 4, 8, 8}}>(padded));
    g.output("dw"_s, concat<ane::axis{0}>(right, middle, left));
};

constexpr auto broken = ane::graph(weight_gradient<1024>);
static_assert(!ane::conforms<broken, ane::h13>);
// design_rule<op::slice, rule::width_slice_may_saturate, target::h13, 19, 6, 8192, 4094>

/// A loss scale that the ranges allow: 8 * 32 = 256 through the windows, and 64 products of it in a sum.
constexpr auto repaired = ane::graph(weight_gradient<32>);
static_assert(ane::conforms<repaired, ane::macs>);
} // namespace

bool large_loss_scale() { return show("a trainable convolution with a large loss scale", broken, repaired); }
