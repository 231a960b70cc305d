#pragma once

#include "../base/way.hpp"
#include "../training/loss_nodes.hpp"
#include "../training/training_options.hpp"
#include "../values/half.hpp"
#include "history.hpp"
#include "sample_arrays.hpp"
#include "step_program.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

/// What samples that are not trained on give. Only bodies include this header.
namespace ane::detail::inline ANEMONE_WAY {

/// How many answers were right, of those that count.
struct right_answers {
    double right = 0;
    double all = 0;
};

ANEMONE_INLINE float sample_at(std::span<const std::byte> memory, std::size_t i) {
    half value;
    std::memcpy(&value, memory.data() + i * sizeof value, sizeof value);
    return static_cast<float>(value);
}

/// Adds the answers of a run: along the axis of the classes the largest prediction must stand where the largest wanted
/// number does; a prediction of a class alone must be above `middle` where what is wanted is above 1/2. `mask` has a number for
/// each answer.
ANEMONE_INLINE void count_right(right_answers& found, const loss_options& loss, const extents& shape, float middle,
                                std::span<const std::byte> prediction, std::span<const std::byte> wanted,
                                std::span<const std::byte> mask) {
    if (loss.kind != loss_kind::cross_entropy && loss.kind != loss_kind::binary_cross_entropy) {
        return;
    }
    const bool one = loss.kind == loss_kind::binary_cross_entropy;
    const int axis = one ? shape.rank - 1 : training::class_axis(loss, shape);
    const std::size_t classes = one ? 1 : static_cast<std::size_t>(shape[axis]);
    std::size_t inner = 1;
    for (int k = axis + (one ? 0 : 1); k < shape.rank; ++k) {
        inner *= static_cast<std::size_t>(shape[k]);
    }
    const std::size_t answers = static_cast<std::size_t>(shape.count()) / classes;
    for (std::size_t i = 0; i < answers; ++i) {
        if (sample_at(mask, i) == 0) {
            continue;
        }
        const std::size_t first = i / inner * inner * classes + i % inner;
        const auto largest = [&](std::span<const std::byte> of) {
            std::size_t best = 0;
            for (std::size_t c = 1; c < classes; ++c) {
                best = sample_at(of, first + c * inner) > sample_at(of, first + best * inner) ? c : best;
            }
            return best;
        };
        const bool is_right = one ? (sample_at(prediction, i) > middle) == (sample_at(wanted, i) > 0.5F)
                                  : largest(prediction) == largest(wanted);
        found.right += is_right ? 1 : 0;
        found.all += 1;
    }
}

/// Validates on samples. `own_mask`: the mask is none of the samples' arrays, and marks what fills up the last batch.
ANEMONE_INLINE validated_step validate_on(const sample_arrays& samples, step_program& held_out, step_program& trained,
                                          const loss_options& loss, bool own_mask) {
    const training_step& step = held_out.step();
    const graph_view g = step.graph;
    const std::span<std::byte> mask = held_out.input(step.mask);
    std::vector<std::span<std::byte>> memory;
    for (const std::span<std::byte>& each : held_out.batch()) {
        if (!own_mask || each.data() != mask.data()) {
            memory.push_back(each);
        }
    }
    const node& predicted = g[g.outputs[static_cast<std::size_t>(step.prediction)].node];
    const extents& shape = predicted.shape;
    const float middle = predicted.kind == op::sigmoid ? 0.5F : 0.0F; // of a probability, or of a logit
    const std::size_t marks = mask.size() / sizeof(half);
    const auto batch = static_cast<std::size_t>(samples.batch());
    const bool has_rows = marks % batch == 0 && g[step.mask].shape[0] % samples.batch() == 0;
    right_answers found;
    double sum = 0;
    double counted = 0;
    std::vector<std::int64_t> numbers(batch);
    for (std::int64_t begin = 0; begin < samples.size(); begin += samples.batch()) {
        const auto real = static_cast<std::size_t>(std::min(samples.batch(), samples.size() - begin));
        for (std::size_t k = 0; k < batch; ++k) {
            numbers[k] = begin + static_cast<std::int64_t>(std::min(k, real - 1));
        }
        samples.fill(numbers, memory);
        if (own_mask) {
            const std::size_t marked = has_rows ? marks / batch * real : marks;
            for (std::size_t i = 0; i < marks; ++i) {
                put_half(i < marked ? 1 : 0, mask.subspan(i * sizeof(half)));
            }
        }
        double weight = 0;
        for (std::size_t i = 0; i < marks; ++i) {
            weight += static_cast<double>(sample_at(mask, i));
        }
        sum += held_out.run_with_weights_of(trained) * weight;
        counted += weight;
        count_right(found, loss, shape, middle, held_out.output(step.prediction), held_out.input(step.wanted), mask);
    }
    return {
        .step = 0, .loss = counted > 0 ? sum / counted : 0, .accuracy = found.all > 0 ? found.right / found.all : -1};
}

} // namespace ane::detail::inline ANEMONE_WAY
