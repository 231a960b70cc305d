#pragma once

#include "../graph/graph.hpp"

#include <cstdint>
#include <span>

/// What the search for padding (padding.hpp) knows of one value, and what it compares.
namespace ane::detail {

/// Axes as bits: what is known of the padding of one value.
struct padded_axes {
    std::uint32_t along = 0;  ///< there is padding along these
    std::uint32_t zero = 0;   ///< and it is zero (false)
    std::uint32_t hidden = 0; ///< and its exponential is zero beside the others'
};

/// e^-100 is nothing beside 1, in fp32 too.
inline constexpr double hidden_below = 100;

/// The axes of an operand as those of a result of higher rank, to which it broadcasts.
constexpr std::uint32_t broadcast_axes(std::uint32_t bits, int operand_rank, int result_rank) {
    return result_rank >= operand_rank ? bits << static_cast<unsigned>(result_rank - operand_rank) : bits;
}

/// Whether two graphs have the same operations with the same operands and names; extents and attributes may differ.
constexpr bool same_structure(const graph_view& one, const graph_view& other) {
    if (one.size() != other.size() || one.outputs.size() != other.outputs.size()) {
        return false;
    }
    for (int i = 0; i < one.size(); ++i) {
        const node& a = one[i];
        const node& b = other[i];
        if (a.kind != b.kind || a.shape.rank != b.shape.rank || a.operands.count != b.operands.count ||
            one.name(i) != other.name(i)) {
            return false;
        }
        for (int k = 0; k < a.operands.count; ++k) {
            if (one.operand_pool.data()[a.operands.first + k] != other.operand_pool.data()[b.operands.first + k]) {
                return false;
            }
        }
    }
    return true;
}

/// Whether all values are one, which is then stored in `value`.
constexpr bool is_number(std::span<const float> values, double& value) {
    for (const float v : values) {
        if (v != values.front()) {
            return false;
        }
    }
    value = static_cast<double>(values.front());
    return true;
}

} // namespace ane::detail
