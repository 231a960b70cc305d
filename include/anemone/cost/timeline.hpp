#pragma once

#include "timeline_values.hpp"
#include "timeline_wake.hpp"

#include <algorithm>
#include <span>

/// Dispatches over time: when each request is on the host, in the queue and on the engine (docs/timeline.md).
namespace ane {

namespace detail {

inline constexpr double most_joules = 1e9; ///< of one dispatch: an engine takes milliseconds and watts

/// A request that can enter the queue.
struct waiting_request {
    double at = 0;
    int index = -1;
    bool outstanding = false; ///< it waited for one of the 127 and has it

    /// For a heap whose top is what comes first, by time and then by place in the list.
    friend constexpr bool operator<(const waiting_request& a, const waiting_request& b) {
        return a.at != b.at ? a.at > b.at : a.index > b.index;
    }
};

/// The requests of one program, by the order in which they became ready.
struct program_queue {
    sequence<double> ends;    ///< of those served
    sequence<int> blocked;    ///< those that wait until one that is not served yet ends
    std::size_t released = 0; ///< of them
    int taken = 0;            ///< how many were ready so far
    int calls = 0;            ///< how many were served
};

class dispatch_simulation {
public:
    constexpr dispatch_simulation(std::span<const program_time> programs, std::span<const request> requests,
                                  const target_description& d, const timeline_options& options)
        : times_(programs), list_(requests), rates_(rates_of(d)), queues_(programs.size()),
          first_child_(requests.size(), -1), next_child_(requests.size(), -1) {
        result_.target = d.runtime;
        result_.product = d.product;
        result_.programs = static_cast<int>(programs.size());
        result_.options = options;
        result_.known_by =
            rates_.known_by == mark::measured && d.id == dispatch_anchor ? mark::measured : mark::predicted;
        result_.requests = sequence<served_request>(requests.size());
    }

    constexpr timeline run() {
        for (int i = static_cast<int>(list_.size()) - 1; i >= 0; --i) {
            const request& r = list_[static_cast<std::size_t>(i)];
            if (r.after >= 0) {
                const auto parent = static_cast<std::size_t>(r.after);
                next_child_[static_cast<std::size_t>(i)] = first_child_[parent];
                first_child_[parent] = i;
            } else {
                arrive(i, r.at);
            }
        }
        while (!heap_.empty()) {
            std::pop_heap(heap_.begin(), heap_.end());
            const waiting_request next = heap_.back();
            heap_.pop_back();
            if (next.outstanding || outstanding(next)) {
                serve(next);
            }
        }
        sum_up();
        return result_;
    }

private:
    constexpr served_request& at(int index) { return result_.requests[static_cast<std::size_t>(index)]; }
    constexpr program_queue& queue_of(int index) { return queues_[static_cast<std::size_t>(at(index).program)]; }

    constexpr void push(const waiting_request& w) {
        heap_.push_back(w);
        std::push_heap(heap_.begin(), heap_.end());
    }

    /// The caller begins: it does on the host what needs no turn.
    constexpr void arrive(int index, double when) {
        served_request& s = at(index);
        s.program = list_[static_cast<std::size_t>(index)].program;
        const program_time& t = times_[static_cast<std::size_t>(s.program)];
        const dispatch_parts parts = parts_of(t.fixed);
        s.arrival = when;
        s.ready = when + parts.caller;
        if (result_.options.held == held_part::engine) {
            s.ready += parts.binding + t.ports + parts.request + parts.doorbell;
        }
        push({s.ready, index, false});
    }

    /// Whether a request that is ready may be outstanding. If not, it is put off until the 127th before it has ended.
    constexpr bool outstanding(const waiting_request& w) {
        program_queue& q = queue_of(w.index);
        const int before = q.taken++ - outstanding_requests_limit;
        if (before < 0) {
            return true;
        }
        if (before < static_cast<int>(q.ends.size())) {
            const double free = q.ends[static_cast<std::size_t>(before)];
            if (free <= w.at) {
                return true;
            }
            push({free, w.index, true});
        } else {
            q.blocked.push_back(w.index);
        }
        ++result_.held_back;
        return false;
    }

    constexpr void serve(const waiting_request& w) {
        served_request& s = at(w.index);
        program_queue& q = queue_of(w.index);
        const timeline_options& o = result_.options;
        const program_time& t = times_[static_cast<std::size_t>(s.program)];
        const dispatch_parts parts = parts_of(t.fixed);
        s.queued = w.at;
        s.start = served_ > 0 && free_ > w.at ? free_ : w.at;
        const double pause = served_ > 0 ? s.start - free_ : o.idle_before;
        const wake_up wake = larger_of(warm_up_of(q.calls, t.seconds(), o.first_calls, o.pace),
                                       idle_wake_of(pause, t.seconds(), o.pauses, o.pace));
        s.wake = wake.seconds;
        s.cause = wake.cause;
        s.work = t.work;
        s.switched = served_ > 0 && on_engine_ != s.program;
        s.engine = s.start;
        if (o.held == held_part::call) {
            s.engine += parts.binding + t.ports + parts.request + parts.doorbell;
        }
        s.engine_end = s.engine + parts.round_trip + s.wake + (s.switched ? o.switch_seconds : 0) + t.work;
        s.end = s.engine_end + parts.completion;
        require_time(s.end, "request", static_cast<std::size_t>(w.index), "its end");
        s.joules =
            t.joules > 0 ? t.joules + rates_.static_power * (s.engine_end - s.engine - parts.round_trip - t.work) : 0;
        free_ = o.held == held_part::call ? s.end : s.engine_end;
        on_engine_ = s.program;
        ++served_;
        ++q.calls;
        count(s, pause);
        q.ends.push_back(s.end);
        if (q.released < q.blocked.size()) { // the one that waits for this one: callers wait in their order
            push({s.end, q.blocked[q.released++], true});
        }
        for (int child = first_child_[static_cast<std::size_t>(w.index)]; child >= 0;
             child = next_child_[static_cast<std::size_t>(child)]) {
            arrive(child, s.end + list_[static_cast<std::size_t>(child)].at);
        }
    }

