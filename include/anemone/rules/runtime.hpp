#pragma once

#include "record.hpp"

#include <array>

/// Rules of the running device. The driver enforces them.
namespace ane::rules {

inline constexpr std::array runtime{
    rule_record{.id = rule::loaded_programs_exceed,
                .fact = "R116",
                .scope = rule_scope::runtime,
                .level = severity::reject,
                .sentence = "{got} programs are loaded in this process, about {limit} fit",
                .reject = "GetANEFModel: must re-compile",
                .consequence = "the next program does not load",
                .advice = "close sessions, or use one program for several sizes; the driver refuses before it compiles",
                .source = "guide chapter 14",
                .evidence = mark::measured,
                .silicon = "M1",
                .held_by = "backend/engine/driver/program_slot.hpp"},
    rule_record{.id = rule::requests_in_flight_exceed,
                .fact = "R117",
                .scope = rule_scope::runtime,
                .level = severity::reject,
                .sentence = "{got} requests of a program are in flight, {limit} may be",
                .reject = "",
                .consequence = "the next request blocks",
                .advice = "wait for results: the driver has one request in flight",
                .source = "guide chapter 14",
                .evidence = mark::measured,
                .silicon = "M1",
                .held_by = "backend/engine/driver/dispatch.hpp"},
    rule_record{.id = rule::streams_overlap,
                .fact = "R118",
                .scope = rule_scope::runtime,
                .level = severity::hazard,
                .sentence = "{got} streams of one process overlap",
                .reject = "",
                .consequence = "the completion of the second is never told: it hangs. Overlap gains a factor of 1.04",
                .advice = "one run at a time: the driver lets sessions wait for each other",
                .source = "guide chapter 2",
                .evidence = mark::measured,
                .silicon = "M1",
                .held_by = "backend/engine/driver/dispatch.hpp"},
    rule_record{
        .id = rule::engine_was_idle,
        .fact = "R174",
        .scope = rule_scope::runtime,
        .level = severity::warn,
        .sentence = "nothing ran for {got} s, after {limit} s the engine is switched off",
        .reject = "",
        .consequence = "the next run takes about 260 ms, 123 times the median",
        .advice =
            "run something small now and then where an answer must come at once; a session tells whether it is cold",
        .source = "guide chapter 10",
        .evidence = mark::measured,
        .silicon = "M1",
        .held_by = "backend/engine/e5rt/session.hpp"},
};

} // namespace ane::rules
