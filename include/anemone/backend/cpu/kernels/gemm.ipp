#pragma once

#include "../../../base/formatted.hpp"
#include "gemm.hpp"
#include "product_blocks.hpp"
#include "slab.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace ane::cpu::detail::inline ANEMONE_WAY {

/// The products of a shape by the calling thread; right(i) gives the right matrix of one.
template <class Right>
void multiply_all(const kernel_table& table, const matmul_shape& s, const half* a, const half* bias, half* out,
                  const Right& right) {
    require(s.batch >= 0 && s.m >= 0 && s.n >= 0 && s.k >= 0, "matmul",
            [&] { return formatted("batch {}, m {}, n {} or k {} is negative", s.batch, s.m, s.n, s.k); });
    const product_extents extents{s.m, s.n, s.k, s.transpose_a};
    sequence<packed_matrix::line> scratch(
        static_cast<std::size_t>((product_scratch(extents).bytes() + 63) / std::int64_t{sizeof(packed_matrix::line)}));
    worker_threads workers;
    workers.own = reinterpret_cast<std::byte*>(scratch.data());
    const std::vector<float> added = to_floats(table, bias, s.n);
    multiply(
        table, extents, s.batch, workers, [&](std::int64_t i) { return std::pair(a + i * s.a_batch_stride, right(i)); },
        [&](std::int64_t i, float* sums, std::int64_t row, std::int64_t column, std::int64_t count) {
            if (bias != nullptr) {
                table.binary(op::add, sums, 1, added.data() + column, 1, sums, count);
            }
            table.to_half(sums, out + (i * s.m + row) * s.n + column, count);
        },
        [&](std::int64_t i) {
            return finished_results{
                {.out = out + i * s.m * s.n}, s.n, bias == nullptr ? nullptr : added.data(), nullptr};
        });
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

namespace ane::cpu::inline ANEMONE_WAY {

ANEMONE_BODY packed_matrix pack(const kernel_table& table, const matmul_shape& s, const half* b) {
    detail::require(s.batch >= 0 && s.m >= 0 && s.n >= 0 && s.k >= 0, "matmul",
                    [&] { return formatted("batch {}, m {}, n {} or k {} is negative", s.batch, s.m, s.n, s.k); });
    packed_matrix packed;
    packed.matrices = s.b_batch_stride == 0 ? std::min<std::int64_t>(s.batch, 1) : s.batch;
    packed.k = s.k;
    packed.n = s.n;
    packed.columns = table.products.columns;
    const std::int64_t columns = packed.columns;
    const std::int64_t size = packed.panels_per_matrix() * packed.panel_size();
    packed.lines = sequence<packed_matrix::line>(static_cast<std::size_t>((packed.matrices * size + 31) / 32));
    std::vector<float> part(static_cast<std::size_t>(product_terms * columns));
    for (std::int64_t i = 0; i < packed.matrices; ++i) {
        for (std::int64_t c = 0; c < s.n; c += columns) {
            half* const panel = reinterpret_cast<half*>(packed.lines.data()) + i * size + c * s.k;
            const std::int64_t count = std::min(columns, s.n - c);
            for (std::int64_t t = 0; t < s.k; t += product_terms) {
                const std::int64_t terms = std::min(product_terms, s.k - t);
                const half* const from = b + i * s.b_batch_stride + (s.transpose_b ? c * s.k + t : t * s.n + c);
                (s.transpose_b ? table.products.widen_turned : table.products.widen)(
                    from, s.transpose_b ? s.k : s.n, terms, count, part.data(), columns, columns);
                table.to_half(part.data(), panel + t * columns, terms * columns);
            }
        }
    }
    return packed;
}

ANEMONE_BODY void matmul(const kernel_table& table, const matmul_shape& s, const half* a, const packed_matrix& b,
                         const half* bias, half* out) {
    const std::int64_t needed = s.b_batch_stride == 0 ? std::min<std::int64_t>(s.batch, 1) : s.batch;
    detail::require(
        b.k == s.k && b.n == s.n && b.matrices >= needed && b.columns == table.products.columns, "matmul", [&] {
            return formatted("B is packed as {} of [{}, {}] by {} columns, the product needs {} of [{}, {}] by {}",
                             b.matrices, b.k, b.n, b.columns, needed, s.k, s.n, table.products.columns);
        });
    detail::multiply_all(table, s, a, bias, out, [&](std::int64_t i) {
        return detail::right_matrix{b.matrix(s.b_batch_stride == 0 ? 0 : i), true, false};
    });
}

ANEMONE_BODY void matmul(const kernel_table& table, const matmul_shape& s, const half* a, const half* b,
                         const half* bias, half* out) {
    detail::multiply_all(table, s, a, bias, out, [&](std::int64_t i) {
        return detail::right_matrix{b + i * s.b_batch_stride, false, s.transpose_b};
    });
}

} // namespace ane::cpu::inline ANEMONE_WAY
