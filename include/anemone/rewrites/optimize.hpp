#pragma once

#include "../passes/cost.hpp"
#include "../passes/device_flow.hpp"
#include "registry.hpp"

#include <cstdint>
#include <iterator>
#include <string_view>

/// A search over rewrites, ranked by the cost model.
namespace ane {

struct optimize_options {
    bool rounding =
        true;           ///< admit rewrites after which some values are rounded once more or less; false: the bits stay
    int beam = 4;       ///< graphs that are kept after each step
    int steps = 6;      ///< rewrites in a row, at most
    double gain = 1.01; ///< the factor by which a rewrite must pay at the end, or be left out
};

/// A rewrite that was applied, and the time of a dispatch before and after it, s.
struct rewrite_step {
    int rewrite = 0; ///< in `rewrites`
    int places = 0;
    double before = 0;
    double after = 0;

    constexpr const rewrite_record& record() const { return rewrites[rewrite]; }
};

struct optimized {
    dynamic_graph graph; ///< computes what the model computes
    sequence<rewrite_step> steps;
    double before = 0; ///< s, of a dispatch of the model, an attention as the engine's unit
    double after = 0;  ///< s, of a dispatch of `graph`
    double apart = 0;  ///< s, of the model's layers as programs of their own: what one program is better than

    constexpr operator graph_view() const { return graph; } // NOLINT(google-explicit-constructor): it is a model
    constexpr double gain() const { return before / after; }
    /// Bits, unless a step that was taken changes roundings.
    constexpr keeps kept() const {
        for (const rewrite_step& step : steps) {
            if (step.record().kept != keeps::bits) {
                return keeps::rounding;
            }
        }
        return keeps::bits;
    }
};

namespace detail {

/// The typical time of a model, in which an attention is the engine's unit.
constexpr double rewritten_seconds(const graph_view& g, const target_description& t) {
    return estimate(lower(g, {op::attention}).view(), t).clock.typical;
}

/// Leaves out the steps that do not pay: applies the others again without each of them.
constexpr optimized apply_steps(const graph_view& g, const target_description& t, const sequence<int>& order) {
    optimized made{prune(g), {}, rewritten_seconds(g, t), 0};
    made.after = made.before;
    for (const int r : order) {
        rewritten next = rewrites[r].apply(made.graph, t);
        if (next.places > 0) {
            const double after = rewritten_seconds(next.graph, t);
            made.steps.push_back({r, next.places, made.after, after});
            made.graph = next.graph;
            made.after = after;
        }
    }
    return made;
}

constexpr sequence<int> order_of(const optimized& o, int without) {
    sequence<int> order;
    for (int i = 0; i < static_cast<int>(o.steps.size()); ++i) {
        if (i != without) {
            order.push_back(o.steps[static_cast<std::size_t>(i)].rewrite);
        }
    }
    return order;
}

constexpr optimized without_idle_steps(const graph_view& g, const target_description& t, optimized best, double gain) {
    for (int i = 0; i < static_cast<int>(best.steps.size());) {
        optimized fewer = apply_steps(g, t, order_of(best, i));
        if (fewer.after <= best.after * gain) {
            best = fewer;
        } else {
            ++i;
        }
    }
    return best;
}

} // namespace detail

/// The fastest model that the rewrites make of one, by the estimate for a target: a beam search, in which equal times
/// are in the order of the registry, so that equal models give equal results. Where no clock of the target is known,
/// or nothing pays, the model as it is.
constexpr optimized optimize(const graph_view& g, const target_description& t, const optimize_options& options = {}) {
    optimized best = detail::apply_steps(g, t, {});
    if (!has_cost_model(t)) {
        return best;
    }
    const double apart = seconds_apart(lower(g, {op::attention}).view(), t);
    sequence<optimized> beam;
    beam.push_back(best);
    for (int step = 0; step < options.steps && !beam.empty(); ++step) {
        sequence<optimized> next;
        for (const optimized& from : beam) {
            for (int r = 0; r < static_cast<int>(std::size(rewrites)); ++r) {
                if (rewrites[r].kept != keeps::bits && !options.rounding) {
                    continue;
                }
                const rewritten made = rewrites[r].apply(from.graph, t);
                if (made.places == 0) {
                    continue;
                }
                optimized candidate{made.graph, from.steps, from.before, detail::rewritten_seconds(made.graph, t)};
                candidate.steps.push_back({r, made.places, from.after, candidate.after});
                bool is_new = true; // two orders of independent rewrites have one time and one size
                for (const optimized& other : next) {
                    is_new = is_new && !(other.after == candidate.after &&
                                         other.graph.nodes.size() == candidate.graph.nodes.size());
                }
                if (!is_new) {
                    continue;
                }
                std::size_t at = next.size(); // in the order of times
                while (at > 0 && candidate.after < next[at - 1].after) {
                    --at;
                }
                if (static_cast<int>(at) < options.beam) {
                    next.push_back(candidate);
                    for (std::size_t k = next.size() - 1; k > at; --k) {
                        next[k] = next[k - 1];
                    }
                    next[at] = candidate;
                    while (static_cast<int>(next.size()) > options.beam) {
                        next.pop_back();
                    }
                }
            }
        }
        beam = next;
        if (!beam.empty() && beam[0].after < best.after) {
            best = beam[0];
        }
    }
    best = detail::without_idle_steps(g, t, best, options.gain);
    best.apart = apart;
    return best;
}
constexpr optimized optimize(const graph_view& g, target t, const optimize_options& options = {}) {
    return optimize(g, describe(t), options);
}

} // namespace ane
