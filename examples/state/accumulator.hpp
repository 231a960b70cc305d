#pragma once

#include <anemone/anemone.hpp>

/// The smallest model with a memory: what it is given, added up over all runs.
inline constexpr auto accumulator = ane::graph([](ane::builder& g) {
    using namespace ane::literals;
    auto x = g.input("x"_s, ane::f16<1, 64>, ane::within(-1, 1));
    auto total = g.state("total"_s, ane::f16<1, 64>, ane::within(-1000, 1000));
    write(total, ane::clamp(read(total) + x, -1000, 1000)); // without the clamp, the promise of `total` is refused
    g.output("sum"_s, read(total));
});
static_assert(ane::conforms<accumulator, ane::macs>);
