#ifndef ANEMONE_BACKEND_SAMPLES_HPP
#define ANEMONE_BACKEND_SAMPLES_HPP

#include "../base/error.hpp"
#include "../base/way.hpp"
#include "../graph/graph.hpp"
#include "../weights/store.hpp"
#include "any.hpp"
#include "backend.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ane::inline ANEMONE_WAY {

/// Inputs of a model, run by run: the data that a compressed or rewritten model is judged on.
class model_samples {
public:
    /// Copies the memory of one run: that of the model's inputs, in their order.
    void add(input_buffers inputs) {
        std::vector<std::vector<std::byte>>& run = runs_.emplace_back();
        for (const std::span<const std::byte> memory : inputs) {
            run.emplace_back(memory.begin(), memory.end());
        }
    }
    /// The same for a model of one input.
    template <class Element> void add(std::span<const Element> input) {
        const std::span<const std::byte> inputs[] = {std::as_bytes(input)};
        add(input_buffers(inputs));
    }

    std::size_t size() const noexcept { return runs_.size(); }
    bool empty() const noexcept { return runs_.empty(); }
    /// The memory of one run, as `add` was given it. Throws `error` (errc::argument) for a run that there is not.
    std::vector<std::span<const std::byte>> inputs(std::size_t run) const& {
        if (run >= runs_.size()) {
            throw error(errc::argument, "run " + std::to_string(run), "there are " + std::to_string(runs_.size()));
        }
        return {runs_[run].begin(), runs_[run].end()};
    }
    void inputs(std::size_t run) && = delete; // the memory would be gone

private:
    std::vector<std::vector<std::vector<std::byte>>> runs_;
};

/// What a model returned: for each run the values of each output, in the order of the graph's.
using model_results = std::vector<std::vector<std::vector<float>>>;

/// Random inputs that the contracts allow: fp16 in its range, near [-1, 1]; bytes of 0 and 1; whole numbers where an
/// operation takes indices. They follow from the seed and the names, the same on every machine. Throws `error`
/// (errc::graph) for an invalid graph.
ANEMONE_API_OF(anemone_backend_samples_hpp)
model_samples random_samples(const graph_view& g, std::size_t runs, std::uint64_t seed = 1);

/// What a program returns for each run, all of its outputs as float; states go on from run to run, from zeros.
ANEMONE_API_OF(anemone_backend_samples_hpp)
model_results run_samples(const graph_view& g, const weight_store& weights, const model_samples& samples,
                          const backend::any& place);

/// |got - want| / |want| over all values of all runs (Frobenius norms); infinity where a value is finite in one of them
/// only, and where all that was wanted is zero but not all that was got.
ANEMONE_API_OF(anemone_backend_samples_hpp) double relative_error(const model_results& want, const model_results& got);

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "samples.ipp"
#endif
