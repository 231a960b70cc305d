/// On the A13 and A14 a slice that begins inside the last axis stores sixteen times its values: above 4094 they become
/// infinite (guide chapter 19, R090).
#include "hazard.hpp"

using namespace ane::literals;

namespace {
constexpr auto broken = ane::graph([](auto& g) {
    auto x = g.input("x"_s, ane::f16<4, 16>, ane::within(-5000, 5000));
    g.output("y"_s, slice<ane::window{{0, 8}, {4, 8}}>(x));
});
static_assert(!ane::conforms<broken, ane::h13>);
// design_rule<op::slice, rule::width_slice_may_saturate, target::h13, 10, 1, 5000, 4094>

/// A power of two loses nothing: half the values through the slice, twice the result.
constexpr auto repaired = ane::graph([](auto& g) {
    auto x = g.input("x"_s, ane::f16<4, 16>, ane::within(-5000, 5000));
    g.output("y"_s, mul(slice<ane::window{{0, 8}, {4, 8}}>(mul(x, 0.5)), 2.0));
});
static_assert(ane::conforms<repaired, ane::macs>);
} // namespace

bool slice_above_4094() { return show("a slice of values above 4094", broken, repaired); }
