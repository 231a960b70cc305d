#pragma once

#include "../analysis/kernel_memory.hpp"
#include "../analysis/reconvergence.hpp"
#include "../analysis/working_set.hpp"
#include "record.hpp"

#include <array>

namespace ane::rules {

namespace detail {

/// The operations whose weights pass the kernel memory.
inline constexpr op_set weighted = ops_of(op_group::contraction);

/// The operations that run on the device; a compressed weight is read, not computed.
inline constexpr op_set running_ops = op_set::where([](op o) { return !is_source(o) && o != op::compressed; });

constexpr std::int64_t live_at(const subject& s, int index) { return s.live[static_cast<std::size_t>(index)]; }

} // namespace detail

inline constexpr std::array memory{
    // The measured knee where it is known, otherwise the size of the on-chip memory.
    rule_record{.id = rule::working_set_exceeds,
                .fact = "R110",
                .level = severity::warn,
                .ops = detail::running_ops,
                .sentence = "the largest operand takes {got} bytes, {limit} stay on the chip: tiled and streamed",
                .reject = "",
                .consequence = "streamed from DRAM: another slope of the roofline, the same result",
                .advice = "tile the batch or the image",
                .source = "guide chapters 17 and 21",
                .evidence = mark::measured,
                .silicon = "M1, M5",
                .check = [](const subject& s) -> finding {
                    return at_most(largest_operand(s.g, s.index).bytes, working_set_knee(s.t));
                }},
    rule_record{.id = rule::working_set_exceeds_nominal,
                .fact = "R110",
                .level = severity::note,
                .ops = detail::running_ops,
                .sentence = "the largest operand takes {got} bytes, above the nominal {limit}: it stays on the chip by "
                            "the tiler's margin only",
                .reject = "",
                .consequence = "none measured below the knee",
                .advice = "keep it under the nominal size where the model has to run alike on other devices",
                .source = "guide chapter 21",
                .evidence = mark::measured,
                .silicon = "M1, M5",
                .check = [](const subject& s) -> finding {
                    const std::int64_t size = largest_operand(s.g, s.index).bytes;
                    return holds_if(residence_of(size, s.t) != residence::edge, size, s.t.memory.working_set_nominal);
                }},
    // Reported once per stretch of the schedule: at the node whose value takes the set over the limit.
    rule_record{.id = rule::live_set_exceeds,
                .fact = "PART",
                .level = severity::note,
                .ops = activation_ops,
                .sentence = "{got} bytes are alive from here on, the on-chip memory holds {limit}: the schedule is cut",
                .reject = "",
                .consequence = "a further partition, whose operands pass through DRAM",
                .advice = "read long-lived values sooner, or make them smaller",
                .source = "guide chapter 22",
                .evidence = mark::decompiled,
                .check = [](const subject& s) -> finding {
                    const std::int64_t live = detail::live_at(s, s.index);
                    const std::int64_t limit = s.t.memory.working_set_nominal;
                    const bool before = s.index > 0 && detail::live_at(s, s.index - 1) > limit;
                    return holds_if(before || live <= limit, live, limit);
                }},
    // On the A13 generation only: later ones share one kernel memory among the cores.
    rule_record{.id = rule::weights_exceed_kernel_memory,
                .fact = "R057",
                .level = severity::warn,
                .ops = detail::weighted,
                .sentence = "weights of {got} bytes exceed the kernel memory's {limit}: split into several layers",
                .reject = "",
                .consequence = "more layers to dispatch, longer compilation",
                .advice = "stream them as a palette of 4 bits or sparse: up to 16 MB",
                .source = "guide chapter 24",
                .evidence = mark::decompiled,
                .silicon = "M1",
                .check = [](const subject& s) -> finding {
                    if (s.t.tier != family::a13 || !is_stored_weight(s.operand(1).kind)) {
                        return {};
                    }
                    const kernel_use k = kernel_use_of(s.g, s.index, s.t, s.held(), s.uses);
                    return at_most(k.demand, k.capacity);
                }},
    rule_record{.id = rule::fan_in_exceeds,
                .fact = "R113",
                .level = severity::warn,
                .ops = detail::running_ops,
                .sentence = "{got} branches meet in one operation, more than {limit} make compilation slow",
                .reject = "",
                .consequence = "a search that doubles with each branch, until its time is up: 9.2 s for each cluster",
                .advice = "join them as a tree",
                .source = "guide chapter 19",
                .evidence = mark::measured,
                .silicon = "M1",
                .check = [](const subject& s) -> finding {
                    return at_most(s.branches[static_cast<std::size_t>(s.index)], slow_fan_in - 1);
                }},
    // The bound is a field of the compiler's table that no source gives a value of.
    rule_record{.id = rule::max_pool_channels_are_tiled,
                .fact = "R073",
                .scope = rule_scope::advice,
                .level = severity::warn,
                .ops = {op::max_pool},
                .sentence = "a max-pool of very many channels is tiled; the bound is not known",
                .reject = "",
                .consequence = "tiled: slower, the same result",
                .advice = "measure where a wide max-pool matters",
                .source = "guide chapter 17",
                .evidence = mark::decompiled},
    rule_record{
        .id = rule::input_is_not_used,
        .fact = "graph",
        .level = severity::warn,
        .ops = {op::input},
        .sentence = "nothing reads this input",
        .reject = "",
        .advice = "remove it",
        .source = "",
        .evidence = mark::predicted,
        .check = [](const subject& s) -> finding { return holds_if(s.uses[static_cast<std::size_t>(s.index)] > 0); }},
    // Reported, of states of Core ML: 270 elements failed, 256 ran. Programs of the direct route bind one buffer to two ports.
    rule_record{
        .id = rule::state_width_is_not_a_multiple,
        .fact = "field-2026",
        .level = severity::warn,
        .ops = {op::input},
        .sentence =
            "the last axis of the state has {got} elements, no multiple of {limit}: as a state of Core ML it is "
            "reported to fail on the engine",
        .reject = "",
        .advice = "pad the last axis of the state",
        .source = "threads of users, 2026",
        .evidence = mark::predicted,
        .silicon = "M4",
        .check = [](const subject& s) -> finding {
            return s.next() < 0 || s.n.shape.rank == 0 ? finding{} : multiple_of(s.n.shape.width(), 32);
        }},
};

} // namespace ane::rules
