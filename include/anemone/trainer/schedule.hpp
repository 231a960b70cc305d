#pragma once

#include "../base/error.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>

/// Learning rates over the steps of a training: the host gives one number to each step.
namespace ane {

enum class rate_form : std::uint8_t {
    constant,
    cosine, ///< half a period of a cosine, from the rate to its last part
    linear  ///< a straight line between the same
};

/// The rate of step s of n, from 0 on: rate (s + 1) / (w + 1) in the first w steps, the warm-up; then, with
/// t = (s - w) / max(n - w - 1, 1),
///
///     constant   rate
///     cosine     rate (l + (1 - l) (1 + cos(pi t)) / 2)
///     linear     rate (1 - (1 - l) t)
///
/// where l is `last`, the part of the rate that the last step has.
struct rate_schedule {
    double rate = 1e-3;
    rate_form form = rate_form::constant;
    std::int64_t warm_up = 0; ///< steps
    double last = 0;

    /// Throws `error` (errc::argument) for a rate that is not above 0 and finite, a warm-up below 0 and a last part outside
    /// of 0 to 1.
    void check() const {
        if (!(rate > 0) || !std::isfinite(rate)) {
            throw error(errc::argument, "rate", "is " + std::to_string(rate) + ", must be finite and above 0");
        }
        if (warm_up < 0) {
            throw error(errc::argument, "warm-up", "is " + std::to_string(warm_up) + " steps, must be 0 or more");
        }
        if (!(last >= 0 && last <= 1)) {
            throw error(errc::argument, "last part of the rate",
                        "is " + std::to_string(last) + ", must be between 0 and 1");
        }
    }

    double at(std::int64_t step, std::int64_t steps) const {
        if (step < warm_up) {
            return rate * static_cast<double>(step + 1) / static_cast<double>(warm_up + 1);
        }
        const double t = std::min(1.0, static_cast<double>(step - warm_up) /
                                           static_cast<double>(std::max<std::int64_t>(steps - warm_up - 1, 1)));
        switch (form) {
        case rate_form::cosine: return rate * (last + (1 - last) * (1 + std::cos(std::numbers::pi * t)) / 2);
        case rate_form::linear: return rate * (1 - (1 - last) * t);
        case rate_form::constant: break;
        }
        return rate;
    }

    friend bool operator==(const rate_schedule&, const rate_schedule&) = default;
};

} // namespace ane
