#pragma once

#include "../backend/any.hpp"
#include "../backend/samples.hpp"
#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "../cost/cost.hpp"
#include "../passes/lowering.hpp"
#include "compress.hpp"
#include "loss_interval.hpp"
#include "stored_forms.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ane::compress::inline ANEMONE_WAY {

/// The candidate that is chosen for each weight of a plan; 0: fp16.
using chosen_forms = std::vector<std::size_t>;

/// A graph with the chosen forms of a plan's weights.
ANEMONE_INLINE dynamic_graph graph_in_forms(const graph_view& g, const std::vector<weight_choice>& weights,
                                            const chosen_forms& chosen) {
    forms_by_node forms(g.nodes.size());
    std::map<std::string_view, std::size_t> nodes;
    for (int i = 0; i < g.size(); ++i) {
        if (g[i].kind == op::weight) {
            nodes.emplace(g.name(i), static_cast<std::size_t>(i));
        }
    }
    for (std::size_t w = 0; w < chosen.size(); ++w) {
        const auto node = nodes.find(weights[w].name);
        if (node == nodes.end()) {
            throw error(errc::argument, weights[w].name, "is not a weight of the plan's model");
        }
        forms[node->second] = weights[w].candidates[chosen[w]].form;
    }
    return with_forms(g, forms);
}

/// A store with what the chosen forms are made of.
ANEMONE_INLINE weight_store store_in_forms(const weight_store& store, const std::vector<weight_choice>& weights,
                                           const chosen_forms& chosen) {
    std::vector<std::pair<std::string, const std::vector<half>*>> values;
    for (std::size_t w = 0; w < chosen.size(); ++w) {
        const stored_candidate& c = weights[w].candidates[chosen[w]];
        if (c.form) {
            values.emplace_back(weights[w].name, &c.values);
        }
    }
    return with_values(store, values);
}

/// Runs a model with its weights in chosen forms on the samples of the gate, and tells what became of it.
class form_trials {
public:
    /// `plan` has the weights and their candidates, and counts the runs.
    ANEMONE_INLINE form_trials(const graph_view& g, const weight_store& weights, const target_description& t,
                               const compression_options& options, const backend::any& place, const model_samples& gate,
                               compression_plan& plan)
        : graph_(g), store_(weights), target_(t), options_(options), place_(place), gate_(gate), plan_(plan) {}

    /// Runs the model as it is: what the others are compared with. Throws `error` (errc::argument) where no output is
    /// finite, for those lose nothing in any form.
    ANEMONE_INLINE void run_reference() {
        reference_ = results_of(graph_, store_);
        for (const std::vector<std::vector<float>>& run : reference_) {
            for (const std::vector<float>& output : run) {
                if (std::any_of(output.begin(), output.end(), [](float v) { return std::isfinite(v); })) {
                    return;
                }
            }
        }
        throw error(errc::argument, "samples",
                    formatted("no output of the model is finite in {} runs: nothing tells what compression costs",
                              reference_.size()));
    }

    ANEMONE_INLINE dynamic_graph graph_of(const chosen_forms& chosen) const {
        return graph_in_forms(graph_, plan_.weights, chosen);
    }
    /// By the cost model; none where the rates of the target are not known.
    ANEMONE_INLINE std::optional<double> seconds(const graph_view& trial) const {
        return estimate(lower(trial).graph, target_, held_in(options_.file)).seconds;
    }
    /// Relative, of the graph of these forms.
    ANEMONE_INLINE double output_error(const graph_view& trial, const chosen_forms& chosen) {
        return relative_error(reference_, results_in(trial, chosen));
    }
    ANEMONE_INLINE compression_point point(std::string label, const chosen_forms& chosen) {
        compression_point made;
        made.label = std::move(label);
        made.chosen = chosen;
        made.bytes = plan_.other_bytes;
        for (std::size_t w = 0; w < chosen.size(); ++w) {
            made.bytes += plan_.weights[w].candidates[chosen[w]].bytes;
        }
        const dynamic_graph trial = graph_of(chosen);
        made.seconds = seconds(trial);
        const bool same = std::all_of(chosen.begin(), chosen.end(), [](std::size_t c) { return c == 0; });
        const model_results results = same ? reference_ : results_in(trial, chosen);
        made.output_error = relative_error(reference_, results);
        made.loss = options_.loss.is_relative_error() ? made.output_error : options_.loss(reference_, results);
        return made;
    }
    /// The loss of chosen forms on runs that nothing was chosen by.
    ANEMONE_INLINE held_out_loss held_out(const model_samples& samples, const chosen_forms& chosen) {
        if (samples.empty()) {
            return {};
        }
        plan_.runs += 2;
        const model_results want = run_samples(graph_, store_, samples, place_);
        const model_results got =
            run_samples(graph_of(chosen), store_in_forms(store_, plan_.weights, chosen), samples, place_);
        std::vector<double> losses;
        for (std::size_t run = 0; run < want.size() && options_.loss.is_relative_error(); ++run) {
            losses.push_back(relative_error({want[run]}, {got[run]}));
        }
        held_out_loss found{samples.size(), options_.loss(want, got)};
        if (const std::optional<loss_interval> i = interval_of_next(losses)) {
            found.at_least = i->at_least;
            found.at_most = i->at_most;
        }
        return found;
    }
    bool passes(const compression_point& point) const { return point.loss <= options_.most_loss; } // not NaN

private:
    ANEMONE_INLINE model_results results_of(const graph_view& g, const weight_store& store) {
        ++plan_.runs;
        return run_samples(g, store, gate_, place_);
    }
    ANEMONE_INLINE model_results results_in(const graph_view& trial, const chosen_forms& chosen) {
        return results_of(trial, store_in_forms(store_, plan_.weights, chosen));
    }

    const graph_view graph_;
    const weight_store& store_;
    const target_description& target_;
    const compression_options& options_;
    const backend::any& place_;
    const model_samples& gate_;
    compression_plan& plan_;
    model_results reference_;
};

} // namespace ane::compress::inline ANEMONE_WAY
