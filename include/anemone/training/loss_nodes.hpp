#pragma once

#include "../gradient/tape.hpp"
#include "loss_options.hpp"

/// Losses as operations behind a prediction, with their derivative by it in closed form: both are finite for every finite
/// prediction on every generation, and the derivative carries the loss scale before anything of it could underflow.
namespace ane::detail::training {

/// What the derivative is multiplied by: a number, and a value of one element where it is known in a run only.
struct scale_factor {
    double fixed = 1;
    int node = -1;
};

/// A loss [1], and its derivative by the prediction times the scale, of the prediction's shape.
struct loss_nodes {
    int value = -1;
    int slope = -1;
};

/// The largest magnitude that a loss takes of a difference, so that no sum of two leaves fp16.
inline constexpr double largest_difference = 60000;

/// The position of the axis of classes.
constexpr int class_axis(const loss_options& o, const extents& prediction) {
    const int index = o.axis < 0 ? o.axis + prediction.rank : o.axis;
    if (index < 0 || index >= prediction.rank) {
        refuse_graph(name(o.kind), "the prediction has no such axis of classes", o.axis, prediction.rank - 1);
    }
    return index;
}

/// The extents of what the loss is the mean of: the prediction's, with an extent of 1 for the classes.
constexpr extents sample_shape(const loss_options& o, const extents& prediction) {
    extents samples = prediction;
    if (o.kind == loss_kind::cross_entropy) {
        samples[class_axis(o, prediction)] = 1;
    }
    return samples;
}
/// The extents of the input `wanted`: the prediction's, or those of its samples without the axis of classes for labels.
constexpr extents wanted_shape(const loss_options& o, const extents& prediction) {
    if (!o.labels) {
        return prediction;
    }
    const int classes = class_axis(o, prediction);
    extents samples;
    for (int k = 0; k < prediction.rank; ++k) {
        if (k != classes) {
            samples.append(prediction[k]);
        }
    }
    if (samples.rank == 0) {
        samples.append(1);
    }
    return samples;
}

/// Labels as rows of a one and zeros.
constexpr int one_hot(gradients::tape& t, int labels, const loss_options& o, const extents& prediction) {
    const int along = class_axis(o, prediction);
    const std::int64_t classes = prediction[along];
    if (classes > 2049) {
        refuse_graph(name(o.kind), "fp16 tells the numbers of at most 2049 classes apart: give rows of 0 and 1",
                     classes, 2049);
    }
    sequence<float> numbers;
    for (std::int64_t k = 0; k < classes; ++k) {
        numbers.push_back(static_cast<float>(k));
    }
    const int all = t.along(t.vector({numbers.data(), numbers.size()}), along, prediction.rank);
    const int given = t.reshape(labels, sample_shape(o, prediction));
    return t.where(op::equal, given, all, t.number(1), t.number(0));
}

/// What each sample counts, and the derivative of the mean by each.
class averaging {
public:
    constexpr averaging(gradients::tape& t, int mask, const extents& samples, const scale_factor& scale)
        : t_(t), samples_(samples) {
        for (int k = 0; k < samples.rank; ++k) {
            all_.list.append(k);
        }
        const auto count = static_cast<double>(samples.count());
        factor_ = t.number(scale.fixed / count);
        if (scale.node >= 0) {
            factor_ = t.mul(scale.node, factor_);
        }
        if (mask >= 0) {
            mask_ = t.reshape(mask, samples);
            constexpr double least = 0x1p-15; // its inverse is finite
            const int share = t.mean(mask_, all_);
            const int counted = t.apply(op::maximum, share, t.number(1 / count > least ? 1 / count : least));
            inverse_share_ = t.inverse(counted);
            factor_ = t.mul(mask_, t.mul(inverse_share_, one_element(factor_)));
        }
    }

    /// The mean of what each sample has, as [1].
    constexpr int mean(int each) const {
        int value = t_.mean(mask_ >= 0 ? t_.mul(each, mask_) : each, all_);
        if (mask_ >= 0) {
            value = t_.mul(value, inverse_share_);
        }
        return t_.reshape(value, {1});
    }
    constexpr int slope(int each) const { return t_.mul(each, factor_); }

private:
    /// With as many axes as the samples.
    constexpr int one_element(int value) const {
        extents ones;
        for (int k = 0; k < samples_.rank; ++k) {
            ones.append(1);
        }
        return t_.reshape(value, ones);
    }

