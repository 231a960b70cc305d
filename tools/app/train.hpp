#pragma once

#include "arrays.hpp"
#include "model.hpp"
#include "step_cost.hpp"
#include "train_options.hpp"
#include <anemone/trainer/trainer.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace app {

/// What became of a model by training.
struct trained {
    ane::training_result result;
    std::vector<std::string> frozen{}; ///< weights that stay, and why
    std::int64_t trained_weights = 0;  ///< how many there are of the others
    std::int64_t batch = 1;            ///< samples in a step
    ane::step_memory memory{};         ///< of the values between its layers
    double seconds = 0;
    std::vector<step_cost> chips{};                  ///< what a step takes on each
    std::optional<ane::validated_step> validation{}; ///< of the weights that were kept, on samples that were given now
    model made;                                      ///< with the trained weights
};

/// Trains a model on arrays, by name: one for each input and one that is wanted. `held_out` may be empty: then nothing is
/// validated. What is done is told to the caller's watcher, and each step to `told`, where there is one.
///
/// Throws what `ane::trainer` and `ane::sample_arrays` throw, and `ane::error` (errc::argument) for an unknown backend, for
/// a model that was read to be judged, for one whose run takes more memory than it may, and for a batch that its file does
/// not allow.
trained train(const model& of, const train_options& how, const std::vector<input_array>& data,
              const std::vector<input_array>& held_out, const caller& who,
              const std::function<void(const ane::training_moment&)>& told = {});

/// A few lines.
std::string text(const trained& t);
std::string json(const trained& t);
/// A line for each step.
std::string csv(const trained& t);
/// SVG: the curves.
std::string drawing(const trained& t);

} // namespace app
