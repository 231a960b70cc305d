#pragma once

#include "isa.hpp"

#include <cstddef>

namespace ane::detail {

/// Calls `each(index)` for 0 to count - 1, most of them in loops of a constant count: at -O2 compilers make vector code of
/// those alone. What `each` adds up must not depend on the order.
template <class Each> ANEMONE_CPU_INLINE constexpr void in_blocks(std::size_t count, const Each& each) {
    constexpr std::size_t block = 128;
    std::size_t i = 0;
    for (; i + block <= count; i += block) {
        for (std::size_t k = 0; k < block; ++k) {
            each(i + k);
        }
    }
    for (; i < count; ++i) {
        each(i);
    }
}

} // namespace ane::detail
