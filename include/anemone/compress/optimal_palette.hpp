#pragma once

#include "../base/cancellation.hpp"
#include "../base/way.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

/// The palette of the least squared error, exactly: values of one dimension in order, each centre's are neighbours, so
/// that the best division is found by dynamic programming. Lloyd's algorithm (weights/formats/palette.hpp) ends where it
/// cannot improve by single steps.
namespace ane::compress::inline ANEMONE_WAY {

struct weighed_value {
    double value = 0;
    double weight = 0; ///< how often it occurs, or how much its error costs
};

/// The sum of weighed squared distances of a run of values from their mean, from sums before each.
class run_costs {
public:
    ANEMONE_INLINE explicit run_costs(std::span<const weighed_value> sorted) {
        weight_.push_back(0);
        first_.push_back(0);
        second_.push_back(0);
        for (const weighed_value& v : sorted) {
            weight_.push_back(weight_.back() + v.weight);
            first_.push_back(first_.back() + v.weight * v.value);
            second_.push_back(second_.back() + v.weight * v.value * v.value);
        }
    }
    /// Of the values [begin, end).
    ANEMONE_INLINE double cost(std::size_t begin, std::size_t end) const {
        const double w = weight_[end] - weight_[begin];
        const double s = first_[end] - first_[begin];
        return w > 0 ? std::max(0.0, second_[end] - second_[begin] - s * s / w) : 0;
    }
    ANEMONE_INLINE double mean(std::size_t begin, std::size_t end) const {
        return (first_[end] - first_[begin]) / (weight_[end] - weight_[begin]);
    }

private:
    std::vector<double> weight_, first_, second_;
};

/// The centres, ascending and at most `entries`, that sorted distinct values of positive weight are closest to. Takes
/// entries * n log n steps and entries * n numbers.
ANEMONE_INLINE std::vector<double> optimal_centres(std::span<const weighed_value> sorted, std::size_t entries) {
    const std::size_t n = sorted.size();
    const std::size_t parts = std::min(entries, n);
    if (parts == 0) {
        return {};
    }
    const run_costs runs(sorted);
    std::vector<double> before(n + 1, std::numeric_limits<double>::infinity()); // the first i values in so many parts
    before[0] = 0;
    std::vector<std::vector<std::uint32_t>> last(parts); // where the last part of the first i values begins
    struct range {
        std::size_t low, high;   // of i
        std::size_t least, most; // of where its last part begins
    };
    for (std::size_t part = 0; part < parts; ++part) {
        std::vector<double> now(n + 1, std::numeric_limits<double>::infinity());
        last[part].assign(n + 1, 0);
        // The beginning never falls as i grows: the middle one bounds both halves.
        std::vector<range> open{{part + 1, n, part, n - 1}};
        ane::detail::stop_if_cancelled();
        while (!open.empty()) {
            const range r = open.back();
            open.pop_back();
            if (r.low > r.high) {
                continue;
            }
            const std::size_t i = r.low + (r.high - r.low) / 2;
            std::size_t best = std::max(r.least, part);
            for (std::size_t begin = best; begin <= std::min(r.most, i - 1); ++begin) {
                const double total = before[begin] + runs.cost(begin, i);
                if (total < now[i]) {
                    now[i] = total;
                    best = begin;
                }
            }
            last[part][i] = static_cast<std::uint32_t>(best);
            open.push_back({i + 1, r.high, best, r.most});
            open.push_back({r.low, i - 1, r.least, best});
        }
        before = std::move(now);
    }
    std::vector<double> centres(parts);
    std::size_t end = n;
    for (std::size_t part = parts; part-- > 0;) {
        const std::size_t begin = last[part][end];
        centres[part] = runs.mean(begin, end);
        end = begin;
    }
    return centres;
}

} // namespace ane::compress::inline ANEMONE_WAY
