#pragma once

#include "../base/error.hpp"

#include <cstdint>
#include <string>

namespace ane {

/// The loss scale over the steps of a training whose step takes it as an input (`dynamic_loss_scale`): halved by a step in
/// which a gradient was not finite, which changes no weight, and doubled after `growth` steps without one. Cotangents
/// below 6e-8 are zeros, those above 65504 are infinite.
struct scale_schedule {
    double first = 1024;
    std::int64_t growth = 1000;
    double least = 1. / 1024; ///< a gradient that is not finite at this scale ends the training
    double most = 32768;      ///< the largest power of two that fp16 holds

    /// Throws `error` (errc::argument) for numbers that are none of these.
    void check() const {
        if (!(least >= 1. / 16384 && least <= first && first <= most && most <= 32768)) {
            throw error(errc::argument, "loss scale",
                        "is " + std::to_string(first) + ", must lie within " + std::to_string(least) + " to " +
                            std::to_string(most) + ", and these within 2^-14 to 32768");
        }
        if (growth < 1) {
            throw error(errc::argument, "loss scale",
                        "grows after " + std::to_string(growth) + " steps, must be 1 or more");
        }
    }

    friend bool operator==(const scale_schedule&, const scale_schedule&) = default;
};

/// The scale as it is before a step.
struct scale_state {
    double scale = 1;
    std::int64_t good = 0; ///< finite steps since it last changed

    /// Makes it that of the next step. False where there is none that would help: it is as small as it may be.
    bool advance(const scale_schedule& by, bool finite) {
        if (!finite) {
            good = 0;
            const bool smaller = scale / 2 >= by.least;
            scale = smaller ? scale / 2 : scale;
            return smaller;
        }
        if (++good >= by.growth && scale * 2 <= by.most) {
            scale *= 2;
            good = 0;
        }
        return true;
    }

    friend bool operator==(const scale_state&, const scale_state&) = default;
};

} // namespace ane
