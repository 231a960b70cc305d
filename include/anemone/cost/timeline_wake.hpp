#pragma once

#include "timeline_values.hpp"

/// What a call takes besides a steady one: because it is among the first of its program, or comes after a pause.
namespace ane {

/// Time on the engine beyond a steady call.
struct wake_up {
    double seconds = 0;
    wake_cause cause = wake_cause::none;
};

namespace detail {

constexpr double of_pace(const call_constant& c, pace p) {
    return p == pace::at_least || p == pace::shortest ? c.at_least : p == pace::at_most ? c.at_most : c.typical;
}

} // namespace detail

/// Call number `call` of a program, from 0, which takes `steady` seconds once it is warm.
constexpr wake_up warm_up_of(int call, double steady, warm_up how, pace p = pace::typical) {
    constexpr int ramp = static_cast<int>(sizeof warm_up_factors / sizeof warm_up_factors[0]);
    if (how == warm_up::none || call >= ramp) {
        return {};
    }
    const double more = how == warm_up::factors ? (detail::of_pace(warm_up_factors[call], p) - 1) * steady
                                                : detail::of_pace(warm_up_added[call], p);
    return {more, more > 0 ? wake_cause::warm_up : wake_cause::none};
}

/// A call after `pause` seconds in which nothing ran. The sources have figures for back-to-back calls, for pauses of
/// 0.1 s (guide chapter 31), of less than a second, and of 5 s (guide chapter 10). Up to 0.1 s the cost is taken to grow
/// in proportion, and a pause of 1 to 5 s, of which nothing is known, to cost what a shorter one does.
constexpr wake_up idle_wake_of(double pause, double steady, idle_cost how, pace p = pace::typical) {
    if (how == idle_cost::none || !(pause > 0)) {
        return {};
    }
    if (how == idle_cost::re_wake && pause >= engine_off_after.typical) {
        return {detail::of_pace(re_wake_added, p), wake_cause::re_wake};
    }
    const double full = short_idle_reached.typical;
    const double share = pause < full ? pause / full : 1;
    const double most = how == idle_cost::plateau ? detail::of_pace(idle_plateau, p)
                                                  : (detail::of_pace(short_idle_factor, p) - 1) * steady;
    return {share * most, wake_cause::short_idle};
}

/// Both at once: the larger, as each was measured on whole calls.
constexpr wake_up larger_of(const wake_up& a, const wake_up& b) { return b.seconds > a.seconds ? b : a; }

} // namespace ane
