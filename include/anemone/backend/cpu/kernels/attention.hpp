#pragma once

#include "../../../base/way.hpp"
#include "table.hpp"

#include <cstdint>

namespace ane::cpu::inline ANEMONE_WAY {

/// One head of attention: q is [rows, depth], k and v [keys, depth]; the mask, where there is one, [rows or 1, keys or
/// 1].
struct attention_shape {
    std::int64_t rows = 0;
    std::int64_t keys = 0;
    std::int64_t depth = 0;
    float scale = 1;
    std::int64_t mask_rows = 1;
    std::int64_t mask_keys = 1;
};

/// out = softmax(scale q k^T + mask) v of one head, fp32 inside, rounded once. `mask` may be null. A key whose mask is
/// -infinity counts nothing; a row of such keys alone is NaN, as its definition 0 / 0 is, and so is a row with a NaN or
/// +infinity among its scores.
ANEMONE_API void attention(const kernel_table& table, const attention_shape& s, const half* q, const half* k,
                           const half* v, const half* mask, half* out);

} // namespace ane::cpu::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "attention.ipp"
#endif
