#pragma once

#include "../analysis/envelope.hpp"
#include "../analysis/residency.hpp"
#include "../analysis/vendor_guidance.hpp"
#include "../cost/cost.hpp"
#include "../cost/device_flow.hpp"
#include "../graph/uses.hpp"
#include "../passes/validate.hpp"
#include "refused.hpp"
#include "registry.hpp"

#include <cstddef>
#include <iterator>

/// A search over rewrites, ranked by the cost model.
namespace ane {

struct optimize_options {
    /// Admit rewrites after which some values are rounded once more or less; false: the bits stay.
    bool rounding = true;
    /// First of all fewer values that the declared ranges let overflow (analysis/envelope.hpp), whatever that costs; else
    /// no rewrite adds one.
    bool values = false;
    /// Then a smaller expected error of the least exact product (analysis/error_envelope.hpp), whatever that costs. It is
    /// known where operands promise a range or a spread.
    bool errors = false;
    /// Then fewer stored weights that files hold as fp16 (analysis/held_weights.hpp), whatever that costs.
    bool forms = false;
    /// Then fewer operations in another form than the engine's vendor asks for (analysis/vendor_guidance.hpp), whatever that
    /// costs.
    bool vendor = false;
    /// Admit no rewrite after which more operands do not stay on the chip (analysis/residency.hpp).
    bool resident = false;
    int beam = 4;       ///< graphs that are kept after each step
    int steps = 6;      ///< rewrites in a row, at most
    double gain = 1.01; ///< the factor by which a rewrite must pay at the end, or be left out
    /// Called before each rewrite that is tried: ends a search that takes too long by throwing.
    void (*before_each)() = nullptr;
};

/// What a search compares of a model.
struct model_merit {
    double seconds = 0; ///< of a dispatch, an attention as the engine's unit
    int refused = 0;    ///< layers that the target refuses, and a rewrite mends or would make (rewrites/refused.hpp)
    int refuted = 0;    ///< limits of values that the declared ranges let a node pass
    int streamed = 0;   ///< nodes with an operand that does not stay on the chip; counted where the options ask
    double error = 0;   ///< expected of the least exact product, relative to its result; where the options ask
    int expanded = 0;   ///< weights of a stored form that a file holds as fp16; counted where the options ask
    int beside = 0;     ///< operations beside the vendor's guidance; counted where the options ask
};

/// A rewrite that was applied, and the time of a dispatch before and after it, s.
struct rewrite_step {
    int rewrite = 0; ///< in `rewrite_table`
    int places = 0;
    double before = 0;
    double after = 0;
    int refuted = 0; ///< limits that are passed after it

    constexpr const rewrite_record& record() const { return rewrite_table[rewrite]; }
};

struct optimized {
    dynamic_graph graph; ///< computes what the model computes
    sequence<rewrite_step> steps;
    double before = 0;       ///< s, of a dispatch of the model, an attention as the engine's unit
    double after = 0;        ///< s, of a dispatch of `graph`
    double apart = 0;        ///< s, of the model's layers as programs of their own: what one program is better than
    int refuted_before = 0;  ///< limits of values that the declared ranges let the model pass
    int refuted_after = 0;   ///< the same of `graph`
    double error_before = 0; ///< expected of the model's least exact product, relative; 0: not asked, or not known
    double error_after = 0;  ///< the same of `graph`
    int refused_before = 0;  ///< layers that the target refuses for what a rewrite mends, or for an extent
    int refused_after = 0;   ///< the same of `graph`

