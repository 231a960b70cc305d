#pragma once

#include "../graph/refusal.hpp"
#include "../ranges/functions.hpp"

#include <cstdint>
#include <string_view>

/// How a weight follows its gradient g. The rate comes with each step from the host, so schedules are the host's; what keeps
/// the moments of a weight is a state of the step.
namespace ane {

enum class optimizer_kind : std::uint8_t { sgd, momentum, nesterov, adam, adamw, lion };
inline constexpr std::string_view optimizer_names[] = {"sgd", "momentum", "nesterov", "adam", "adamw", "lion"};
constexpr std::string_view name(optimizer_kind kind) { return optimizer_names[static_cast<std::size_t>(kind)]; }

/// w - rate g
struct sgd {
    double decay = 0; ///< adds decay w to g
};
/// w - rate m, m = share m + g
struct momentum {
    double share = 0.9;
    double decay = 0;
};
/// w - rate (g + share m), m = share m + g
struct nesterov {
    double share = 0.9;
    double decay = 0;
};
/// w - rate correction m / (r + epsilon), m = beta1 m + (1 - beta1) g, r^2 = beta2 r^2 + (1 - beta2) g^2.
///
/// The state holds the root r, and no square is computed that could underflow. From beta2 = 0.98 on it has a low part, since a
/// step changes it by less than an ulp then: alone, r would stay 5 % too small at 0.99 and up to 45 % at 0.999. The moments are those of the gradient times the
/// loss scale, which cancels in m / r; epsilon is added to the scaled r.
struct adam {
    double beta1 = 0.9;
    double beta2 = 0.999;
    double epsilon = 0x1p-14; ///< at least this, whose inverse is finite
    double decay = 0;         ///< adds decay w to g
};
/// adam, with the decay apart: w - rate (correction m / (r + epsilon) + decay w)
struct adamw {
    double beta1 = 0.9;
    double beta2 = 0.999;
    double epsilon = 0x1p-14;
    double decay = 0.01;
};
/// w - rate (sign(beta1 m + (1 - beta1) g) + decay w), m = beta2 m + (1 - beta2) g
struct lion {
    double beta1 = 0.9;
    double beta2 = 0.99;
    double decay = 0;
};

/// Any of them: `optimizer by = adam{.beta2 = 0.99}`.
struct optimizer {
    optimizer_kind kind = optimizer_kind::sgd;
    double beta1 = 0; ///< of the first moment; the share of `momentum` and `nesterov`
    double beta2 = 0;
    double epsilon = 0x1p-14;
    double decay = 0;

    constexpr optimizer() = default;
    // NOLINTBEGIN(google-explicit-constructor): any of them is one
    constexpr optimizer(const sgd& o) : decay(o.decay) {}
    constexpr optimizer(const momentum& o) : kind(optimizer_kind::momentum), beta1(o.share), decay(o.decay) {}
    constexpr optimizer(const nesterov& o) : kind(optimizer_kind::nesterov), beta1(o.share), decay(o.decay) {}
    constexpr optimizer(const adam& o)
        : kind(optimizer_kind::adam), beta1(o.beta1), beta2(o.beta2), epsilon(o.epsilon), decay(o.decay) {}
    constexpr optimizer(const adamw& o)
        : kind(optimizer_kind::adamw), beta1(o.beta1), beta2(o.beta2), epsilon(o.epsilon), decay(o.decay) {}
    constexpr optimizer(const lion& o) : kind(optimizer_kind::lion), beta1(o.beta1), beta2(o.beta2), decay(o.decay) {}
    // NOLINTEND(google-explicit-constructor)

    /// Whether a step takes a `correction` beside the rate.
    constexpr bool corrects() const { return kind == optimizer_kind::adam || kind == optimizer_kind::adamw; }
    /// Whether the root of the second moment is a pair.
    constexpr bool keeps_low_root() const { return corrects() && beta2 > 0.98; }
    /// Whether the loss scale cancels in its step.
    constexpr bool is_scale_free() const { return corrects() || kind == optimizer_kind::lion; }
    /// Whether the decay is a part of the step rather than of the gradient.
    constexpr bool decays_apart() const { return kind == optimizer_kind::adamw || kind == optimizer_kind::lion; }
    /// Whether it has a decay that is added to the gradient.
    constexpr bool decays_gradient() const { return decay > 0 && !decays_apart(); }

    /// What the host gives as `correction` in step 1, 2, ...: sqrt(1 - beta2^step) / (1 - beta1^step), which moments that
    /// began at zero lack; 1 for the other optimizers.
    constexpr double correction(std::int64_t step) const {
        if (!corrects() || step < 1) {
            return 1;
        }
        return detail::root(1 - power(beta2, step)) / (1 - power(beta1, step));
    }

    friend constexpr bool operator==(const optimizer&, const optimizer&) = default;

private:
    static constexpr double power(double base, std::int64_t exponent) {
        double result = 1;
        for (; exponent > 0; exponent /= 2) {
            result *= exponent % 2 != 0 ? base : 1;
            base *= base;
        }
        return result;
    }
};

/// Limits of the gradients, 0 for none. Both are in units of the loss itself, whatever its scale.
struct clipping {
    double value = 0; ///< of each element's magnitude
    double norm = 0;  ///< of the root of the sum of squares over all trained weights, to which all are scaled down

    constexpr bool any() const { return value > 0 || norm > 0; }
    friend constexpr bool operator==(const clipping&, const clipping&) = default;
};

namespace detail::training {

/// Throws `error` (errc::graph) for figures that no optimizer has.
constexpr void require_possible(const optimizer& o) {
    const bool shares = o.beta1 >= 0 && o.beta1 < 1 && o.beta2 >= 0 && o.beta2 < 1;
    if (!shares) {
        refuse_graph(name(o.kind), "the share of a moment that stays must lie in [0, 1)");
    }
    if (!(o.epsilon >= 0x1p-14 && o.epsilon <= 1)) {
        refuse_graph(name(o.kind), "epsilon must lie between 2^-14, whose inverse is finite, and 1");
    }
    if (!(o.decay >= 0 && o.decay <= 1)) {
        refuse_graph(name(o.kind), "the decay must lie in [0, 1]");
    }
}
constexpr void require_possible(const clipping& c) {
    if (!(c.value >= 0 && c.value <= 65504) || !(c.norm >= 0 && c.norm <= 65504)) {
        refuse_graph("clipping", "a limit must lie between 0, for none, and 65504");
    }
}

} // namespace detail::training

} // namespace ane
