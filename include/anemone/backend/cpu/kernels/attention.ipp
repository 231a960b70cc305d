#pragma once

#include "attention.hpp"
#include "attention_blocks.hpp"

#include <cstddef>
#include <vector>

namespace ane::cpu::inline ANEMONE_WAY {

ANEMONE_BODY void attention(const kernel_table& table, const attention_shape& s, const half* q, const half* k,
                            const half* v, const half* mask, half* out) {
    using line = packed_matrix::line;
    const std::int64_t bytes = detail::attention_scratch(s).bytes();
    std::vector<line> scratch(static_cast<std::size_t>(bytes) / sizeof(line) + 1);
    worker_threads workers;
    workers.own = reinterpret_cast<std::byte*>(scratch.data());
    detail::attend(
        table, s, 1, workers,
        [&](std::int64_t) {
            return detail::attention_head{q, k, v, mask};
        },
        [&](std::int64_t, float* sums, std::int64_t row) { table.to_half(sums, out + row * s.depth, s.depth); });
}

} // namespace ane::cpu::inline ANEMONE_WAY
