#pragma once

#include "../base/way.hpp"
#include "../folding/known_tensor.hpp"
#include "../values/half.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

/// Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// What a batch norm of known parameters does to each channel: scale x + offset.
struct batch_norm_line {
    std::vector<double> scale{};
    std::vector<double> offset{};
};

/// What readers remark where they read a batch norm as such a line.
inline constexpr std::string_view batch_norm_note =
    "batch norms with parameters that fp16 does not hold are a factor and an offset for each channel here";

/// The parameters of a batch norm as a file has them; gamma is 1 and beta 0 where they are null.
struct batch_norm_parameters {
    const folding::known_tensor* mean;
    const folding::known_tensor* variance;
    const folding::known_tensor* gamma;
    const folding::known_tensor* beta;
    double epsilon;

    /// Whether there is one of each for so many channels.
    ANEMONE_INLINE bool are_for(std::int64_t channels) const {
        const auto fits = [&](const folding::known_tensor* c) { return c == nullptr || c->count() == channels; };
        return fits(mean) && fits(variance) && fits(gamma) && fits(beta);
    }
};

/// The line, computed in double, where parameters that are rounded to fp16 first would give another one: a variance of 1e7
/// is infinite there, one of 1e-7 has two digits left. Nothing where they give the same.
ANEMONE_INLINE std::optional<batch_norm_line> line_beyond_fp16(const batch_norm_parameters& p) {
    constexpr double same = 0x1p-9; // four roundings to 11 digits
    batch_norm_line line;
    bool differs = false;
    for (std::int64_t i = 0; i < p.mean->count(); ++i) {
        const auto in = [&](auto round, const folding::known_tensor* of, double otherwise) {
            return of == nullptr ? otherwise : round(of->at(i));
        };
        const auto scale_by = [&](auto round) {
            return in(round, p.gamma, 1) / std::sqrt(in(round, p.variance, 1) + p.epsilon);
        };
        const auto exactly = [](double value) { return value; };
        const auto as_fp16 = [](double value) { return static_cast<double>(half(value)); };
        const double scale = scale_by(exactly);
        const double shift = in(exactly, p.mean, 0) * scale;
        const double beta = in(exactly, p.beta, 0);
        const double rounded_scale = scale_by(as_fp16);
        const double rounded_offset = in(as_fp16, p.beta, 0) - in(as_fp16, p.mean, 0) * rounded_scale;
        // Written so that an infinity or a NaN of the rounded ones differs.
        differs = differs || !(std::fabs(rounded_scale - scale) <= same * std::fabs(scale)) ||
                  !(std::fabs(rounded_offset - (beta - shift)) <= same * (std::fabs(beta) + std::fabs(shift)));
        line.scale.push_back(scale);
        line.offset.push_back(beta - shift);
    }
    const auto is_finite = [](double value) { return std::isfinite(value); };
    const bool is_line = std::all_of(line.scale.begin(), line.scale.end(), is_finite) &&
                         std::all_of(line.offset.begin(), line.offset.end(), is_finite);
    return differs && is_line ? std::optional(line) : std::nullopt;
}

} // namespace ane::readers::inline ANEMONE_WAY
