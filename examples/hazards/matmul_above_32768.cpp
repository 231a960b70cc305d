/// A sum of products that reaches 32768 at any moment is infinite for good, on every generation (guide chapter 3,
/// R056).
#include "hazard.hpp"

using namespace ane::literals;

namespace {
constexpr auto broken = ane::graph([](auto& g) {
    auto x = g.input("x"_s, ane::f16<16, 4096>, ane::within(-8, 8));
    g.output("y"_s, linear(x, g.weight("w", ane::f16<64, 4096>, ane::bounded(1))));
});
static_assert(!ane::conforms<broken, ane::h13>);
// design_rule<op::linear, rule::contraction_may_reach_ceiling, target::h13, 9, 2, 32768, 32768>

/// No row of a trained weight is at its bound everywhere. What its rows add up to is a promise that the loader
/// verifies.
constexpr auto repaired = ane::graph([](auto& g) {
    auto x = g.input("x"_s, ane::f16<16, 4096>, ane::within(-8, 8));
    g.output("y"_s, linear(x, g.weight("w", ane::f16<64, 4096>, ane::bounded(1) & ane::row_l1(2000))));
});
static_assert(ane::conforms<repaired, ane::macs>);
} // namespace

bool matmul_above_32768() { return show("a matrix product that may pass 32768", broken, repaired); }
