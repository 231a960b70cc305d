#pragma once

#include "update_nodes.hpp"

/// What is asked of all gradients of a step together: their size, and whether they are finite.
namespace ane::detail::training {

constexpr axes all_axes(const gradients::tape& t, int value) {
    axes all;
    for (int k = 0; k < t.shape(value).rank; ++k) {
        all.list.append(k);
    }
    return all;
}
/// A value of one element as [1].
constexpr int as_one(gradients::tape& t, int value) { return t.reshape(value, {1}); }

/// The largest gradient that no moment makes infinite: momentum adds up to g / (1 - share).
constexpr double largest_gradient(const optimizer& o) {
    const bool adds_up = o.kind == optimizer_kind::momentum || o.kind == optimizer_kind::nesterov;
    return adds_up ? 65504 * (1 - o.beta1) : 65504;
}

/// 1 where the magnitude of each element of each gradient is at most `limit`, else 0, as [1].
constexpr int all_within(gradients::tape& t, const sequence<int>& gradients, double limit) {
    int all = -1;
    for (const int g : gradients) {
        const int each = t.where(op::less_equal, t.apply(op::abs, g), t.number(limit), t.number(1), t.number(0));
        const int lowest = as_one(t, t.emit(op::reduce_min, all_axes(t, each), {each}));
        all = all < 0 ? lowest : t.mul(all, lowest);
    }
    return all;
}

/// A limit times the loss scale; where that is more than fp16 holds, the largest number, which limits nothing.
constexpr int scaled_limit(gradients::tape& t, double limit, const scale_factor& scale) {
    constexpr double most = 65504;
    if (scale.node < 0) {
        return t.number(limit * scale.fixed < most ? limit * scale.fixed : most);
    }
    const int held = limit > 1 ? t.apply(op::minimum, scale.node, t.number(most / limit)) : scale.node;
    return t.scaled(held, limit);
}

/// Each element to a magnitude of `limit` at most, in units of the loss.
constexpr int clipped_to_value(gradients::tape& t, int g, double limit, const scale_factor& scale) {
    if (scale.node < 0) {
        const double most = limit * scale.fixed < 65504 ? limit * scale.fixed : 65504;
        return t.clamp(g, -most, most);
    }
    const int most = scaled_limit(t, limit, scale);
    return t.apply(op::maximum, t.apply(op::minimum, g, most), t.scaled(most, -1));
}

/// All gradients times the one factor that takes their common norm down to `limit`, in units of the loss. The norm is
/// a sqrt(T q): a the largest magnitude, T the number of elements and q the mean of (g / a)^2, which lies in [0, 1].
constexpr void clip_to_norm(gradients::tape& t, sequence<int>& gradients, double limit, const scale_factor& scale) {
    double count = 0;
    int largest = -1;
    for (const int g : gradients) {
        count += static_cast<double>(t.shape(g).count());
        const int size = as_one(t, t.emit(op::reduce_max, all_axes(t, g), {t.apply(op::abs, g)}));
        largest = largest < 0 ? size : t.apply(op::maximum, largest, size);
    }
    const int inverse = t.inverse(t.apply(op::maximum, largest, t.number(least_divisor)));
    int q = -1;
    for (const int g : gradients) {
        const int share = t.mul(g, inverse);
        const int mean = as_one(t, t.mean(t.mul(share, share), all_axes(t, g)));
        const int part = t.scaled(mean, static_cast<double>(t.shape(g).count()) / count);
        q = q < 0 ? part : t.add(q, part);
    }
    const int norm = t.mul(largest, t.apply(op::sqrt, q)); // over sqrt(T)
    const int over = t.inverse(t.apply(op::maximum, norm, t.number(least_divisor)));
    const double most = limit / root(count);
    const int wanted = scaled_limit(t, most, scale);
    const int factor = t.apply(op::minimum, t.mul(wanted, over), t.number(1));
    for (int& g : gradients) {
        g = t.mul(g, factor);
    }
}

constexpr void clip(gradients::tape& t, sequence<int>& gradients, const clipping& to, const scale_factor& scale) {
    if (to.value > 0) {
        for (int& each : gradients) {
            each = clipped_to_value(t, each, to.value, scale);
        }
    }
    if (to.norm > 0) {
        clip_to_norm(t, gradients, to.norm, scale);
    }
}

} // namespace ane::detail::training
