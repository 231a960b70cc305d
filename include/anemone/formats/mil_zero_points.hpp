#pragma once

#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "../graph/graph.hpp"
#include "../passes/print.hpp"
#include "../values/half.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace ane::formats::inline ANEMONE_WAY {

/// The zero points of quantize or dequantize as integers of the quantized type. Throws `error` (errc::weights) for one
/// that is not: the values of a weight are not known before.
ANEMONE_INLINE std::vector<std::int64_t> zero_point_integers(const graph_view& g, int index,
                                                             std::span<const half> values) {
    const int low = g[index].get<quantization>().type == dtype::uint8 ? 0 : -128;
    std::vector<std::int64_t> integers;
    for (const half value : values) {
        const auto number = static_cast<double>(value);
        const bool inside = number >= low && number <= low + 255;
        const std::int64_t whole = inside ? static_cast<std::int64_t>(number) : 0;
        if (!inside || static_cast<double>(whole) != number) {
            throw error(errc::weights, print(g, index),
                        formatted("a zero point is {}, MIL holds integers from {} to {}", number, low, low + 255));
        }
        integers.push_back(whole);
    }
    return integers;
}

} // namespace ane::formats::inline ANEMONE_WAY
