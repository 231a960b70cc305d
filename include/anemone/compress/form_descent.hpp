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

/// Weights that are tried and changed together, from `first` up to `end`: each run of the model tells of one such group, so
/// that a model of thousands of weights takes no more runs than one of `most`. A run takes as long as the model is: large
/// ones have fewer groups, so that all runs together visit no more nodes, but for `fewest`.
struct weight_group {
    static constexpr std::size_t most = 96;
    static constexpr std::size_t fewest = 4;
    static constexpr std::size_t most_nodes = 400'000; ///< groups times nodes

    std::size_t first;
    std::size_t end;

    std::size_t size() const { return end - first; }
    ANEMONE_INLINE static std::vector<weight_group> of(std::size_t weights, std::size_t nodes) {
        const std::size_t number = std::clamp(most_nodes / std::max<std::size_t>(nodes, 1), fewest, most);
        const std::size_t each = (weights + number - 1) / number;
        std::vector<weight_group> groups;
        for (std::size_t first = 0; first < weights; first += each) {
            groups.push_back({first, std::min(first + each, weights)});
        }
        return groups;
    }
};

/// Goes from fp16 to the cheapest forms, a weight at a time, and writes into a plan what it met on the way.
class form_descent {
public:
    /// `nodes`: of the model.
    ANEMONE_INLINE form_descent(compression_plan& plan, form_trials& trials, const decided_forms& decided,
                                std::size_t nodes)
        : plan_(plan), trials_(trials), decided_(decided), groups_(weight_group::of(plan.weights.size(), nodes)) {}

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
            const chosen_forms chosen = after(at.chosen, moves[0]);
            at = trials_.point(label_of(moves[0]), chosen);
            plan_.path.push_back(at);
            if (trials_.passes(at)) {
                plan_.after = at; // each step costs less than the one before
            }
        }
    }

    /// What else the gate leaves room for, one change at a time, the best first.
    ANEMONE_INLINE void add_what_passes() {
        std::set<std::pair<std::size_t, std::size_t>> failed; // groups and candidates
        for (bool changed = true; changed;) {
            changed = false;
            for (const move& m : moves_from(plan_.after.chosen)) {
                if (failed.contains({m.group.first, m.candidate})) {
                    continue;
                }
                const chosen_forms chosen = after(plan_.after.chosen, m);
                const compression_point tried = trials_.point(label_of(m), chosen);
                if (trials_.passes(tried)) {
                    plan_.after = tried;
                    changed = true;
                    break;
                }
                failed.emplace(m.group.first, m.candidate);
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

    /// Weights of a group that take their candidate of this number, which is one form for all of them.
    struct move {
        weight_group group{};
        std::size_t candidate = 0;
        double gain = 0; ///< cost saved for each squared error
    };
    /// Whether a weight can take part in a move and saves something by it.
    ANEMONE_INLINE bool moves(std::size_t w, std::size_t c, const chosen_forms& chosen) const {
        const auto& candidates = plan_.weights[w].candidates;
        return c < candidates.size() && !decided_.weights.contains(w) && candidates[c].usable() &&
               cost(w, chosen[w]) - cost(w, c) > 0 && std::isfinite(candidates[c].output_error);
    }
    ANEMONE_INLINE chosen_forms after(chosen_forms chosen, const move& m) const {
        for (std::size_t w = m.group.first; w < m.group.end; ++w) {
            chosen[w] = moves(w, m.candidate, chosen) ? m.candidate : chosen[w];
        }
        return chosen;
    }
    /// What could come next, the best first; equal ones in the order of the weights.
    ANEMONE_INLINE std::vector<move> moves_from(const chosen_forms& chosen) const {
        std::vector<move> found;
        for (const weight_group& group : groups_) {
            std::size_t candidates = 0;
            for (std::size_t w = group.first; w < group.end; ++w) {
                candidates = std::max(candidates, plan_.weights[w].candidates.size());
            }
            for (std::size_t c = 1; c < candidates; ++c) {
                double saved = 0;
                double more = 0;
                for (std::size_t w = group.first; w < group.end; ++w) {
                    if (moves(w, c, chosen)) {
                        saved += cost(w, chosen[w]) - cost(w, c);
                        more += squared_error(w, c) - squared_error(w, chosen[w]);
                    }
                }
                if (saved > 0) {
                    found.push_back({group, c, saved / std::max(more, 1e-30)});
                }
            }
        }
        std::stable_sort(found.begin(), found.end(), [](const move& a, const move& b) { return a.gain > b.gain; });
        return found;
    }

    ANEMONE_INLINE std::string label_of(const move& m) const {
        std::size_t w = m.group.first;
        while (m.candidate >= plan_.weights[w].candidates.size() ||
               !plan_.weights[w].candidates[m.candidate].usable()) {
            ++w; // one is, or there would be no such move
        }
        const std::string others = m.group.size() > 1 ? formatted(" and up to {} more", m.group.size() - 1) : "";
        return formatted("{}{}: {}", plan_.weights[w].name, others,
                         form_text(*plan_.weights[w].candidates[m.candidate].form));
    }

    compression_plan& plan_;
    form_trials& trials_;
    const decided_forms& decided_;
    std::vector<weight_group> groups_;
};

} // namespace ane::compress::inline ANEMONE_WAY
