#pragma once

#include "../../../base/way.hpp"
#include "../../../graph/attribute_structs.hpp"
#include "packed_matrix.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace ane::cpu::inline ANEMONE_WAY {

/// A right operand that stays compressed, in the order in which products read it: a byte an element with a scale for
/// each column, or four bits with a table of 16 values. What they stand for are exactly the fp16 values.
struct packed_codes {
    bool nibbles = false;
    std::int64_t k = 0;
    int columns = 1;
    std::vector<std::uint8_t> codes;
    std::vector<float> scales;
    std::vector<float> splitters;
    std::array<float, 16> table{};

    bool empty() const { return codes.empty(); }
    std::int64_t term_bytes() const { return nibbles ? columns / 2 : columns; }
    /// The panels from a column on, a multiple of `columns`, and from a term on.
    coded_panels panels(std::int64_t column, std::int64_t term) const {
        const std::int64_t panel_bytes = k * term_bytes();
        return {nibbles,
                codes.data() + column / columns * panel_bytes + term * term_bytes(),
                panel_bytes,
                nibbles ? nullptr : scales.data() + column,
                nibbles ? nullptr : splitters.data() + column,
                table.data()};
    }
};

/// The codes of a weight, stored [n, k] or [k, n], that a model stores in some form: symmetric integers with a scale for
/// each output channel, or a palette of at most 16 values. Empty for all others, where the loops of an instruction set
/// have no fast way, and where not each value would come out bit by bit.
ANEMONE_API packed_codes pack_codes(const kernel_table& table, const matmul_shape& s, const half* b,
                                    const compression& form);

} // namespace ane::cpu::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "packed_codes.ipp"
#endif
