#pragma once

#include "../../../base/error.hpp"
#include "../../../base/formatted.hpp"
#include "../../../base/way.hpp"
#include "port.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

namespace ane::objc::inline ANEMONE_WAY {

/// Rows of a port begin at multiples of this many bytes (facts: engine-runtime 10.3, netplist 6).
inline constexpr std::int64_t row_granule = 64;

/// No surface is larger: the bound keeps products of strides and extents in 64 bits.
inline constexpr std::int64_t surface_limit = std::int64_t{1} << 40;

/// Completes the strides that the runtime gave, of which 0 is none: rows are rounded up to 64 bytes, planes are tight,
/// batches lie outside channels and depth outside batches. Throws `error` (errc::engine) for strides in which elements
/// overlap.
ANEMONE_INLINE port_layout completed(port_layout given, const std::string& port) {
    constexpr int inner_to_outer[] = {4, 3, 2, 0, 1};
    constexpr const char* names[] = {"BatchStride", "DepthStride", "PlaneStride", "RowStride", "element"};
    given.stride[4] = given.element;
    std::int64_t tight = given.element;
    for (const int axis : inner_to_outer) {
        const auto a = static_cast<std::size_t>(axis);
        std::int64_t& stride = given.stride[a];
        const std::int64_t least = axis == 3 ? (tight + row_granule - 1) / row_granule * row_granule : tight;
        if (stride == 0) {
            stride = least;
        } else if (stride < tight && given.extent[a] > 1) {
            throw error(errc::engine, port,
                        formatted("{} is {} bytes, what lies within takes {}", names[a], stride, tight));
        }
        if (stride < 0 || stride > surface_limit ||
            given.extent[a] > surface_limit / std::max<std::int64_t>(stride, 1)) {
            throw error(errc::engine, port,
                        formatted("{} is {} bytes for {} of them", names[a], stride, given.extent[a]));
        }
        tight = std::max(tight, stride * given.extent[a]);
    }
    given.surface = tight;
    return given;
}

} // namespace ane::objc::inline ANEMONE_WAY

namespace ane::objc::detail::inline ANEMONE_WAY {

/// Calls `copy(dense, surface, bytes)` with offsets for the longest runs of elements that are neighbours in both.
template <class Copy> void for_each_run(const port_layout& layout, const Copy& copy) {
    std::int64_t run = layout.element;
    std::size_t outer = 5;
    while (outer > 0 && (layout.stride[outer - 1] == run || layout.extent[outer - 1] == 1)) {
        --outer;
        run *= layout.extent[outer];
    }
    std::array<std::int64_t, 5> at{};
    for (std::int64_t dense = 0; dense < layout.dense(); dense += run) {
        std::int64_t place = 0;
        for (std::size_t a = 0; a < outer; ++a) {
            place += at[a] * layout.stride[a];
        }
        copy(dense, place, static_cast<std::size_t>(run));
        for (std::size_t a = outer; a-- > 0 && ++at[a] == layout.extent[a];) {
            at[a] = 0;
        }
    }
}

} // namespace ane::objc::detail::inline ANEMONE_WAY

namespace ane::objc::inline ANEMONE_WAY {

/// Copies a dense tensor into its surface, and back. What lies between the elements is not touched.
ANEMONE_INLINE void scatter(const port_layout& layout, std::span<const std::byte> dense, std::byte* surface) {
    detail::for_each_run(layout, [&](std::int64_t from, std::int64_t to, std::size_t bytes) {
        std::memcpy(surface + to, dense.data() + from, bytes);
    });
}
ANEMONE_INLINE void gather(const port_layout& layout, const std::byte* surface, std::span<std::byte> dense) {
    detail::for_each_run(layout, [&](std::int64_t to, std::int64_t from, std::size_t bytes) {
        std::memcpy(dense.data() + to, surface + from, bytes);
    });
}

} // namespace ane::objc::inline ANEMONE_WAY
