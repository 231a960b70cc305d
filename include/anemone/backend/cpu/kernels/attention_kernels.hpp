#pragma once

#include "../../../base/way.hpp"
#include "../../../values/half.hpp"

#include <cstdint>

namespace ane::cpu::inline ANEMONE_WAY {

/// What becomes of a product of a query and a key: scale * product + mask.
struct score_terms {
    float scale = 1;
    const half* mask = nullptr; ///< of the first row and key, or null
    std::int64_t row_step = 0;  ///< 0 where one row is for all queries
    std::int64_t key_step = 1;  ///< 0 or 1
};

/// The row-wise loops of attention over a block of keys.
struct attention_kernels {
    /// Turns the products of `rows` queries (product_step apart) with `keys` keys into e^(score - largest score so far).
    /// `largest` and `total` hold, for each query, the largest score of the blocks before and the sum of such powers;
    /// they are brought up to date, and so is `out`, the sums of values, [rows][depth]: all have been relative to another
    /// largest score. Whole 16s of keys and depth are read and written. `known` may hold the largest products of the
    /// first `counted` keys, whole 16s, as product_results::largest does: without a mask, and if the scale is positive; `largest` is
    /// then that of the products in all blocks.
    void (*weigh)(std::int64_t rows, std::int64_t keys, const score_terms& terms, float* scores, const float* known,
                  std::int64_t counted, float* largest, float* total, float* out, std::int64_t out_step,
                  std::int64_t depth) = nullptr;
    /// row[j] *= 1 / by; whole 16s are read and written.
    void (*divide)(float* row, float by, std::int64_t count) = nullptr;
};

} // namespace ane::cpu::inline ANEMONE_WAY

namespace ane::cpu::detail::inline ANEMONE_WAY {

/// The bits of as many fp32 numbers.
// NOLINTBEGIN(modernize-use-using): g++ takes the attribute on a typedef
template <int Lanes> struct score_bits;
template <> struct score_bits<4> { typedef std::uint32_t type __attribute__((vector_size(16))); };
template <> struct score_bits<8> { typedef std::uint32_t type __attribute__((vector_size(32))); };
template <> struct score_bits<16> { typedef std::uint32_t type __attribute__((vector_size(64))); };
// NOLINTEND(modernize-use-using)

} // namespace ane::cpu::detail::inline ANEMONE_WAY
