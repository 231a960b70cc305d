#pragma once

#include "../../../base/error.hpp"
#include "../../../base/way.hpp"

#include <cstdint>
#include <string>
#include <type_traits>

namespace ane::cpu::inline ANEMONE_WAY {

/// The loops of windows read so many numbers past the last requested one.
inline constexpr std::int64_t window_columns = 32;

/// A padded fp32 copy of some channels on which every window is a shifted contiguous load, whatever the stride.
///
/// A padded row y = s q + p lies in phase plane p at row q, columns likewise, so the outputs of one tap are neighbours.
/// Output (y, x) has position y * columns + x; positions with x >= out_width are computed and dropped.
struct slab_layout {
    std::int64_t channels = 0;
    std::int64_t row_phases = 1;
    std::int64_t column_phases = 1;
    std::int64_t rows = 0;    ///< of one phase plane
    std::int64_t columns = 0; ///< of one phase plane

    constexpr std::int64_t plane() const { return rows * columns; }

    /// Floats to allocate: loops read up to window_columns past the last position of the last tap.
    constexpr std::int64_t size() const {
        return channels * row_phases * column_phases * plane() + columns + window_columns;
    }

    /// Where the tap at (y, x) of the padded input is found for position 0.
    constexpr std::int64_t offset(std::int64_t channel, std::int64_t y, std::int64_t x) const {
        const std::int64_t phase = (channel * row_phases + y % row_phases) * column_phases + x % column_phases;
        return phase * plane() + y / row_phases * columns + x / column_phases;
    }
};

/// The slab for windows of reach (kernel - 1) * dilation. Along an axis with one output the stride, which then may be far
/// beyond the image, says nothing.
constexpr slab_layout slab_for(std::int64_t channels, std::int64_t out_height, std::int64_t out_width,
                               std::int64_t stride_height, std::int64_t stride_width, std::int64_t reach_height,
                               std::int64_t reach_width) {
    const std::int64_t down = out_height > 1 ? stride_height : 1;
    const std::int64_t across = out_width > 1 ? stride_width : 1;
    return {channels, down, across, out_height + reach_height / down, out_width + reach_width / across};
}

} // namespace ane::cpu::inline ANEMONE_WAY

namespace ane::cpu::detail::inline ANEMONE_WAY {
ANEMONE_API void refuse [[noreturn]] (const char* subject, const std::string& sentence);

/// Throws errc::argument unless the condition holds. The sentence, or what makes it, costs nothing where it does.
template <class Sentence> void require(bool condition, const char* subject, const Sentence& sentence) {
    if (!condition) {
        if constexpr (std::is_invocable_v<const Sentence&>) {
            refuse(subject, sentence());
        } else {
            refuse(subject, sentence);
        }
    }
}
} // namespace ane::cpu::detail::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "slab.ipp"
#endif
