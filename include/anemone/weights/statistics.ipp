#pragma once

#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "../passes/print.hpp"
#include "convert.hpp"
#include "statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace ane::detail::inline ANEMONE_WAY {

ANEMONE_INLINE double magnitude(half value) noexcept { return std::fabs(static_cast<double>(value)); }

/// Throws `error` (errc::argument) unless there is one value for each element.
ANEMONE_INLINE void require_elements(const extents& shape, std::span<const half> values) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    if (shape.rank < 0 || shape.rank > extents::capacity) {
        throw error(errc::argument, "statistics",
                    formatted("a tensor of rank {}, at most {}", shape.rank, extents::capacity));
    }
    std::int64_t count = 1;
    for (int i = 0; i < shape.rank; ++i) {
        const std::int64_t extent = shape[i] > 0 ? shape[i] : 0; // of a negative one there is no element either
        count = extent == 0 ? 0 : (count > most / extent ? most : count * extent);
    }
    if (count != static_cast<std::int64_t>(values.size())) {
        throw error(errc::argument, "statistics",
                    formatted("{} values are given for the shape {}", values.size(), print(shape)));
    }
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY std::vector<double> l1_sums(const extents& shape, std::span<const half> values, int axis) {
    detail::require_elements(shape, values);
    if (axis < 0) {
        throw error(errc::argument, "statistics", formatted("axis {}, axes are counted from 0", axis));
    }
    std::int64_t inner = 1;
    for (int i = axis + 1; i < shape.rank; ++i) {
        inner *= shape[i];
    }
    const auto count = static_cast<std::size_t>(axis < shape.rank ? shape[axis] : 1);
    std::vector<double> sums(count, 0.0);
    const auto block = static_cast<std::size_t>(inner);
    for (std::size_t i = 0; i < values.size();) {
        double& sum = sums[i / block % count]; // a block of elements belongs to one index
        for (const std::size_t end = i + block; i < end; ++i) {
            sum += detail::magnitude(values[i]);
        }
    }
    return sums;
}

ANEMONE_BODY double root_mean_square(std::span<const half> values) {
    double sum = 0;
    for (const half value : values) {
        sum += static_cast<double>(value) * static_cast<double>(value);
    }
    return values.empty() ? 0.0 : std::sqrt(sum / static_cast<double>(values.size()));
}

ANEMONE_BODY tensor_statistics statistics_of(const extents& shape, std::span<const half> values) {
    detail::require_elements(shape, values);
    if (values.empty()) {
        return {};
    }
    const auto largest = [](const std::vector<double>& sums) { return *std::max_element(sums.begin(), sums.end()); };
    const auto [low, high] = std::minmax_element(
        values.begin(), values.end(), [](half a, half b) { return static_cast<double>(a) < static_cast<double>(b); });
    return {.low = static_cast<double>(*low) + 0.0, // no negative zero
            .high = static_cast<double>(*high) + 0.0,
            .row_l1 = largest(l1_sums(shape, values, 0)),
            .column_l1 = largest(l1_sums(shape, values, 1)),
            .deviation = root_mean_square(values),
            .zeros = static_cast<double>(
                         std::count_if(values.begin(), values.end(), [](half v) { return (v.bits & 0x7FFFU) == 0; })) /
                     static_cast<double>(values.size())};
}

ANEMONE_BODY tensor_statistics statistics_of(const stored_tensor& tensor) {
    return statistics_of(tensor.shape, to_half(tensor));
}

ANEMONE_BODY std::string print(const tensor_statistics& s) {
    const auto literal = [](double value) {
        const std::string text = formatted("{}", value);
        return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
    };
    const std::string zeros = s.zeros > 0 ? ", .zeros = " + literal(s.zeros) : "";
    return formatted("{{.low = {}, .high = {}, .row_l1 = {}, .column_l1 = {}, .deviation = {}{}}}", literal(s.low),
                     literal(s.high), literal(s.row_l1), literal(s.column_l1), literal(s.deviation), zeros);
}

} // namespace ane::inline ANEMONE_WAY
