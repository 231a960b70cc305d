#pragma once

#include "../base/members.hpp"
#include "../values/dtype.hpp"
#include "../values/shape.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

/// The attributes of operations: plain structs, usable as template arguments where they decide a shape. Members are
/// named as in ONNX or MIL.
namespace ane {

/// A height and a width; one number means both.
struct size2 {
    int height = 1;
    int width = 1;

    constexpr size2() = default;
    constexpr size2(int both) : height(both), width(both) {} // NOLINT(google-explicit-constructor): `.stride = 2`
    constexpr size2(int h, int w) : height(h), width(w) {}
    friend constexpr bool operator==(const size2&, const size2&) = default;
};

enum class padding_mode : std::uint8_t { explicit_amount, same, valid };

/// Spatial padding. In a graph it is always resolved to explicit amounts.
struct padding2 {
    padding_mode mode = padding_mode::explicit_amount;
    int top = 0;
    int bottom = 0;
    int left = 0;
    int right = 0;

    constexpr padding2() = default;
    constexpr padding2(padding_mode m) : mode(m) {}                               // NOLINT
    constexpr padding2(int all) : top(all), bottom(all), left(all), right(all) {} // NOLINT
    constexpr padding2(int vertical, int horizontal)
        : top(vertical), bottom(vertical), left(horizontal), right(horizontal) {}
    constexpr padding2(int t, int b, int l, int r) : top(t), bottom(b), left(l), right(r) {}
    friend constexpr bool operator==(const padding2&, const padding2&) = default;
};

/// Output extent = ceil(input / stride); an odd amount puts the extra row or column at the end, as ONNX SAME_UPPER
/// does.
inline constexpr padding2 same{padding_mode::same};
/// No padding.
inline constexpr padding2 valid{padding_mode::valid};

/// Attributes of `conv2d`. The kernel's extents come from the weight, [O, I / groups, kH, kW].
struct conv {
    size2 stride = 1;
    size2 dilation = 1;
    padding2 padding{};
    int groups = 1;
    ANEMONE_MEMBERS(stride, dilation, padding, groups)
    friend constexpr bool operator==(const conv&, const conv&) = default;
};

/// Attributes of `conv_transpose2d`. The kernel's extents come from the weight, [I, O / groups, kH, kW].
struct conv_transpose {
    size2 stride = 1;
    size2 dilation = 1;
    padding2 padding{};
    int groups = 1;
    ANEMONE_MEMBERS(stride, dilation, padding, groups)
    friend constexpr bool operator==(const conv_transpose&, const conv_transpose&) = default;
};

/// Attributes of `max_pool` and `avg_pool`. A stride of zero means the kernel's extents.
struct pool {
    size2 kernel = 1;
    size2 stride = 0;
    padding2 padding{};
    bool ceil_mode = false;       ///< round the output extents up instead of down
    bool exclude_padding = false; ///< average over real elements only
    ANEMONE_MEMBERS(kernel, stride, padding, ceil_mode, exclude_padding)
    friend constexpr bool operator==(const pool&, const pool&) = default;
};

/// Which operands of `matmul` are transposed in their last two axes.
struct transposed {
    bool a = false;
    bool b = false;
    ANEMONE_MEMBERS(a, b)
    friend constexpr bool operator==(const transposed&, const transposed&) = default;
};

/// One axis; negative counts from the last. A number will do: `softmax<-1>(x)`.
struct axis {
    int index = -1;

    constexpr axis(int counted = -1) : index(counted) {} // NOLINT(google-explicit-constructor)
    ANEMONE_MEMBERS(index)
    friend constexpr bool operator==(const axis&, const axis&) = default;
};

/// Indices, one per axis: permutations, begins, sizes, lists of axes.
using indices = extents;

/// The axes that a reduction removes (they stay as extents of one).
struct axes {
    indices list{};

    constexpr axes() = default;
    template <class... Index> constexpr axes(Index... index) : list{static_cast<std::int64_t>(index)...} {} // NOLINT
    ANEMONE_MEMBERS(list)
    friend constexpr bool operator==(const axes&, const axes&) = default;
};

/// Output axis i is input axis `order[i]`.
struct permutation {
    indices order{};

