#ifndef ANEMONE_PROOF_PROOF_HPP
#define ANEMONE_PROOF_PROOF_HPP

#include "../backend/any.hpp"
#include "../backend/samples.hpp"
#include "../base/way.hpp"
#include "../rewrites/optimize.hpp"
#include "../weights/store.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

/// That a rewritten model computes what the model computes: by running both, the engine's arithmetic bit by bit.
namespace ane::inline ANEMONE_WAY {

/// How the outputs of two models differ over the same runs.
struct output_difference {
    std::int64_t values = 0;    ///< of all outputs in all runs
    std::int64_t differing = 0; ///< of them, not of the same bits
    std::int64_t mended = 0;    ///< of them, not finite in the first model and finite in the second; counted here alone
    double relative = 0;        ///< |b - a| / |a| of the output where it is largest, over all runs (Frobenius norms)
    double largest = 0;         ///< of the differences, by the largest magnitude of the output
};

/// Runs two models of the same ports on the same inputs and weights.
ANEMONE_API_OF(anemone_proof_proof_hpp)
output_difference difference_between(const graph_view& a, const graph_view& b, const weight_store& weights,
                                     const model_samples& samples, const backend::any& place);

struct proof_options {
    std::size_t runs = 3; ///< of random inputs that the contracts allow; states go on from run to run
    std::uint64_t seed = 1;
    const model_samples* samples = nullptr; ///< to run instead
    /// `output_difference::relative` of a rewrite that keeps values up to a rounding; more only where the model itself is
    /// that far from what it means (`step_proof::most_relative`).
    double most_relative = 0x1p-8;       // step_proof::few_roundings
    const backend::any* place = nullptr; ///< where they run; null: the oracle of the target
};

/// One step, with what running the model before and after it gave.
struct step_proof {
    rewrite_step step;
    output_difference difference; ///< `relative` is that of the output which is nearest to its bound, or beyond it most
    /// The bound of that output: what was asked for. Where roundings count more than `few_roundings`, as where terms cancel
    /// behind a norm, those elsewhere do so too: then `own_errors` times how far the model before the step is from itself
    /// in double precision, at most `least_digits`. Of an output without digits nothing is shown.
    double most_relative = 0;
    bool mends = false; ///< fewer values may overflow after it, so that outputs may become finite

    static constexpr double few_roundings = 0x1p-8;
    static constexpr double own_errors = 4;
    static constexpr double least_digits = 0x1p-3;

    bool holds() const {
        if (difference.mended > 0 && !mends) {
            return false;
        }
        return step.record().kept == rewrite_exactness::bits ? difference.differing == 0
                                                             : difference.relative <= most_relative;
    }
};

struct rewrite_proof {
    std::vector<step_proof> steps; ///< those of the search, in their order
    output_difference whole;       ///< of the model and what became of it

    /// Whether each step holds, and the whole keeps every bit where all steps do. A model without steps is the same.
    ANEMONE_API_OF(anemone_proof_proof_hpp) bool holds() const;
};

/// Applies the steps of a search to a model again, one by one, and runs the model before and after each; the last one
/// becomes the graph that was found. Inputs are random, so a proof shows a difference where it finds one, and is evidence
/// where it does not. Throws `error` (errc::argument) for steps that do not apply to this model, and what running it
/// throws.
ANEMONE_API_OF(anemone_proof_proof_hpp)
rewrite_proof prove(const graph_view& model, const optimized& found, const weight_store& weights, target t,
                    const proof_options& options = {});

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "proof.ipp"
#endif
