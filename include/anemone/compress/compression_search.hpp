#pragma once

#include "../backend/cpu/cpu.hpp"
#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "../graph/weights_of.hpp"
#include "../passes/validate.hpp"
#include "../weights/encode.hpp"
#include "../weights/verify.hpp"
#include "compress.hpp"
#include "form_descent.hpp"
#include "form_holder.hpp"
#include "form_text.hpp"
#include "form_trials.hpp"
#include "stored_forms.hpp"
#include "weight_rounder.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ane::compress::inline ANEMONE_WAY {

/// The runs to learn from, those to choose by, and those that tell what the choice costs.
struct divided_samples {
    model_samples calibration;
    model_samples gate;
    model_samples held_out;
};

/// Every other run of several, and those between.
struct alternate {
    ANEMONE_INLINE explicit alternate(const model_samples& samples) {
        for (std::size_t run = 0; run < samples.size(); ++run) {
            (run % 2 == 0 ? even : odd).add(samples.inputs(run));
        }
    }
    model_samples even;
    model_samples odd;
};

/// A state goes on from run to run, and a caller who has a calibration chooses by all samples: these are not divided.
ANEMONE_INLINE divided_samples divided(const graph_view& g, const model_samples& samples,
                                       const compression_options& options) {
    divided_samples result;
    if (options.held_out != nullptr) {
        result.held_out = *options.held_out;
    }
    const bool has_states =
        std::any_of(g.outputs.begin(), g.outputs.end(), [](const output_port& port) { return port.is_state(); });
    if (has_states || options.calibration != nullptr || samples.size() < 2) {
        result.calibration = options.calibration != nullptr ? *options.calibration : samples;
        result.gate = samples;
        return result;
    }
    const alternate halves(samples);
    if (options.held_out != nullptr) {
        result.calibration = halves.even;
        result.gate = halves.odd;
    } else if (samples.size() <
               4) { // too few for three parts: better a gate on what was learnt from than none held out
        const alternate chosen_by(halves.even);
        result.calibration = chosen_by.even;
        result.gate = chosen_by.odd.empty() ? chosen_by.even : chosen_by.odd;
        result.held_out = halves.odd;
    } else {
        const alternate judging(halves.odd);
        result.calibration = halves.even;
        result.gate = judging.even;
        result.held_out = judging.odd;
    }
    return result;
}

/// Finds the weights of a model and the forms that each could have, and chooses among them.
class compression_search {
public:
    ANEMONE_INLINE compression_search(const graph_view& g, const weight_store& weights, const target_description& t,
                                      const model_samples& samples, const compression_options& options)
        : graph_(g), store_(weights), target_(t), options_(options),
          place_(options.place != nullptr ? *options.place : backend::any(backend::cpu{})),
          samples_(divided(g, samples, options)), trials_(g, weights, t, options, place_, samples_.gate, plan_) {
        plan_.target = std::string(t.runtime);
        plan_.goal = options.goal;
        plan_.most_loss = options.most_loss;
    }

    compression_search(const compression_search&) = delete; // the trials are of its own plan
    compression_search& operator=(const compression_search&) = delete;

