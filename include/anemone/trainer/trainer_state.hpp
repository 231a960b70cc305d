#pragma once

#include "../backend/any.hpp"
#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "../segments/recompute.hpp"
#include "../training/training_step.hpp"
#include "../weights/convert.hpp"
#include "../weights/store.hpp"
#include "held_out.hpp"
#include "model_digest.hpp"
#include "scale_schedule.hpp"
#include "step_program.hpp"
#include "trainer_options.hpp"

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

/// What a trainer keeps. Only bodies include this header.
namespace ane::detail::inline ANEMONE_WAY {

/// A validation step whose mask marks what counts, so that the last batch need not be full.
ANEMONE_INLINE training_step masked_validation(const graph_view& model, training_options what) {
    what.loss.masked = true;
    return make_validation_step(model, what);
}

ANEMONE_INLINE std::string optimizer_text(const optimizer& o) {
    return formatted("{} {} {} {} {}", name(o.kind), o.beta1, o.beta2, o.epsilon, o.decay);
}
ANEMONE_INLINE std::string loss_text(const loss_options& o) {
    return formatted("{} {} {} {}", name(o.kind), o.axis, o.smoothing, o.delta);
}

/// A step that keeps within so many bytes of values, and what it takes; 0: one that keeps all values.
ANEMONE_INLINE training_step step_within(training_step made, std::int64_t most_bytes, step_memory& memory) {
    if (most_bytes < 0) {
        throw error(errc::argument, "step memory", formatted("is {}, must be 0, for any, or more", most_bytes));
    }
    memory.bytes = memory.bytes_before = peak_live_bytes(made.graph.view());
    if (most_bytes == 0 || memory.bytes <= most_bytes) {
        return made;
    }
    // Of any chip: fewer segments take less time on each.
    recomputed_step found = recompute(made, target::h13, {.most_bytes = most_bytes});
    if (!found.fits) {
        throw error(
            errc::argument, "step memory",
            formatted("the values of a step take {} bytes at once, and {} where they are computed again; allowed "
                      "are {}: a smaller batch takes less",
                      memory.bytes_before, found.bytes, most_bytes));
    }
    memory.bytes = found.bytes;
    memory.repeated = found.repeated;
    return std::move(found.step);
}

struct trainer_state {
    ANEMONE_INLINE trainer_state(const graph_view& model, const weight_store& given, const training_options& what,
                                 backend::any where, std::int64_t most_bytes)
        : weights(given), place(std::move(where)), loss(what.loss), by(what.by),
          training(step_within(make_training_step(model, what), most_bytes, memory), given, place),
          held_out(masked_validation(model, what)) {
        const training_step& step = training.step();
        for (const training_state& each : step.states) {
            names.push_back(std::string(model.name(each.weight)).append(suffix(each.role)));
            if (each.role == state_role::weight) {
                load(each, weights.at(model.name(each.weight)));
            }
        }
        for (const frozen_weight& each : step.frozen) {
            frozen.push_back(std::string(model.name(each.weight)).append(": ").append(sentence(each.why)));
        }
        if (loss.kind == loss_kind::cross_entropy && !loss.labels) {
            const std::string wanted(step.graph.view().called(step.wanted));
            for (sample_port& p : training.ports()) {
                p.classes = p.name == wanted ? training::class_axis(loss, p.shape) : p.classes;
            }
        }
    }

    /// What must be the same for a training to go on; nothing where it has no checkpoints.
    ANEMONE_INLINE std::vector<std::pair<std::string, std::string>> made_by(const checkpoint_options& to) const {
        if (to.folder.empty()) {
            return {};
        }
        std::vector<std::pair<std::string, std::string>> all;
        if (memory.bytes != memory.bytes_before) { // another order, whose roundings may be others
            all.emplace_back("step memory", formatted("{} bytes", memory.bytes));
        }
        all.insert(all.end(), {{"model", model_digest(training.step().graph, training.frozen())},
                               {"loss", loss_text(loss)},
                               {"optimizer", optimizer_text(by)}});
        return all;
    }

    ANEMONE_INLINE validated_step validate(const sample_arrays& samples) {
        if (!validation) {
            validation = std::make_unique<step_program>(held_out, weights, place);
        }
        return validate_on(samples, *validation, training, loss, !loss.masked);
    }

    /// Weights and moments, by name; or only what makes up the weights.
    ANEMONE_INLINE weight_store states(bool moments) {
        weight_store all;
        for (std::size_t k = 0; k < names.size(); ++k) {
            const training_state& s = training.step().states[k];
            if (moments || s.role == state_role::weight || s.role == state_role::low) {
                const std::span<const std::byte> bytes = training.state(s);
                all.add({names[k],
                         element_type::f16,
                         training.step().graph.view()[s.input].shape,
                         {bytes.begin(), bytes.end()}});
            }
        }
        return all;
    }
    /// The same the other way: all that a store has.
    ANEMONE_INLINE void restore(const weight_store& from) {
        for (std::size_t k = 0; k < names.size(); ++k) {
            if (const stored_tensor* const found = from.find(names[k]); found != nullptr) {
                load(training.step().states[k], *found);
            }
        }
    }
    ANEMONE_INLINE void load(const training_state& s, const stored_tensor& from) {
        const std::vector<half> values = to_half(from);
        const std::span<std::byte> bytes = training.state(s);
        if (values.size() * sizeof(half) != bytes.size()) {
            throw error(errc::weights, from.name, "has another shape than in the model");
        }
        std::memcpy(bytes.data(), values.data(), bytes.size());
    }

    /// The first state with a number that is not finite; empty: there is none.
    ANEMONE_INLINE std::string first_infinite() {
        for (std::size_t k = 0; k < names.size(); ++k) {
            const std::span<const std::byte> bytes = training.state(training.step().states[k]);
            for (std::size_t i = 0; i < bytes.size() / sizeof(half); ++i) {
                if (!std::isfinite(sample_at(bytes, i))) {
                    return names[k];
                }
            }
        }
        return {};
    }

    /// What is in units of the loss scale, in those of another one. False, and nothing changed, where a number would leave
    /// fp16.
    ANEMONE_INLINE bool rescale(double factor) {
        std::vector<std::span<std::byte>> scaled;
        for (const training_state& s : training.step().states) {
            if (s.is_scaled) {
                scaled.push_back(training.state(s));
            }
        }
        for (const std::span<std::byte> each : scaled) {
            for (std::size_t i = 0; factor > 1 && i < each.size() / sizeof(half); ++i) {
                if (std::abs(static_cast<double>(sample_at(each, i))) * factor > 65504) {
                    return false;
                }
            }
        }
        for (const std::span<std::byte> each : scaled) {
            for (std::size_t i = 0; i < each.size() / sizeof(half); ++i) {
                put_half(static_cast<double>(sample_at(each, i)) * factor, each.subspan(i * sizeof(half)));
            }
        }
        return true;
    }

    weight_store weights; ///< of the model, as they were given
    backend::any place;
    loss_options loss;
    optimizer by;
    step_memory memory{};
    step_program training;
    training_step held_out;                     ///< of validations
    std::unique_ptr<step_program> validation{}; ///< the same, compiled by the first one
    std::vector<std::string> names{};           ///< of the states
    std::vector<std::string> frozen{};
    std::int64_t updates = 0; ///< steps that changed weights
};

} // namespace ane::detail::inline ANEMONE_WAY
