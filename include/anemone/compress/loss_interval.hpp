#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>

namespace ane::compress {

/// Where a value lies nine times of ten.
struct loss_interval {
    double at_least = 0;
    double at_most = 0;
};

/// The 0.95 quantile of Student's t distribution; from 10 degrees of freedom on by the first term of its expansion about
/// the normal distribution's, which is off by less than 0.3 %.
inline double student_quantile(std::size_t degrees) {
    constexpr std::array<double, 9> table{6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833};
    constexpr double normal = 1.645;
    return degrees <= table.size() ? table[degrees - 1]
                                   : normal + (normal * normal * normal + normal) / (4 * static_cast<double>(degrees));
}

/// Where the loss of a further run lies, by those of several: mean and deviation, both of them estimates, of losses that
/// are not negative. None for less than 2 and for losses that are not finite.
inline std::optional<loss_interval> interval_of_next(std::span<const double> losses) {
    if (losses.size() < 2) {
        return std::nullopt;
    }
    const auto count = static_cast<double>(losses.size());
    double mean = 0;
    double lowest = 0;
    for (const double loss : losses) {
        mean += loss / count;
        lowest = std::min(lowest, loss);
    }
    double squares = 0;
    for (const double loss : losses) {
        squares += (loss - mean) * (loss - mean);
    }
    const double reach = student_quantile(losses.size() - 1) * std::sqrt(squares / (count - 1) * (1 + 1 / count));
    if (!std::isfinite(mean) || !std::isfinite(reach)) {
        return std::nullopt;
    }
    return loss_interval{std::max(mean - reach, lowest < 0 ? mean - reach : 0), mean + reach};
}

} // namespace ane::compress