    constexpr permutation() = default;
    template <class... Index>
    constexpr permutation(Index... index) : order{static_cast<std::int64_t>(index)...} {} // NOLINT
    ANEMONE_MEMBERS(order)
    friend constexpr bool operator==(const permutation&, const permutation&) = default;
};

/// The window [begin, begin + size) of every axis.
struct window {
    indices begin{};
    indices size{};
    ANEMONE_MEMBERS(begin, size)
    friend constexpr bool operator==(const window&, const window&) = default;
};

/// Elements added before and after every axis.
struct pads {
    indices before{};
    indices after{};
    ANEMONE_MEMBERS(before, after)
    friend constexpr bool operator==(const pads&, const pads&) = default;
};

/// leaky_relu: alpha x below zero.
struct leakage {
    float alpha = 0.01F;
    ANEMONE_MEMBERS(alpha)
    friend constexpr bool operator==(const leakage&, const leakage&) = default;
};

/// clamp: min(max(x, min), max).
struct clip_range {
    float min = 0;
    float max = 0;
    ANEMONE_MEMBERS(min, max)
    friend constexpr bool operator==(const clip_range&, const clip_range&) = default;
};

/// thresholded_relu: x from alpha on, 0 below.
struct relu_threshold {
    float alpha = 1;
    ANEMONE_MEMBERS(alpha)
    friend constexpr bool operator==(const relu_threshold&, const relu_threshold&) = default;
};

/// clamped_relu: alpha x below zero, and beta at most.
struct clamped_leakage {
    float alpha = 0;
    float beta = 0;
    ANEMONE_MEMBERS(alpha, beta)
    friend constexpr bool operator==(const clamped_leakage&, const clamped_leakage&) = default;
};

/// elu: alpha (e^x - 1) below zero, which tends to -alpha.
struct saturation {
    float alpha = 1;
    ANEMONE_MEMBERS(alpha)
    friend constexpr bool operator==(const saturation&, const saturation&) = default;
};

/// hard_sigmoid: alpha x + beta, between 0 and 1.
struct clamped_line {
    float alpha = 0.2F;
    float beta = 0.5F;
    ANEMONE_MEMBERS(alpha, beta)
    friend constexpr bool operator==(const clamped_line&, const clamped_line&) = default;
};

/// scaled_tanh: alpha tanh(beta x).
struct tanh_scaling {
    float alpha = 1;
    float beta = 1;
    ANEMONE_MEMBERS(alpha, beta)
    friend constexpr bool operator==(const tanh_scaling&, const tanh_scaling&) = default;
};

/// attention: softmax(scale q k^T + mask) v; 0 stands for 1 / sqrt(D), which a graph stores instead.
struct score_scaling {
    float scale = 0;
    ANEMONE_MEMBERS(scale)
    friend constexpr bool operator==(const score_scaling&, const score_scaling&) = default;
};

/// dropout: the fraction of elements that become zero.
struct drop_ratio {
    float ratio = 0;
    ANEMONE_MEMBERS(ratio)
    friend constexpr bool operator==(const drop_ratio&, const drop_ratio&) = default;
};

/// random_uniform: numbers from low on, below high.
struct uniform_range {
    float low = 0;
    float high = 1;
    ANEMONE_MEMBERS(low, high)
    friend constexpr bool operator==(const uniform_range&, const uniform_range&) = default;
};

/// radius_search: how near is near.
struct search_radius {
    float radius = 0;
    ANEMONE_MEMBERS(radius)
    friend constexpr bool operator==(const search_radius&, const search_radius&) = default;
};

/// The small number that keeps a logarithm, a root or a division away from zero; for the norms also the axis.
struct stabilizer {
    float epsilon = 0;
    int axis = -1;
    ANEMONE_MEMBERS(epsilon, axis)
    friend constexpr bool operator==(const stabilizer&, const stabilizer&) = default;
};

/// A constant of the graph: `count` values in the graph's payload from `offset`; one value fills the whole tensor.
struct literal {
    int offset = 0;
    int count = 0;
    ANEMONE_MEMBERS(offset, count)
    friend constexpr bool operator==(const literal&, const literal&) = default;
};

/// cumsum along one axis.
struct cumulation {
    int axis = -1;
    bool exclusive = false; ///< each element sums those before it, not itself
    bool reverse = false;   ///< from the end
    ANEMONE_MEMBERS(axis, exclusive, reverse)
    friend constexpr bool operator==(const cumulation&, const cumulation&) = default;
};

/// group_norm: `groups` of the channels share a mean and a variance.
struct grouping {
    int groups = 1;
    float epsilon = 1e-5F;
    ANEMONE_MEMBERS(groups, epsilon)
    friend constexpr bool operator==(const grouping&, const grouping&) = default;
};

/// local_response_norm: x / (k + alpha / size * sum of x^2 over `size` neighbouring channels)^beta.
struct response_norm_shape {
    int size = 5;
    float alpha = 1e-4F;
    float beta = 0.75F;
    float k = 1;
    ANEMONE_MEMBERS(size, alpha, beta, k)
    friend constexpr bool operator==(const response_norm_shape&, const response_norm_shape&) = default;
};

/// The elements begin, begin + stride, ... of every axis; as many as the result (or the update) has.
struct strided_window {
    indices begin{};
    indices stride{};
    ANEMONE_MEMBERS(begin, stride)
    friend constexpr bool operator==(const strided_window&, const strided_window&) = default;
};

/// How often `tile` repeats every axis.
struct repeats {
    indices count{};

