#pragma once

#include "../../../kernel_shapes.hpp"
#include "../../../way.hpp"
#include "slab.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace ane::cpu::inline ANEMONE_WAY {

using ane::pool_shape;

} // namespace ane::cpu::inline ANEMONE_WAY

namespace ane::cpu::detail::inline ANEMONE_WAY {

/// How many of a window's indices along one axis fall between `first` and `end`.
constexpr std::int64_t covered(std::int64_t out, std::int64_t stride, std::int64_t pad, std::int64_t kernel,
                               std::int64_t first, std::int64_t end) {
    const std::int64_t begin = out * stride - pad;
    return std::max<std::int64_t>(0, std::min(begin + kernel, end) - std::max(begin, first));
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

namespace ane::cpu::inline ANEMONE_WAY {

/// max_pool: the largest value of a window, padding never wins; NaN wins. avg_pool: the fp32 sum of a window over its
/// area within the padded input, or with exclude_padding over the part on the input (ONNX, PyTorch). l2_pool: the
/// square root of the fp32 sum of squares. A window wholly in the padding gives -inf, 0 or NaN (0 / 0), and 0. Throws
/// errc::argument on another operation or extents below one.
ANEMONE_API void pool(const kernel_table& table, op kind, const pool_shape& s, const half* x, half* out);

} // namespace ane::cpu::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "pool.ipp"
#endif
