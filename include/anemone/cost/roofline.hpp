#pragma once

#include "../targets/cost_rates.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace ane {

/// What limits the speed of a layer or a program.
enum class bound : std::uint8_t {
    none,     ///< no work on the device: a reshape
    compute,  ///< the multiply-accumulate array
    memory,   ///< the transfer of operands and results
    dispatch, ///< the fixed time of a dispatch exceeds the work
    unknown   ///< nothing is known of the target's rates
};

constexpr std::string_view name(bound b) noexcept {
    constexpr std::string_view names[] = {"none", "compute", "memory", "dispatch", "not known"};
    return names[static_cast<std::size_t>(b)];
}

/// The ceilings of a target and the floor under each dispatch (guide chapter 9), with the rates of the cost model. The
/// peak is that of convolutions, the highest; the bandwidth that of a product's weights. Inputs and outputs come and go
/// more slowly, which is a second slope.
struct roofline {
    double peak = 0;                 ///< FLOP/s
    double bandwidth = 0;            ///< bytes/s
    double port_bandwidth = 0;       ///< bytes/s
    double floor_seconds = 0;        ///< of an empty dispatch
    mark known_by = mark::predicted; ///< measured: fitted to runs on this silicon; predicted: scaled from such a fit

    /// Where the ceilings cross, FLOP/byte.
    constexpr double ridge() const { return peak / bandwidth; }
    /// The rate that a layer of this arithmetic intensity can reach, FLOP/s: min(peak, intensity * bandwidth).
    constexpr double attainable(double intensity) const {
        return intensity * bandwidth < peak ? intensity * bandwidth : peak;
    }
};

/// The roofline of a target; none where its clock is not known (h12, m9, t0, u1..u3).
constexpr std::optional<roofline> roofline_of(const target_description& d) {
    if (!has_cost_model(d)) {
        return std::nullopt;
    }
    const cost_rates r = rates_of(d);
    return roofline{r.convolution, r.product_weights, r.ports, r.floor, r.known_by};
}
constexpr std::optional<roofline> roofline_of(target t) { return roofline_of(describe(t)); }

} // namespace ane
