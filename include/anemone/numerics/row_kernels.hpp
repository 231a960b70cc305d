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

/// The elementwise and the reduction path on rows, for one instruction set: the bits of the functions of planar.hpp,
/// elementwise.hpp and reduction.hpp, many elements at once. `out` may be an operand. All levels give the same bits.
struct row_kernels {
    using binary_row = void (*)(const datapath& path, row_operand a, row_operand b, half* out, std::int64_t count);

    isa_level level;
    binary_row add;
    binary_row subtract;
    binary_row multiply; ///< an infinite factor is 2^16: datapath::infinite_factor is ordinary_exponent
    binary_row minimum;
    binary_row maximum;
    binary_row prelu; ///< a from 0 on, a b below; infinite factors as for multiply
    /// x scale + offset in one rounding, where all three are finite: returns how many elements were computed before the
    /// first scale_offset_block in which they are not. `out` is none of the operands.
    std::int64_t (*scale_offset)(const datapath& path, row_operand x, row_operand scale, row_operand offset, half* out,
                                 std::int64_t count);
    /// -1, 0 or 1 as a is below, equal to or above b.
    void (*order)(row_operand a, row_operand b, std::int8_t* out, std::int64_t count);
    /// What enters the engine.
    void (*entered)(const half* x, half* out, std::int64_t count);
    /// The sum of `count` values one after another; the tiles must be such that has_row_sums holds.
    reduction_sum (*sum)(const half* x, std::int64_t count);
    /// The sums of `columns` columns of `count` values, `stride` apart.
    void (*column_sums)(const half* x, std::int64_t count, std::int64_t stride, std::int64_t columns,
                        reduction_sum* out);
    /// The largest or the smallest of `count` values, at least one; of columns likewise.
    half (*extreme)(const half* x, std::int64_t count, bool largest);
    void (*column_extremes)(const half* x, std::int64_t count, std::int64_t stride, std::int64_t columns, bool largest,
                            half* out);
    /// store_sum of sums below 2^51 units in magnitude, each divided by `divisor`, for mean_rule::scale_wide_sum.
    void (*store_means)(const datapath& path, const reduction_sum* sums, std::int64_t divisor, half* out,
                        std::int64_t count);
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

/// The loops of a level. Throws errc::argument when this machine cannot run it.
ANEMONE_API const row_kernels& row_kernels_for(isa_level level);

/// The loops of this machine's best level, chosen once.
ANEMONE_API const row_kernels& best_row_kernels();

} // namespace ane::numerics::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "row_kernels.ipp"
#endif
