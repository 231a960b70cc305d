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

/// Refuses a form that asks for pixels where there is no image.
constexpr void refuse_pixels(const network_form& f, std::string_view network) {
    if (f.image != image_input::normalized) {
        ane::detail::refuse_graph(network, "pixels are for networks of images: this one has none");
    }
}

/// A graph of a published network under construction: the parts that families share. Weights have the published name of their
/// part behind the prefix of the place, with underscores for dots.
class network_maker : public model_maker {
public:
    static constexpr double least_epsilon = 1.0 / (1 << 24); ///< the least number above 0 that fp16 has

    /// The port `image` [1, channels, size, size], normalized. What is normalized already is promised to lie within [-3, 3], if
    /// the family says no other: pixels by the statistics of ImageNet lie within [-2.12, 2.65]. Pixels may come in a frame of
    /// another size, [1, channels, frame_height, frame_width], of which the graph takes the centre (`fitted`).
    constexpr int image(const network_form& f, std::int64_t channels, std::int64_t size,
                        const contract& normalized = bounded(3)) {
        const std::int64_t height = f.frame_height == 0 ? size : f.frame_height;
        const std::int64_t width = f.frame_width == 0 ? size : f.frame_width;
        if (f.image == image_input::normalized) {
            if (height != size || width != size) {
                ane::detail::refuse_graph("image", "a frame of another size is of pixels, not normalized", width, size);
            }
            return input("image", {1, channels, size, size}, normalized);
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
        for (const std::int64_t extent : {height, width}) {
            if (extent < 1 || extent > 16384) {
                ane::detail::refuse_graph("image", "a frame is from 1 to 16384 pixels high and wide", extent, 16384);
            }
        }
        const extents each{1, channels, 1, 1};
        const auto count = static_cast<std::size_t>(channels);
        const contract bytes = within(0, 255);
        int x = function(op::cast, input("image", {1, channels, height, width}, bytes, dtype::uint8));
        x = fitted(x, size);
        return add(mul(x, constant(each, {scale, count})), constant(each, {offset, count}));
    }
    /// The shorter side resized to `size`, bilinearly between the centres of pixels, and of the longer one the middle, as
    /// torchvision's Resize(size, antialias=False) and CenterCrop(size) do it.
    constexpr int fitted(int x, std::int64_t size) {
        const std::int64_t height = shape(x)[2];
        const std::int64_t width = shape(x)[3];
        if (height == size && width == size) {
            return x;
        }
        const std::int64_t shorter = height < width ? height : width;
        const std::int64_t longer = size * (height < width ? width : height) / shorter;
        if (longer > 16384) {
            ane::detail::refuse_graph("image", "the longer side of the frame, resized, is above 16384 pixels", longer,
                                      16384);
        }
        sampling how;
        how.extent = {static_cast<int>(height > width ? longer : size),
                      static_cast<int>(width > height ? longer : size)};
        x = emit(op::resize, how, {x});
        const std::int64_t beyond = longer - size;
        const std::int64_t before = beyond / 2 + (beyond % 2 == 0 ? 0 : beyond / 2 % 2); // halves go to the even number
        return beyond == 0 ? x : slice(x, height > width ? 2 : 3, before, size);
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
    /// norm behind it, which a checkpoint's reader folds into both (network_checkpoint.hpp); none where it is empty.
    constexpr int convolution(int x, std::string_view part, std::string_view offset, std::int64_t to,
                              const square_window& w) {
        conv how;
        how.stride = w.stride;
        how.padding = w.border;
        how.groups = w.groups;
        const int kernel = weight(part, ".weight", {to, shape(x)[1] / w.groups, w.size, w.size});
        if (offset.empty()) {
            return emit(op::conv2d, how, {x, kernel});
        }
        return emit(op::conv2d, how, {x, kernel, weight(offset, ".bias", {to})});
    }
    constexpr int function(op kind, int x) { return emit(kind, no_attributes{}, {x}); }

    /// Along an axis, with the weights of its part. An epsilon that is 0 in fp16, as the 1e-12 of transformers, would divide
    /// elements that are all equal by 0: instead of it stands the least number above 0 that fp16 has, 2^-24, which changes a
    /// result by a tenth of its last bit at most where the variance is above 1e-3.
    constexpr int layer_norm(int x, std::string_view part, double epsilon, int along) {
        const extents width{shape(x)[along]};
        const double used = epsilon > 0 && epsilon < least_epsilon ? least_epsilon : epsilon;
        const stabilizer how{.epsilon = static_cast<float>(used), .axis = along};
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
