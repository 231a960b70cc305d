#pragma once

#include "windows.hpp"

/// Derivatives of pools: each window gives to the elements below it.
namespace ane::detail::gradients {

constexpr window_of window_of_pool(const pool& p) { return {p.kernel, p.stride, 1, p.padding}; }

/// The sum over the windows that an element lies below.
constexpr int spread_evenly(const step& s, int value) {
    const pool p = s.n.get<pool>();
    const std::int64_t channels = s.shape()[1];
    const int ones = s.t.filled({channels, 1, p.kernel.height, p.kernel.width}, 1);
    return spread(s.t, value, ones, window_of_pool(p), static_cast<int>(channels), s.shape());
}

template <> struct derivative<op::avg_pool> : smooth {
    static constexpr void pull(const step& s) {
        const pool p = s.n.get<pool>();
        const auto whole = static_cast<double>(p.kernel.height) * p.kernel.width;
        int share = -1;
        if (p.exclude_padding) {
            const extents out = s.n.shape;
            sequence<float> counted;
            for (std::int64_t i = 0; i < out[2]; ++i) {
                for (std::int64_t j = 0; j < out[3]; ++j) {
                    const double rows = inside(i, p.kernel.height, p.stride.height, p.padding.top, s.shape()[2]);
                    const double columns = inside(j, p.kernel.width, p.stride.width, p.padding.left, s.shape()[3]);
                    counted.push_back(static_cast<float>(1 / (rows * columns)));
                }
            }
            share = s.t.mul(s.dy, s.t.constant({1, 1, out[2], out[3]}, {counted.data(), counted.size()}));
        } else {
            share = s.t.scaled(s.dy, 1 / whole);
        }
        s.pull(0, spread_evenly(s, share));
    }

private:
    /// How many places of a window lie on the operand.
    static constexpr double inside(std::int64_t at, int kernel, int stride, int before, std::int64_t extent) {
        const std::int64_t begin = at * stride - before;
        const std::int64_t end = begin + kernel < extent ? begin + kernel : extent;
        return static_cast<double>(end - (begin > 0 ? begin : 0));
    }
};

/// To the largest element; of equal ones to the first, as in PyTorch.
template <> struct derivative<op::max_pool> : smooth {
    static constexpr void pull(const step& s) {
        const pool p = s.n.get<pool>();
        const extents out = s.n.shape;
        const taps places(s.t, s.x(), window_of_pool(p), out, -half_max);
        const int count = places.count();
        sequence<int> parts;
        int open = -1; // 1 where no place before was the largest
        for (int k = 0; k < count; ++k) {
            const int hit = s.t.where(op::equal, places(k), s.index, s.t.number(1), s.t.number(0));
            const int first = open < 0 ? hit : s.t.mul(hit, open);
            parts.push_back(s.t.reshape(s.t.mul(s.dy, first), {out[0], out[1], 1, out[2] * out[3]}));
            if (k + 1 < count) {
                open = open < 0 ? s.t.rest(first) : s.t.sub(open, first);
            }
        }
        const int stacked =
            s.t.reshape(s.t.concatenated({parts.data(), parts.size()}, 2), {out[0], out[1] * count, out[2], out[3]});
        // Each of a channel's `count` channels goes to its own place of the window.
        sequence<float> to_place;
        for (std::int64_t c = 0; c < out[1]; ++c) {
            for (int k = 0; k < count; ++k) {
                for (int place = 0; place < count; ++place) {
                    to_place.push_back(place == k ? 1.0F : 0.0F);
                }
            }
        }
        const int w =
            s.t.constant({out[1] * count, 1, p.kernel.height, p.kernel.width}, {to_place.data(), to_place.size()});
        s.pull(0, spread(s.t, stacked, w, window_of_pool(p), static_cast<int>(out[1]), s.shape()));
    }
};

/// x / y, and nothing from a window of zeros.
template <> struct derivative<op::l2_pool> : smooth {
    static constexpr void pull(const step& s) {
        const int zero = s.t.number(0);
        const int length = s.t.where(op::greater, s.index, zero, s.index, s.t.number(1));
        s.pull(0, s.t.mul(s.x(), spread_evenly(s, s.t.mul(s.dy, s.t.inverse(length)))));
    }
};

} // namespace ane::detail::gradients
