#pragma once

#include "../activation_layout.hpp"
#include "../model_maker.hpp"

#include <cstdint>
#include <string_view>

namespace ane::models {

/// Which graph is made of an image network. In networks of convolutions both layouts are one graph.
struct network_form {
    activation_layout layout = activation_layout::rows;
    friend constexpr bool operator==(const network_form&, const network_form&) = default;
};

/// How a window of a convolution moves: square, with the same border on all sides.
struct square_window {
    int size = 1;
    int stride = 1;
    int border = 0;
    int groups = 1;
};

/// A graph of an image network under construction: the parts that families share. Weights have the published name of their
/// part behind the prefix of the place, with underscores for dots.
class network_maker : public model_maker {
public:
    /// What is made from here on belongs to a place, "stages.#.blocks.*.": '#' is the number of the stage, '*' of the block.
    constexpr void enter(std::string_view pattern, std::int64_t stage = 0, std::int64_t block = 0) {
        prefix_ = {};
        for (const char c : pattern) {
            if (c == '#' || c == '*') {
                ane::detail::append_number(prefix_, c == '#' ? stage : block);
            } else {
                prefix_.push_back(c);
            }
        }
        place_ = {};
        place_.append(view(prefix_).substr(0, prefix_.size() - 1));
    }
    /// The same for what belongs to no block, whose weights have no prefix: "stem", "head".
    constexpr void enter_whole(std::string_view place) {
        prefix_ = {};
        place_ = {};
        place_.append(place);
    }
    /// A weight by the name of its part and what it is of it: ("conv1", ".weight").
    constexpr int weight(std::string_view part, std::string_view suffix, const extents& shape) {
        sequence<char> text;
        text.append(view(prefix_));
        text.append(part);
        text.append(suffix);
        return model_maker::weight(view(text), shape);
    }

    /// A convolution and an offset. `offset` is the part whose ".bias" that is: the convolution's own, or that of the batch
    /// norm behind it, which a checkpoint's reader folds into both (network_checkpoint.hpp).
    constexpr int convolution(int x, std::string_view part, std::string_view offset, std::int64_t to,
                              const square_window& w) {
        conv how;
        how.stride = w.stride;
        how.padding = w.border;
        how.groups = w.groups;
        const int kernel = weight(part, ".weight", {to, shape(x)[1] / w.groups, w.size, w.size});
        return emit(op::conv2d, how, {x, kernel, weight(offset, ".bias", {to})});
    }
    constexpr int function(op kind, int x) { return emit(kind, no_attributes{}, {x}); }

    /// Along an axis, with the weights of its part.
    constexpr int layer_norm(int x, std::string_view part, double epsilon, int along) {
        const extents width{shape(x)[along]};
        const stabilizer how{.epsilon = static_cast<float>(epsilon), .axis = along};
        const int gamma = weight(part, ".weight", width);
        return emit(op::layer_norm, how, {x, gamma, weight(part, ".bias", width)});
    }

    /// The mean of each channel of [1, C, H, W], as [1, C, 1, 1].
    constexpr int pooled(int x) { return emit(op::reduce_mean, axes{2, 3}, {x}); }

    /// x [1, C, 1, 1] w^T + b, as the output "logits" [1, classes].
    constexpr void classify(int x, std::string_view part, std::int64_t classes) {
        const std::int64_t from = shape(x).count();
        const int w = weight(part, ".weight", {classes, from});
        const int b = weight(part, ".bias", {classes});
        output(emit(op::linear, no_attributes{}, {reshape(x, {1, from}), w, b}), "logits");
    }

private:
    sequence<char> prefix_;
};

/// The promise for an image whose channels were normalized, (x - mean) / std: those of ImageNet lie within [-2.12, 2.65].
inline constexpr double normalized_image = 3;

} // namespace ane::models
