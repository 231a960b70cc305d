#pragma once

#include "target.hpp"

#include <string_view>

/// Fixed times of calls as the host sees them: the parts of a dispatch, first calls, calls after a pause. All of them
/// were measured on an M1 and on nothing else; for other chips they are carried over, and so predicted.
namespace ane {

/// The chip that the constants of this file were measured on.
inline constexpr target dispatch_anchor = h13;

/// What a dispatch takes besides the program's own work, s, in the order in which it happens.
struct dispatch_parts {
    double caller = 0;     ///< on the host, before the runtime: what the others leave of the whole call
    double binding = 0;    ///< on the host: the runtime, ports, copies of values
    double request = 0;    ///< on the host: the request to the firmware is built
    double doorbell = 0;   ///< on the host
    double round_trip = 0; ///< on the engine: the firmware wakes, takes the request and reports
    double completion = 0; ///< on the host: the interrupt is served

    constexpr double seconds() const { return caller + binding + request + doorbell + round_trip + completion; }
    /// From the entry into the kernel to its return.
    constexpr double submit() const { return request + doorbell + round_trip + completion; }
};

/// The parts of the M1: guide chapter 2, points bud_001 to bud_005 (doorbell: middle of 2 to 3 us). The whole is
/// bud_006, 190 us, of which they leave 6.5. About 2 % of the whole is the work of the program that was measured.
inline constexpr dispatch_parts measured_parts{6.5e-6, 25e-6, 16e-6, 2.5e-6, 130e-6, 10e-6};

/// The parts of a dispatch that takes `floor` seconds, in proportion to those of the M1.
constexpr dispatch_parts parts_of(double floor) {
    const double scale = floor / measured_parts.seconds();
    dispatch_parts p = measured_parts;
    for (double dispatch_parts::*part :
         {&dispatch_parts::caller, &dispatch_parts::binding, &dispatch_parts::request, &dispatch_parts::doorbell,
          &dispatch_parts::round_trip, &dispatch_parts::completion}) {
        p.*part *= scale;
    }
    return p;
}

/// One published figure with its range; typical where the source has a range is its geometric mean.
struct call_constant {
    std::string_view name;
    double typical, at_least, at_most;
    std::string_view source;
    mark known_by = mark::measured; ///< on the M1
};

// clang-format off
/// The first calls of a program, as multiples of a steady call.
inline constexpr call_constant warm_up_factors[] = {
    {"first call", 3.6, 3.6, 3.6, "guide 10, pow_001: 7.6 ms"},
    {"second call", 2.1, 2.1, 2.1, "guide 10, pow_001: 4.6 ms"},
    {"third call", 1.13, 1, 1.13, "guide 10, pow_001: within 13 %"},
};
/// The same as time added to a steady call of 2.15 ms, s.
inline constexpr call_constant warm_up_added[] = {
    {"first call", 5.45e-3, 5.45e-3, 5.45e-3, "guide 10, pow_001: 7.6 - 2.15 ms"},
    {"second call", 2.45e-3, 2.45e-3, 2.45e-3, "guide 10, pow_001: 4.6 - 2.15 ms"},
    {"third call", 0.28e-3, 0, 0.28e-3, "guide 10, pow_001: 13 % of 2.15 ms"},
};

/// A call after a pause of less than a second, as a multiple of a steady call.
inline constexpr call_constant short_idle_factor{"sub-second idle", 1.43, 1.2, 1.7, "guide 10, pow_002"};
/// The pause from which that is so, s; below it the cost grows from nothing.
inline constexpr call_constant short_idle_reached{"cost of a pause is full", 0.1, 0.1, 0.1, "guide 31"};
/// The other side of contradiction CC17: what a call after a longer pause takes besides, whatever its length, s.
inline constexpr call_constant idle_plateau{"power-up", 0.5e-3, 0.5e-3, 0.5e-3, "guide 31, CC17"};
/// The pauses that are measured: up to this one a call takes `short_idle_factor`, s.
inline constexpr call_constant short_idle_limit{"short pause", 1, 1, 1, "guide 10: sub-second"};
/// The pause after which the engine is off, s.
inline constexpr call_constant engine_off_after{"engine is off", 5, 5, 5, "guide 10, pow_002, R174"};
/// What the next call then takes besides a steady one: 260 ms less 2.11 ms, s.
inline constexpr call_constant re_wake_added{"re-wake", 0.25789, 0.25789, 0.25789, "guide 10, pow_002: 260 ms, 123 times the median"};
// clang-format on

/// Programs that a process can have loaded (R116; guide chapter 14: near 128), and requests of a program that may be
/// outstanding, of which the next blocks (R117). Measured on M1.
inline constexpr int loaded_programs_limit = 128;
inline constexpr int outstanding_requests_limit = 127;

} // namespace ane
