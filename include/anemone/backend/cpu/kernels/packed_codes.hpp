#pragma once

#include "../../../base/way.hpp"
#include "../../../graph/attribute_structs.hpp"
#include "../../../values/half.hpp"
#include "packed_matrix.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ane::cpu::inline ANEMONE_WAY {

/// A right operand that stays compressed, in the order in which products read it: a byte an element with an fp16 scale for
/// each block of terms of a column, or four bits with a table of 16 values. What they stand for are exactly the fp16 values.
struct packed_codes {
    bool nibbles = false;
    std::int64_t k = 0;
    std::int64_t block = 0; ///< terms that share a scale
    int columns = 1;
    std::vector<std::uint8_t> codes;
    std::vector<half> scales; ///< [panels][blocks][columns]
    std::array<float, 16> table{};

    bool empty() const { return codes.empty(); }
    std::int64_t term_bytes() const { return nibbles ? columns / 2 : columns; }
    std::int64_t blocks() const { return block > 0 ? (k + block - 1) / block : 0; }
    /// Of codes and scales.
    std::size_t bytes() const { return codes.size() + scales.size() * sizeof(half); }
    /// The panels from a column on, a multiple of `columns`, and from a term on.
    coded_panels panels(std::int64_t column, std::int64_t term) const {
        const std::int64_t panel = column / columns;
        coded_panels result{.nibbles = nibbles,
                            .codes = codes.data() + (panel * k + term) * term_bytes(),
                            .panel_bytes = k * term_bytes(),
                            .table = table.data()};
        if (!nibbles) {
            result.panel_scales = blocks() * columns;
            result.scales = scales.data() + panel * result.panel_scales + term / block * columns;
            result.block = block;
            result.first = block - term % block;
        }
        return result;
    }

    friend bool operator==(const packed_codes&, const packed_codes&) = default;
};

/// The codes of a weight, stored [n, k] or [k, n], that a model stores in some form: symmetric integers with a scale for
/// each output channel or, of [n, k], for each block of terms, or a palette of at most 16 values. Empty for all others,
/// where the loops of an instruction set have no fast way, and where not each value would come out bit by bit.
ANEMONE_API packed_codes pack_codes(const kernel_table& table, const matmul_shape& s, const half* b,
                                    const compression& form);

} // namespace ane::cpu::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "packed_codes.ipp"
#endif
