#ifndef ANEMONE_TRAINER_HISTORY_HPP
#define ANEMONE_TRAINER_HISTORY_HPP

#include "../base/way.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ane::inline ANEMONE_WAY {

/// A step of a training, as it went.
struct trained_step {
    std::int64_t step = 0; ///< from 1 on
    double epoch = 0;      ///< passes over the data, with it
    double loss = 0;       ///< of its batch, before the update
    double rate = 0;
    double loss_scale = 1;
    bool skipped = false; ///< something was not finite, and no weight changed

    friend bool operator==(const trained_step&, const trained_step&) = default;
};

/// What held-out samples gave after a step.
struct validated_step {
    std::int64_t step = 0;
    double loss = 0;
    double accuracy = -1; ///< the part of right classes; below 0: the loss has none

    friend bool operator==(const validated_step&, const validated_step&) = default;
};

struct training_history {
    std::vector<trained_step> steps{};
    std::vector<validated_step> validations{};

    friend bool operator==(const training_history&, const training_history&) = default;
};

/// "step,epoch,loss,rate,loss_scale,skipped,validation_loss,accuracy", a line a step; the last two stand where a
/// validation followed.
ANEMONE_API_OF(anemone_trainer_history_hpp) std::string csv(const training_history& h);

/// The curves as SVG: the loss of the steps, averaged where there are more of them than a drawing shows, and that of the
/// validations. Throws `error` (errc::argument) where no step has a finite loss.
ANEMONE_API_OF(anemone_trainer_history_hpp)
std::string draw_training(const training_history& h, const std::string& title = "training");

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "history.ipp"
#endif