    constexpr repeats() = default;
    template <class... Count> constexpr repeats(Count... c) : count{static_cast<std::int64_t>(c)...} {} // NOLINT
    ANEMONE_MEMBERS(count)
    friend constexpr bool operator==(const repeats&, const repeats&) = default;
};

/// The block of pixels that the pixel-shuffle family moves into channels or batch.
struct factors {
    size2 by = 1;

    constexpr factors() = default;
    constexpr factors(int both) : by(both) {} // NOLINT(google-explicit-constructor): `pixel_shuffle<2>`
    constexpr factors(int height, int width) : by(height, width) {}
    ANEMONE_MEMBERS(by)
    friend constexpr bool operator==(const factors&, const factors&) = default;
};

enum class sampling_method : std::uint8_t { nearest, bilinear };
/// Where the samples of a resized axis lie: pixel centres at halves (ONNX's default), corner on corner, or the first
/// sample on the first pixel (TensorFlow 1).
enum class sampling_grid : std::uint8_t { half_pixel, align_corners, asymmetric };
/// What lies outside the image: zeros, its outermost pixels, or its mirror image (at their outer edges, with
/// align_corners at their centres, as PyTorch's grid_sample).
enum class sampling_border : std::uint8_t { zero, edge, reflect };

constexpr std::string_view name(sampling_method m) noexcept {
    return m == sampling_method::nearest ? "nearest" : "bilinear";
}
constexpr std::string_view name(sampling_grid g) noexcept {
    constexpr std::string_view names[] = {"half pixel", "align corners", "asymmetric"};
    return names[static_cast<std::size_t>(g)];
}
constexpr std::string_view name(sampling_border b) noexcept {
    constexpr std::string_view names[] = {"zero", "edge", "reflect"};
    return names[static_cast<std::size_t>(b)];
}

/// resize, crop_resize, resample and affine: the extents of the result and how it samples its operand.
struct sampling {
    size2 extent = 1;
    sampling_method method = sampling_method::bilinear;
    sampling_grid grid = sampling_grid::half_pixel;
    sampling_border border = sampling_border::zero;
    ANEMONE_MEMBERS(extent, method, grid, border)
    friend constexpr bool operator==(const sampling&, const sampling&) = default;
};

/// quantize and dequantize: a scale (and a zero point) for the whole tensor, or for each index of one axis.
struct quantization {
    dtype type = dtype::int8; ///< the integer type
    int axis = -1;            ///< of a vector of scales
    ANEMONE_MEMBERS(type, axis)
    friend constexpr bool operator==(const quantization&, const quantization&) = default;
};

/// How a weight is stored and streamed (guide chapter 25).
enum class weight_form : std::uint8_t { palette, sparse, affine, blockwise, sparse_palette, sparse_blockwise };

constexpr std::string_view name(weight_form f) noexcept {
    constexpr std::string_view names[] = {"palette",   "sparse",         "affine",
                                          "blockwise", "sparse palette", "sparse blockwise"};
    return names[static_cast<std::size_t>(f)];
}

/// A compressed weight. Which of these stream, and which are expanded before the program runs, is the target's.
struct compression {
    weight_form form = weight_form::palette;
    int bits = 4;            ///< of an index or of a stored integer
    int vector = 1;          ///< elements that one palette index stands for
    int block = 0;           ///< elements that share a scale; 0: one scale for each output channel
    bool zero_point = false; ///< asymmetric
    float zeros = 0;         ///< the fraction of zeros, as far as known
    ANEMONE_MEMBERS(form, bits, vector, block, zero_point, zeros)
    friend constexpr bool operator==(const compression&, const compression&) = default;
};

/// top_k and sort along one axis.
struct selection {
    int k = 1;
    int axis = -1;
    bool ascending = false; ///< the smallest first
    ANEMONE_MEMBERS(k, axis, ascending)
    friend constexpr bool operator==(const selection&, const selection&) = default;
};

/// A count: planes of a cost volume, centroids.
struct item_count {
    int count = 1;
    ANEMONE_MEMBERS(count)
    friend constexpr bool operator==(const item_count&, const item_count&) = default;
};

enum class scaled_function : std::uint8_t { add, mul, maximum, minimum };

constexpr std::string_view name(scaled_function f) noexcept {
    constexpr std::string_view names[] = {"add", "mul", "maximum", "minimum"};
    return names[static_cast<std::size_t>(f)];
}

/// scaled_elementwise: scale (a op b).
struct scaling {
    scaled_function function = scaled_function::add;
    float scale = 1;
    ANEMONE_MEMBERS(function, scale)
    friend constexpr bool operator==(const scaling&, const scaling&) = default;
};

struct no_attributes {
    ANEMONE_MEMBERS()
    friend constexpr bool operator==(const no_attributes&, const no_attributes&) = default;
};

} // namespace ane
