#pragma once

#include "../graph/graph.hpp"
#include "interval.hpp"

/// Ranges of inputs, weights and constants: what their contracts promise, what their values are.
namespace ane::detail {

constexpr interval range_of_constant(const graph_view& g, const node& n) {
    const auto all = g.values(n);
    const float* const values = all.data();
    const std::size_t count = all.size();
    float low = values[0];
    float high = values[0];
    std::size_t i = 0;
    for (; i + 4 <= count; i += 4) { // four at once save steps in constant expressions
        const float* const v = values + i;
        (low = v[0] < low ? v[0] : low, high = v[0] > high ? v[0] : high, low = v[1] < low ? v[1] : low,
         high = v[1] > high ? v[1] : high, low = v[2] < low ? v[2] : low, high = v[2] > high ? v[2] : high,
         low = v[3] < low ? v[3] : low, high = v[3] > high ? v[3] : high);
    }
    for (; i < count; ++i) {
        low = values[i] < low ? values[i] : low;
        high = values[i] > high ? values[i] : high;
    }
    return stored(interval{static_cast<double>(low), static_cast<double>(high), true});
}

constexpr interval range_of_source(const graph_view& g, const node& n) {
    if (n.kind == op::constant) {
        return range_of_constant(g, n);
    }
    const contract& promise = n.get<contract>();
    if (n.type == dtype::f16) {
        return promise.declared ? stored(interval{promise.low, promise.high, true}) : interval{};
    }
    if (promise.declared) {
        return {promise.low, promise.high, true};
    }
    switch (n.type) {
    case dtype::boolean: return {0, 1, true};
    case dtype::int4: return {-8, 7, true};
    case dtype::int8: return {-128, 127, true};
    case dtype::uint8: return {0, 255, true};
    default: return {-0x1p31, 0x1p32, false};
    }
}

} // namespace ane::detail
