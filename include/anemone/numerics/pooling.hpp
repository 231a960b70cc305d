#pragma once

#include "../base/error.hpp"
#include "../base/way.hpp"
#include "../graph/op.hpp"
#include "elementwise.hpp"
#include "kernel_shapes.hpp"
#include "reduction.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace ane::numerics::inline ANEMONE_WAY {

/// max_pool, avg_pool or l2_pool of x [N, C, H, W]. The average is a mean of the reduction path, lanes in row order,
/// over `averaged_places` (ONNX's definition; what the engine counts in windows that ceil_mode adds is not published).
/// l2: squares in fp16, their sum by the reduction path, the root by its table (inferred). The maximum ignores padding;
/// a window that lies wholly in the padding throws.
ANEMONE_INLINE void pool(const datapath& path, op kind, const pool_shape& s, const half* x, half* out) {
    if (!is_pool(kind)) {
        throw error(errc::argument, std::string(name(kind)), "is not a pooling operation");
    }
    std::vector<half> window;
    for (std::int64_t plane = 0; plane < s.batch * s.channels; ++plane) {
        const half* source = x + plane * s.in_height * s.in_width;
        for (std::int64_t oy = 0; oy < s.out_height; ++oy) {
            for (std::int64_t ox = 0; ox < s.out_width; ++ox) {
                window.clear();
                const std::int64_t top = oy * s.stride_height - s.pad_top;
                const std::int64_t left = ox * s.stride_width - s.pad_left;
                for (std::int64_t y = std::max<std::int64_t>(top, 0); y < std::min(top + s.kernel_height, s.in_height);
                     ++y) {
                    for (std::int64_t c = std::max<std::int64_t>(left, 0);
                         c < std::min(left + s.kernel_width, s.in_width); ++c) {
                        const half value = source[y * s.in_width + c];
                        window.push_back(kind == op::l2_pool ? multiply(path, value, value) : value);
                    }
                }
                const auto inside = static_cast<std::int64_t>(window.size());
                half& result = out[(plane * s.out_height + oy) * s.out_width + ox];
                if (kind == op::max_pool) {
                    result = reduce(path, op::reduce_max, window.data(), inside, 1);
                } else if (kind == op::l2_pool) {
                    result = square_root(path, reduce(path, op::reduce_sum, window.data(), inside, 1));
                } else {
                    result = store_sum(path, sum_reduction(path, window.data(), inside, 1),
                                       std::max<std::int64_t>(averaged_places(s, oy, ox), 1));
                }
            }
        }
    }
}

} // namespace ane::numerics::inline ANEMONE_WAY
