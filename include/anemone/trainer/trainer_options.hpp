#pragma once

#include "history.hpp"
#include "scale_schedule.hpp"
#include "schedule.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace ane {

/// Where a training is saved, so that it can go on after its process ended, however that was.
struct checkpoint_options {
    std::string folder{};   ///< empty: nowhere
    std::int64_t every = 0; ///< steps; 0: once in an epoch. The last step is saved too
    std::size_t keep = 3;   ///< the last ones
    bool resume = false;    ///< go on from the last one in the folder; from the beginning where there is none
};

/// What the values between the layers of a step take at once, and what was done about it.
struct step_memory {
    std::int64_t bytes = 0;        ///< of the step that runs
    std::int64_t bytes_before = 0; ///< where each value of the forward pass is kept until the backward pass reads it
    int repeated = 0;              ///< operations that are computed again in its place

    friend constexpr bool operator==(const step_memory&, const step_memory&) = default;
};

} // namespace ane

namespace ane::inline ANEMONE_WAY {

/// How far a training is, told after each step.
struct training_moment {
    const trained_step& step;
    std::int64_t steps = 0; ///< in all
    double steps_per_second = 0;
    double seconds_left = 0;
    const validated_step* validation = nullptr; ///< where one followed the step
};

/// How a training goes: the host's part of it.
struct trainer_options {
    double epochs = 1;      ///< passes over the data
    std::int64_t steps = 0; ///< in place of `epochs`, where it is above 0
    rate_schedule rate{};
    scale_schedule scale{}; ///< for a step that takes the loss scale as an input
    std::uint64_t seed = 1; ///< of the order of the samples
    bool shuffles = true;
    std::int64_t validate_every = 0; ///< steps; 0: once in an epoch. After the last step too
    std::int64_t patience = 0;       ///< validations without a smaller loss that end the training; 0: none does
    checkpoint_options checkpoints{};
    std::function<void(const training_moment&)> told{};
};

} // namespace ane::inline ANEMONE_WAY