    constexpr void count(const served_request& s, double pause) {
        result_.switches += s.switched ? 1 : 0;
        result_.warm_ups += s.cause == wake_cause::warm_up ? 1 : 0;
        result_.re_wakes += s.cause == wake_cause::re_wake ? 1 : 0;
        result_.short_idles += s.cause == wake_cause::short_idle ? 1 : 0;
        const bool silent = pause >= short_idle_limit.typical && pause < engine_off_after.typical;
        result_.unmeasured_pauses += silent && result_.options.pauses == idle_cost::re_wake ? 1 : 0;
    }

    constexpr void sum_up() {
        bool first = true;
        bool energy = true;
        for (const served_request& s : result_.requests) {
            result_.from = first || s.arrival < result_.from ? s.arrival : result_.from;
            result_.until = first || s.end > result_.until ? s.end : result_.until;
            first = false;
            result_.engine_seconds += s.engine_end - s.engine;
            result_.work_seconds += s.work;
            result_.joules += s.joules;
            energy = energy && s.joules > 0;
            result_.latencies.push_back(s.latency());
        }
        result_.joules = energy ? result_.joules : 0;
        std::sort(result_.latencies.begin(), result_.latencies.end());
    }

    std::span<const program_time> times_;
    std::span<const request> list_;
    cost_rates rates_;
    sequence<program_queue> queues_;
    sequence<int> first_child_, next_child_; ///< of the requests that wait for another's result
    sequence<waiting_request> heap_;
    timeline result_;
    double free_ = 0; ///< when what a request holds is free again
    int on_engine_ = -1;
    int served_ = 0;
};

constexpr void check_timeline(std::span<const program_time> programs, std::span<const request> requests,
                              const target_description& d, const timeline_options& options) {
    require_clock(d);
    if (programs.size() > static_cast<std::size_t>(loaded_programs_limit)) {
        throw error(errc::argument, "programs",
                    std::to_string(programs.size()) + " are loaded, at most " + std::to_string(loaded_programs_limit) +
                        " can be (R116)");
    }
    for (std::size_t i = 0; i < programs.size(); ++i) {
        require_time(programs[i].fixed, "program", i, "its fixed time");
        require_time(programs[i].ports, "program", i, "the time of its ports");
        require_time(programs[i].work, "program", i, "its work");
        if (!(programs[i].joules >= 0 && programs[i].joules <= most_joules)) {
            throw error(errc::argument, "program " + std::to_string(i),
                        "its energy is " + shown(programs[i].joules, "J") + ", it must be 0 to " +
                            shown(most_joules, "J"));
        }
    }
    for (std::size_t i = 0; i < requests.size(); ++i) {
        require_time(requests[i].at, "request", i, "its time");
        if (requests[i].program < 0 || static_cast<std::size_t>(requests[i].program) >= programs.size()) {
            throw error(errc::argument, "request " + std::to_string(i),
                        "of program " + std::to_string(requests[i].program) + ", there are " +
                            std::to_string(programs.size()) + ", counted from 0");
        }
        if (requests[i].after < -1 || requests[i].after >= static_cast<std::int64_t>(i)) {
            throw error(errc::argument, "request " + std::to_string(i),
                        "after request " + std::to_string(requests[i].after) + ", it must be -1 or below " +
                            std::to_string(i));
        }
    }
    require_time(options.switch_seconds, "switch_seconds");
    require_time(options.idle_before, "idle_before");
}

} // namespace detail

/// Serves requests in the order in which they become ready, one at a time, while the others wait. A program has at most
/// 127 requests outstanding; the callers of more are held back and come in order. Throws `error` (errc::argument) for
/// what cannot be: times that are negative, NaN or above `longest_timeline`, a program or a request that is not there, more programs than a
/// process can load, a target whose clock is not known. n log n in the number of requests.
constexpr timeline simulate(std::span<const program_time> programs, std::span<const request> requests,
                            const target_description& d, const timeline_options& options = {}) {
    detail::check_timeline(programs, requests, d, options);
    return detail::dispatch_simulation(programs, requests, d, options).run();
}
constexpr timeline simulate(std::span<const program_time> programs, std::span<const request> requests, target t,
                            const timeline_options& options = {}) {
    return simulate(programs, requests, describe(t), options);
}

} // namespace ane
