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
    int low = -1;  ///< what the weight lacks in fp16: its value is weight + low
    int mean = -1; ///< the first moment
    int root = -1; ///< the root of the second moment
};

/// What a step gets from the host, and the loss scale: each a value of one element, or a number.
struct step_scalars {
    int rate = -1;
    int correction = -1;
    scale_factor loss_scale{};
    int inverse_scale = -1; ///< of a loss scale that is known in a run only
};

/// Scales a value by the loss scale, or by its inverse.
constexpr int times_scale(gradients::tape& t, int value, const scale_factor& scale) {
    return scale.node >= 0 ? t.mul(value, scale.node) : t.scaled(value, scale.fixed);
}
constexpr int over_scale(gradients::tape& t, int value, const step_scalars& by) {
    return by.loss_scale.node >= 0 ? t.mul(value, by.inverse_scale) : t.scaled(value, 1 / by.loss_scale.fixed);
}

/// share a + (1 - share) b
constexpr int blended(gradients::tape& t, int a, int b, double share) {
    return t.add(t.scaled(a, share), t.scaled(b, 1 - share));
}

/// sqrt(share r^2 + (1 - share) g^2) as max sqrt(1 + (min / max)^2) of its two terms: no square leaves [0, 1].
constexpr int blended_root(gradients::tape& t, int r, int g, double kept, double added) {
    const int a = t.scaled(r, kept);
    const int b = t.scaled(t.apply(op::abs, g), added);
    const int large = t.apply(op::maximum, a, b);
    const int small = t.apply(op::minimum, a, b);
    constexpr double least = 0x1p-14; // its inverse is finite
    const int share = t.mul(small, t.inverse(t.apply(op::maximum, large, t.number(least))));
    return t.mul(large, t.apply(op::sqrt, t.plus(t.mul(share, share), 1)));
}

/// The weight behind a step of this size: rounded, or as a pair, of which the low part keeps what rounding takes.
constexpr void take(gradients::tape& t, weight_nodes& w, int step) {
    if (w.low < 0) {
        w.weight = t.sub(w.weight, step);
        return;
    }
    const int rest = t.sub(w.low, step);
    const int rounded = t.add(w.weight, rest);
    w.low = t.sub(rest, t.sub(rounded, w.weight));
    w.weight = rounded;
}

/// What a weight and its moments become by a gradient, which is that of the loss times its scale.
constexpr weight_nodes append_update(gradients::tape& t, weight_nodes w, int g, const optimizer& o,
                                     const step_scalars& by) {
    if (o.decay > 0 && !o.decays_apart()) {
        g = t.add(g, times_scale(t, t.scaled(w.weight, o.decay), by.loss_scale));
    }
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
        w.root = blended_root(t, w.root, g, root(o.beta2), root(1 - o.beta2));
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
