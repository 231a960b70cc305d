#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_trainer_trainer_hpp);

#include "../base/formatted.hpp"
#include "sample_order.hpp"
#include "trainer.hpp"
#include "trainer_state.hpp"
#include "training_run.hpp"

#include <utility>

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF trainer::trainer(const graph_view& model, const weight_store& weights, const training_options& what,
                                 const backend::any& place, std::int64_t most_bytes)
    : state_(hidden<detail::trainer_state>::of(new detail::trainer_state(model, weights, what, place, most_bytes))) {}

ANEMONE_BODY_OF const std::vector<sample_port>& trainer::ports() const {
    return state_.get("trainer").training.ports();
}
ANEMONE_BODY_OF std::string trainer::wanted() const {
    const training_step& step = state_.get("trainer").training.step();
    return std::string(step.graph.view().called(step.wanted));
}
ANEMONE_BODY_OF std::int64_t trainer::trained() const {
    std::int64_t count = 0;
    for (const training_state& s : state_.get("trainer").training.step().states) {
        count += s.role == state_role::weight ? 1 : 0;
    }
    return count;
}
ANEMONE_BODY_OF const std::vector<std::string>& trainer::frozen() const { return state_.get("trainer").frozen; }

ANEMONE_BODY_OF const training_step& trainer::step() const { return state_.get("trainer").training.step(); }

ANEMONE_BODY_OF const step_memory& trainer::memory() const { return state_.get("trainer").memory; }

ANEMONE_BODY_OF validated_step trainer::validate(const sample_arrays& samples) {
    return state_.get("trainer").validate(samples);
}

ANEMONE_BODY_OF weight_store trainer::weights() const {
    detail::trainer_state& s = state_.get("trainer");
    const weight_store now = s.states(false);
    weight_store all;
    for (const stored_tensor& was : s.weights) {
        const stored_tensor* const high = now.find(was.name);
        if (high == nullptr) {
            all.add(was);
            continue;
        }
        if (was.type != element_type::f32 && was.type != element_type::f64) {
            all.add({was.name, element_type::f16, was.shape, high->bytes});
            continue;
        }
        const stored_tensor* const low = now.find(std::string(was.name).append(suffix(state_role::low)));
        std::vector<float> wide(high->bytes.size() / sizeof(half));
        for (std::size_t i = 0; i < wide.size(); ++i) {
            wide[i] = detail::sample_at(high->bytes, i) + (low == nullptr ? 0 : detail::sample_at(low->bytes, i));
        }
        all.add(was.name, was.shape, std::span<const float>(wide));
    }
    if (!s.weights.metadata().empty()) {
        all.set_metadata(s.weights.metadata());
    }
    return all;
}

ANEMONE_BODY_OF training_result trainer::train(const batch_source& batches, const trainer_options& how,
                                               const sample_arrays* validation, std::int64_t epoch) {
    detail::trainer_state& s = state_.get("trainer");
    if (how.steps < 1 || epoch < 1) {
        throw error(errc::argument, "steps",
                    "a training on batches of the caller must have 1 or more, and so must an epoch");
    }
    detail::training_run run(s, how, validation, epoch, 1, s.made_by(how.checkpoints));
    run.batches_are_unknown = true;
    return run.run(batches);
}

ANEMONE_BODY_OF training_result trainer::train(const sample_arrays& data, const trainer_options& how,
                                               const sample_arrays* validation) {
    detail::trainer_state& s = state_.get("trainer");
    if (data.size() < 1) {
        throw error(errc::argument, "data", "has no samples");
    }
    sample_order order(data.size(), how.seed, how.shuffles);
    std::vector<std::int64_t> samples(static_cast<std::size_t>(data.batch()));
    const auto batches = [&](std::int64_t step, std::span<const std::span<std::byte>> memory) {
        for (std::size_t k = 0; k < samples.size(); ++k) {
            samples[k] = order.at(step * data.batch() + static_cast<std::int64_t>(k));
        }
        data.fill(samples, memory);
    };
    auto made_by = s.made_by(how.checkpoints);
    made_by.emplace_back("order", formatted("{} samples, {} in a step, seed {}{}", data.size(), data.batch(), how.seed,
                                            how.shuffles ? "" : ", as they stand"));
    return detail::training_run(s, how, validation, data.size(), data.batch(), std::move(made_by)).run(batches);
}

} // namespace ane::inline ANEMONE_WAY
