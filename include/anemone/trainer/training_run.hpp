#pragma once

#include "../base/cancellation.hpp"
#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "checkpoint.hpp"
#include "trainer.hpp"
#include "trainer_state.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// The loop over the steps of a training. Only bodies include this header.
namespace ane::detail::inline ANEMONE_WAY {

class training_run {
public:
    /// An epoch has `samples` samples, of which a step takes `batch`.
    ANEMONE_INLINE training_run(trainer_state& s, const trainer_options& how, const sample_arrays* validation,
                                std::int64_t samples, std::int64_t batch,
                                std::vector<std::pair<std::string, std::string>> made_by)
        : s_(s), how_(how), validation_(validation), samples_(samples), batch_(batch) {
        how.rate.check();
        how.scale.check();
        if (static_cast<double>(half(how.rate.rate)) == 0 || how.rate.rate > 64) {
            throw error(errc::argument, "rate",
                        formatted("is {}, must lie between 6e-8, the least number of fp16, and 64", how.rate.rate));
        }
        if (how.steps < 0 || (how.steps == 0 && !(how.epochs > 0 && how.epochs < 1e9))) {
            throw error(errc::argument, "epochs", "a training must have a step or more");
        }
        if (how.patience > 0 && validation == nullptr) {
            throw error(errc::argument, "patience", "counts validations: there are no samples for them");
        }
        const double wanted = how.epochs * static_cast<double>(samples) / static_cast<double>(batch);
        steps_ = how.steps > 0 ? how.steps : static_cast<std::int64_t>(std::ceil(wanted * (1 - 1e-12)));
        now_.scaling.scale = how.scale.first;
        now_.made_by = std::move(made_by);
    }

    ANEMONE_INLINE training_result run(const batch_source& batches) {
        begin();
        const auto start = clock::now();
        const std::int64_t from = now_.step;
        while (now_.step < steps_ && !is_stopped()) {
            stop_if_cancelled();
            batches(now_.step, s_.training.batch());
            if (batches_are_unknown) {
                require_finite_batch();
            }
            make_step();
            const bool is_last = now_.step == steps_;
            const validated_step* validated = nullptr;
            if (validation_ != nullptr && (is_last || is_due(how_.validate_every))) {
                validate();
                validated = &now_.history.validations.back();
            }
            if (!how_.checkpoints.folder.empty() && (is_last || is_stopped() || is_due(how_.checkpoints.every))) {
                save();
            }
            if (how_.told) {
                const double seconds = std::chrono::duration<double>(clock::now() - start).count();
                const double speed = seconds > 0 ? static_cast<double>(now_.step - from) / seconds : 0;
                how_.told({now_.history.steps.back(), steps_, speed,
                           speed > 0 ? static_cast<double>(steps_ - now_.step) / speed : 0, validated});
            }
        }
        require_finite_states();
        result_.was_stopped = now_.step < steps_;
        result_.best_step = now_.step;
        if (!now_.best.empty()) {
            s_.restore(now_.best);
            result_.best_step = best_step();
        }
        result_.history = std::move(now_.history);
        return std::move(result_);
    }

    bool batches_are_unknown = false; ///< nobody has looked at their numbers yet

private:
    using clock = std::chrono::steady_clock;
    static constexpr int most_skipped = 50; ///< in a row

    bool is_stopped() const { return how_.patience > 0 && now_.since_best >= how_.patience; }

    /// Whether the last step ended so many, or an epoch.
    ANEMONE_INLINE bool is_due(std::int64_t every) const {
        return every > 0 ? now_.step % every == 0 : now_.step * batch_ / samples_ > (now_.step - 1) * batch_ / samples_;
    }
    ANEMONE_INLINE std::int64_t best_step() const {
        for (const validated_step& each : now_.history.validations) {
            if (each.loss == now_.best_loss) {
                return each.step;
            }
        }
        return now_.step;
    }

    /// From the beginning, or from the last checkpoint.
    ANEMONE_INLINE void begin() {
        const checkpoint_options& to = how_.checkpoints;
        if (to.folder.empty()) {
            if (to.resume) {
                throw error(errc::argument, "resume", "needs the folder of the checkpoints");
            }
            return;
        }
        const std::vector<std::int64_t> steps = checkpoints_in(to.folder);
        if (steps.empty()) {
            return;
        }
        const std::string path = checkpoint_path(to.folder, steps.back());
        if (!to.resume) {
            throw error(
                errc::argument, to.folder,
                formatted("has the checkpoint of step {}: resume that training, or name another folder", steps.back()));
        }
        checkpoint found = load_checkpoint(path);
        checkpoint mine;
        mine.states = s_.states(true);
        mine.made_by = now_.made_by;
        require_same_training(found, mine, path);
        s_.restore(found.states);
        found.states = {};
        found.made_by = std::move(now_.made_by);
        now_ = std::move(found);
        result_.resumed_from = now_.step;
        s_.updates = std::count_if(now_.history.steps.begin(), now_.history.steps.end(),
                                   [](const trained_step& each) { return !each.skipped; });
    }

