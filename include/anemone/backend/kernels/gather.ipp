#pragma once

#include "../../base/error.hpp"
#include "../../base/formatted.hpp"
#include "../../graph/graph.hpp"
#include "gather.hpp"
#include "moves.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

namespace ane::kernels::detail::inline ANEMONE_WAY {

ANEMONE_BODY std::int64_t whole_number(double value, std::int64_t place, const std::string& operation) {
    // What no tensor has is not an integer here either: the conversion below is defined.
    if (!(std::fabs(value) < 0x1p53) || value != std::floor(value)) {
        throw error(errc::argument, operation, formatted("index {} is {}, not a whole number", place, value));
    }
    return static_cast<std::int64_t>(value);
}

} // namespace ane::kernels::detail::inline ANEMONE_WAY

namespace ane::kernels::inline ANEMONE_WAY {

ANEMONE_BODY void require_indices(const graph_view& g, const node& n, const half* index, const index_reader& read) {
    if (n.kind == op::dynamic_slice) {
        dynamic_slice_shape_of(g, n).begin_at(index[0], read.operation);
    } else {
        for_each_gathered(gather_shape_of(g, n), index, read, [](std::int64_t, std::int64_t, std::int64_t) {});
    }
}

} // namespace ane::kernels::inline ANEMONE_WAY
