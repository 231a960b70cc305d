#pragma once

#include "../base/way.hpp"
#include "../values/shape.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ane::inline ANEMONE_WAY {

/// The axes of a netplist tensor. A tensor of rank 5 reads N, D, C, H, W; lower ranks are right-aligned on N, C, H, W,
/// so a matrix [M, K] has its rows on Height and its columns on Width.
enum class netplist_axis : std::uint8_t { batch, depth, channel, height, width };

/// The token of an axis ("Channel").
constexpr std::string_view name(netplist_axis axis) noexcept {
    constexpr std::string_view names[] = {"Batch", "Depth", "Channel", "Height", "Width"};
    return names[static_cast<std::size_t>(axis)];
}

inline constexpr netplist_axis netplist_axes[] = {netplist_axis::batch, netplist_axis::depth, netplist_axis::channel,
                                                  netplist_axis::height, netplist_axis::width};

/// The extents of a netplist tensor.
struct netplist_shape {
    std::array<std::int64_t, 5> extent{1, 1, 1, 1, 1};

    constexpr netplist_shape() = default;
    constexpr netplist_shape(std::int64_t n, std::int64_t d, std::int64_t c, std::int64_t h, std::int64_t w)
        : extent{n, d, c, h, w} {}

    constexpr std::int64_t operator[](netplist_axis axis) const { return extent[static_cast<std::size_t>(axis)]; }
    constexpr std::int64_t& operator[](netplist_axis axis) { return extent[static_cast<std::size_t>(axis)]; }

    constexpr std::int64_t count() const {
        std::int64_t product = 1;
        for (const std::int64_t e : extent) {
            product *= e;
        }
        return product;
    }
    friend constexpr bool operator==(const netplist_shape&, const netplist_shape&) = default;
};

/// The netplist axis of axis `index` of a tensor of rank `rank`, which is 5 at most.
constexpr netplist_axis netplist_axis_of(int index, int rank) {
    constexpr netplist_axis four[] = {netplist_axis::batch, netplist_axis::channel, netplist_axis::height,
                                      netplist_axis::width};
    return rank == 5 ? netplist_axes[index] : four[4 - rank + index];
}

/// The extents of a tensor of a graph, whose rank is 5 at most.
constexpr netplist_shape netplist_shape_of(const extents& shape) {
    netplist_shape result;
    for (int i = 0; i < shape.rank; ++i) {
        result[netplist_axis_of(i, shape.rank)] = shape[i];
    }
    return result;
}

} // namespace ane::inline ANEMONE_WAY
