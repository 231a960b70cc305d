#pragma once

#include "../graph/sequence.hpp"

#include <cstddef>

namespace ane::detail {

/// Numbers in a row, to ranges of which something is added, and the least of a range: log n steps each (a segment tree
/// whose inner nodes hold what is added to all below them).
class least_sums {
public:
    static constexpr double none = 1e300; ///< of a place that was not set

    struct place {
        double value = none;
        std::size_t index = 0;
    };

    constexpr explicit least_sums(std::size_t count) {
        while (leaves_ < count) {
            leaves_ *= 2;
        }
        low_ = sequence<place>(2 * leaves_);
        added_ = sequence<double>(2 * leaves_, 0);
        for (std::size_t i = 0; i < leaves_; ++i) {
            low_[leaves_ + i].index = i;
        }
        for (std::size_t node = leaves_ - 1; node > 0; --node) {
            low_[node].index = low_[2 * node].index;
        }
    }

    constexpr void set(std::size_t index, double value) {
        std::size_t node = leaves_ + index;
        double above = 0;
        for (std::size_t up = node / 2; up > 0; up /= 2) {
            above += added_[up];
        }
        low_[node].value = value - above;
        while ((node /= 2) > 0) {
            renew(node);
        }
    }
    /// To all from first to last, which are nothing where last comes first.
    constexpr void add(std::size_t first, std::size_t last, double value) {
        if (first <= last && value != 0) {
            add_below(1, 0, leaves_ - 1, {first, last}, value);
        }
    }
    /// The first of the least from first to last.
    constexpr place least(std::size_t first, std::size_t last) const {
        return first <= last ? least_below(1, 0, leaves_ - 1, {first, last}) : place{};
    }

private:
    struct range {
        std::size_t first;
        std::size_t last;
    };

    constexpr void renew(std::size_t node) {
        const place& left = low_[2 * node];
        const place& right = low_[2 * node + 1];
        low_[node] = right.value < left.value ? right : left;
        low_[node].value += added_[node];
    }
    constexpr void add_below(std::size_t node, std::size_t from, std::size_t to, const range& r, double value) {
        if (r.first <= from && to <= r.last) {
            low_[node].value += value;
            added_[node] += value;
            return;
        }
        const std::size_t middle = from + (to - from) / 2;
        if (r.first <= middle) {
            add_below(2 * node, from, middle, r, value);
        }
        if (r.last > middle) {
            add_below(2 * node + 1, middle + 1, to, r, value);
        }
        renew(node);
    }
    constexpr place least_below(std::size_t node, std::size_t from, std::size_t to, const range& r) const {
        if (r.first <= from && to <= r.last) {
            return low_[node];
        }
        const std::size_t middle = from + (to - from) / 2;
        place found;
        if (r.first <= middle) {
            found = least_below(2 * node, from, middle, r);
        }
        if (r.last > middle) {
            const place right = least_below(2 * node + 1, middle + 1, to, r);
            found = right.value < found.value ? right : found;
        }
        found.value += added_[node];
        return found;
    }

    std::size_t leaves_ = 1;
    sequence<place> low_;    // by node: the least below it; the root is node 1, the leaves come last
    sequence<double> added_; // by inner node: to all below it
};

} // namespace ane::detail
