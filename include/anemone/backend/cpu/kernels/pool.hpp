#pragma once

#include "../../../base/way.hpp"
#include "../../../numerics/kernel_shapes.hpp"
#include "kernel_table.hpp"
#include "slab.hpp"
#include "workers.hpp"

#include <cstdint>
#include <vector>

namespace ane::cpu::inline ANEMONE_WAY {

using numerics::pool_shape;

/// A pooling with all that depends on its shape alone.
struct pool_plan {
    op kind = op::max_pool;
    pool_shape shape;
    slab_layout layout;            ///< of one plane in fp32
    sequence<std::int64_t> taps;   ///< where each element of a window is in the slab
    sequence<std::int64_t> across; ///< where the taps can be taken along rows first: of one row
    std::vector<float> divisors;   ///< of an average, at each position
    std::int64_t positions = 0;    ///< outputs, with those behind the last column that are dropped

    /// Floats for one thread: the slab, what is folded along rows, the results, a plane.
    constexpr std::int64_t numbers() const {
        return layout.size() + (across.empty() ? 0 : layout.row_phases * layout.plane() + 32) + positions + 32 +
               shape.in_height * shape.in_width;
    }
    constexpr scratch_sizes scratch() const { return {0, numbers() * static_cast<std::int64_t>(sizeof(float))}; }
};

} // namespace ane::cpu::inline ANEMONE_WAY

namespace ane::cpu::detail::inline ANEMONE_WAY {

ANEMONE_API void check(op kind, const pool_shape& s);

} // namespace ane::cpu::detail::inline ANEMONE_WAY

namespace ane::cpu::inline ANEMONE_WAY {

/// Throws errc::argument on another operation or extents below one.
ANEMONE_API pool_plan plan_pool(op kind, const pool_shape& s);

/// max_pool: the largest value of a window; padding never wins, a NaN always does. avg_pool: the fp32 sum of a window
/// over the whole kernel, or with exclude_padding over the part on the input. l2_pool:
/// the square root of the fp32 sum of squares. A window wholly in the padding gives -inf, 0 or NaN (0 / 0), and 0.
/// A workers brings plan.scratch() of memory; without any, the function allocates it.
ANEMONE_API void pool(const kernel_table& table, const pool_plan& plan, const half* x, half* out,
                      const worker_threads& workers = {});
/// The same, planned on the spot.
ANEMONE_API void pool(const kernel_table& table, op kind, const pool_shape& s, const half* x, half* out);

} // namespace ane::cpu::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "pool.ipp"
#endif
