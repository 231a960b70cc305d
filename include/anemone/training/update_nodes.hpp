#pragma once

#include "../gradient/tape.hpp"
#include "loss_nodes.hpp"
#include "optimizer.hpp"

/// Optimizers as operations: what a weight and its moments become.
namespace ane::detail::training {

/// The values of a weight and of its moments, as numbers of nodes: before a step and behind it. -1 for what the optimizer has
/// not.
struct weight_nodes {
    int weight = -1;
    int low = -1;      ///< what the weight lacks in fp16: its value is weight + low
    int mean = -1;     ///< the first moment
    int root = -1;     ///< the root of the second moment
    int root_low = -1; ///< what that lacks in fp16
};

/// What a step gets from the host, and the loss scale: each a value of one element, or a number.
struct step_scalars {
    int rate = -1;
    int correction = -1;
    scale_factor loss_scale{};
    int inverse_scale = -1; ///< of a loss scale that is known in a run only
};

/// Divides a value by the loss scale.
constexpr int over_scale(gradients::tape& t, int value, const step_scalars& by) {
    return by.loss_scale.node >= 0 ? t.mul(value, by.inverse_scale) : t.scaled(value, 1 / by.loss_scale.fixed);
}

/// share a + (1 - share) b
constexpr int blended(gradients::tape& t, int a, int b, double share) {
    return t.add(t.scaled(a, share), t.scaled(b, 1 - share));
}

/// The least magnitude that is divided by: its inverse is finite.
inline constexpr double least_divisor = 0x1p-14;

/// sqrt(beta r^2 + (1 - beta) g^2) as max sqrt(1 + (min / max)^2) of its two terms: no square leaves [0, 1].
constexpr int blended_root(gradients::tape& t, int r, int size, double beta) {
    const int a = t.scaled(r, root(beta));
    const int b = t.scaled(size, root(1 - beta));
    const int large = t.apply(op::maximum, a, b);
    const int small = t.apply(op::minimum, a, b);
    const int share = t.mul(small, t.inverse(t.apply(op::maximum, large, t.number(least_divisor))));
    return t.mul(large, t.apply(op::sqrt, t.plus(t.mul(share, share), 1)));
}

/// A value as a pair of fp16, plus a change that is small beside it: the low part keeps what rounding takes.
struct pair_nodes {
    int high = -1;
    int low = -1;
};
constexpr pair_nodes sum_of(gradients::tape& t, const pair_nodes& x, int change) {
    const int rest = t.add(x.low, change);
    const int rounded = t.add(x.high, rest);
    return {rounded, t.sub(rest, t.sub(rounded, x.high))};
}

/// The same root as a pair, by its change r k / (1 + sqrt(1 + k)) with k = (1 - beta) ((g / r)^2 - 1), which may be far below
/// half an ulp of r. Where g is large beside r, or r is small itself, as in the first steps, it is the root above.
constexpr pair_nodes blended_root_pair(gradients::tape& t, const pair_nodes& r, int size, double beta) {
    constexpr double most = 16;
    const int divisor = t.apply(op::maximum, r.high, t.number(least_divisor));
    const int ratio = t.apply(op::minimum, t.mul(size, t.inverse(divisor)), t.number(most));
    const int k = t.scaled(t.mul(t.plus(ratio, -1), t.plus(ratio, 1)), 1 - beta);
    const int change = t.mul(r.high, t.mul(k, t.inverse(t.apply(op::sqrt, t.plus(k, 1)), 1)));
    const pair_nodes near = sum_of(t, r, change);
    const int far = blended_root(t, r.high, size, beta);
    const int high = t.where(op::less, ratio, t.number(most), near.high, far);
    const int low = t.only_where(op::less, ratio, t.number(most), near.low);
    return {t.where(op::greater, r.high, t.number(least_divisor), high, far),
            t.only_where(op::greater, r.high, t.number(least_divisor), low)};
}

/// The weight behind a step of this size.
constexpr void take(gradients::tape& t, weight_nodes& w, int step) {
    if (w.low < 0) {
        w.weight = t.sub(w.weight, step);
        return;
    }
    const pair_nodes after = sum_of(t, {w.weight, w.low}, t.scaled(step, -1));
    w.weight = after.high;
    w.low = after.low;
}

/// The gradient of a weight with its decay, where that is a part of it; both are times the loss scale.
constexpr int with_decay(gradients::tape& t, int g, int weight, const optimizer& o, const scale_factor& scale) {
    if (!o.decays_gradient()) {
        return g;
    }
    if (scale.node >= 0) {
        return t.add(g, t.mul(t.scaled(weight, o.decay), scale.node));
    }
    const double factor = o.decay * scale.fixed; // up to 65536, and a constant is at most 65504
    return t.add(g, factor > 32768 ? t.scaled(t.scaled(weight, factor / 2), 2) : t.scaled(weight, factor));
}

/// What a weight and its moments become by a gradient with its decay.
constexpr weight_nodes append_update(gradients::tape& t, weight_nodes w, int g, const optimizer& o,
                                     const step_scalars& by) {
    int step = -1;
    switch (o.kind) {
    case optimizer_kind::sgd: step = over_scale(t, t.mul(g, by.rate), by); break;
    case optimizer_kind::momentum:
        w.mean = t.add(t.scaled(w.mean, o.beta1), g);
        step = over_scale(t, t.mul(w.mean, by.rate), by);
        break;
    case optimizer_kind::nesterov:
        w.mean = t.add(t.scaled(w.mean, o.beta1), g);
        step = over_scale(t, t.mul(t.add(t.scaled(w.mean, o.beta1), g), by.rate), by);
        break;
    case optimizer_kind::adam:
    case optimizer_kind::adamw: {
        w.mean = blended(t, w.mean, g, o.beta1);
        const int size = t.apply(op::abs, g);
        if (w.root_low < 0) {
            w.root = blended_root(t, w.root, size, o.beta2);
        } else {
            const pair_nodes r = blended_root_pair(t, {w.root, w.root_low}, size, o.beta2);
            w.root = r.high;
            w.root_low = r.low;
        }
        const int direction = t.mul(w.mean, t.inverse(w.root, o.epsilon));
        step = t.mul(direction, t.mul(by.rate, by.correction));
        break;
    }
    case optimizer_kind::lion:
        step = t.mul(t.apply(op::sign, blended(t, w.mean, g, o.beta1)), by.rate);
        w.mean = blended(t, w.mean, g, o.beta2);
        break;
    }
    if (o.decay > 0 && o.decays_apart()) {
        step = t.add(step, t.mul(t.scaled(w.weight, o.decay), by.rate));
    }
    take(t, w, step);
    return w;
}

} // namespace ane::detail::training
