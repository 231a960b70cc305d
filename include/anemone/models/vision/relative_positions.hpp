#pragma once

#include "../../weights/convert.hpp"
#include "../tensor_forms.hpp"
#include "swin.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

/// Only bodies include this header.
namespace ane::models::inline ANEMONE_WAY {

/// Tokens of a window, both ways, of which all pairs are [heads, window^2, window^2].
ANEMONE_INLINE std::int64_t window_of(const extents& pairs) {
    std::int64_t window = 1;
    while (window * window < pairs[1]) {
        ++window;
    }
    return window;
}
/// The offsets of all pairs of tokens, from the table of those of the relative positions.
ANEMONE_INLINE stored_tensor of_all_pairs(const stored_tensor& table, std::int64_t window, const extents& shape) {
    const std::vector<float> offsets = to_float(table);
    std::vector<float> made;
    made.reserve(static_cast<std::size_t>(shape.count()));
    for (std::int64_t head = 0; head < shape[0]; ++head) {
        for (std::int64_t of = 0; of < shape[1]; ++of) {
            for (std::int64_t to = 0; to < shape[2]; ++to) {
                const std::int64_t at = relative_position(window, of, to) * shape[0] + head;
                made.push_back(offsets[static_cast<std::size_t>(at)]);
            }
        }
    }
    stored_tensor with = table;
    with.shape = shape;
    return with_values(with, made);
}

} // namespace ane::models::inline ANEMONE_WAY
