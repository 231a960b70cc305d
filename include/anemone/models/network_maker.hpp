#pragma once

#include "../graph/refusal.hpp"
#include "model_maker.hpp"
#include "network_form.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace ane::models {

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
    /// The port `image` [1, channels, size, size], normalized. What is normalized already is promised to lie within [-3, 3], if
    /// the family says no other: pixels by the statistics of ImageNet lie within [-2.12, 2.65].
    constexpr int image(const network_form& f, std::int64_t channels, std::int64_t size,
                        const contract& normalized = bounded(3)) {
        const extents shape{1, channels, size, size};
        if (f.image == image_input::normalized) {
            return input("image", shape, normalized);
        }
        if (channels != 1 && channels != 3) {
            ane::detail::refuse_graph("image", "pixels have 1 or 3 channels", channels, 3);
        }
        enter_whole("image");
        float scale[3]{};
        float offset[3]{};
        for (std::size_t c = 0; c < 3; ++c) {
            if (!(f.pixels.deviation[c] > 0)) {
                ane::detail::refuse_graph("image", "the deviation of pixels must be above 0");
            }
            scale[c] = 1 / (255 * f.pixels.deviation[c]);
            offset[c] = -f.pixels.mean[c] / f.pixels.deviation[c];
        }
        const extents each{1, channels, 1, 1};
        const auto count = static_cast<std::size_t>(channels);
        const int x = function(op::cast, input("image", shape, within(0, 255), dtype::uint8));
        return add(mul(x, constant(each, {scale, count})), constant(each, {offset, count}));
    }

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

    /// Of [1, C, H, W]: groups of channels share a mean and a variance.
    constexpr int group_norm(int x, std::string_view part, std::int64_t groups, double epsilon) {
        const extents width{shape(x)[1]};
        const grouping how{.groups = static_cast<int>(groups), .epsilon = static_cast<float>(epsilon)};
        const int gamma = weight(part, ".weight", width);
        return emit(op::group_norm, how, {x, gamma, weight(part, ".bias", width)});
    }
    constexpr int concatenated(std::span<const int> parts, int along) { return emit(op::concat, axis{along}, parts); }
    /// Twice as high and wide, each pixel four times.
    constexpr int doubled(int x) {
        sampling how;
        how.extent = {static_cast<int>(2 * shape(x)[2]), static_cast<int>(2 * shape(x)[3])};
        how.method = sampling_method::nearest;
        how.grid = sampling_grid::asymmetric;
        return emit(op::resize, how, {x});
    }

    /// The mean of each channel of [1, C, H, W], as [1, C, 1, 1].
    constexpr int pooled(int x) { return emit(op::reduce_mean, axes{2, 3}, {x}); }

    /// x w^T + b of [1, C] or [1, C, 1, 1], as [1, to].
    constexpr int product(int x, std::string_view part, std::int64_t to) {
        const std::int64_t from = shape(x).count();
        const int w = weight(part, ".weight", {to, from});
        return emit(op::linear, no_attributes{}, {reshape(x, {1, from}), w, weight(part, ".bias", {to})});
    }
    /// The same as the output "logits".
    constexpr void classify(int x, std::string_view part, std::int64_t classes) {
        output(product(x, part, classes), "logits");
    }

private:
    sequence<char> prefix_;
};

} // namespace ane::models
