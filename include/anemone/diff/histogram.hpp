#pragma once

#include "../base/way.hpp"
#include "../values/half.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace ane::inline ANEMONE_WAY {

/// How many elements lie how far apart, in fp16 values between them (ulp): bin 0 holds the equal ones (+0 equals -0,
/// NaN equals NaN), bin b those of 2^(b-1) to 2^b - 1, the last those where only one is finite, or only one a NaN.
struct ulp_histogram {
    static constexpr std::size_t bins = 18;
    std::array<std::int64_t, bins> counts{};

    static constexpr std::size_t bin_of(half a, half b) noexcept {
        if (is_nan(a) && is_nan(b)) {
            return 0;
        }
        if (is_nan(a) || is_nan(b)) {
            return bins - 1;
        }
        const int distance = ulp_distance(a, b);
        if (distance != 0 && is_finite(a) != is_finite(b)) {
            return bins - 1;
        }
        return static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(distance))); // below 2^16
    }
    constexpr void add(half a, half b) noexcept { ++counts[bin_of(a, b)]; }

    constexpr std::int64_t total() const noexcept {
        std::int64_t sum = 0;
        for (const std::int64_t c : counts) {
            sum += c;
        }
        return sum;
    }
    /// The fraction of elements that differ.
    constexpr double differing() const noexcept {
        const std::int64_t all = total();
        return all == 0 ? 0 : static_cast<double>(all - counts[0]) / static_cast<double>(all);
    }
};

constexpr ulp_histogram histogram_of(std::span<const half> a, std::span<const half> b) {
    ulp_histogram h;
    for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
        h.add(a[i], b[i]);
    }
    return h;
}

} // namespace ane::inline ANEMONE_WAY
