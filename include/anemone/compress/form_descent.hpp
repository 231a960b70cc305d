#pragma once

#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "compress.hpp"
#include "form_text.hpp"
#include "form_trials.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ane::compress::inline ANEMONE_WAY {

/// What the caller decided on.
struct decided_forms {
    chosen_forms start;            ///< fp16, or what is required
    std::set<std::size_t> weights; ///< that are not to be changed
};

/// Goes from fp16 to the cheapest forms, a weight at a time, and writes into a plan what it met on the way.
class form_descent {
public:
    ANEMONE_INLINE form_descent(compression_plan& plan, form_trials& trials, const decided_forms& decided)
        : plan_(plan), trials_(trials), decided_(decided) {}

    ANEMONE_INLINE void run() {
        go_down();
        add_what_passes();
        plan_.after.label = "plan";
        for (std::size_t w = 0; w < plan_.weights.size(); ++w) {
            plan_.weights[w].chosen = plan_.after.chosen[w];
        }
    }

    /// One form for all weights that can have it.
    ANEMONE_INLINE void measure_uniform() {
        std::vector<compression> forms;
        for (const weight_choice& w : plan_.weights) {
            for (const stored_candidate& c : w.candidates) {
                if (!c.form || !c.usable()) {
                    continue;
                }
                const std::size_t position = position_of(forms, *c.form);
                if (position == forms.size()) {
                    forms.push_back(*c.form);
                }
                forms[position].block = std::max(forms[position].block, c.form->block); // the label's
            }
        }
        for (const compression& form : forms) {
            chosen_forms chosen = decided_.start;
            for (std::size_t w = 0; w < chosen.size(); ++w) {
                const auto& candidates = plan_.weights[w].candidates;
                for (std::size_t c = 1; c < candidates.size() && !decided_.weights.contains(w); ++c) {
                    if (candidates[c].usable() && same_kind(*candidates[c].form, form)) {
                        chosen[w] = c;
                        break;
                    }
                }
            }
            plan_.uniform.push_back(trials_.point(form_text(form), chosen));
        }
    }

private:
    ANEMONE_INLINE void go_down() {
        compression_point at = plan_.before;
        if (decided_.start != plan_.before.chosen) {
            at = trials_.point("required forms", decided_.start);
            if (!trials_.passes(at)) {
                throw error(errc::argument, "required forms",
                            formatted("the loss is {}, the limit is {}", at.loss, plan_.most_loss));
            }
        }
        plan_.path.push_back(plan_.before);
        if (at.chosen != plan_.before.chosen) {
            plan_.path.push_back(at);
        }
        plan_.after = at;
        for (auto moves = moves_from(at.chosen); !moves.empty(); moves = moves_from(at.chosen)) {
            chosen_forms chosen = at.chosen;
            chosen[moves[0].weight] = moves[0].candidate;
            at = trials_.point(label_of(moves[0]), chosen);
            plan_.path.push_back(at);
            if (trials_.passes(at)) {
                plan_.after = at; // each step costs less than the one before
            }
        }
    }

    /// What else the gate leaves room for, one change at a time, the best first.
    ANEMONE_INLINE void add_what_passes() {
        std::set<std::pair<std::size_t, std::size_t>> failed;
        for (bool changed = true; changed;) {
            changed = false;
            for (const move& m : moves_from(plan_.after.chosen)) {
                if (failed.contains({m.weight, m.candidate})) {
                    continue;
                }
                chosen_forms chosen = plan_.after.chosen;
                chosen[m.weight] = m.candidate;
                const compression_point tried = trials_.point(label_of(m), chosen);
                if (trials_.passes(tried)) {
                    plan_.after = tried;
                    changed = true;
                    break;
                }
                failed.emplace(m.weight, m.candidate);
            }
        }
    }

    /// Whether two forms differ in nothing but what the weight decides.
    static bool same_kind(const compression& a, const compression& b) {
        return a.form == b.form && a.bits == b.bits && a.vector == b.vector && a.zero_point == b.zero_point &&
               (a.block > 0) == (b.block > 0);
    }
    static std::size_t position_of(const std::vector<compression>& forms, const compression& form) {
        std::size_t i = 0;
        while (i < forms.size() && !same_kind(forms[i], form)) {
            ++i;
        }
        return i;
    }

    double cost(std::size_t w, std::size_t c) const {
        const stored_candidate& candidate = plan_.weights[w].candidates[c];
        return plan_.goal == compression_goal::size ? static_cast<double>(candidate.bytes)
                                                    : -candidate.saved_seconds.value_or(0);
    }
    double squared_error(std::size_t w, std::size_t c) const {
        const double e = plan_.weights[w].candidates[c].output_error;
        return e * e;
    }

    struct move {
        std::size_t weight = 0;
        std::size_t candidate = 0;
        double gain = 0; ///< cost saved for each squared error
    };
    /// What could come next, the best first; equal ones in the order of the weights.
    ANEMONE_INLINE std::vector<move> moves_from(const chosen_forms& chosen) const {
        std::vector<move> moves;
        for (std::size_t w = 0; w < chosen.size(); ++w) {
            const auto& candidates = plan_.weights[w].candidates;
            for (std::size_t c = 1; c < candidates.size() && !decided_.weights.contains(w); ++c) {
                const double saved = cost(w, chosen[w]) - cost(w, c);
                if (candidates[c].usable() && saved > 0 && std::isfinite(candidates[c].output_error)) {
                    const double more = squared_error(w, c) - squared_error(w, chosen[w]);
                    moves.push_back({w, c, saved / std::max(more, 1e-30)});
                }
            }
        }
        std::stable_sort(moves.begin(), moves.end(), [](const move& a, const move& b) { return a.gain > b.gain; });
        return moves;
    }

    ANEMONE_INLINE std::string label_of(const move& m) const {
        return formatted("{}: {}", plan_.weights[m.weight].name,
                         form_text(*plan_.weights[m.weight].candidates[m.candidate].form));
    }

    compression_plan& plan_;
    form_trials& trials_;
    const decided_forms& decided_;
};

} // namespace ane::compress::inline ANEMONE_WAY
