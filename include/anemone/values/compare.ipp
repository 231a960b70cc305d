#pragma once

#include "compare.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY difference compare(std::span<const half> a, std::span<const half> b) {
    if (a.size() != b.size()) {
        throw error(errc::argument, "compare",
                    "the tensors have " + std::to_string(a.size()) + " and " + std::to_string(b.size()) + " elements");
    }
    difference d;
    double dot = 0;
    double norm_a = 0;
    double norm_b = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const auto x = static_cast<double>(a[i]);
        const auto y = static_cast<double>(b[i]);
        if (std::isfinite(x) && std::isfinite(y)) {
            dot += x * y;
            norm_a += x * x;
            norm_b += y * y;
        }
        if (a[i].bits == b[i].bits) {
            continue;
        }
        d.same_bits = false;
        if (is_nan(a[i]) && is_nan(b[i])) {
            continue;
        }
        d.max_abs = std::max(d.max_abs, std::isnan(x - y) ? HUGE_VAL : std::fabs(x - y));
        d.max_ulp = std::max(d.max_ulp, is_nan(a[i]) || is_nan(b[i]) ? 65536 : ulp_distance(a[i], b[i]));
    }
    if (norm_a > 0 && norm_b > 0) {
        d.cosine = dot / std::sqrt(norm_a * norm_b);
    } else {
        d.cosine = norm_a == norm_b ? 1 : 0;
    }
    return d;
}

} // namespace ane::inline ANEMONE_WAY
