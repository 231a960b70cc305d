#pragma once

#include "../../base/error.hpp"
#include "../../base/formatted.hpp"
#include "timestep.hpp"

#include <cmath>
#include <cstddef>

namespace ane::models::inline ANEMONE_WAY {

ANEMONE_BODY std::vector<float> timestep_sines(double step, std::int64_t width) {
    if (width < 2 || width > 65536 || width % 2 != 0) {
        throw error(errc::argument, "timestep", formatted("the width {} must be even, from 2 to 65536", width));
    }
    if (!(step >= 0 && step <= 1e6)) {
        throw error(errc::argument, "timestep", formatted("the step {} must be from 0 to 1e6", step));
    }
    const auto half = static_cast<std::size_t>(width / 2);
    std::vector<float> sines(2 * half);
    for (std::size_t k = 0; k < half; ++k) {
        const double angle = step * std::exp(-std::log(10000.0) * static_cast<double>(k) / static_cast<double>(half));
        sines[k] = static_cast<float>(std::cos(angle));
        sines[half + k] = static_cast<float>(std::sin(angle));
    }
    return sines;
}

} // namespace ane::models::inline ANEMONE_WAY
