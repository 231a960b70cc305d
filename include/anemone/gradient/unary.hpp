#pragma once

#include "../ranges/unary.hpp"
#include "tape.hpp"

/// Derivatives of functions of one element. Those with squares or exponentials take their operand clipped to where the
/// derivative is not yet constant in fp16, so that nothing on the way overflows.
namespace ane::detail::gradients {

template <> struct derivative<op::relu> : smooth {
    static constexpr void pull(const step& s) { s.pull(0, s.t.only_where(op::greater, s.index, s.t.number(0), s.dy)); }
};
template <> struct derivative<op::relu6> : smooth {
    static constexpr void pull(const step& s) {
        const int below = s.t.only_where(op::less, s.index, s.t.number(6), s.dy);
        s.pull(0, s.t.only_where(op::greater, s.index, s.t.number(0), below));
    }
};
template <> struct derivative<op::leaky_relu> : smooth {
    static constexpr void pull(const step& s) {
        const double alpha = static_cast<double>(s.n.get<leakage>().alpha);
        s.pull(0, s.t.where(op::greater, s.x(), s.t.number(0), s.dy, s.t.scaled(s.dy, alpha)));
    }
};
/// At its ends a clamp passes the cotangent, as in PyTorch.
template <> struct derivative<op::clamp> : smooth {
    static constexpr void pull(const step& s) {
        const clip_range c = s.n.get<clip_range>();
        const int below = s.t.only_where(op::less_equal, s.x(), s.t.number(static_cast<double>(c.max)), s.dy);
        s.pull(0, s.t.only_where(op::greater_equal, s.x(), s.t.number(static_cast<double>(c.min)), below));
    }
};
template <> struct derivative<op::thresholded_relu> : smooth {
    static constexpr void pull(const step& s) {
        const double alpha = static_cast<double>(s.n.get<relu_threshold>().alpha);
        s.pull(0, s.t.only_where(op::greater_equal, s.x(), s.t.number(alpha), s.dy));
    }
};
template <> struct derivative<op::clamped_relu> : smooth {
    static constexpr void pull(const step& s) {
        const clamped_leakage c = s.n.get<clamped_leakage>();
        const int bent =
            s.t.where(op::greater, s.x(), s.t.number(0), s.dy, s.t.scaled(s.dy, static_cast<double>(c.alpha)));
        s.pull(0, s.t.only_where(op::less, s.index, s.t.number(static_cast<double>(c.beta)), bent));
    }
};
template <> struct derivative<op::elu> : smooth {
    static constexpr void pull(const step& s) {
        const double alpha = static_cast<double>(s.n.get<saturation>().alpha);
        s.pull(0, s.t.where(op::greater, s.x(), s.t.number(0), s.dy, s.t.mul(s.dy, s.t.plus(s.index, alpha))));
    }
};
template <> struct derivative<op::sigmoid> : smooth {
    static constexpr void pull(const step& s) { s.pull(0, s.t.mul(s.dy, s.t.mul(s.index, s.t.rest(s.index)))); }
};
template <> struct derivative<op::hard_sigmoid> : smooth {
    static constexpr void pull(const step& s) {
        const int below = s.t.only_where(op::less, s.index, s.t.number(1),
                                         s.t.scaled(s.dy, static_cast<double>(s.n.get<clamped_line>().alpha)));
        s.pull(0, s.t.only_where(op::greater, s.index, s.t.number(0), below));
    }
};
template <> struct derivative<op::tanh> : smooth {
    static constexpr void pull(const step& s) { s.pull(0, s.t.mul(s.dy, s.t.rest(s.t.mul(s.index, s.index)))); }
};
template <> struct derivative<op::scaled_tanh> : smooth {
    static constexpr void pull(const step& s) {
        const tanh_scaling c = s.n.get<tanh_scaling>();
        const int y = s.t.apply(op::tanh, s.t.scaled(s.x(), static_cast<double>(c.beta)));
        const double slope = static_cast<double>(c.alpha) * static_cast<double>(c.beta);
        s.pull(0, s.t.mul(s.dy, s.t.scaled(s.t.rest(s.t.mul(y, y)), slope)));
    }
};
/// Phi(x) + x phi(x), which is 0 or 1 to fp16 from |x| = 6 on.
template <> struct derivative<op::gelu> : smooth {
    static constexpr void pull(const step& s) {
        constexpr double root_of_half = 0.70710678118654752;
        constexpr double density_at_0 = 0.39894228040143268; // 1 / sqrt(2 pi)
        const int x = s.t.clamp(s.x(), -10, 10);
        const int share = s.t.scaled(s.t.plus(s.t.apply(op::erf, s.t.scaled(x, root_of_half)), 1), 0.5);
        const int density = s.t.scaled(s.t.apply(op::exp, s.t.scaled(s.t.mul(x, x), -0.5)), density_at_0);
        s.pull(0, s.t.mul(s.dy, s.t.add(share, s.t.mul(x, density))));
    }
};
/// s (1 + f x (1 - s)) with s = sigmoid(f x).
constexpr void pull_gated(const step& s, double factor) {
    const int share = s.t.apply(op::sigmoid, s.t.scaled(s.t.clamp(s.x(), -30, 30), factor));
    const int bend = s.t.mul(share, s.t.scaled(s.t.mul(s.t.rest(share), s.t.clamp(s.x(), -30, 30)), factor));
    s.pull(0, s.t.mul(s.dy, s.t.add(share, bend)));
}
template <> struct derivative<op::gelu_sigmoid> : smooth {
    static constexpr void pull(const step& s) { pull_gated(s, 1.702); }
};
template <> struct derivative<op::silu> : smooth {
    static constexpr void pull(const step& s) { pull_gated(s, 1); }
};
template <> struct derivative<op::softplus> : smooth {
    static constexpr void pull(const step& s) { s.pull(0, s.t.mul(s.dy, s.t.apply(op::sigmoid, s.x()))); }
};
template <> struct derivative<op::softsign> : smooth {
    static constexpr void pull(const step& s) {
        const int share = s.t.inverse(s.t.apply(op::abs, s.x()), 1);
        s.pull(0, s.t.mul(s.dy, s.t.mul(share, share)));
    }
};
template <> struct derivative<op::erf> : smooth {
    static constexpr void pull(const step& s) {
        constexpr double slope_at_0 = 1.1283791670955126; // 2 / sqrt(pi)
        const int x = s.t.clamp(s.x(), -6, 6);
        s.pull(0, s.t.mul(s.dy, s.t.scaled(s.t.apply(op::exp, s.t.scaled(s.t.mul(x, x), -1)), slope_at_0)));
    }
};
template <> struct derivative<op::exp> : smooth {
    static constexpr void pull(const step& s) { s.pull(0, s.t.mul(s.dy, s.index)); }
};
template <> struct derivative<op::exp2> : smooth {
    static constexpr void pull(const step& s) { s.pull(0, s.t.mul(s.dy, s.t.scaled(s.index, ln_2))); }
};
template <> struct derivative<op::log2> : smooth {
    static constexpr void pull(const step& s) { s.pull(0, s.t.mul(s.dy, s.t.scaled(s.t.inverse(s.x()), 1 / ln_2))); }
};
template <> struct derivative<op::log> : smooth {
    static constexpr void pull(const step& s) {
        s.pull(0, s.t.mul(s.dy, s.t.inverse(s.x(), static_cast<double>(s.n.get<stabilizer>().epsilon))));
    }
};
template <> struct derivative<op::sqrt> : smooth {
    static constexpr void pull(const step& s) { s.pull(0, s.t.mul(s.dy, s.t.scaled(s.t.rsqrt(s.x()), 0.5))); }
};
template <> struct derivative<op::rsqrt> : smooth {
    static constexpr void pull(const step& s) {
        const int cube = s.t.mul(s.index, s.index, s.index);
        s.pull(0, s.t.mul(s.dy, s.t.scaled(cube, -0.5)));
    }
};
template <> struct derivative<op::inverse> : smooth {
    static constexpr void pull(const step& s) { s.pull(0, s.t.mul(s.dy, s.t.scaled(s.t.mul(s.index, s.index), -1))); }
};
template <> struct derivative<op::square> : smooth {
    static constexpr void pull(const step& s) { s.pull(0, s.t.mul(s.dy, s.t.scaled(s.x(), 2))); }
};
/// At 0 it is 0, as in PyTorch.
template <> struct derivative<op::abs> : smooth {
    static constexpr void pull(const step& s) { s.pull(0, s.t.mul(s.dy, s.t.apply(op::sign, s.x()))); }
};
template <> struct derivative<op::sin> : smooth {
    static constexpr void pull(const step& s) { s.pull(0, s.t.mul(s.dy, s.t.apply(op::cos, s.x()))); }
};
template <> struct derivative<op::cos> : smooth {
    static constexpr void pull(const step& s) { s.pull(0, s.t.mul(s.dy, s.t.scaled(s.t.apply(op::sin, s.x()), -1))); }
};
/// 1 / (1 + x^2) as i^2 / (i^2 + m^2), i = 1 / max(|x|, 1) and m = min(|x|, 1): no square above 1.
template <> struct derivative<op::atan> : smooth {
    static constexpr void pull(const step& s) {
        const int size = s.t.apply(op::abs, s.x());
        const int i = s.t.inverse(s.t.apply(op::maximum, size, s.t.number(1)));
        const int m = s.t.apply(op::minimum, size, s.t.number(1));
        const int square = s.t.mul(i, i);
        s.pull(0, s.t.mul(s.dy, s.t.mul(square, s.t.inverse(s.t.add(square, s.t.mul(m, m))))));
    }
};

/// Steps: their derivative is 0 wherever they have one, so that nothing learns through them.
struct staircase : refused_derivative {
    static constexpr no_derivative none{"it is a step: its derivative is 0 wherever it has one",
                                        "x + (rounded - x) with rounded as an input, which passes it by"};
};
template <> struct derivative<op::sign> : staircase {
    static constexpr no_derivative none{"it is a step: its derivative is 0 wherever it has one",
                                        "tanh of a multiple of x"};
};
template <> struct derivative<op::ceil> : staircase {};
template <> struct derivative<op::floor> : staircase {};
template <> struct derivative<op::round> : staircase {};

// With parameters for each channel.

/// (x, slope [C])
template <> struct derivative<op::prelu> : smooth {
    static constexpr void pull(const step& s) {
        const int slope = s.t.along(s.x(1), 1, s.shape().rank);
        const int zero = s.t.number(0);
        s.pull(0, s.t.where(op::greater, s.x(), zero, s.dy, s.t.mul(s.dy, slope)));
        if (s.wants(1)) {
            const int below = s.t.mul(s.dy, s.t.apply(op::minimum, s.x(), zero));
            s.pull(1, s.t.reshape(s.t.to_shape(below, s.t.shape(slope)), s.shape(1)));
        }
    }
};
/// (x, alpha [C], beta [C])
template <> struct derivative<op::parametric_softplus> : smooth {
    static constexpr void pull(const step& s) {
        const int alpha = s.t.along(s.x(1), 1, s.shape().rank);
        const int beta = s.t.along(s.x(2), 1, s.shape().rank);
        const int inner = s.t.mul(s.x(), beta);
        const int slope = s.t.mul(s.dy, s.t.mul(alpha, s.t.apply(op::sigmoid, inner)));
        s.pull(0, s.t.mul(slope, beta));
        if (s.wants(1)) {
            const int soft = s.t.mul(s.dy, s.t.apply(op::softplus, inner));
            s.pull(1, s.t.reshape(s.t.to_shape(soft, s.t.shape(alpha)), s.shape(1)));
        }
        if (s.wants(2)) {
            s.pull(2, s.t.reshape(s.t.to_shape(s.t.mul(slope, s.x()), s.t.shape(beta)), s.shape(2)));
        }
    }
};

} // namespace ane::detail::gradients
