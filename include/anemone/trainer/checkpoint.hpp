#ifndef ANEMONE_TRAINER_CHECKPOINT_HPP
#define ANEMONE_TRAINER_CHECKPOINT_HPP

#include "../base/way.hpp"
#include "../weights/store.hpp"
#include "history.hpp"
#include "scale_schedule.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ane::inline ANEMONE_WAY {

/// All that a training needs to go on as if it had never ended. As a file it is safetensors: trained weights and moments
/// under their names, so that whatever reads such files reads the weights; the rest under `trainer/` and as metadata.
struct checkpoint {
    std::int64_t step = 0;       ///< steps that were made
    weight_store states{};       ///< weights and moments
    weight_store best{};         ///< the weights of the best validation; empty: there was none
    double best_loss = 0;        ///< of that validation
    std::int64_t since_best = 0; ///< validations after it
    scale_state scaling{};
    training_history history{};
    std::vector<std::pair<std::string, std::string>> made_by{}; ///< what must be the same to go on: "optimizer", "adam"
};

/// Writes a checkpoint, whole or not at all (io/file.hpp). Throws `error` (errc::file).
ANEMONE_API_OF(anemone_trainer_checkpoint_hpp) void save_checkpoint(const std::string& path, const checkpoint& c);
/// Throws `error` (errc::file) for a file that is no checkpoint.
ANEMONE_API_OF(anemone_trainer_checkpoint_hpp) checkpoint load_checkpoint(const std::string& path);

/// Throws `error` (errc::argument), about `path`, unless a checkpoint is of the same training as another one: the same
/// weights and moments by name, type and shape, and the same `made_by`. The sentence names the first difference.
ANEMONE_API_OF(anemone_trainer_checkpoint_hpp)
void require_same_training(const checkpoint& found, const checkpoint& mine, const std::string& path);

/// "FOLDER/step-000000123.safetensors"
ANEMONE_API_OF(anemone_trainer_checkpoint_hpp)
std::string checkpoint_path(const std::string& folder, std::int64_t step);

/// The steps of the checkpoints in a folder, rising; none where it is missing. Throws `error` (errc::file) for a folder
/// that cannot be read.
ANEMONE_API_OF(anemone_trainer_checkpoint_hpp) std::vector<std::int64_t> checkpoints_in(const std::string& folder);

/// Saves a checkpoint in a folder, which is made where it is missing, and then removes all but the last `keep` up to it, and
/// what a save that was killed left behind. A file with the name of a checkpoint that is none stays.
ANEMONE_API_OF(anemone_trainer_checkpoint_hpp)
void keep_checkpoint(const std::string& folder, const checkpoint& c, std::size_t keep);

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "checkpoint.ipp"
#endif
