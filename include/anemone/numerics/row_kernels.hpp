#pragma once

#include "../base/isa.hpp"
#include "../base/way.hpp"
#include "../values/half.hpp"
#include "datapath.hpp"
#include "reduction.hpp"

#include <cstdint>

namespace ane::numerics::inline ANEMONE_WAY {

/// An operand of a row: its elements are `step` apart, 0 for one number or 1.
struct row_operand {
    const half* data;
    std::int64_t step;
};

/// Elements that scale_offset of row_kernels looks at together.
inline constexpr std::int64_t scale_offset_block = 256;

/// The elementwise and the reduction path on rows, by the loops of one instruction set: the bits of the functions of
/// planar.hpp, elementwise.hpp and reduction.hpp, many elements at once. `out` may be an operand. All levels give the same
/// bits.
struct row_kernels {
    isa_level level; ///< one that is available

    ANEMONE_API void add(const datapath& path, row_operand a, row_operand b, half* out, std::int64_t count) const;
    ANEMONE_API void subtract(const datapath& path, row_operand a, row_operand b, half* out, std::int64_t count) const;
    /// An infinite factor is 2^16: datapath::infinite_factor is ordinary_exponent.
    ANEMONE_API void multiply(const datapath& path, row_operand a, row_operand b, half* out, std::int64_t count) const;
    ANEMONE_API void minimum(const datapath& path, row_operand a, row_operand b, half* out, std::int64_t count) const;
    ANEMONE_API void maximum(const datapath& path, row_operand a, row_operand b, half* out, std::int64_t count) const;
    /// a from 0 on, a b below; infinite factors as for multiply.
    ANEMONE_API void prelu(const datapath& path, row_operand a, row_operand b, half* out, std::int64_t count) const;
    /// x scale + offset in one rounding, where all three are finite: returns how many elements were computed before the
    /// first scale_offset_block in which they are not. `out` is none of the operands.
    ANEMONE_API std::int64_t scale_offset(const datapath& path, row_operand x, row_operand scale, row_operand offset,
                                          half* out, std::int64_t count) const;
    /// -1, 0 or 1 as a is below, equal to or above b.
    ANEMONE_API void order(row_operand a, row_operand b, std::int8_t* out, std::int64_t count) const;
    /// What enters the engine.
    ANEMONE_API void entered(const half* x, half* out, std::int64_t count) const;
    /// The sum of `count` values one after another; the tiles must be such that has_row_sums holds.
    ANEMONE_API reduction_sum sum(const half* x, std::int64_t count) const;
    /// The sums of `columns` columns of `count` values, `stride` apart.
    ANEMONE_API void column_sums(const half* x, std::int64_t count, std::int64_t stride, std::int64_t columns,
                                 reduction_sum* out) const;
    /// The largest or the smallest of `count` values, at least one; of columns likewise.
    ANEMONE_API half extreme(const half* x, std::int64_t count, bool largest) const;
    ANEMONE_API void column_extremes(const half* x, std::int64_t count, std::int64_t stride, std::int64_t columns,
                                     bool largest, half* out) const;
    /// store_sum of sums below 2^51 units in magnitude, each divided by `divisor`, for mean_rule::scale_wide_sum.
    ANEMONE_API void store_means(const datapath& path, const reduction_sum* sums, std::int64_t divisor, half* out,
                                 std::int64_t count) const;
};

/// Whether the loops know this arithmetic's sums: tiles of four lanes, aligned to 12 bits by truncation.
constexpr bool has_row_sums(const datapath& path) noexcept {
    return path.reduction_tile == 4 && path.reduction_significand_bits == 12 &&
           path.reduction_alignment == alignment_rule::truncate;
}

/// Whether they know its products.
constexpr bool has_row_products(const datapath& path) noexcept {
    return path.infinite_factor == infinity_rule::ordinary_exponent;
}

/// The loops of a level. Throws errc::argument where it is not available.
ANEMONE_API row_kernels row_kernels_for(isa_level level);

/// The loops of this machine's best level.
ANEMONE_API row_kernels best_row_kernels();

} // namespace ane::numerics::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "row_kernels.ipp"
#endif
