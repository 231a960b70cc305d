#pragma once

#include "../contract.hpp"
#include "../half.hpp"
#include "../shape.hpp"
#include "../way.hpp"
#include "store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// What the elements of a tensor are, as its contract may promise it. All figures are taken of the stored fp16 values,
/// in double precision: fp16 values are multiples of 2^-24, so a sum of magnitudes up to 2^29 is exact in any order.
namespace ane::detail::inline ANEMONE_WAY {

ANEMONE_INLINE double magnitude(half value) noexcept { return std::fabs(static_cast<double>(value)); }

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

/// Sums of |value| over everything that belongs to one index of `axis`, one for each index. A tensor that has no such
/// axis is read as if it had, with an extent of 1: the column of a vector is all of it.
ANEMONE_INLINE std::vector<double> l1_sums(const extents& shape, std::span<const half> values, int axis) {
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

/// The root of the mean of the squares: the standard deviation about zero; 0 of no elements.
ANEMONE_INLINE double root_mean_square(std::span<const half> values) {
    double sum = 0;
    for (const half value : values) {
        sum += static_cast<double>(value) * static_cast<double>(value);
    }
    return values.empty() ? 0.0 : std::sqrt(sum / static_cast<double>(values.size()));
}

/// The statistics of a tensor of finite values. `bounded_by` of them is a contract that the tensor keeps.
ANEMONE_INLINE tensor_statistics statistics_of(const extents& shape, std::span<const half> values) {
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
            .deviation = root_mean_square(values)};
}

/// The statistics of a tensor of any source type, after its conversion to fp16 (the loader's own).
ANEMONE_INLINE tensor_statistics statistics_of(const stored_tensor& tensor) {
    return statistics_of(tensor.shape, to_half(tensor));
}

/// The statistics as an initializer in C++. Each number is the shortest decimal that reads back as the same double, so
/// nothing is rounded, and the tensor keeps the contract that the text makes.
ANEMONE_INLINE std::string print(const tensor_statistics& s) {
    const auto literal = [](double value) {
        const std::string text = fmt::format("{}", value);
        return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
    };
    return fmt::format("{{.low = {}, .high = {}, .row_l1 = {}, .column_l1 = {}, .deviation = {}}}", literal(s.low),
                       literal(s.high), literal(s.row_l1), literal(s.column_l1), literal(s.deviation));
}

} // namespace ane::inline ANEMONE_WAY
