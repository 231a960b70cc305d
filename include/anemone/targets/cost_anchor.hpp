#pragma once

#include "table.hpp"

namespace ane {

/// A point where the roofline was fitted to measurements. Every other target is scaled from the anchor of the nearest
/// generation (ANEForge _cost.py; cost facts, `model`): bandwidth with the number of cores, the dispatch floor with the
/// inverse of the clock, the peak with cores times effective clock. The anchors are measured, the scaling is predicted.
struct cost_anchor {
    target reference;
    double peak_flops;     ///< FLOP/s
    double bandwidth;      ///< bytes/s
    double floor_seconds;  ///< of one dispatch
    double ramp_flops = 0; ///< utilisation = min(1, (flops / ramp_flops)^ramp_exponent); 0: no ramp, always 1
    double ramp_exponent = 0;
};

inline constexpr cost_anchor anchor_h13{h13, 3.25e12, 9e9, 220e-6};
inline constexpr cost_anchor anchor_h14{h14, 7.3e12, 48e9, 100e-6, 1.8e10, 0.38};
inline constexpr cost_anchor anchor_h17s{h17s, 8.9e12, 57e9, 110e-6};

/// Time that each cut of a program into segments adds, on every target.
inline constexpr double segment_cut_seconds = 200e-6;

constexpr const cost_anchor& nearest_anchor(family f) noexcept {
    if (at_least(f, family::a16)) {
        return anchor_h17s;
    }
    return at_least(f, family::a14) ? anchor_h14 : anchor_h13;
}

/// The clock that the compiler's model runs at: 0.8 of the highest. MHz; 0 where no curve is known.
constexpr double model_clock_mhz(const target_clock& clock) noexcept { return 0.8 * clock.fmax_mhz; }

/// Effective clock at `mhz`: linear between the points of the curve, the end points' ratio beyond them.
constexpr double effective_mhz(const target_clock& clock, double mhz) noexcept {
    if (clock.count == 0) {
        return 0;
    }
    const frequency_point* p = clock.points;
    const frequency_point* last = p + (clock.count - 1);
    if (mhz <= p->mhz) {
        return mhz * p->effective_mhz / p->mhz;
    }
    if (mhz >= last->mhz) {
        return mhz * last->effective_mhz / last->mhz;
    }
    while (p[1].mhz < mhz) {
        ++p;
    }
    return p->effective_mhz + (mhz - p->mhz) * (p[1].effective_mhz - p->effective_mhz) / (p[1].mhz - p->mhz);
}

/// False for h12, m9, t0 and u1..u3: their clocks are not known, and the three figures below are 0 (unknown, not free).
template <target_like T> constexpr bool has_cost_model(const T& which) noexcept {
    return describe(which).clock.count > 0;
}

/// cores * effective clock at the model's clock, MHz: what the peak is proportional to.
template <target_like T> constexpr double effective_core_mhz(const T& which) noexcept {
    const target_description& d = describe(which);
    return d.cost_cores * effective_mhz(d.clock, model_clock_mhz(d.clock));
}

/// Peak rate, FLOP/s.
template <target_like T> constexpr double peak_flops(const T& which) noexcept {
    const target_description& d = describe(which);
    const cost_anchor& a = nearest_anchor(d.tier);
    return a.peak_flops * effective_core_mhz(d) / effective_core_mhz(a.reference);
}

/// Bytes that one second moves.
template <target_like T> constexpr double bandwidth(const T& which) noexcept {
    const target_description& d = describe(which);
    const cost_anchor& a = nearest_anchor(d.tier);
    return has_cost_model(d) ? a.bandwidth * d.cost_cores / describe(a.reference).cost_cores : 0.0;
}

/// Time of an empty dispatch, seconds.
template <target_like T> constexpr double dispatch_floor_seconds(const T& which) noexcept {
    const target_description& d = describe(which);
    const cost_anchor& a = nearest_anchor(d.tier);
    return has_cost_model(d) ? a.floor_seconds * model_clock_mhz(describe(a.reference).clock) / model_clock_mhz(d.clock)
                             : 0.0;
}

namespace detail {
/// x^q for 0 < x < 1, q >= 0. std::pow is not constexpr; relative error below 1e-13.
constexpr double power_below_one(double x, double q) noexcept {
    constexpr double ln2 = 0.693147180559945309417;
    double log = 0;
    while (x < 0.75) {
        x *= 2;
        log -= ln2;
    }
    const double z = (x - 1) / (x + 1);
    double term = z;
    for (int i = 1; i < 30; i += 2) {
        log += 2 * term / i;
        term *= z * z;
    }
    double y = q * log;
    double scale = 1;
    while (y < -ln2) {
        y += ln2;
        scale /= 2;
    }
    double sum = 1, e = 1;
    for (int i = 1; i < 20; ++i) {
        e *= y / i;
        sum += e;
    }
    return scale * sum;
}
} // namespace detail

/// Share of the peak that one operation of `flops` operations reaches, in (0, 1]: the ramp of the target's anchor.
template <target_like T> constexpr double utilisation(const T& which, double flops) noexcept {
    const cost_anchor& a = nearest_anchor(describe(which).tier);
    if (!(flops > 0) || a.ramp_flops <= 0 || flops >= a.ramp_flops) {
        return 1;
    }
    return detail::power_below_one(flops / a.ramp_flops, a.ramp_exponent);
}

} // namespace ane
