#pragma once

#include "attention.hpp"
#include "gemm.hpp"
#include "softmax.hpp"

#include <cstdint>
#include <vector>

namespace ane::cpu::inline ANEMONE_WAY {

ANEMONE_BODY void attention(const kernel_table& table, const attention_shape& s, const half* q, const half* k,
                            const half* v, const half* mask, half* out) {
    const packed_matrix keys = pack(table, matmul_shape{1, s.rows, s.keys, s.depth, false, true, 0, 0}, k);
    const packed_matrix values = pack(table, matmul_shape{1, s.rows, s.depth, s.keys, false, false, 0, 0}, v);
    const std::vector<float> queries = detail::to_floats(table, q, s.rows * s.depth);
    std::vector<float> blocks;
    detail::append_blocks(blocks, s.rows, s.depth, [&](std::int64_t r, std::int64_t t) {
        return queries[static_cast<std::size_t>(r * s.depth + t)];
    });
    std::vector<float> scores(static_cast<std::size_t>(s.rows * s.keys));
    detail::multiply(table, s.rows, blocks, keys, keys.panels.data(),
                     [&](std::int64_t r, std::int64_t c, std::int64_t columns, const float* sums) {
                         table.affine(sums, scores.data() + r * s.keys + c, columns, 0.0F, s.scale, 0.0F);
                     });
    const std::vector<float> added = detail::to_floats(table, mask, mask == nullptr ? 0 : s.mask_rows * s.mask_keys);
    for (std::int64_t r = 0; r < s.rows; ++r) {
        float* const row = scores.data() + r * s.keys;
        if (mask != nullptr) {
            const float* const from = added.data() + (s.mask_rows == 1 ? 0 : r * s.mask_keys);
            table.binary(op::add, row, 1, from, s.mask_keys == 1 ? 0 : 1, row, s.keys);
        }
        detail::softmax_row(table, row, s.keys);
    }
    blocks.clear();
    detail::append_blocks(blocks, s.rows, s.keys, [&](std::int64_t r, std::int64_t t) {
        return scores[static_cast<std::size_t>(r * s.keys + t)];
    });
    detail::multiply(table, s.rows, blocks, values, values.panels.data(),
                     [&](std::int64_t r, std::int64_t c, std::int64_t columns, const float* sums) {
                         table.to_half(sums, out + r * s.depth + c, columns);
                     });
}

} // namespace ane::cpu::inline ANEMONE_WAY
