#pragma once

#include "../../base/way.hpp"
#include "../../graph/graph.hpp"
#include "../../graph/strided.hpp"
#include "../../values/half.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

/// Order along one axis: sort, arg_sort, top_k and top_k_indices.
namespace ane::kernels::inline ANEMONE_WAY {

/// Sort keys of fp16 values: for numbers, a < b exactly if key(a) < key(b). The zeros share one place; NaN stands above
/// +infinity, where PyTorch and NumPy have it.
constexpr std::uint16_t order_key(half x) noexcept {
    constexpr unsigned sign = 0x8000U;
    if (is_nan(x)) {
        return 0xFFFFU;
    }
    if ((x.bits & 0x7FFFU) == 0) {
        return static_cast<std::uint16_t>(sign);
    }
    return static_cast<std::uint16_t>((x.bits & sign) != 0 ? ~static_cast<unsigned>(x.bits) : x.bits | sign);
}

/// Ranks the elements of rows. Equal elements keep their order, ascending and descending alike (ONNX TopK: the lower
/// index comes first), so the answer is unique and does not depend on the sorting algorithm.
class ranking {
public:
    explicit ranking(const selection& s) : first_(static_cast<std::size_t>(s.k)), flip_(s.ascending ? 0U : 0xFFFFU) {}

    /// Finds the indices of the first k elements in order: index(i) for i below k.
    void rank(const std::vector<half>& row) {
        entries_.clear();
        for (const half x : row) {
            const std::uint64_t key = order_key(x) ^ flip_;
            entries_.push_back(key << 48U | entries_.size()); // no two are equal
        }
        const auto end = entries_.begin() + static_cast<std::ptrdiff_t>(first_);
        if (end != entries_.end()) {
            std::nth_element(entries_.begin(), end, entries_.end());
        }
        std::sort(entries_.begin(), end);
    }
    std::int64_t index(std::int64_t i) const {
        return static_cast<std::int64_t>(entries_[static_cast<std::size_t>(i)] & 0xFFFF'FFFF'FFFFU);
    }

private:
    std::size_t first_;
    unsigned flip_;
    std::vector<std::uint64_t> entries_;
};

/// sort and top_k (values), arg_sort and top_k_indices (where they stood, rounded to fp16: exact up to 2048) of every
/// row along the selection's axis. `entered(value)` is the value as the arithmetic reads it, before it is compared.
template <class Entered>
void rank_rows(op kind, const selection& s, const extents& shape, const half* x, half* y, const Entered& entered) {
    const int along = normalized_axis(s.axis, shape.rank);
    const bool places = kind == op::arg_sort || kind == op::top_k_indices;
    ranking order(s);
    std::vector<half> row;
    ane::detail::for_each_row(
        shape, along, [&](std::int64_t, std::int64_t begin, std::int64_t count, std::int64_t stride) {
            row.clear();
            for (std::int64_t i = 0; i < count; ++i) {
                row.push_back(entered(x[begin + i * stride]));
            }
            order.rank(row);
            half* const to = y + begin / (count * stride) * s.k * stride + begin % stride;
            for (std::int64_t i = 0; i < s.k; ++i) {
                const std::int64_t from = order.index(i);
                to[i * stride] = places ? half(static_cast<double>(from)) : row[static_cast<std::size_t>(from)];
            }
        });
}

} // namespace ane::kernels::inline ANEMONE_WAY
