#pragma once

#include "../base/isa.hpp"
#include "../base/way.hpp"
#include "../values/half.hpp"
#include "datapath.hpp"

#include <cstdint>

namespace ane::numerics::detail::inline ANEMONE_WAY {
struct left_operand;
} // namespace ane::numerics::detail::inline ANEMONE_WAY

namespace ane::numerics::inline ANEMONE_WAY {

/// The loops of a contraction for one instruction set. All levels give the same bits.
struct contraction_kernels {
    isa_level level;
    /// Panel [count] of fp16 to the values that the multiplier reads; returns the largest magnitude.
    float (*decode)(const half* from, float* to, std::int64_t count, const datapath& path);
    /// Left operands of one row, `stride` apart; returns the largest magnitude in units of 2^-16.
    float (*prepare)(const half* from, detail::left_operand* to, std::int64_t count, int stride, const datapath& path);
    /// See detail::add_rows: for products below 2^21 units, at most tile_depth of them, and no sum near the ceiling.
    void (*add)(int rows, std::int64_t depth, const detail::left_operand* left, const float* right,
                std::uint32_t* sums);
    /// See detail::add_wide_tile: for any products. `over` becomes the sign of the first partial sum at the ceiling.
    void (*add_wide)(int rows, std::int64_t depth, const detail::left_operand* left, const float* right,
                     std::uint32_t* sums, std::int32_t* over);
    /// 32 sums below 2^31 in magnitude to fp16.
    void (*round)(const std::uint32_t* sums, half* to, bool half_away);
};

/// The loops of a level. Throws errc::argument where it is not available.
ANEMONE_API const contraction_kernels& contraction_kernels_for(isa_level level);

/// The loops of this machine's best level, chosen once.
ANEMONE_API const contraction_kernels& best_contraction_kernels();

/// How a contraction is carried out. The bits do not depend on it.
struct execution {
    const contraction_kernels& kernels = best_contraction_kernels();
    int threads = 1; ///< at most; a small contraction takes one
};

} // namespace ane::numerics::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "contraction_kernels.ipp"
#endif