    gradients::tape& t_;
    extents samples_;
    axes all_;
    int factor_ = -1;
    int mask_ = -1;
    int inverse_share_ = -1;
};

/// p - w, finite.
constexpr int difference(gradients::tape& t, int p, int w) {
    constexpr double half = largest_difference / 2;
    return t.sub(t.clamp(p, -half, half), t.clamp(w, -half, half));
}

/// -log softmax(p), at most the largest difference and the logarithm of the number of classes.
constexpr int surprise(gradients::tape& t, int p, const axes& classes) {
    const int below = t.clamp(t.sub(p, t.emit(op::reduce_max, classes, {p})), -largest_difference, 0);
    return t.sub(t.emit(op::reduce_log_sum_exp, classes, {below}), below);
}
/// The sum over the classes of w times a value, for w that sum to 1: as a mean, so that no range of it leaves fp16; of a one
/// among zeros it is the largest product, which is exact.
constexpr int expected(gradients::tape& t, int w, int value, const axes& classes, bool one_hot) {
    const int products = t.mul(w, value);
    if (one_hot) {
        return t.emit(op::reduce_max, classes, {products});
    }
    const auto count = static_cast<double>(t.shape(w)[static_cast<int>(classes.list[0])]);
    return t.scaled(t.clamp(t.mean(products, classes), 0, largest_difference / count), count);
}
constexpr loss_nodes cross_entropy(gradients::tape& t, int p, int w, const averaging& over, const loss_options& o) {
    const int along = class_axis(o, t.shape(p));
    axes classes;
    classes.list.append(along);
    const int all = surprise(t, p, classes);
    int each = expected(t, w, all, classes, o.labels);
    if (o.smoothing > 0) {
        each = t.add(t.scaled(each, 1 - o.smoothing), t.scaled(t.mean(all, classes), o.smoothing));
        w = t.plus(t.scaled(w, 1 - o.smoothing), o.smoothing / static_cast<double>(t.shape(p)[along]));
    }
    return {over.mean(each), over.slope(t.sub(t.emit(op::softmax, axis{along}, {p}), w))};
}
constexpr loss_nodes mean_squared(gradients::tape& t, int p, int w, const averaging& over) {
    constexpr double root = 244; // its square is below `largest_difference`
    const int d = difference(t, p, w);
    const int held = t.clamp(d, -root, root);
    return {over.mean(t.mul(held, held)), over.slope(t.scaled(t.clamp(d, -32000, 32000), 2))};
}
constexpr loss_nodes mean_absolute(gradients::tape& t, int p, int w, const averaging& over) {
    const int d = difference(t, p, w);
    return {over.mean(t.apply(op::abs, d)), over.slope(t.apply(op::sign, d))};
}
/// c (|d| - c / 2) with c = min(|d|, delta).
constexpr loss_nodes huber(gradients::tape& t, int p, int w, const averaging& over, double delta) {
    const int d = difference(t, p, w);
    const double most = delta > 1 ? largest_difference / delta : largest_difference;
    const int size = t.apply(op::minimum, t.apply(op::abs, d), t.number(most));
    const int bent = t.apply(op::minimum, size, t.number(delta));
    const int each = t.mul(bent, t.sub(size, t.scaled(bent, 0.5)));
    return {over.mean(each), over.slope(t.clamp(d, -delta, delta))};
}
/// log(1 + e^-|p|) + max(p, 0) - p w
constexpr loss_nodes binary_cross_entropy(gradients::tape& t, int p, int w, const averaging& over, double smoothing) {
    if (smoothing > 0) {
        w = t.plus(t.scaled(w, 1 - smoothing), smoothing / 2);
    }
    const int near = t.apply(op::softplus, t.scaled(t.apply(op::abs, p), -1));
    const int far = t.sub(t.apply(op::relu, p), t.mul(p, w));
    return {over.mean(t.add(near, far)), over.slope(t.sub(t.apply(op::sigmoid, p), w))};
}

/// Appends a loss of `prediction` and `wanted`, with the weight of each sample in `mask` (-1: all count), all numbers of
/// nodes.
///
/// Throws `error` (errc::graph) for impossible options and for shapes that do not fit.
constexpr loss_nodes append_loss(gradients::tape& t, int prediction, int wanted, int mask, const loss_options& o,
                                 const scale_factor& scale = {}) {
    require_possible(o);
    const extents shape = t.shape(prediction);
    if (shape.rank == 0) {
        refuse_graph(name(o.kind), "the prediction must have an axis: reshape it to one of 1");
    }
    if (t.shape(wanted) != wanted_shape(o, shape)) {
        refuse_graph(name(o.kind), "what is wanted has another shape than the prediction", t.shape(wanted).count(),
                     wanted_shape(o, shape).count());
    }
    const extents samples = sample_shape(o, shape);
    if (mask >= 0 && t.shape(mask).count() != samples.count()) {
        refuse_graph(name(o.kind), "the mask must have one element for each sample", t.shape(mask).count(),
                     samples.count());
    }
    const int w = o.labels ? one_hot(t, wanted, o, shape) : wanted;
    const averaging over(t, mask, samples, scale);
    switch (o.kind) {
    case loss_kind::cross_entropy: return cross_entropy(t, prediction, w, over, o);
    case loss_kind::mean_squared: return mean_squared(t, prediction, w, over);
    case loss_kind::mean_absolute: return mean_absolute(t, prediction, w, over);
    case loss_kind::huber: return huber(t, prediction, w, over, o.delta);
    case loss_kind::binary_cross_entropy: return binary_cross_entropy(t, prediction, w, over, o.smoothing);
    }
    return {};
}

} // namespace ane::detail::training