    ANEMONE_INLINE compression_plan run() && {
        check_arguments();
        holder_.emplace(graph_, target_, options_.file);
        find_weights();
        decided_.start.resize(plan_.weights.size(), 0);
        trials_.run_reference();
        plan_.before = trials_.point("fp16", decided_.start);
        if (!trials_.passes(plan_.before)) {
            throw error(errc::argument, "compression",
                        formatted("the loss of the uncompressed model is {}, the limit is {}", plan_.before.loss,
                                  options_.most_loss));
        }
        if (options_.error_feedback) {
            plan_.runs += learn(rounders_, graph_, store_, samples_.calibration, place_);
        }
        ask_for_forms();
        for (const weight_group& group : weight_group::of(plan_.weights.size(), graph_.nodes.size())) {
            try_candidates(group);
        }
        rounders_.clear();
        form_descent descent(plan_, trials_, decided_, graph_.nodes.size());
        descent.run();
        descent.measure_uniform();
        plan_.held_out = trials_.held_out(samples_.held_out, plan_.after.chosen);
        plan_.model = with_forms(graph_, forms_by_node(graph_.nodes.size()));
        plan_.store = store_;
        return std::move(plan_);
    }

private:
    ANEMONE_INLINE void check_arguments() {
        validate(graph_);
        verify_weights(graph_, store_);
        if (samples_.gate.empty()) {
            throw error(errc::argument, "samples", "there are 0 runs: at least 1 is needed to measure the loss");
        }
        if (!(options_.most_loss >= 0) || !std::isfinite(options_.most_loss)) {
            throw error(errc::argument, "most_loss",
                        formatted("is {}, the limit is a finite number from 0 on", options_.most_loss));
        }
        std::set<std::string_view> names;
        for (int i = 0; i < graph_.size() && !options_.required.empty(); ++i) {
            if (graph_[i].kind == op::weight) {
                names.insert(graph_.name(i));
            }
        }
        for (const required_form& r : options_.required) {
            if (!required_.emplace(r.weight, &r).second) {
                throw error(errc::argument, r.weight, "has 2 required forms, the limit is 1");
            }
            if (!names.contains(r.weight)) {
                throw error(errc::argument, r.weight, "has a required form, but is not a weight of the model");
            }
        }
        base_seconds_ = trials_.seconds(graph_);
        if (options_.goal == compression_goal::time && !base_seconds_) {
            throw error(errc::argument, "goal",
                        formatted("is time, and the rates of {} are not known: choose by size", target_.runtime));
        }
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
            const auto required = requirement_of(w.name);
            if (w.is_compressed || is_output(graph_, w.node) || !read_as_weight || graph_[w.node].type != dtype::f16) {
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
        const auto found = required_.find(weight);
        return found == required_.end() ? nullptr : found->second;
    }

    /// Which forms each weight is to be asked for, and what the target and the file say of them: of all weights at once.
    ANEMONE_INLINE void ask_for_forms() {
        std::size_t most = 0;
        for (std::size_t w = 0; w < plan_.weights.size(); ++w) {
            const std::vector<half> exact = verified_weight(graph_, nodes_[w], store_);
            std::int64_t zeros = 0;
            for (const half h : exact) {
                zeros += static_cast<double>(h) == 0 ? 1 : 0;
            }
            share_of_zeros_.push_back(static_cast<double>(zeros) /
                                      static_cast<double>(std::max<std::size_t>(exact.size(), 1)));
            const required_form* const required = requirement_of(plan_.weights[w].name);
            std::vector<compression> forms = options_.forms.empty() ? usual_forms() : options_.forms;
            if (required != nullptr) {
                forms.clear();
                if (required->form) {
                    forms.push_back(*required->form);
                }
            }
            std::vector<possible_form>& possible = possible_.emplace_back();
            for (const compression& wanted : forms) {
                compression form = required != nullptr ? wanted : fitted(wanted, plan_.weights[w].shape);
                form.zeros = is_masked(form) ? static_cast<float>(share_of_zeros_[w]) : 0;
                if (form.form == weight_form::sparse) {
                    form.bits = 16;
                }
                possible.push_back({wanted, form, {}});
            }
            most = std::max(most, possible.size());
        }
        for (std::size_t c = 0; c < most; ++c) {
            std::vector<form_question> asked;
            std::vector<form_answer*> wanted;
            for (std::size_t w = 0; w < possible_.size(); ++w) {
                if (c < possible_[w].size()) {
                    asked.push_back({nodes_[w], possible_[w][c].form});
                    wanted.push_back(&possible_[w][c].answer);
                }
            }
            std::vector<form_answer> answers = holder_->answers(asked);
            for (std::size_t k = 0; k < answers.size(); ++k) {
                *wanted[k] = std::move(answers[k]);
            }
        }
    }
    static bool is_masked(const compression& form) {
        return form.form == weight_form::sparse || form.form == weight_form::sparse_palette ||
               form.form == weight_form::sparse_blockwise;
    }

    /// Finds the candidates of a group's weights and tries each form for all of them that can have it.
    ANEMONE_INLINE void try_candidates(const weight_group& group) {
        std::vector<std::vector<half>> exact;
        std::size_t candidates = 0;
        for (std::size_t w = group.first; w < group.end; ++w) {
            exact.push_back(verified_weight(graph_, nodes_[w], store_));
            find_candidates(w, exact.back());
            candidates = std::max(candidates, plan_.weights[w].candidates.size());
        }
        std::vector<std::size_t> free;
        std::vector<std::size_t> bound; // by the caller, each to the only candidate that it has
        for (std::size_t w = group.first; w < group.end; ++w) {
            if (const required_form* const required = requirement_of(plan_.weights[w].name); required != nullptr) {
                if (required->form) {
                    bound.push_back(w);
                }
                decided_.start[w] = required->form ? 1 : 0;
                decided_.weights.insert(w);
            } else {
                free.push_back(w);
            }
        }
        try_together(bound, 1, group, exact);
        for (std::size_t c = 1; c < candidates; ++c) {
            std::vector<std::size_t> able;
            std::copy_if(free.begin(), free.end(), std::back_inserter(able),
                         [&](std::size_t w) { return plan_.weights[w].candidates[c].usable(); });
            try_together(able, c, group, exact);
        }
        for (std::size_t w = group.first; w < group.end; ++w) {
            rounders_[w].forget();
        }
    }

    ANEMONE_INLINE void find_candidates(std::size_t w, std::span<const half> exact) {
        weight_choice& choice = plan_.weights[w];
        const required_form* const required = requirement_of(choice.name);
        const double share = share_of_zeros_[w];
        for (const auto& [wanted, form, answer] : possible_[w]) {
            const bool masked = is_masked(form);
            stored_candidate c;
            c.form = form;
            c.refused = answer.refused;
            if (!c.refused.empty()) {
                if (required != nullptr) {
                    throw error(errc::argument, choice.name,
                                formatted("cannot be stored as {}: {}", form_text(form), c.refused));
                }
                c.form = wanted;
                choice.candidates.push_back(std::move(c));
                continue;
            }
            c.streams = answer.streams;
            rounders_[w].round_to_nearest(exact, c);
            c.bytes = static_cast<std::int64_t>(encode_weight(c.values, choice.shape, form).bytes());
            if (masked && share < least_zeros && required == nullptr) {
                c.passed_over =
                    formatted("{:.0f} % of it are zeros, a mask pays from {:.0f} % on", 100 * share, 100 * least_zeros);
            } else if (c.bytes >= choice.candidates[0].bytes && required == nullptr) {
                c.passed_over = formatted("takes {} bytes, fp16 takes {}", c.bytes, choice.candidates[0].bytes);
            }
            choice.candidates.push_back(std::move(c));
        }
    }

    /// Runs the model with weights of a group in one form, their candidates of this number. What becomes of its outputs is
    /// theirs in equal parts.
    ANEMONE_INLINE void try_together(const std::vector<std::size_t>& weights, std::size_t position,
                                     const weight_group& group, const std::vector<std::vector<half>>& exact) {
        if (weights.empty()) {
            return;
        }
        const auto candidate = [&](std::size_t w) -> stored_candidate& {
            return plan_.weights[w].candidates[position];
        };
        const auto count = static_cast<double>(weights.size());
        chosen_forms chosen(plan_.weights.size(), 0);
        for (const std::size_t w : weights) {
            chosen[w] = position;
        }
        const dynamic_graph trial = trials_.graph_of(chosen);
        if (base_seconds_) {
            const double saved = *base_seconds_ - *trials_.seconds(trial);
            for (const std::size_t w : weights) {
                candidate(w).saved_seconds = saved / count;
            }
            if (options_.goal == compression_goal::time && !(saved > 1e-9 * *base_seconds_) &&
                requirement_of(plan_.weights[weights[0]].name) == nullptr) {
                for (const std::size_t w : weights) {
                    candidate(w).passed_over =
                        candidate(w).streams
                            ? formatted("saves no time on {}: its layer does not wait for it", target_.runtime)
                            : formatted("is expanded to fp16 before it runs on {}: saves no time", target_.runtime);
                }
                return;
            }
        }
        const double nearest = trials_.output_error(trial, chosen) / std::sqrt(count);
        for (const std::size_t w : weights) {
            candidate(w).nearest_error = candidate(w).output_error = nearest;
        }
        std::vector<std::pair<std::size_t, stored_candidate>> others; // what the rounded ones were
        for (const std::size_t w : weights) {
            if (std::optional<stored_candidate> fed = rounders_[w].fed_back(exact[w - group.first], candidate(w))) {
                others.emplace_back(w, std::exchange(candidate(w), std::move(*fed)));
            }
        }
        if (others.empty()) {
            return;
        }
        const double fed = trials_.output_error(trial, chosen) / std::sqrt(count);
        for (const std::size_t w : weights) {
            candidate(w).output_error = fed;
        }
        if (!(fed < nearest)) {
            for (const std::size_t w : weights) {
                candidate(w).output_error = nearest;
            }
            for (auto& [w, rounded] : others) {
                candidate(w) = std::move(rounded);
            }
        }
    }

    static constexpr double least_zeros = 0.5; ///< R142

    const graph_view graph_;
    const weight_store& store_;
    const target_description& target_;
    const compression_options& options_;
    backend::any place_;
    divided_samples samples_;
    compression_plan plan_;
    form_trials trials_; ///< of the plan
    /// A form that a weight might have.
    struct possible_form {
        compression wanted; ///< by the caller
        compression form;   ///< as this weight can have it
        form_answer answer;
    };

    std::map<std::string_view, const required_form*> required_;
    std::vector<double> share_of_zeros_;               ///< of each weight
    std::vector<std::vector<possible_form>> possible_; ///< the same
    std::optional<form_holder> holder_;                ///< once the model is known to be valid
    std::vector<int> nodes_;                           ///< of the weights of the plan
    std::vector<weight_rounder> rounders_;             ///< of the same
    std::optional<double> base_seconds_;
    decided_forms decided_;
};

} // namespace ane::compress::inline ANEMONE_WAY
