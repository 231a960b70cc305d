#pragma once

#include "../base/error.hpp"
#include "../base/way.hpp"
#include "../graph/op.hpp"
#include "../graph/sequence.hpp"
#include "reduction.hpp"
#include "row_kernels.hpp"

#include <cstdint>

/// Reductions by the loops of row_kernels.hpp where they know the arithmetic, else by those of reduction.hpp: the same
/// bits.
namespace ane::numerics::inline ANEMONE_WAY {

/// The longest sum whose mean store_means rounds.
inline constexpr std::int64_t longest_row_mean = 2047;

/// The sum of `count` values one after another.
ANEMONE_INLINE reduction_sum row_sum(const row_kernels& kernels, const datapath& path, const half* x,
                                     std::int64_t count) {
    return has_row_sums(path) && count <= longest_reduction ? kernels.sum(x, count) : sum_reduction(path, x, count, 1);
}

/// store_sum of each.
ANEMONE_INLINE void store_sums(const row_kernels& kernels, const datapath& path, const sequence<reduction_sum>& sums,
                               std::int64_t count, std::int64_t divisor, half* out) {
    const auto results = static_cast<std::int64_t>(sums.size());
    if (count <= longest_row_mean && (divisor == 1 || path.mean == mean_rule::scale_wide_sum)) {
        kernels.store_means(path, sums.data(), divisor, out, results);
        return;
    }
    for (const reduction_sum& s : sums) {
        *out++ = store_sum(path, s, divisor);
    }
}

/// reduce of `columns` columns of `count` values, `stride` apart.
ANEMONE_INLINE void reduce_columns(const row_kernels& kernels, const datapath& path, op kind, const half* x,
                                   std::int64_t count, std::int64_t stride, std::int64_t columns, half* out) {
    const bool sums = kind == op::reduce_sum || kind == op::reduce_mean;
    if (count <= 0 || count > longest_reduction || (sums && !has_row_sums(path))) {
        for (std::int64_t c = 0; c < columns; ++c) {
            out[c] = reduce(path, kind, x + c, count, stride);
        }
    } else if (sums) {
        sequence<reduction_sum> totals(static_cast<std::size_t>(columns));
        kernels.column_sums(x, count, stride, columns, totals.data());
        store_sums(kernels, path, totals, count, kind == op::reduce_mean ? count : 1, out);
    } else {
        kernels.column_extremes(x, count, stride, columns, kind == op::reduce_max, out);
    }
}

/// reduce of `rows` rows of `count` values one behind the other.
ANEMONE_INLINE void reduce_rows(const row_kernels& kernels, const datapath& path, op kind, const half* x,
                                std::int64_t rows, std::int64_t count, half* out) {
    const bool sums = kind == op::reduce_sum || kind == op::reduce_mean;
    if (count <= 0 || count > longest_reduction || (sums && !has_row_sums(path))) {
        for (std::int64_t r = 0; r < rows; ++r) {
            out[r] = reduce(path, kind, x + r * count, count, 1);
        }
    } else if (sums) {
        sequence<reduction_sum> totals(static_cast<std::size_t>(rows));
        for (std::int64_t r = 0; r < rows; ++r) {
            totals[static_cast<std::size_t>(r)] = kernels.sum(x + r * count, count);
        }
        store_sums(kernels, path, totals, count, kind == op::reduce_mean ? count : 1, out);
    } else {
        for (std::int64_t r = 0; r < rows; ++r) {
            out[r] = kernels.extreme(x + r * count, count, kind == op::reduce_max);
        }
    }
}

} // namespace ane::numerics::inline ANEMONE_WAY
