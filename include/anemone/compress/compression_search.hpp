#pragma once

#include "../backend/cpu/cpu.hpp"
#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "../passes/cost.hpp"
#include "../passes/lowering.hpp"
#include "../passes/validate.hpp"
#include "../passes/weights_of.hpp"
#include "../weights/encode.hpp"
#include "../weights/verify.hpp"
#include "compress.hpp"
#include "form_holder.hpp"
#include "form_text.hpp"
#include "stored_forms.hpp"
#include "weight_rounder.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ane::compress::inline ANEMONE_WAY {

/// What compression looks for, with everything that it knows so far.
class compression_search {
public:
    ANEMONE_INLINE compression_search(const graph_view& g, const weight_store& weights, const target_description& t,
                                      const model_samples& samples, const compression_options& options)
        : graph_(g), store_(weights), target_(t), samples_(samples), options_(options),
          place_(options.place != nullptr ? *options.place : backend::any(backend::cpu{})), goal_(options.goal) {
        bool has_states = false;
        for (const output_port& port : g.outputs) {
            has_states = has_states || port.is_state();
        }
        const bool split = options.calibration == nullptr && !has_states && samples.size() > 1;
        for (std::size_t run = 0; run < samples.size(); ++run) {
            const auto inputs = samples.inputs(run);
            if (!split || run % 2 == 1) {
                gate_.add(inputs);
            }
            if (options.calibration == nullptr && (!split || run % 2 == 0)) {
                calibration_.add(inputs);
            }
        }
        for (std::size_t run = 0; options.calibration != nullptr && run < options.calibration->size(); ++run) {
            calibration_.add(options.calibration->inputs(run));
        }
    }

    ANEMONE_INLINE compression_plan run() && {
        check_arguments();
        plan_.target = std::string(target_.runtime);
        plan_.goal = goal_;
        plan_.most_loss = options_.most_loss;
        holder_.emplace(graph_, target_, options_.file);
        find_weights();
        reference_ = results_of(graph_, store_);
        require_finite_outputs();
        plan_.before = measured("fp16", std::vector<std::size_t>(plan_.weights.size(), 0));
        const double loss = plan_.before.loss;
        if (!(loss <= options_.most_loss)) {
            throw error(
                errc::argument, "compression",
                formatted("the loss of the uncompressed model is {}, the limit is {}", loss, options_.most_loss));
        }
        if (options_.error_feedback) {
            plan_.runs += learn(rounders_, graph_, store_, calibration_, place_);
        }
        for (std::size_t w = 0; w < plan_.weights.size(); ++w) {
            find_candidates(w);
        }
        rounders_.clear();
        descend();
        measure_uniform();
        for (std::size_t w = 0; w < plan_.weights.size(); ++w) {
            plan_.weights[w].chosen = plan_.after.chosen[w];
        }
        plan_.model = with_forms(graph_, forms_by_node(graph_.nodes.size()));
        plan_.store = store_;
        return std::move(plan_);
    }

private:
    ANEMONE_INLINE void check_arguments() {
        validate(graph_);
        verify_weights(graph_, store_);
        if (samples_.empty()) {
            throw error(errc::argument, "samples", "there are none: at least 1 run tells what compression costs");
        }
        if (!(options_.most_loss >= 0) || !std::isfinite(options_.most_loss)) {
            throw error(errc::argument, "most_loss",
                        formatted("is {}, the limit is a finite number from 0 on", options_.most_loss));
        }
        std::set<std::string_view> seen;
        for (const required_form& r : options_.required) {
            if (!seen.insert(r.weight).second) {
                throw error(errc::argument, r.weight, "has 2 required forms, the limit is 1");
            }
            if (graph_.find(op::weight, r.weight) < 0) {
                throw error(errc::argument, r.weight, "has a required form, but is no weight of the model");
            }
        }
        base_seconds_ = seconds_of(graph_);
        if (goal_ == compression_goal::time && !base_seconds_) {
            throw error(errc::argument, "goal",
                        formatted("is time, and the rates of {} are not known: choose by size", target_.runtime));
        }
    }

