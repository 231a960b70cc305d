#pragma once

#include "../backend/backend.hpp"
#include "../base/way.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace ane::inline ANEMONE_WAY {

/// Inputs of a model, run by run: the data that a compressed model is calibrated and judged on.
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
    /// The memory of one run, as `add` was given it.
    std::vector<std::span<const std::byte>> inputs(std::size_t run) const {
        return {runs_[run].begin(), runs_[run].end()};
    }

private:
    std::vector<std::vector<std::vector<std::byte>>> runs_;
};

/// What a model returned: for each run the values of each output, in the order of the graph's.
using model_results = std::vector<std::vector<std::vector<float>>>;

} // namespace ane::inline ANEMONE_WAY
