#pragma once

#include "../base/error.hpp"
#include "../targets/dispatch_constants.hpp"
#include "cost.hpp"

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

/// What the simulator of dispatches (cost/timeline.hpp) is given and what it returns.
namespace ane {

/// No time may be longer, s: three years, in which a double still tells 15 ns apart.
inline constexpr double longest_timeline = 1e8;

/// Which times are simulated: of an estimate, and of constants that have a range.
enum class pace : std::uint8_t {
    typical,  ///< the median by the clock
    at_least, ///< the lower end of the interval that holds nine of ten measurements
    at_most,  ///< its upper end
    shortest  ///< the shortest of many dispatches, which benchmarks print as the best
};

/// The times of a program that has run before, s, and its energy.
struct program_time {
    double fixed = 0;  ///< a dispatch that computes nothing, with one input and one output
    double ports = 0;  ///< the inputs and outputs after the first, on the host
    double work = 0;   ///< everything else, on the engine
    double joules = 0; ///< of a dispatch; 0: not known

    constexpr double seconds() const { return fixed + ports + work; }
};

/// One call of a program.
struct request {
    int program = 0;
    double at = 0;  ///< when the caller begins, s; where `after` names a request, counted from its end
    int after = -1; ///< a request before this one in the list, whose result this one waits for; -1: none
};

/// What one request holds while others wait.
enum class held_part : std::uint8_t {
    /// The runtime, from the binding of ports to the completion. Two threads then gain what the caller does in between:
    /// 190 / 183.5, published as 1.04 (guide chapter 2, bud_006).
    call,
    /// The engine alone, so that the host's parts of one call run beside another's. No source has measured this gain;
    /// a bound on what several processes or another runtime could do.
    engine
};

/// How much longer first calls of a program take. The source has one program, of 2.15 ms.
enum class warm_up : std::uint8_t {
    factors, ///< in proportion to a steady call: 3.6, 2.1, 1.13
    added,   ///< the same time for every program: 5.45, 2.45, 0.28 ms
    none     ///< all programs have run three times before
};

/// What a pause costs: contradiction CC17, both sides measured on M1.
enum class idle_cost : std::uint8_t {
    re_wake, ///< 1.2 to 1.7 times a call below a second, 260 ms after 5 s (guide chapter 10, R174): taken
    plateau, ///< 0.5 ms from a pause of 0.1 s on, however long (guide chapter 31)
    none
};

struct timeline_options {
    held_part held = held_part::call;
    warm_up first_calls = warm_up::factors;
    idle_cost pauses = idle_cost::re_wake;
    ane::pace pace = ane::pace::typical; ///< of the constants; that of programs is in their times
    double switch_seconds = 0;           ///< when the engine runs another program than before; no source has a figure
    double idle_before = 0;              ///< s that nothing has run before the first request
};

/// Why a call took longer than a steady one.
enum class wake_cause : std::uint8_t { none, warm_up, short_idle, re_wake };

constexpr std::string_view name(wake_cause c) noexcept {
    constexpr std::string_view names[] = {"", "first calls", "short pause", "re-wake"};
    return names[static_cast<std::size_t>(c)];
}

/// A request as it was served; times in s.
struct served_request {
    int program = 0;
    double arrival = 0;    ///< the caller begins, on the host
    double ready = 0;      ///< what it can do alone is done
    double queued = 0;     ///< it is outstanding; after `ready` where 127 of its program were before it
    double start = 0;      ///< its turn
    double engine = 0;     ///< the engine has it
    double engine_end = 0; ///< the engine is done with it
    double end = 0;        ///< the caller has the result
    double wake = 0;       ///< s on the engine beyond a steady call, at its begin
    double work = 0;       ///< s of the program's own work there, at its end
    wake_cause cause = wake_cause::none;
    bool switched = false; ///< the engine ran another program before
    double joules = 0;

    constexpr double latency() const { return end - arrival; }
    constexpr double waited() const { return start - ready; }
};

/// Served requests, and what they add up to.
struct timeline {
    std::string_view target, product; ///< "h13", "M1 base"
    int programs = 0;
    timeline_options options{};
    mark known_by = mark::predicted;   ///< measured: of the M1's own constants and rates
    sequence<served_request> requests; ///< in the order of the list
    sequence<double> latencies;        ///< s, ascending
    double from = 0;                   ///< the first arrival
    double until = 0;                  ///< the last end
    double engine_seconds = 0;         ///< that the engine has a request
    double work_seconds = 0;           ///< that it works on one: without round trips, wakes and switches
    double joules = 0;                 ///< 0: not known
    int switches = 0;                  ///< of the program on the engine
    int held_back = 0;                 ///< requests that found 127 of their program outstanding
    int warm_ups = 0, short_idles = 0; ///< calls that took longer, by cause
    int re_wakes = 0;                  ///< the same
    int unmeasured_pauses = 0;         ///< pauses of 1 to 5 s, of which the sources say nothing: taken as short ones

