#pragma once

#include "append.hpp"
#include "reduction.hpp"

/// Rearrangements with the same elements or copies of them: blocks of pixels into channels or batch and back,
/// repetition, reversal. The engine takes factors of 1, 2, 3, 4 and 8 (R098, R100), those of the batch products of
/// them, and the channel forms a batch of 1 (R106).
namespace ane {

namespace detail {
/// An image of four axes, and a block of pixels.
constexpr inferred block_rule(const factors& f, const extents& x) {
    inferred r;
    r.shape = x;
    r.require(x.rank == 4, fault::input_must_have_rank_4_as_N_C_H_W, x.rank, 4);
    r.require(f.by.height >= 1, fault::factor_must_be_at_least_1_R098, f.by.height, 1);
    r.require(f.by.width >= 1, fault::factor_must_be_at_least_1_R098, f.by.width, 1);
    return r;
}
constexpr std::int64_t block_size(const factors& f) { return std::int64_t{f.by.height} * f.by.width; }

/// What the engine takes along an axis of a block, or as repetitions. R098, R100.
constexpr bool is_native_factor(std::int64_t f) { return f == 1 || f == 2 || f == 3 || f == 4 || f == 8; }
/// What it takes where blocks go into the batch or come out of it: products of those (guide appendix B; netplist-units).
constexpr bool is_native_batch_factor(std::int64_t f) {
    for (const int prime : {2, 3}) {
        while (f > 1 && f % prime == 0) {
            f /= prime;
        }
    }
    return f == 1;
}
} // namespace detail

/// Blocks of pixels out of channels: [N, C fy fx, H, W] gives [N, C, H fy, W fx].
constexpr inferred channels_to_pixels_rule(const factors& f, const extents& x) {
    inferred r = detail::block_rule(f, x);
    const std::int64_t block = detail::block_size(f);
    r.require(!r.ok() || x[1] % block == 0, fault::channels_must_be_divisible_by_the_factors_R098, x[1], block);
    if (r.ok()) {
        r.shape = {x[0], x[1] / block, x[2] * f.by.height, x[3] * f.by.width};
    }
    return r;
}

/// Blocks of pixels out of the batch: [N fy fx, C, H, W] gives [N, C, H fy, W fx].
constexpr inferred batch_to_space_rule(const factors& f, const extents& x) {
    inferred r = detail::block_rule(f, x);
    const std::int64_t block = detail::block_size(f);
    r.require(!r.ok() || x[0] % block == 0, fault::batch_must_be_divisible_by_the_factors_R099, x[0], block);
    if (r.ok()) {
        r.shape = {x[0] / block, x[1], x[2] * f.by.height, x[3] * f.by.width};
    }
    return r;
}

namespace detail {
/// Blocks of pixels onto an axis: [.., H fy, W fx] gives fy fx times as much of that axis.
constexpr inferred pixels_onto_rule(const factors& f, const extents& x, int axis) {
    inferred r = block_rule(f, x);
    r.require(!r.ok() || x[2] % f.by.height == 0, fault::height_must_be_divisible_by_its_factor_R098, x[2],
              f.by.height);
    r.require(!r.ok() || x[3] % f.by.width == 0, fault::width_must_be_divisible_by_its_factor_R098, x[3], f.by.width);
    if (r.ok()) {
        r.shape[axis] = x[axis] * block_size(f);
        r.shape[2] = x[2] / f.by.height;
        r.shape[3] = x[3] / f.by.width;
    }
    return r;
}
} // namespace detail

/// Blocks of pixels into channels: [N, C, H fy, W fx] gives [N, C fy fx, H, W].
constexpr inferred pixels_to_channels_rule(const factors& f, const extents& x) {
    return detail::pixels_onto_rule(f, x, 1);
}

/// Blocks of pixels into the batch: [N, C, H fy, W fx] gives [N fy fx, C, H, W].
constexpr inferred space_to_batch_rule(const factors& f, const extents& x) { return detail::pixels_onto_rule(f, x, 0); }

constexpr inferred shape_rule(const repeats& given, const extents& x) {
    inferred r;
    r.shape = x;
    r.require(given.count.rank == x.rank, fault::counts_must_have_one_number_for_each_axis, given.count.rank, x.rank);
    for (int i = 0; r.ok() && i < x.rank; ++i) {
        r.require(given.count[i] >= 1, fault::every_axis_must_occur_at_least_once, given.count[i], 1);
        r.shape[i] = detail::product_of_extents(x[i], given.count[i]);
    }
    return r;
}

/// The axes must be the tensor's, each once; none given means all.
constexpr inferred reverse_rule(const axes& given, const extents& x) {
    inferred r = shape_rule(given, x);
    r.shape = x;
    return r;
}

/// y[c, h fy + i, w fx + j] = x[c fy fx + i fx + j, h, w], as PyTorch orders channels. R098, R106.
template <factors By, class X>
    requires obeys<shapes::by<channels_to_pixels_rule, By>, X>
constexpr auto pixel_shuffle(X x, source_location where = here()) {
    return detail::append<shapes::by<channels_to_pixels_rule, By>>(op::pixel_shuffle, By, where, x);
}
template <factors By, class X, class Broken = breach<op::pixel_shuffle, shapes::by<channels_to_pixels_rule, By>, X>>
Broken pixel_shuffle(X, ...);

/// y[c fy fx + i fx + j, h, w] = x[c, h fy + i, w fx + j]: the inverse of pixel_shuffle. R098, R106.
template <factors By, class X>
    requires obeys<shapes::by<pixels_to_channels_rule, By>, X>
constexpr auto pixel_unshuffle(X x, source_location where = here()) {
    return detail::append<shapes::by<pixels_to_channels_rule, By>>(op::pixel_unshuffle, By, where, x);
}
template <factors By, class X, class Broken = breach<op::pixel_unshuffle, shapes::by<pixels_to_channels_rule, By>, X>>
Broken pixel_unshuffle(X, ...);

/// y[c, h fy + i, w fx + j] = x[(i fx + j) C + c, h, w], as TensorFlow orders channels: equal to pixel_shuffle for one
/// channel only. The netplist's ChannelToSpace (runs, ANEForge). R098.
template <factors By, class X>
    requires obeys<shapes::by<channels_to_pixels_rule, By>, X>
constexpr auto depth_to_space(X x, source_location where = here()) {
    return detail::append<shapes::by<channels_to_pixels_rule, By>>(op::depth_to_space, By, where, x);
}
template <factors By, class X, class Broken = breach<op::depth_to_space, shapes::by<channels_to_pixels_rule, By>, X>>
Broken depth_to_space(X, ...);

/// y[(i fx + j) C + c, h, w] = x[c, h fy + i, w fx + j]: the inverse of depth_to_space. R098, R106.
template <factors By, class X>
    requires obeys<shapes::by<pixels_to_channels_rule, By>, X>
constexpr auto space_to_depth(X x, source_location where = here()) {
    return detail::append<shapes::by<pixels_to_channels_rule, By>>(op::space_to_depth, By, where, x);
}
template <factors By, class X, class Broken = breach<op::space_to_depth, shapes::by<pixels_to_channels_rule, By>, X>>
Broken space_to_depth(X, ...);

/// y[(n fy + i) fx + j, c, h, w] = x[n, c, h fy + i, w fx + j]: the phases of an image as a batch. The netplist's order
/// (runs, ANEForge); the factors are products of 2, 3, 4 and 8.
template <factors By, class X>
    requires obeys<shapes::by<space_to_batch_rule, By>, X>
constexpr auto space_to_batch(X x, source_location where = here()) {
    return detail::append<shapes::by<space_to_batch_rule, By>>(op::space_to_batch, By, where, x);
}
template <factors By, class X, class Broken = breach<op::space_to_batch, shapes::by<space_to_batch_rule, By>, X>>
Broken space_to_batch(X, ...);

/// y[n, c, h fy + i, w fx + j] = x[(n fy + i) fx + j, c, h, w]: the inverse of space_to_batch. R099.
template <factors By, class X>
    requires obeys<shapes::by<batch_to_space_rule, By>, X>
constexpr auto batch_to_space(X x, source_location where = here()) {
    return detail::append<shapes::by<batch_to_space_rule, By>>(op::batch_to_space, By, where, x);
}
template <factors By, class X, class Broken = breach<op::batch_to_space, shapes::by<batch_to_space_rule, By>, X>>
Broken batch_to_space(X, ...);

/// The tensor repeated `Count` times along each axis. R100.
template <repeats Count, class X>
    requires obeys<shapes::of<Count>, X>
constexpr auto tile(X x, source_location where = here()) {
    return detail::append<shapes::of<Count>>(op::tile, Count, where, x);
}
template <repeats Count, class X, class Broken = breach<op::tile, shapes::of<Count>, X>> Broken tile(X, ...);

/// The elements of the given axes (all where none is given) from the last to the first. On the MIL route only (R105).
template <axes Axes = axes{}, class X>
    requires obeys<shapes::by<reverse_rule, Axes>, X>
constexpr auto reverse(X x, source_location where = here()) {
    return detail::append<shapes::by<reverse_rule, Axes>>(op::reverse, detail::resolved_for<Axes, X>, where, x);
}
template <axes Axes = axes{}, class X, class Broken = breach<op::reverse, shapes::by<reverse_rule, Axes>, X>>
Broken reverse(X, ...);

} // namespace ane