    ANEMONE_INLINE void require_finite_batch() {
        for (std::size_t k = 0; k < s_.training.ports().size(); ++k) {
            const sample_port& p = s_.training.ports()[k];
            const std::span<const std::byte> memory = s_.training.batch()[k];
            for (std::size_t i = 0; p.type == dtype::f16 && i < memory.size() / sizeof(half); ++i) {
                if (!std::isfinite(sample_at(memory, i))) {
                    throw error(errc::port, p.name,
                                formatted("element {} of the batch of step {} is {}; samples must be finite", i,
                                          now_.step + 1, sample_at(memory, i)));
                }
            }
        }
    }

    ANEMONE_INLINE void make_step() {
        const bool scales = s_.training.step().loss_scale >= 0;
        const double scale = scales ? now_.scaling.scale : 1;
        const double rate = how_.rate.at(now_.step, steps_);
        const step_outcome got =
            s_.training.run({.rate = rate, .correction = s_.by.correction(s_.updates + 1), .loss_scale = scale});
        ++now_.step;
        now_.history.steps.push_back(
            {.step = now_.step,
             .epoch = static_cast<double>(now_.step) * static_cast<double>(batch_) / static_cast<double>(samples_),
             .loss = got.loss,
             .rate = rate,
             .loss_scale = scale,
             .skipped = !got.finite});
        s_.updates += got.finite ? 1 : 0;
        skipped_ = got.finite ? 0 : skipped_ + 1;
        if (scales) {
            adapt_scale(got.finite);
        }
        if ((got.finite && !std::isfinite(got.loss)) || skipped_ >= most_skipped) {
            refuse(got.finite ? formatted("the loss is {}", got.loss)
                              : formatted("gradients were not finite in {} steps in a row", skipped_));
        }
    }
    ANEMONE_INLINE void adapt_scale(bool finite) {
        const scale_state before = now_.scaling;
        if (!now_.scaling.advance(how_.scale, finite)) {
            refuse(formatted("gradients are not finite at the least loss scale, {}", before.scale));
        }
        if (now_.scaling.scale != before.scale && !s_.rescale(now_.scaling.scale / before.scale)) {
            now_.scaling = {before.scale, 0}; // moments are too large for a larger one
        }
    }
    ANEMONE_INLINE void refuse [[noreturn]] (const std::string& what) const {
        throw error(errc::argument, formatted("step {}", now_.step),
                    what + "; a smaller rate, a warm-up, a limit of the gradients or a dynamic loss scale may help");
    }

    ANEMONE_INLINE void validate() {
        validated_step found = s_.validate(*validation_);
        found.step = now_.step;
        now_.history.validations.push_back(found);
        if (std::isfinite(found.loss) && (now_.best.empty() || found.loss < now_.best_loss)) {
            now_.best = s_.states(false);
            now_.best_loss = found.loss;
            now_.since_best = 0;
        } else {
            ++now_.since_best;
        }
    }

    ANEMONE_INLINE void require_finite_states() {
        if (const std::string name = s_.first_infinite(); !name.empty()) {
            refuse(formatted("{} is not finite", name));
        }
    }
    ANEMONE_INLINE void save() {
        require_finite_states();
        now_.states = s_.states(true);
        auto schedule = formatted("{} steps, rate {} {} warm-up {} last {}", steps_, how_.rate.rate,
                                  static_cast<int>(how_.rate.form), how_.rate.warm_up, how_.rate.last);
        now_.made_by.emplace_back("schedule", std::move(schedule)); // told, and may be another when it goes on
        keep_checkpoint(how_.checkpoints.folder, now_, how_.checkpoints.keep);
        now_.made_by.pop_back();
        now_.states = {};
    }

    trainer_state& s_;
    const trainer_options& how_;
    const sample_arrays* validation_;
    std::int64_t samples_;
    std::int64_t batch_;
    std::int64_t steps_ = 0;
    int skipped_ = 0;
    checkpoint now_{}; ///< without the states, which the program has
    training_result result_{};
};

} // namespace ane::detail::inline ANEMONE_WAY
