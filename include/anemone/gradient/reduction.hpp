#pragma once

#include "tape.hpp"

/// Derivatives of reductions, whose axes stay as extents of 1, and of running sums.
namespace ane::detail::gradients {

template <> struct derivative<op::reduce_sum> : smooth {
    static constexpr void pull(const step& s) { s.pull(0, s.dy); }
};
template <> struct derivative<op::reduce_mean> : smooth {
    static constexpr void pull(const step& s) {
        const auto terms = static_cast<double>(s.shape().count()) / static_cast<double>(s.n.shape.count());
        s.pull(0, s.t.scaled(s.dy, 1 / terms));
    }
};
/// To the extreme; equal ones share, as in PyTorch's amax.
struct reduced_extreme : smooth {
    static constexpr void pull(const step& s) {
        const int hit = s.t.where(op::equal, s.x(), s.index, s.t.number(1), s.t.number(0));
        const int count = s.t.sum(hit, s.n.get<axes>());
        s.pull(0, s.t.mul(hit, s.t.mul(s.dy, s.t.inverse(count))));
    }
};
template <> struct derivative<op::reduce_max> : reduced_extreme {};
template <> struct derivative<op::reduce_min> : reduced_extreme {};
template <> struct derivative<op::reduce_sum_square> : smooth {
    static constexpr void pull(const step& s) { s.pull(0, s.t.mul(s.t.scaled(s.x(), 2), s.dy)); }
};
template <> struct derivative<op::reduce_l1_norm> : smooth {
    static constexpr void pull(const step& s) { s.pull(0, s.t.mul(s.t.apply(op::sign, s.x()), s.dy)); }
};
/// x / y, and nothing from zeros alone.
template <> struct derivative<op::reduce_l2_norm> : smooth {
    static constexpr void pull(const step& s) {
        const int length = s.t.where(op::greater, s.index, s.t.number(0), s.index, s.t.number(1));
        s.pull(0, s.t.mul(s.x(), s.t.mul(s.dy, s.t.inverse(length))));
    }
};
template <> struct derivative<op::reduce_log_sum> : smooth {
    static constexpr void pull(const step& s) {
        s.pull(0, s.t.mul(s.dy, s.t.inverse(s.t.sum(s.x(), s.n.get<axes>()))));
    }
};
/// The shares e^(x - y).
template <> struct derivative<op::reduce_log_sum_exp> : smooth {
    static constexpr void pull(const step& s) { s.pull(0, s.t.mul(s.dy, s.t.apply(op::exp, s.t.sub(s.x(), s.index)))); }
};
/// Running sums from the other end.
template <> struct derivative<op::cumsum> : smooth {
    static constexpr void pull(const step& s) {
        cumulation c = s.n.get<cumulation>();
        c.reverse = !c.reverse;
        s.pull(0, s.t.emit(op::cumsum, c, {s.dy}));
    }
};

template <> struct derivative<op::arg_max> : constant_result {};
template <> struct derivative<op::arg_min> : constant_result {};
template <> struct derivative<op::global_arg_max> : constant_result {};
template <> struct derivative<op::global_arg_min> : constant_result {};

} // namespace ane::detail::gradients
