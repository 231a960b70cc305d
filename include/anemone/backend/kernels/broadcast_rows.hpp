#pragma once

#include "../../base/way.hpp"
#include "../../graph/strided.hpp"
#include "loop_nest.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace ane::kernels::inline ANEMONE_WAY {

/// Calls row(first element of the result, first elements of the operands, their steps, length) for rows of the result
/// along which every operand that broadcasts to it is dense (step 1) or one number (step 0).
template <std::size_t Operands, class Row>
void for_each_broadcast_row(const extents& result, const std::array<extents, Operands>& operands, const Row& row) {
    loop_nest<Operands + 1> nest{result, {}};
    nest.strides[0] = row_major_strides(result);
    for (std::size_t k = 0; k < Operands; ++k) {
        nest.strides[k + 1] = ane::detail::broadcast_strides(result, operands[k]);
    }
    nest = nest.collapsed();
    std::array<std::int64_t, Operands> steps{};
    for (std::size_t k = 0; k < Operands; ++k) {
        steps[k] = nest.row_count() == 1 ? 0 : nest.row_stride(k + 1);
    }
    nest.for_each_row([&](const auto& offsets) {
        std::array<std::int64_t, Operands> from{};
        std::copy(offsets.begin() + 1, offsets.end(), from.begin());
        row(offsets[0], from, steps, nest.row_count());
    });
}

} // namespace ane::kernels::inline ANEMONE_WAY
