#ifndef ANEMONE_TRAINER_TRAINER_HPP
#define ANEMONE_TRAINER_TRAINER_HPP

#include "../backend/any.hpp"
#include "../base/hidden.hpp"
#include "../base/way.hpp"
#include "../graph/graph.hpp"
#include "../training/training_step.hpp"
#include "../weights/store.hpp"
#include "sample_arrays.hpp"
#include "trainer_options.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace ane::detail::inline ANEMONE_WAY {

struct trainer_state;

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

/// Writes the batch of a step, from 0 on, to the memory of the ports, in their order. For a training that is to go on from a
/// checkpoint the batch must follow from the number alone.
using batch_source = std::function<void(std::int64_t step, std::span<const std::span<std::byte>> memory)>;

/// What a training came to.
struct training_result {
    training_history history{};
    bool was_stopped = false;      ///< by validations that did not get better
    std::int64_t best_step = 0;    ///< whose weights the trainer has now; the last one where nothing is validated
    std::int64_t resumed_from = 0; ///< the step of the checkpoint; 0: none
};

/// Trains a model on a backend: its weights are states of one program, a step of training (`make_training_step`), and the
/// host gives it batches, rates and loss scales.
///
///     trainer t(model, weights, {.by = adam{}}, backend::cpu{});
///     const sample_arrays data(t.ports(), load_safetensors("digits.safetensors"));
///     t.train(data, {.epochs = 5, .rate = {.rate = 0.001}});
///     const weight_store trained = t.weights();
///
/// One call at a time. Never run on Apple silicon, like everything here.
class trainer {
public:
    /// Compiles the step. Where its values between layers would take more than `most_bytes` at once, some of the forward pass
    /// are computed again when they are read (segments/recompute.hpp); 0: all are kept. Throws `error` as
    /// `make_training_step` (errc::graph) and the backend's `compile` do, and (errc::argument) where nothing makes them fit.
    ANEMONE_API_OF(anemone_trainer_trainer_hpp)
    trainer(const graph_view& model, const weight_store& weights, const training_options& what,
            const backend::any& place, std::int64_t most_bytes = 0);

    /// The ports that a batch fills: the model's inputs, `wanted` and, with a mask, `mask`. Those of classes take labels.
    ANEMONE_API_OF(anemone_trainer_trainer_hpp) const std::vector<sample_port>& ports() const;
    /// The name of the port for what the prediction should be.
    ANEMONE_API_OF(anemone_trainer_trainer_hpp) std::string wanted() const;
    /// How many weights of the model are trained.
    ANEMONE_API_OF(anemone_trainer_trainer_hpp) std::int64_t trained() const;
    /// Weights of the model that stay as they are, with the reason: "bn.mean: it is a statistic of a batch norm".
    ANEMONE_API_OF(anemone_trainer_trainer_hpp) const std::vector<std::string>& frozen() const;

    /// The step that is run, as a graph with its description: to be costed, drawn or written.
    ANEMONE_API_OF(anemone_trainer_trainer_hpp) const training_step& step() const;

    /// What a step keeps at once.
    ANEMONE_API_OF(anemone_trainer_trainer_hpp) const step_memory& memory() const;

    /// Trains on samples. Where others are given to validate, the weights with the smallest loss on them are those that the
    /// trainer has in the end.
    ///
    /// Throws `error`: (errc::argument) for impossible options, for a loss that is not finite and could not be made so, and
    /// for checkpoints of another training, or of one that is not to be resumed, in the folder; (errc::file) where
    /// a checkpoint cannot be written; and as the backend's program does. The last checkpoint is then as it was.
    ANEMONE_API_OF(anemone_trainer_trainer_hpp)
    training_result train(const sample_arrays& data, const trainer_options& how,
                          const sample_arrays* validation = nullptr);
    /// The same on batches that the caller makes: `how.steps` of them, where an epoch has `epoch` steps.
    ANEMONE_API_OF(anemone_trainer_trainer_hpp)
    training_result train(const batch_source& batches, const trainer_options& how,
                          const sample_arrays* validation = nullptr, std::int64_t epoch = 1);

    /// The loss of samples, and how many of their classes are right, with the weights as they are.
    ANEMONE_API_OF(anemone_trainer_trainer_hpp) validated_step validate(const sample_arrays& samples);

    /// The weights of the model: the trained ones as they are now, the others as they were. Those that were wider than fp16
    /// keep their type.
    ANEMONE_API_OF(anemone_trainer_trainer_hpp) weight_store weights() const;

private:
    hidden<detail::trainer_state> state_;
};

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "trainer.ipp"
#endif
