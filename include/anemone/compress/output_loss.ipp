#pragma once

#include "output_loss.hpp"

#include <cmath>
#include <cstddef>
#include <limits>

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY double relative_error(const model_results& want, const model_results& got) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (want.size() != got.size()) {
        return infinity;
    }
    double moved = 0;
    double size = 0;
    for (std::size_t run = 0; run < want.size(); ++run) {
        if (want[run].size() != got[run].size()) {
            return infinity;
        }
        for (std::size_t port = 0; port < want[run].size(); ++port) {
            if (want[run][port].size() != got[run][port].size()) {
                return infinity;
            }
            for (std::size_t i = 0; i < want[run][port].size(); ++i) {
                const auto w = static_cast<double>(want[run][port][i]);
                const auto g = static_cast<double>(got[run][port][i]);
                if (!std::isfinite(w) || !std::isfinite(g)) {
                    if (w != g && !(std::isnan(w) && std::isnan(g))) {
                        return infinity;
                    }
                    continue;
                }
                moved += (g - w) * (g - w);
                size += w * w;
            }
        }
    }
    return moved == 0 ? 0 : size > 0 ? std::sqrt(moved / size) : infinity;
}

} // namespace ane::inline ANEMONE_WAY