    constexpr operator graph_view() const { return graph; } // NOLINT(google-explicit-constructor): it is a model
    constexpr double gain() const { return after > 0 ? before / after : 1; }
    /// Bits, unless a step that was taken changes roundings.
    constexpr rewrite_exactness kept() const {
        for (const rewrite_step& step : steps) {
            if (step.record().kept != rewrite_exactness::bits) {
                return rewrite_exactness::rounding;
            }
        }
        return rewrite_exactness::bits;
    }
};

namespace detail {

/// The typical time of a model, in which an attention is the engine's unit.
constexpr double rewritten_seconds(const graph_view& g, const target_description& t) {
    return estimate(lower(g, {op::attention}).view(), t).clock.typical;
}

constexpr int refuted_limits(const graph_view& g, const target_description& t) {
    int refuted = 0;
    for (const envelope_entry& e : envelope(g, t)) {
        refuted += e.verdict == proof::refuted ? 1 : 0;
    }
    return refuted;
}

/// The largest expected error of a convolution or product, relative to its result; 0 where none is known.
constexpr double largest_error(const graph_view& lowered, const target_description& t) {
    double largest = 0;
    for (const contraction_error& e : error_envelope(lowered, numerics::datapath_of(t.tier))) {
        const double error = e.known() ? e.expected_relative() : 0;
        largest = error > largest ? error : largest;
    }
    return largest;
}

/// Weights of a stored form that a file of a target holds as fp16.
constexpr int expanded_weights(const graph_view& g, const target_description& t) {
    const held_forms held = held_forms_on(compile_route::any, t);
    const sequence<int> read = uses(g);
    int expanded = 0;
    for (int i = 0; i < g.size(); ++i) {
        expanded += is_stored_form(g[i]) && !is_held_as_stored(g, i, held, read) ? 1 : 0;
    }
    return expanded;
}

/// The beam search. Equal times are in the order of the registry, so that equal models give equal results.
class rewrite_search {
public:
    constexpr rewrite_search(const graph_view& g, const target_description& t, const optimize_options& options)
        : g_(g), t_(t), options_(options) {
        dynamic_graph model = prune(g);
        const model_merit merit = merit_of(model);
        first_ = {model, {}, merit};
    }

    constexpr optimized run() {
        candidate best = first_;
        sequence<candidate> beam;
        beam.push_back(first_);
        for (int step = 0; step < options_.steps && !beam.empty(); ++step) {
            sequence<candidate> next;
            for (const candidate& from : beam) {
                for (int r = 0; r < static_cast<int>(std::size(rewrite_table)); ++r) {
                    extend(from, r, next);
                }
            }
            beam = next;
            if (!beam.empty() && is_better(beam[0].merit, best.merit)) {
                best = beam[0];
            }
        }
        best = without_idle_steps(best);
        optimized found{best.graph, best.steps,           first_.merit.seconds, best.merit.seconds,
                        0,          first_.merit.refuted, best.merit.refuted};
        found.refused_before = first_.merit.refused;
        found.refused_after = best.merit.refused;
        found.error_before = first_.merit.error;
        found.error_after = best.merit.error;
        found.apart = has_cost_model(t_) ? seconds_apart(lower(g_, {op::attention}).view(), t_) : 0;
        return found;
    }

private:
    struct candidate {
        dynamic_graph graph;
        sequence<rewrite_step> steps;
        model_merit merit;
    };

    constexpr model_merit merit_of(const graph_view& g) const {
        model_merit m{rewritten_seconds(g, t_), refused_layers(g, t_), refuted_limits(g, t_)};
        if (options_.resident || options_.errors) {
            const dynamic_graph lowered = lower(g).graph;
            m.streamed = options_.resident ? summarize(residency(lowered, t_), t_).streamed : 0;
            m.error = options_.errors ? largest_error(lowered, t_) : 0;
        }
        m.expanded = options_.forms ? expanded_weights(g, t_) : 0;
        m.beside = options_.vendor ? beside_the_guidance(g) : 0;
        return m;
    }
    constexpr bool is_better(const model_merit& a, const model_merit& b) const {
        if (a.refused != b.refused) {
            return a.refused < b.refused; // what is refused has no time
        }
        if (options_.values && a.refuted != b.refuted) {
            return a.refuted < b.refuted;
        }
        if (a.error != b.error) {
            return a.error < b.error;
        }
        if (a.expanded != b.expanded) {
            return a.expanded < b.expanded;
        }
        return a.beside != b.beside ? a.beside < b.beside : a.seconds < b.seconds;
    }
    constexpr bool is_admitted(const model_merit& m) const {
        return m.refused <= first_.merit.refused && m.refuted <= first_.merit.refuted &&
               m.streamed <= first_.merit.streamed;
    }

