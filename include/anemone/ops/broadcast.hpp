#pragma once

#include "fault.hpp"

namespace ane::detail {

/// The common shape of two operands: axes are matched from the last; extents are equal or one of them is 1 (R026).
constexpr inferred broadcast(const extents& a, const extents& b) {
    inferred r;
    r.shape.rank = a.rank > b.rank ? a.rank : b.rank;
    for (int i = 0; i < r.shape.rank; ++i) {
        const std::int64_t ea = a.from_last(i);
        const std::int64_t eb = b.from_last(i);
        r.require(ea == eb || ea == 1 || eb == 1, fault::extents_must_be_equal_or_one_R026, ea, eb);
        r.shape[r.shape.rank - 1 - i] = ea == 1 ? eb : ea;
    }
    return r;
}

} // namespace ane::detail
