#pragma once

#include "normalization.hpp"

/// Losses and steps of training. Only bodies include this header.
namespace ane::onnx::inline ANEMONE_WAY {

/// -w[t] y[t], 0 where t is ignored; its sum, or that over the sum of the factors.
ANEMONE_INLINE dynamic_tensor loss_of(node_call& c, const dynamic_tensor& log_probability) {
    dynamic_tensor target = c.x(1);
    const extents shape = target.shape();
    c.require(shape.rank >= 1 && shape.rank + 1 == log_probability.shape().rank, "has targets of another rank");
    dynamic_tensor kept;
    const bool ignores = c.has_attribute("ignore_index");
    if (ignores) {
        kept = c.add(op::not_equal, target, static_cast<double>(c.integer("ignore_index", 0)));
        target = c.add(op::select, {kept, target, c.number_tensor(0)});
    }
    extents place{shape[0], 1};
    for (int i = 1; i < shape.rank; ++i) {
        place.append(shape[i]);
    }
    const dynamic_tensor chosen =
        c.add(op::gather_along_axis, {log_probability, c.reshape(target, place)}, ane::axis{1});
    dynamic_tensor y = c.add(op::mul, c.reshape(chosen, shape), -1.0);
    dynamic_tensor factor;
    if (c.has(2)) {
        factor = c.add(op::gather, {c.x(2), target}, ane::axis{0});
    }
    if (ignores) {
        factor = c.add(op::select, {kept, c.has(2) ? factor : c.number_tensor(1), c.number_tensor(0)});
    }
    const bool weighted = factor.node() >= 0;
    y = weighted ? c.add(op::mul, {y, factor}) : y;
    const std::string how = c.word("reduction", "mean");
    c.require(how == "none" || how == "sum" || how == "mean", formatted("reduces by \"{}\"", shown(how)));
    if (how == "none") {
        return y;
    }
    const indices over = axis_range(0, shape.rank);
    if (how == "mean" && !weighted) {
        return c.reshape(c.reduced(op::reduce_mean, y, over), {});
    }
    const dynamic_tensor total = c.reshape(c.reduced(op::reduce_sum, y, over), {});
    return how == "sum" ? total : c.add(op::div, {total, c.reshape(c.reduced(op::reduce_sum, factor, over), {})});
}
ANEMONE_INLINE results read_nll_loss(node_call& c) { return {loss_of(c, c.x(0))}; }
ANEMONE_INLINE results read_cross_entropy(node_call& c) {
    const dynamic_tensor x = c.x(0);
    c.require(x.shape().rank >= 2, "has no classes");
    const dynamic_tensor log_probability = log_softmax_along(c, x, 1);
    return {loss_of(c, log_probability), log_probability};
}

/// One tensor of a step of training: what is new of it, and of its state.
ANEMONE_INLINE std::vector<dynamic_tensor> stepped(node_call& c, const dynamic_tensor& rate, const dynamic_tensor& x,
                                                   dynamic_tensor gradient, const std::vector<dynamic_tensor>& state) {
    gradient = c.add(op::add, {c.add(op::mul, x, c.number("norm_coefficient", 0)), gradient});
    const auto moved = [&](const dynamic_tensor& way) { return c.add(op::sub, {x, c.add(op::mul, {way, rate})}); };
    if (c.name() == "Momentum") {
        const double alpha = c.number("alpha", 0);
        const dynamic_tensor speed = c.add(op::add, {c.add(op::mul, state[0], alpha), gradient});
        return {
            moved(c.word("mode", "") == "nesterov" ? c.add(op::add, {gradient, c.add(op::mul, speed, alpha)}) : speed),
            speed};
    }
    const bool adam = c.name() == "Adam";
    const double alpha = adam ? c.number("alpha", 0.9) : 0;
    const double beta = adam ? c.number("beta", 0.999) : 0;
    const dynamic_tensor square = c.add(op::square, {gradient});
    const dynamic_tensor mean =
        adam ? c.add(op::add, {c.add(op::mul, state[0], alpha), c.add(op::mul, gradient, 1 - alpha)}) : gradient;
    const dynamic_tensor squares =
        adam ? c.add(op::add, {c.add(op::mul, state[1], beta), c.add(op::mul, square, 1 - beta)})
             : c.add(op::add, {state[0], square});
    const dynamic_tensor root = c.add(op::add, c.add(op::sqrt, {squares}), c.number("epsilon", 1e-6));
    const dynamic_tensor next = c.add(op::sub, {x, c.add(op::div, {c.add(op::mul, {mean, rate}), root})});
    return adam ? std::vector{next, mean, squares} : std::vector{next, squares};
}
/// The first step, whose rate has no factor; each tensor by itself.
ANEMONE_INLINE results read_training_step(node_call& c) {
    c.require(c.integer(1) == 0, "is a later step of training than the first");
    const int parts = c.name() == "Adam" ? 4 : 3;
    const int each = (c.operand_count() - 2) / parts;
    c.require(each >= 1 && each * parts + 2 == c.operand_count(), "has another number of inputs");
    results all(static_cast<std::size_t>(each) * static_cast<std::size_t>(parts - 1));
    for (int i = 0; i < each; ++i) {
        std::vector<dynamic_tensor> state;
        for (int part = 2; part < parts; ++part) {
            state.push_back(c.x(2 + i + part * each));
        }
        const dynamic_tensor rate = c.x(0);
        const dynamic_tensor value = c.x(2 + i);
        const dynamic_tensor gradient = c.x(2 + i + each);
        const std::vector<dynamic_tensor> made = stepped(c, rate, value, gradient, state);
        for (std::size_t part = 0; part < made.size(); ++part) {
            all[part * static_cast<std::size_t>(each) + static_cast<std::size_t>(i)] = made[part];
        }
    }
    return all;
}

ANEMONE_INLINE void add_losses(converter_table& t) {
    t.insert({
        {"NegativeLogLikelihoodLoss", read_nll_loss},
        {"SoftmaxCrossEntropyLoss", read_cross_entropy},
        {"Adagrad", read_training_step},
        {"Adam", read_training_step},
        {"Momentum", read_training_step},
    });
}

} // namespace ane::onnx::inline ANEMONE_WAY