    constexpr bool is_wanted(const rewrite_record& r) const {
        const bool has_goal = r.goal == rewrite_goal::time || r.goal == rewrite_goal::layers ||
                              (r.goal == rewrite_goal::values && options_.values) ||
                              (r.goal == rewrite_goal::errors && options_.errors) ||
                              (r.goal == rewrite_goal::forms && options_.forms);
        return has_goal && (r.kept == rewrite_exactness::bits || options_.rounding);
    }
    /// A candidate after one rewrite more, and at how many places; 0: it does not apply.
    constexpr int apply(const candidate& from, int r, candidate& made) const {
        if (options_.before_each != nullptr) {
            options_.before_each();
        }
        const rewritten result = rewrite_table[r].apply(from.graph, t_);
        if (result.places > 0) {
            made = {result.graph, from.steps, merit_of(result.graph)};
            made.steps.push_back({r, result.places, from.merit.seconds, made.merit.seconds, made.merit.refuted});
        }
        return result.places;
    }

    constexpr void extend(const candidate& from, int r, sequence<candidate>& next) const {
        candidate made;
        if (!is_wanted(rewrite_table[r]) || apply(from, r, made) == 0 || !is_admitted(made.merit)) {
            return;
        }
        for (const candidate& other : next) { // two orders of independent rewrites have one time and one size
            if (other.merit.seconds == made.merit.seconds && other.merit.refuted == made.merit.refuted &&
                other.graph.nodes.size() == made.graph.nodes.size()) {
                return;
            }
        }
        std::size_t at = next.size();
        while (at > 0 && is_better(made.merit, next[at - 1].merit)) {
            --at;
        }
        if (static_cast<int>(at) >= options_.beam) {
            return;
        }
        next.push_back(made);
        for (std::size_t k = next.size() - 1; k > at; --k) {
            next[k] = next[k - 1];
        }
        next[at] = made;
        while (static_cast<int>(next.size()) > options_.beam) {
            next.pop_back();
        }
    }

    /// Leaves out the steps that do not pay: applies the others again without each of them.
    constexpr candidate without_idle_steps(candidate best) const {
        for (std::size_t i = 0; i < best.steps.size();) {
            const candidate fewer = without(best, i);
            const bool as_sound = is_admitted(fewer.merit) && fewer.merit.refused <= best.merit.refused &&
                                  (!options_.values || fewer.merit.refuted <= best.merit.refuted) &&
                                  fewer.merit.error <= best.merit.error * options_.gain &&
                                  fewer.merit.expanded <= best.merit.expanded &&
                                  fewer.merit.beside <= best.merit.beside;
            if (as_sound && fewer.merit.seconds <= best.merit.seconds * options_.gain) {
                best = fewer;
                i = 0; // what an earlier step paid for may be gone
            } else {
                ++i;
            }
        }
        return is_better(best.merit, first_.merit) ? best : first_;
    }
    constexpr candidate without(const candidate& all, std::size_t step) const {
        candidate fewer = first_;
        for (std::size_t k = 0; k < all.steps.size(); ++k) {
            candidate made;
            if (k != step && apply(fewer, all.steps[k].rewrite, made) > 0) {
                fewer = made;
            }
        }
        return fewer;
    }

    graph_view g_;
    const target_description& t_;
    optimize_options options_;
    candidate first_;
};

} // namespace detail

/// The fastest model that the rewrites make of one, by the estimate for a target: a beam search over the registry under
/// the constraints of the options. Where no clock of the target is known, or nothing pays, the model as it is. Throws
/// `error` (errc::graph) for an invalid graph.
constexpr optimized optimize(const graph_view& g, const target_description& t, const optimize_options& options = {}) {
    validate(g);
    if (!has_cost_model(t)) {
        return {prune(g), {}};
    }
    return detail::rewrite_search(g, t, options).run();
}
constexpr optimized optimize(const graph_view& g, target t, const optimize_options& options = {}) {
    return optimize(g, describe(t), options);
}

} // namespace ane