    constexpr double seconds() const { return until - from; }
    /// Requests a second; 0 where there is none.
    constexpr double throughput() const { return seconds() > 0 ? static_cast<double>(requests.size()) / seconds() : 0; }
    /// Share of the time in which the engine has a request.
    constexpr double utilisation() const { return seconds() > 0 ? engine_seconds / seconds() : 0; }
    /// Share of the time in which it works on one.
    constexpr double work_share() const { return seconds() > 0 ? work_seconds / seconds() : 0; }
    constexpr double mean_latency() const {
        double sum = 0;
        for (const double l : latencies) {
            sum += l;
        }
        return latencies.empty() ? 0 : sum / static_cast<double>(latencies.size());
    }
    /// The latency that `percent` of the requests do not exceed: the least of those that were simulated (nearest rank).
    constexpr double latency(double percent) const;
};

namespace detail {

inline std::string shown(double value, const char* unit) {
    char text[48];
    std::snprintf(text, sizeof text, "%.9g%s%s", value, *unit != '\0' ? " " : "", unit);
    return text;
}

constexpr bool is_time(double seconds) { return seconds >= 0 && seconds <= longest_timeline; }

/// Refuses what is no time: negative, NaN, or too long.
constexpr void require_time(double seconds, const char* thing, std::size_t index, const char* member) {
    if (!is_time(seconds)) {
        throw error(errc::argument, std::string(thing) + " " + std::to_string(index),
                    std::string(member) + " is " + shown(seconds, "s") + ", it must be 0 to " +
                        shown(longest_timeline, "s"));
    }
}
constexpr void require_time(double seconds, const char* thing) {
    if (!is_time(seconds)) {
        throw error(errc::argument, thing,
                    "is " + shown(seconds, "s") + ", it must be 0 to " + shown(longest_timeline, "s"));
    }
}

/// Refuses a target of which no dispatch is known.
constexpr void require_clock(const target_description& d) {
    if (!has_cost_model(d)) {
        throw error(errc::argument, d.runtime,
                    "no timeline: 0 points of its clock are known, 1 is needed for the time of a dispatch");
    }
}

} // namespace detail

constexpr double timeline::latency(double percent) const {
    if (!(percent > 0 && percent <= 100)) {
        throw error(errc::argument, "latency", detail::shown(percent, "%") + " is not above 0 and at most 100");
    }
    if (latencies.empty()) {
        throw error(errc::argument, "latency", "of 0 requests, 1 is needed");
    }
    std::size_t rank = 1;
    while (static_cast<double>(rank) * 100 < percent * static_cast<double>(latencies.size()) * (1 - 1e-12)) {
        ++rank;
    }
    return latencies[rank - 1];
}

/// The times of a program by its estimate. Throws `error` (errc::argument) where that has no times.
constexpr program_time program_time_of(const cost& c, pace p = pace::typical) {
    if (!c.seconds) {
        throw error(errc::argument, std::string(c.target),
                    "no time of a dispatch: 0 points of its clock are known, 1 is needed");
    }
    const cost_rates& r = c.rates;
    program_time t{r.floor, c.dispatch_seconds - r.floor, c.clock.typical - c.dispatch_seconds, c.joules};
    if (p == pace::shortest) {
        t.fixed = r.least_floor;
    } else if (p != pace::typical) {
        const double floor = p == pace::at_most ? r.floor_spread : 1 / r.floor_spread;
        t.fixed *= floor;
        t.ports *= floor;
        t.work *= p == pace::at_most ? r.work_spread : 1 / r.work_spread;
    }
    t.joules += r.static_power * (t.seconds() - c.clock.typical);
    return t;
}

/// The times of a program whose work on the engine takes so many seconds. Its energy is static power alone.
constexpr program_time program_time_of(double work, const target_description& d) {
    detail::require_time(work, "work");
    detail::require_clock(d);
    const cost_rates r = rates_of(d);
    return {r.floor, 0, work, r.static_power * (r.floor + work)};
}
constexpr program_time program_time_of(double work, target t) { return program_time_of(work, describe(t)); }

} // namespace ane
