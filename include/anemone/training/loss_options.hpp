#pragma once

#include "../graph/refusal.hpp"

#include <cstdint>
#include <string_view>

/// Which loss a model is trained with.
namespace ane {

/// What is summed over a sample: p is the prediction, w what is wanted.
enum class loss_kind : std::uint8_t {
    cross_entropy,        ///< -sum of w log softmax(p) over the classes; p are logits, w sums to 1
    mean_squared,         ///< (p - w)^2
    mean_absolute,        ///< |p - w|, L1
    huber,                ///< (p - w)^2 / 2 up to delta, delta (|p - w| - delta / 2) beyond
    binary_cross_entropy, ///< -w log sigmoid(p) - (1 - w) log(1 - sigmoid(p)); p are logits, w lies in [0, 1]
};
inline constexpr std::string_view loss_names[] = {"cross_entropy", "mean_squared", "mean_absolute", "huber",
                                                  "binary_cross_entropy"};
constexpr std::string_view name(loss_kind kind) { return loss_names[static_cast<std::size_t>(kind)]; }

/// Logits are what comes before a softmax or a sigmoid: of a model that ends with one, a training step takes its operand.
///
/// A loss is a mean: of the rows of classes for the cross entropy, else of all elements; with a mask, of those that it marks.
struct loss_options {
    loss_kind kind = loss_kind::cross_entropy;
    int axis = -1; ///< of the classes, for the cross entropy; from the end where it is negative
    double smoothing =
        0;            ///< of labels, in [0, 1): w (1 - s) + s / classes; for the binary cross entropy w (1 - s) + s / 2
    double delta = 1; ///< where the Huber loss turns straight, above 0
    bool labels = false; ///< for the cross entropy: `wanted` has the number of a class, 0 to 2048, instead of a row
    bool masked = false; ///< a further input marks by 1 the samples that count, by 0 those that do not

    friend constexpr bool operator==(const loss_options&, const loss_options&) = default;
};

namespace detail::training {

/// Throws `error` (errc::graph) for options that no loss has.
constexpr void require_possible(const loss_options& o) {
    if (!(o.smoothing >= 0 && o.smoothing < 1)) {
        refuse_graph(name(o.kind), "label smoothing must lie in [0, 1)");
    }
    const bool smooths = o.kind == loss_kind::cross_entropy || o.kind == loss_kind::binary_cross_entropy;
    if (o.smoothing > 0 && !smooths) {
        refuse_graph(name(o.kind), "has no labels to smooth: leave smoothing at 0");
    }
    if (!(o.delta > 0 && o.delta <= 60000)) {
        refuse_graph(name(o.kind), "delta must lie above 0, and at most at 60000");
    }
    if (o.labels && o.kind != loss_kind::cross_entropy) {
        refuse_graph(name(o.kind), "only the cross entropy takes numbers of classes");
    }
}

} // namespace detail::training

} // namespace ane