    /// Outputs that are not finite lose nothing in any form.
    ANEMONE_INLINE void require_finite_outputs() const {
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

    ANEMONE_INLINE std::optional<double> seconds_of(const graph_view& g) const {
        return estimate(lower(g).graph, target_).seconds;
    }

    ANEMONE_INLINE model_results results_of(const graph_view& g, const weight_store& store) {
        ++plan_.runs;
        return run_samples(g, store, gate_, place_);
    }

    static std::int64_t dense_bytes(const extents& shape) { return 2 * shape.count(); }

    /// Those that every reader takes as a weight, and what the others take.
    ANEMONE_INLINE void find_weights() {
        for (const wanted_weight& w : weights_of(graph_)) {
            const bool read_as_weight =
                !w.readers.empty() && std::all_of(w.readers.begin(), w.readers.end(), [&](int reader) {
                    const auto operands = graph_.operands(reader);
                    const auto count = std::count(operands.begin(), operands.end(), w.node);
                    return count == 1 && operands.size() > 1 && operands[1] == w.node &&
                           is_contraction(graph_[reader].kind);
                });
            const bool is_output = std::any_of(graph_.outputs.begin(), graph_.outputs.end(),
                                               [&](const output_port& port) { return port.node == w.node; });
            const auto required = requirement_of(w.name);
            if (w.is_compressed || is_output || !read_as_weight || graph_[w.node].type != dtype::f16) {
                if (required && required->form) {
                    throw error(errc::argument, std::string(w.name),
                                w.is_compressed
                                    ? formatted("has a required form, but is stored as {} by the model itself",
                                                form_text(w.form))
                                    : std::string("has a required form, but not every operation that reads it is a "
                                                  "convolution or product that takes it as its second operand"));
                }
                plan_.other_bytes +=
                    w.is_compressed
                        ? static_cast<std::int64_t>(
                              encode_weight(verified_weight(graph_, w.node, store_), w.shape, w.form).bytes())
                        : dense_bytes(w.shape);
                continue;
            }
            weight_choice choice;
            choice.name = std::string(w.name);
            choice.shape = w.shape;
            stored_candidate plain;
            plain.bytes = dense_bytes(w.shape);
            plain.layer_error = 0;
            choice.candidates.push_back(plain);
            plan_.weights.push_back(choice);
            nodes_.push_back(w.node);
            const bool one = options_.error_feedback && w.readers.size() == 1;
            rounders_.emplace_back(graph_, w.node, one ? w.readers[0] : -1, options_.most_feedback_columns);
        }
    }

    ANEMONE_INLINE const required_form* requirement_of(std::string_view weight) const {
        for (const required_form& r : options_.required) {
            if (r.weight == weight) {
                return &r;
            }
        }
        return nullptr;
    }

    ANEMONE_INLINE void find_candidates(std::size_t w) {
        weight_choice& choice = plan_.weights[w];
        const std::vector<half> exact = verified_weight(graph_, nodes_[w], store_);
        const required_form* const required = requirement_of(choice.name);
        std::vector<compression> forms = options_.forms.empty() ? usual_forms() : options_.forms;
        if (required != nullptr) {
            forms.clear();
            if (required->form) {
                forms.push_back(*required->form);
            }
        }
        std::int64_t zeros = 0;
        for (const half h : exact) {
            zeros += static_cast<double>(h) == 0 ? 1 : 0;
        }
        const double share = static_cast<double>(zeros) / static_cast<double>(std::max<std::size_t>(exact.size(), 1));
        for (const compression& wanted : forms) {
            compression form = required != nullptr ? wanted : fitted(wanted, choice.shape);
            const bool masked = form.form == weight_form::sparse || form.form == weight_form::sparse_palette ||
                                form.form == weight_form::sparse_blockwise;
            form.zeros = masked ? static_cast<float>(share) : 0;
            if (form.form == weight_form::sparse) {
                form.bits = 16;
            }
            stored_candidate c;
            c.form = form;
            c.refused = holder_->refusal(nodes_[w], form);
            if (!c.refused.empty()) {
                if (required != nullptr) {
                    throw error(errc::argument, choice.name,
                                formatted("cannot be stored as {}: {}", form_text(form), c.refused));
                }
                c.form = wanted;
                choice.candidates.push_back(std::move(c));
                continue;
            }
            c.streams = holder_->streams(nodes_[w], form);
            rounders_[w].round_to_nearest(exact, c);
            c.bytes = static_cast<std::int64_t>(encode_weight(c.values, choice.shape, form).bytes());
            if (masked && share < least_zeros && required == nullptr) {
                c.passed_over =
                    formatted("{:.0f} % of it are zeros, a mask pays from {:.0f} % on", 100 * share, 100 * least_zeros);
            } else if (c.bytes >= choice.candidates[0].bytes && required == nullptr) {
                c.passed_over = formatted("takes {} bytes, fp16 takes {}", c.bytes, choice.candidates[0].bytes);
            }
            choice.candidates.push_back(std::move(c));
            const std::size_t position = choice.candidates.size() - 1;
            if (choice.candidates[position].usable()) {
                try_alone(w, position, exact);
            }
        }
        rounders_[w].forget();
        if (required != nullptr) {
            start_.resize(plan_.weights.size(), 0);
            start_[w] = required->form ? 1 : 0;
            fixed_.insert(w);
        }
    }

    ANEMONE_INLINE void try_alone(std::size_t w, std::size_t position, std::span<const half> exact) {
        std::vector<std::size_t> chosen(plan_.weights.size(), 0);
        chosen[w] = position;
        const dynamic_graph trial = graph_of(chosen);
        stored_candidate& c = plan_.weights[w].candidates[position];
        if (base_seconds_) {
            c.saved_seconds = *base_seconds_ - *seconds_of(trial);
        }
        if (goal_ == compression_goal::time && !(*c.saved_seconds > 1e-9 * *base_seconds_) &&
            requirement_of(plan_.weights[w].name) == nullptr) {
            c.passed_over = c.streams
                                ? formatted("saves no time on {}: its layer does not wait for it", target_.runtime)
                                : formatted("is expanded to fp16 before it runs on {}: saves no time", target_.runtime);
            return;
        }
        c.nearest_error = c.output_error = relative_error(reference_, results_of(trial, store_of(chosen)));
        if (std::optional<stored_candidate> fed = rounders_[w].fed_back(exact, c)) {
            std::swap(c, *fed);
            c.output_error = relative_error(reference_, results_of(trial, store_of(chosen)));
            if (!(c.output_error < c.nearest_error)) {
                std::swap(c, *fed);
            }
        }
    }

    ANEMONE_INLINE dynamic_graph graph_of(const std::vector<std::size_t>& chosen) const {
        forms_by_node forms(graph_.nodes.size());
        for (std::size_t w = 0; w < chosen.size(); ++w) {
            forms[static_cast<std::size_t>(nodes_[w])] = plan_.weights[w].candidates[chosen[w]].form;
        }
        return with_forms(graph_, forms);
    }
    ANEMONE_INLINE weight_store store_of(const std::vector<std::size_t>& chosen) const {
        std::vector<std::pair<std::string, const std::vector<half>*>> values;
        for (std::size_t w = 0; w < chosen.size(); ++w) {
            if (chosen[w] > 0) {
                values.emplace_back(plan_.weights[w].name, &plan_.weights[w].candidates[chosen[w]].values);
            }
        }
        return with_values(store_, values);
    }

    /// Runs the model in these forms.
    ANEMONE_INLINE compression_point measured(std::string label, const std::vector<std::size_t>& chosen) {
        compression_point point;
        point.label = std::move(label);
        point.chosen = chosen;
        point.bytes = plan_.other_bytes;
        for (std::size_t w = 0; w < chosen.size(); ++w) {
            point.bytes += plan_.weights[w].candidates[chosen[w]].bytes;
        }
        const dynamic_graph trial = graph_of(chosen);
        point.seconds = seconds_of(trial);
        const bool same = std::all_of(chosen.begin(), chosen.end(), [](std::size_t c) { return c == 0; });
        const model_results results = same ? reference_ : results_of(trial, store_of(chosen));
        point.output_error = relative_error(reference_, results);
        point.loss = options_.loss.is_relative_error() ? point.output_error : options_.loss(reference_, results);
        return point;
    }

    bool passes(const compression_point& point) const { return point.loss <= options_.most_loss; } // not NaN

    double cost(std::size_t w, std::size_t c) const {
        const stored_candidate& candidate = plan_.weights[w].candidates[c];
        return goal_ == compression_goal::size ? static_cast<double>(candidate.bytes)
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
    ANEMONE_INLINE std::vector<move> moves_from(const std::vector<std::size_t>& chosen) const {
        std::vector<move> moves;
        for (std::size_t w = 0; w < chosen.size(); ++w) {
            const auto& candidates = plan_.weights[w].candidates;
            for (std::size_t c = 1; c < candidates.size() && !fixed_.contains(w); ++c) {
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

    ANEMONE_INLINE double cost_of(const std::vector<std::size_t>& chosen) const {
        double total = 0;
        for (std::size_t w = 0; w < chosen.size(); ++w) {
            total += cost(w, chosen[w]);
        }
        return total;
    }
    ANEMONE_INLINE std::string label_of(const move& m) const {
        return formatted("{}: {}", plan_.weights[m.weight].name,
                         form_text(*plan_.weights[m.weight].candidates[m.candidate].form));
    }

    ANEMONE_INLINE void descend() {
        start_.resize(plan_.weights.size(), 0);
        compression_point at = plan_.before;
        if (start_ != plan_.before.chosen) {
            at = measured("required forms", start_);
            if (!passes(at)) {
                throw error(errc::argument, "required forms",
                            formatted("the loss is {}, the limit is {}", at.loss, options_.most_loss));
            }
        }
        plan_.path.push_back(plan_.before);
        if (at.chosen != plan_.before.chosen) {
            plan_.path.push_back(at);
        }
        plan_.after = at;
        for (auto moves = moves_from(at.chosen); !moves.empty(); moves = moves_from(at.chosen)) {
            std::vector<std::size_t> chosen = at.chosen;
            chosen[moves[0].weight] = moves[0].candidate;
            at = measured(label_of(moves[0]), chosen);
            plan_.path.push_back(at);
            if (passes(at)) {
                plan_.after = at; // each step costs less than the one before
            }
        }
        // What else the gate leaves room for, one change at a time, the best first.
        std::set<std::pair<std::size_t, std::size_t>> failed;
        for (bool changed = true; changed;) {
            changed = false;
            for (const move& m : moves_from(plan_.after.chosen)) {
                if (failed.contains({m.weight, m.candidate})) {
                    continue;
                }
                std::vector<std::size_t> chosen = plan_.after.chosen;
                chosen[m.weight] = m.candidate;
                const compression_point tried = measured(label_of(m), chosen);
                if (passes(tried)) {
                    plan_.after = tried;
                    changed = true;
                    break;
                }
                failed.emplace(m.weight, m.candidate);
            }
        }
        plan_.after.label = "plan";
    }

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
            std::vector<std::size_t> chosen = start_;
            for (std::size_t w = 0; w < chosen.size(); ++w) {
                const auto& candidates = plan_.weights[w].candidates;
                for (std::size_t c = 1; c < candidates.size() && !fixed_.contains(w); ++c) {
                    if (candidates[c].usable() && same_kind(*candidates[c].form, form)) {
                        chosen[w] = c;
                        break;
                    }
                }
            }
            plan_.uniform.push_back(measured(form_text(form), chosen));
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

    static constexpr double least_zeros = 0.5; ///< R142

    const graph_view graph_;
    const weight_store& store_;
    const target_description& target_;
    const model_samples& samples_;
    model_samples calibration_;
    model_samples gate_;
    const compression_options& options_;
    backend::any place_;
    compression_goal goal_;
    compression_plan plan_;
    std::optional<form_holder> holder_;    ///< once the model is known to be valid
    std::vector<int> nodes_;               ///< of the weights of the plan
    std::vector<weight_rounder> rounders_; ///< of the same
    model_results reference_;
    std::optional<double> base_seconds_;
    std::vector<std::size_t> start_; ///< fp16, or what is required
    std::set<std::size_t> fixed_;    ///< weights that the caller decided on
};

} // namespace ane::compress::inline ANEMONE_WAY
