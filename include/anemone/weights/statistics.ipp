#pragma once

#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "../passes/print.hpp"
#include "half_elements.hpp"
#include "statistics.hpp"
#include "statistics_sum.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

namespace ane::detail::inline ANEMONE_WAY {

/// Gives a sum all magnitudes.
template <class Sum> void add_magnitudes(Sum& sum, std::span<const half> values) {
    constexpr std::size_t piece = 4096;
    std::vector<float> magnitudes;
    for (; !values.empty(); values = values.subspan(magnitudes.size())) {
        magnitudes.resize(std::min(piece, values.size()));
        for (std::size_t i = 0; i < magnitudes.size(); ++i) {
            magnitudes[i] = std::fabs(static_cast<float>(values[i]));
        }
        sum.add(magnitudes);
    }
}

/// Throws `error` (errc::argument) unless there is one value for each element.
ANEMONE_INLINE void require_elements(const extents& shape, std::size_t values) {
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
    if (count != static_cast<std::int64_t>(values)) {
        throw error(errc::argument, "statistics",
                    formatted("{} values are given for the shape {}", values, print(shape)));
    }
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY std::vector<double> l1_sums(const extents& shape, std::span<const half> values, int axis) {
    detail::require_elements(shape, values.size());
    if (axis < 0) {
        throw error(errc::argument, "statistics", formatted("axis {}, axes are counted from 0", axis));
    }
    detail::axis_sums sums(shape, axis);
    detail::add_magnitudes(sums, values);
    return sums.sums();
}

ANEMONE_BODY double root_mean_square(std::span<const half> values) {
    detail::square_sum squares;
    detail::add_magnitudes(squares, values);
    return values.empty() ? 0.0 : std::sqrt(squares.sum() / static_cast<double>(values.size()));
}

ANEMONE_BODY tensor_statistics statistics_of(const extents& shape, std::span<const half> values) {
    detail::require_elements(shape, values.size());
    if (values.empty()) {
        return {};
    }
    detail::statistics_sum sum(shape);
    sum.add(values);
    return sum.result();
}

ANEMONE_BODY tensor_statistics statistics_of(const stored_tensor& tensor) {
    detail::require_elements(tensor.shape, tensor.bytes.size() / static_cast<std::size_t>(ane::bytes(tensor.type, 1)));
    std::optional<detail::statistics_sum> sum;
    if (!tensor.bytes.empty()) {
        sum.emplace(tensor.shape);
    }
    detail::each_half(tensor, [&](std::span<const half> elements, std::int64_t) { sum->add(elements); });
    return sum ? sum->result() : tensor_statistics{};
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
