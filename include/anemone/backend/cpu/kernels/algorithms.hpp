#pragma once

#include "../../../base/enum_set.hpp"
#include "../../../base/way.hpp"
#include "../../../graph/op_set.hpp"
#include "../../../numerics/kernel_shapes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

/// The ways in which operations are computed that not every model takes. What a program needs of them is known when it is
/// compiled (backend/cpu/kernel_needs.hpp); header-only, nothing else is compiled.
namespace ane::cpu::inline ANEMONE_WAY {

enum class algorithm : std::uint8_t {
    nhwc,             ///< values whose channels are neighbours
    planes,           ///< convolutions of groups of one channel, plane by plane (kernels/depthwise.hpp)
    places,           ///< those of NHWC images (kernels/depthwise_places.hpp)
    window_of_3,      ///< both, of dense windows of 3 by 3 with stride 1, each with a loop of its own
    window_of_3_by_2, ///< with stride 2
    window_of_5,
    window_of_5_by_2,
    other_window,
    pointwise,        ///< convolutions of one tap a channel as products (kernels/pointwise.hpp)
    windows,          ///< all other convolutions, over blocks of outputs (kernels/block_contraction.hpp)
    channel_tiles,    ///< whose tiles' lanes are channels, or
    position_tiles,   ///< positions
    even_columns,     ///< of stride 2: even and odd columns apart
    fourth_columns,   ///< of stride 4
    winograd,         ///< convolutions of 3 by 3 that may take Winograd's algorithm (kernels/winograd.hpp)
    computed_filters, ///< convolutions whose filters are computed in each run
    one_row,          ///< products of one row
    few_rows,         ///< of at most most_few_rows rows
    many_rows,        ///< of more, or of less with a right operand that is computed in each run
    turned_columns,   ///< products of few rows with a right operand that is computed and stored by columns
    codes,            ///< products with weights that stay compressed
    several_rows,     ///< norms of several rows at once
    strips,           ///< functions of elements strip by strip (strips_step.hpp)
    count
};
using algorithm_set = enum_set<algorithm, static_cast<std::size_t>(algorithm::count)>;
inline constexpr algorithm_set every_algorithm = algorithm_set::where([](algorithm) { return true; });

/// What the programs of some models need of the kernels.
struct kernel_needs {
    op_set operations;
    algorithm_set algorithms;

    constexpr bool contains(op kind) const { return operations.contains(kind); }
    constexpr bool contains(algorithm way) const { return algorithms.contains(way); }
    template <class... Kinds> constexpr bool any(Kinds... kinds) const { return (contains(kinds) || ...); }
    friend constexpr bool operator==(const kernel_needs&, const kernel_needs&) = default;
};
inline constexpr kernel_needs every_kernel{every_op, every_algorithm};

/// Functions of elements are computed strip by strip, of so many elements: what a dozen values take lies in the second cache.
inline constexpr std::int64_t strip_elements = 8192;
/// Below so many elements, and so many nodes, there is nothing to gain.
inline constexpr std::int64_t least_strip_elements = 4 * strip_elements;
inline constexpr std::size_t least_strip_nodes = 6;

/// Whether Winograd's algorithm might be faster for a shape.
constexpr bool may_take_winograd(const numerics::convolution_shape& s) {
    return s.kernel_height == 3 && s.kernel_width == 3 && s.stride_height == 1 && s.stride_width == 1 &&
           s.dilation_height == 1 && s.dilation_width == 1 &&
           std::min(s.in_channels / s.groups, s.out_channels / s.groups) >= 32 && s.out_width <= 1024;
}

/// Whether a convolution of NCHW images is computed plane by plane. With many outputs of each channel the tiles of
/// channels are better.
constexpr bool convolves_planes(const numerics::convolution_shape& s) {
    return s.groups == s.in_channels && s.out_channels < 8 * s.groups;
}

/// Whether the windows of a convolution are the elements of its image.
constexpr bool has_one_tap(const numerics::convolution_shape& s) {
    return s.kernel_height == 1 && s.kernel_width == 1 && s.stride_height == 1 && s.stride_width == 1 &&
           s.pad_top == 0 && s.pad_left == 0 && s.out_height == s.in_height && s.out_width == s.in_width;
}

/// Planes of so many elements are multiplied as they are: columns of a matrix. Of smaller ones a panel of columns would be
/// empty in part.
inline constexpr std::int64_t least_pointwise_plane = 128;
constexpr bool is_worth_a_product(const numerics::convolution_shape& s) {
    return s.out_height * s.out_width >= least_pointwise_plane;
}

} // namespace ane::cpu::inline ANEMONE_WAY
