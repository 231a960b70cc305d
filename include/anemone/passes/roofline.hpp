#pragma once

#include "../targets/cost_anchor.hpp"

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

/// The two ceilings of a target and the floor under each dispatch (guide chapter 9), with the figures of the cost model
/// (guide chapter 18; cost facts, `model`): effective rates that reproduce latencies, far below the hardware's peaks.
struct roofline {
    double peak = 0;          ///< FLOP/s
    double bandwidth = 0;     ///< bytes/s
    double floor_seconds = 0; ///< of an empty dispatch
    double ramp_flops = 0;    ///< a layer below this many FLOP does not reach the peak; 0: every layer does
    double ramp_exponent = 0;
    mark known_by = mark::predicted; ///< measured: fitted to runs on this silicon; predicted: scaled from such a fit

    /// Where the ceilings cross, FLOP/byte.
    constexpr double ridge() const { return peak / bandwidth; }
    /// The rate that a layer of this arithmetic intensity can reach, FLOP/s: min(peak, intensity * bandwidth).
    constexpr double attainable(double intensity) const {
        return intensity * bandwidth < peak ? intensity * bandwidth : peak;
    }
    constexpr double compute_seconds(double flops) const {
        if (!(flops > 0)) {
            return 0;
        }
        const bool ramps = ramp_flops > 0 && flops < ramp_flops;
        return flops / (peak * (ramps ? detail::power_below_one(flops / ramp_flops, ramp_exponent) : 1.0));
    }
    constexpr double memory_seconds(double bytes) const { return bytes / bandwidth; }
};

namespace detail {
constexpr bool same_figure(double a, double b) { return (a < b ? b - a : a - b) <= 1e-9 * b; }
} // namespace detail

/// The roofline of a target; none where its clock is not known (h12, m9, t0, u1..u3). The figures are a measured fit on
/// h13, h14 and h17s, and scaled from the nearest of them elsewhere.
constexpr std::optional<roofline> roofline_of(const target_description& d) {
    if (!has_cost_model(d)) {
        return std::nullopt;
    }
    const cost_anchor& a = nearest_anchor(d.tier);
    roofline r{peak_flops(d), bandwidth(d), dispatch_floor_seconds(d), a.ramp_flops, a.ramp_exponent, mark::predicted};
    // A derived description keeps the mark of its base; with other clocks or cores the figures are predictions again.
    if (d.marks.cost == mark::measured && detail::same_figure(r.peak, a.peak_flops) &&
        detail::same_figure(r.bandwidth, a.bandwidth) && detail::same_figure(r.floor_seconds, a.floor_seconds)) {
        r.known_by = mark::measured;
    }
    return r;
}
constexpr std::optional<roofline> roofline_of(target t) { return roofline_of(describe(t)); }

} // namespace ane
