#pragma once

#include "../targets/description.hpp"

#include <cstdint>
#include <numeric>

/// The banks of the on-chip memory (guide chapter 21; cost facts, BANK; decompiled): 64, interleaved in granules of 16
/// bytes, so that bank(address) = floor(address / 16) mod 64. Rows whose stride is a multiple of many granules meet in
/// few banks:
///
///     g = gcd(stride / 16, 64), requests = ceil(rows / (64 / g))
///
/// A stride collides when g > 1: it leaves 64 / g banks in use, one of them for strides of 1024 bytes. The engine's
/// compiler widens strides to avoid this (its cost has one entry for each bank), so a depth here is what padding has to
/// repair. Only a period of 64 bytes in the throughput was measured, not the depth.
namespace ane {

constexpr std::int64_t bank_of(std::int64_t address, const target_description& t) {
    return address / t.memory.dma_width_granule % t.memory.l2_banks;
}

/// g: how many times fewer banks the rows of a stride meet in; 1 is free of conflicts.
constexpr std::int64_t bank_sharing(std::int64_t stride, const target_description& t) {
    return std::gcd(stride / t.memory.dma_width_granule, static_cast<std::int64_t>(t.memory.l2_banks));
}

/// The requests that the busiest bank gets when `rows` rows are read at once.
constexpr std::int64_t conflict_depth(std::int64_t stride, std::int64_t rows, const target_description& t) {
    const std::int64_t banks = t.memory.l2_banks / bank_sharing(stride, t);
    return (rows + banks - 1) / banks;
}

/// The smallest stride that holds a row without conflicts: an odd number of granules. The row's own stride where the
/// wider one would exceed the largest that the compiler considers (HAL 0x1f8).
constexpr std::int64_t conflict_free_stride(std::int64_t row, const target_description& t) {
    const std::int64_t granule = t.memory.dma_width_granule;
    const std::int64_t granules = (row + granule - 1) / granule;
    const std::int64_t odd = (granules % 2 == 0 ? granules + 1 : granules) * granule;
    return odd <= t.memory.l2_max_stride ? odd : granules * granule;
}

/// The rows of a tensor in the banks.
struct bank_use {
    std::int64_t stride = 0; ///< bytes from row to row
    std::int64_t rows = 0;
    std::int64_t sharing = 1; ///< g
    std::int64_t depth = 1;   ///< requests at the busiest bank
    std::int64_t least = 1;   ///< with a stride free of conflicts: ceil(rows / 64)

    constexpr bool collides() const { return depth > least; }
};

constexpr bank_use banks_of(std::int64_t stride, std::int64_t rows, const target_description& t) {
    const std::int64_t banks = t.memory.l2_banks;
    return {stride, rows, bank_sharing(stride, t), conflict_depth(stride, rows, t), (rows + banks - 1) / banks};
}

} // namespace ane
