#pragma once

#include "../../../base/way.hpp"
#include "../../../graph/sequence.hpp"
#include "../../../numerics/kernel_shapes.hpp"
#include "table.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace ane::cpu::inline ANEMONE_WAY {

using numerics::matmul_shape;

/// A right operand in the order in which products read it: panels of as many columns as the instruction set's tiles
/// have, [k][columns], the last one filled with zeros; one matrix, or one for each batch. fp16, as it was.
struct packed_matrix {
    struct alignas(64) line {
        std::array<half, 32> values;
    };

    std::int64_t matrices = 0;
    std::int64_t k = 0;
    std::int64_t n = 0;
    int columns = 1;
    sequence<line> lines;

    std::int64_t panels_per_matrix() const { return (n + columns - 1) / columns; }
    std::int64_t panel_size() const { return k * columns; }
    std::size_t bytes() const {
        return static_cast<std::size_t>(matrices * panels_per_matrix() * panel_size()) * sizeof(half);
    }
    const half* matrix(std::int64_t i) const {
        return reinterpret_cast<const half*>(lines.data()) + i * panels_per_matrix() * panel_size();
    }
};

/// Prepares the right operand, [k, n] or with transpose_b [n, k], once. Throws errc::argument on a negative extent.
ANEMONE_API packed_matrix pack(const kernel_table& table, const matmul_shape& s, const half* b);

} // namespace ane::cpu::inline ANEMONE_WAY
