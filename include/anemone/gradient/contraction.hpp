#pragma once

#include "windows.hpp"

/// Derivatives of products and convolutions.
namespace ane::detail::gradients {

/// [..., K] as [M, K].
constexpr int as_rows(tape& t, int value) {
    const std::int64_t width = t.shape(value).width();
    return t.reshape(value, {t.shape(value).count() / width, width});
}

/// x w^T + b
template <> struct derivative<op::linear> : smooth {
    static constexpr void pull(const step& s) {
        if (s.wants(0)) {
            const int rows = s.shape().rank > 1 ? s.dy : as_rows(s.t, s.dy);
            s.pull(0, s.t.reshape(s.t.emit(op::matmul, transposed{}, {rows, s.x(1)}), s.shape()));
        }
        if (s.wants(1)) {
            s.pull(1, s.t.emit(op::matmul, transposed{.a = true}, {as_rows(s.t, s.dy), as_rows(s.t, s.x(0))}));
        }
        if (s.wants(2)) {
            s.pull(2, s.t.reshape(s.t.sum(as_rows(s.t, s.dy), axes{0}), s.shape(2)));
        }
    }
};

template <> struct derivative<op::matmul> : smooth {
    static constexpr void pull(const step& s) {
        const transposed was = s.n.get<transposed>();
        const auto product = [&](int a, bool turn_a, int b, bool turn_b) {
            return s.t.emit(op::matmul, transposed{.a = turn_a, .b = turn_b}, {a, b});
        };
        if (s.wants(0)) {
            s.pull(0, was.a ? product(s.x(1), was.b, s.dy, true) : product(s.dy, false, s.x(1), !was.b));
        }
        if (s.wants(1)) {
            s.pull(1, was.b ? product(s.dy, true, s.x(0), was.a) : product(s.x(0), !was.a, s.dy, false));
        }
    }
};

/// What a bias [C] gets: the sum over all axes but the channels.
constexpr int bias_cotangent(const step& s, int position) {
    axes over;
    for (int k = 0; k < s.n.shape.rank; ++k) {
        if (k != 1) {
            over.list.append(k);
        }
    }
    return s.t.reshape(s.t.sum(s.dy, over), s.shape(position));
}

template <> struct derivative<op::conv2d> : smooth {
    static constexpr void pull(const step& s) {
        const conv c = s.n.get<conv>();
        const extents w = s.shape(1);
        const window_of by{size2(static_cast<int>(w[2]), static_cast<int>(w[3])), c.stride, c.dilation, c.padding};
        if (s.wants(0)) {
            s.pull(0, spread(s.t, s.dy, s.x(1), by, c.groups, s.shape(0)));
        }
        if (s.wants(1)) {
            s.pull(1, weight_cotangent(s.t, s.x(0), s.dy, by, c.groups));
        }
        if (s.wants(2)) {
            s.pull(2, bias_cotangent(s, 2));
        }
    }
};
/// The adjoint of a convolution: x and the cotangent change places.
template <> struct derivative<op::conv_transpose2d> : smooth {
    static constexpr void pull(const step& s) {
        const conv_transpose c = s.n.get<conv_transpose>();
        const extents w = s.shape(1);
        const window_of by{size2(static_cast<int>(w[2]), static_cast<int>(w[3])), c.stride, c.dilation, c.padding};
        if (s.wants(0)) {
            const conv back{.stride = c.stride, .dilation = c.dilation, .padding = c.padding, .groups = c.groups};
            s.pull(0, s.t.emit(op::conv2d, back, {s.dy, s.x(1)}));
        }
        if (s.wants(1)) {
            s.pull(1, weight_cotangent(s.t, s.dy, s.x(0), by, c.groups));
        }
        if (s.wants(2)) {
            s.pull(2, bias_cotangent(s, 2));
        }
    }
};
/// x [N, 1, H, W] under a template [1, 1, h, w].
template <> struct derivative<op::cross_correlation> : smooth {
    static constexpr void pull(const step& s) {
        const extents w = s.shape(1);
        const window_of by{size2(static_cast<int>(w[2]), static_cast<int>(w[3])), 1};
        if (s.wants(0)) {
            s.pull(0, spread(s.t, s.dy, s.x(1), by, 1, s.shape(0)));
        }
        if (s.wants(1)) {
            s.pull(1, weight_cotangent(s.t, s.x(0), s.dy, by, 1));
        }
    }
};
/// d(a x b) by a is b x dy, by b it is dy x a.
template <> struct derivative<op::cross_product> : smooth {
    static constexpr void pull(const step& s) {
        if (s.wants(0)) {
            s.pull(0, s.t.apply(op::cross_product, s.x(1), s.dy));
        }
        if (s.wants(1)) {
            s.pull(1, s.t.apply(op::cross_product, s.dy, s.x(0)));
        }
    }
};

/// softmax(scale q k^T + mask) v, whose shares are computed again.
template <> struct derivative<op::attention> : smooth {
    static constexpr void pull(const step& s) {
        const double scale = static_cast<double>(s.n.get<score_scaling>().scale);
        const auto product = [&](int a, bool turn_a, int b, bool turn_b) {
            return s.t.emit(op::matmul, transposed{.a = turn_a, .b = turn_b}, {a, b});
        };
        int scores = product(s.t.scaled(s.x(0), scale), false, s.x(1), true);
        if (s.has(3)) {
            scores = s.t.add(scores, s.x(3));
        }
        const int last = s.t.shape(scores).rank - 1;
        const int shares = s.t.emit(op::softmax, axis{last}, {scores});
        if (s.wants(2)) {
            s.pull(2, product(shares, true, s.dy, false));
        }
        const int given = product(s.dy, false, s.x(2), true);
        const int mean = s.t.sum(s.t.mul(given, shares), axes{last});
        const int by_scores = s.t.mul(shares, s.t.sub(given, mean));
        if (s.wants(0)) {
            s.pull(0, s.t.scaled(product(by_scores, false, s.x(1), false), scale));
        }
        if (s.wants(1)) {
            s.pull(1, s.t.scaled(product(by_scores, true, s.x(0), false), scale));
        }
        if (s.wants(3)) {
            s.pull(3, by_scores);
        }
    }
};

} // namespace ane::detail::gradients
