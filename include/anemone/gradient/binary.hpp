#pragma once

#include "tape.hpp"

/// Derivatives of elementwise operations of two operands, of choices and of comparisons. Where operands broadcast, the tape
/// sums.
namespace ane::detail::gradients {

template <> struct derivative<op::add> : smooth {
    static constexpr void pull(const step& s) {
        s.pull(0, s.dy);
        s.pull(1, s.dy);
    }
};
template <> struct derivative<op::sub> : smooth {
    static constexpr void pull(const step& s) {
        s.pull(0, s.dy);
        if (s.wants(1)) {
            s.pull(1, s.t.scaled(s.dy, -1));
        }
    }
};
constexpr void pull_product(const step& s, int dy) {
    for (const int k : {0, 1}) {
        if (s.wants(k)) {
            s.pull(k, s.t.mul(dy, s.x(1 - k)));
        }
    }
}
template <> struct derivative<op::mul> : smooth {
    static constexpr void pull(const step& s) { pull_product(s, s.dy); }
};
template <> struct derivative<op::div> : smooth {
    static constexpr void pull(const step& s) {
        const int share = s.t.apply(op::div, s.dy, s.x(1));
        s.pull(0, share);
        if (s.wants(1)) {
            s.pull(1, s.t.scaled(s.t.mul(share, s.index), -1));
        }
    }
};
/// Of equal operands each gets one half, as in PyTorch.
constexpr void pull_extreme(const step& s, op first_wins, int dy) {
    const int tie = s.t.where(op::equal, s.x(0), s.x(1), s.t.number(0.5), s.t.number(0));
    const int share = s.t.where(first_wins, s.x(0), s.x(1), s.t.number(1), tie);
    if (s.wants(0)) {
        s.pull(0, s.t.mul(dy, share));
    }
    if (s.wants(1)) {
        s.pull(1, s.t.mul(dy, s.t.rest(share)));
    }
}
template <> struct derivative<op::minimum> : smooth {
    static constexpr void pull(const step& s) { pull_extreme(s, op::less, s.dy); }
};
template <> struct derivative<op::maximum> : smooth {
    static constexpr void pull(const step& s) { pull_extreme(s, op::greater, s.dy); }
};
/// b a^(b - 1) and a^b ln a, the latter 0 where a is 0.
template <> struct derivative<op::pow> : smooth {
    static constexpr void pull(const step& s) {
        if (s.wants(0)) {
            const int lower = s.t.apply(op::pow, s.x(0), s.t.plus(s.x(1), -1));
            s.pull(0, s.t.mul(s.dy, s.t.mul(s.x(1), lower)));
        }
        if (s.wants(1)) {
            const int zero = s.t.number(0);
            const int positive = s.t.where(op::greater, s.x(0), zero, s.x(0), s.t.number(1));
            const int logarithm = s.t.emit(op::log, stabilizer{}, {positive});
            s.pull(1, s.t.mul(s.dy, s.t.mul(s.index, logarithm)));
        }
    }
};
/// (a op b) times a number.
template <> struct derivative<op::scaled_elementwise> : smooth {
    static constexpr void pull(const step& s) {
        const scaling c = s.n.get<scaling>();
        const int dy = s.t.scaled(s.dy, static_cast<double>(c.scale));
        switch (c.function) {
        case scaled_function::add:
            s.pull(0, dy);
            s.pull(1, dy);
            break;
        case scaled_function::mul: pull_product(s, dy); break;
        case scaled_function::maximum: pull_extreme(s, op::greater, dy); break;
        case scaled_function::minimum: pull_extreme(s, op::less, dy); break;
        }
    }
};
template <> struct derivative<op::floor_div> : refused_derivative {
    static constexpr no_derivative none{"it is a step: its derivative is 0 wherever it has one", "div"};
};
/// (condition, a, b)
template <> struct derivative<op::select> : smooth {
    static constexpr void pull(const step& s) {
        const int zero = s.t.number(0);
        if (s.wants(1)) {
            s.pull(1, s.t.emit(op::select, no_attributes{}, {s.x(0), s.dy, zero}));
        }
        if (s.wants(2)) {
            s.pull(2, s.t.emit(op::select, no_attributes{}, {s.x(0), zero, s.dy}));
        }
    }
};

template <> struct derivative<op::equal> : constant_result {};
template <> struct derivative<op::not_equal> : constant_result {};
template <> struct derivative<op::greater> : constant_result {};
template <> struct derivative<op::greater_equal> : constant_result {};
template <> struct derivative<op::less> : constant_result {};
template <> struct derivative<op::less_equal> : constant_result {};
template <> struct derivative<op::logical_not> : constant_result {};
template <> struct derivative<op::logical_and> : constant_result {};
template <> struct derivative<op::logical_or> : constant_result {};
template <> struct derivative<op::logical_xor> : constant_result {};

} // namespace ane::detail::gradients
