#pragma once

#include "../readers/batch_norm_line.hpp"
#include "folding.hpp"

/// Normalisations and reductions. Only bodies include this header.
namespace ane::onnx::inline ANEMONE_WAY {

inline stabilizer steady(double epsilon, int axis = -1) {
    return {.epsilon = static_cast<float>(epsilon), .axis = axis};
}

/// With the batch's own mean and variance, which the running ones approach.
ANEMONE_INLINE results trained_batch_normalization(node_call& c) {
    const dynamic_tensor x = c.x(0);
    const double kept = c.number("momentum", 0.9);
    indices over{0};
    for (int i = 2; i < x.shape().rank; ++i) {
        over.append(i);
    }
    const extents channels{x.shape()[1]};
    const dynamic_tensor wide = c.reduced(op::reduce_mean, x, over);
    const dynamic_tensor spread = c.add(op::square, {c.add(op::sub, {x, wide})});
    const dynamic_tensor mean = c.reshape(wide, channels);
    const dynamic_tensor variance = c.reshape(c.reduced(op::reduce_mean, spread, over), channels);
    const auto epsilon = steady(c.number("epsilon", 1e-5), 1);
    results all{c.add(op::batch_norm, {x, mean, variance, c.x(1), c.x(2)}, epsilon)};
    const auto running = [&](int i, const dynamic_tensor& own) {
        return c.add(op::add, {c.add(op::mul, c.x(i), kept), c.add(op::mul, own, 1 - kept)});
    };
    all.emplace_back(running(3, mean));
    all.emplace_back(running(4, variance));
    return all;
}
/// scale x + offset in place of a batch norm whose parameters fp16 does not hold.
ANEMONE_INLINE std::optional<dynamic_tensor> batch_norm_as_line(node_call& c, const dynamic_tensor& x) {
    for (int i = 1; i <= 4; ++i) {
        if (!c.is_known(i)) {
            return std::nullopt;
        }
    }
    const readers::batch_norm_parameters given{&c.known(3), &c.known(4), &c.known(1), &c.known(2),
                                               c.number("epsilon", 1e-5)};
    extents by_channel{x.shape()[1]};
    for (int i = 2; i < x.shape().rank; ++i) {
        by_channel.append(1);
    }
    const auto line = given.are_for(x.shape()[1]) ? readers::line_beyond_fp16(given) : std::nullopt;
    if (!line) {
        return std::nullopt;
    }
    c.scope().note(std::string(readers::batch_norm_note));
    const auto of = [&](const std::vector<double>& values) {
        return c.filled(by_channel, [&](std::int64_t i) { return values[static_cast<std::size_t>(i)]; });
    };
    return c.add(op::add, {c.add(op::mul, {x, of(line->scale)}), of(line->offset)});
}
ANEMONE_INLINE results read_batch_normalization(node_call& c) {
    c.require(c.rank(0) >= 2, "has no channels");
    if (c.integer("training_mode", 0) != 0) {
        return trained_batch_normalization(c);
    }
    c.require((c.opset() >= 7 || c.integer("is_test", 0) != 0) && !c.wants(1), "trains, as it was before version 14");
    const dynamic_tensor x = c.x(0);
    if (const auto line = batch_norm_as_line(c, x)) {
        return {*line};
    }
    extents image = x.shape();
    if (image.rank < 3) {
        image.append(1);
    }
    const auto epsilon = steady(c.number("epsilon", 1e-5), 1);
    const dynamic_tensor y = c.add(op::batch_norm, {c.reshape(x, image), c.x(3), c.x(4), c.x(1), c.x(2)}, epsilon);
    return {c.reshape(y, x.shape())};
}
ANEMONE_INLINE results read_instance_normalization(node_call& c) {
    const auto epsilon = steady(c.number("epsilon", 1e-5), 1);
    return {c.add(op::instance_norm, {c.x(0), c.x(1), c.x(2)}, epsilon)};
}
/// Before version 21 a factor for each group, then one for each channel.
ANEMONE_INLINE results read_group_normalization(node_call& c) {
    const dynamic_tensor x = c.x(0);
    c.require(x.shape().rank >= 3, "has no channels");
    const std::int64_t groups = c.needed_integer("num_groups");
    const std::int64_t channels = x.shape()[1];
    c.require(groups >= 1 && channels % groups == 0, formatted("has {} groups of {} channels", groups, channels));
    const auto by_channel = [&](int i) {
        const dynamic_tensor v = c.x(i);
        if (v.shape() == extents{channels}) {
            return v;
        }
        c.require(v.shape() == extents{groups}, "has factors of another number than of groups or channels");
        return c.reshape(c.add(op::tile, {c.reshape(v, {groups, 1})}, repeats{1, channels / groups}), {channels});
    };
    return {c.add(op::group_norm, {x, by_channel(1), by_channel(2)},
                  grouping{.groups = narrow(groups), .epsilon = static_cast<float>(c.number("epsilon", 1e-5))})};
}
/// The graph's normalises one axis: the normalised axes become one. Mean and deviation are composed where wanted.
ANEMONE_INLINE results read_layer_normalization(node_call& c) {
    const dynamic_tensor x = c.x(0);
    const int rank = x.shape().rank;
    const int axis = c.axis("axis", -1, rank);
    const double epsilon = c.number("epsilon", 1e-5);
    const std::int64_t inner = count_of(x.shape(), axis, rank);
    c.require(c.shape(1).count() == inner, "has a scale of another shape than the axes that it normalises");
    const dynamic_tensor beta =
        c.has(2) ? c.reshape(c.x(2), {inner}) : c.filled({inner}, [](std::int64_t) { return 0; });
    const dynamic_tensor y =
        c.add(op::layer_norm, {c.reshape(x, {count_of(x.shape(), 0, axis), inner}), c.reshape(c.x(1), {inner}), beta},
              steady(epsilon, 1));
    results all{c.reshape(y, x.shape())};
    if (c.wants(1) || c.wants(2)) {
        const indices over = axis_range(axis, rank);
        const dynamic_tensor mean = c.reduced(op::reduce_mean, x, over);
        const dynamic_tensor square = c.add(op::square, {c.add(op::sub, {x, mean})});
        all.emplace_back(mean);
        all.emplace_back(c.add(op::rsqrt, {c.reduced(op::reduce_mean, square, over)}, steady(epsilon)));
    }
    return all;
}
ANEMONE_INLINE results read_mean_variance(node_call& c) {
    const dynamic_tensor x = c.x(0);
    indices over;
    for (const std::int64_t a : c.integers("axes").value_or(std::vector<std::int64_t>{0, 2, 3})) {
        over.append(c.axis(a, x.shape().rank));
        c.require(over.rank <= x.shape().rank, "names too many axes");
    }
    const dynamic_tensor centred = c.add(op::sub, {x, c.reduced(op::reduce_mean, x, over)});
    const dynamic_tensor variance = c.reduced(op::reduce_mean, c.add(op::square, {centred}), over);
    return {c.add(op::div, {centred, c.add(op::sqrt, {variance})})};
}
ANEMONE_INLINE results read_lrn(node_call& c) {
    const dynamic_tensor x = c.x(0);
    return {c.add(op::local_response_norm, {x},
                  response_norm_shape{.size = narrow(c.needed_integer("size")),
                                      .alpha = static_cast<float>(c.number("alpha", 1e-4)),
                                      .beta = static_cast<float>(c.number("beta", 0.75)),
                                      .k = static_cast<float>(c.number("bias", 1))})};
}
ANEMONE_INLINE results read_lp_normalization(node_call& c) {
    c.require(c.integer("p", 2) == 2, "is a norm of another power than 2");
    const dynamic_tensor x = c.x(0);
    return {c.add(op::l2_norm, {x}, steady(0, c.axis("axis", -1, x.shape().rank)))};
}

ANEMONE_INLINE dynamic_tensor softmax_along(node_call& c, const dynamic_tensor& x, int axis) {
    return c.add(op::softmax, {x}, ane::axis{axis});
}
/// x - max less the logarithm of the sum of its exponentials.
ANEMONE_INLINE dynamic_tensor log_softmax_along(node_call& c, const dynamic_tensor& x, int axis) {
    const dynamic_tensor below = c.add(op::sub, {x, c.reduced(op::reduce_max, x, {axis})});
    return c.add(op::sub, {below, c.reduced(op::reduce_log_sum_exp, below, {axis})});
}
ANEMONE_INLINE dynamic_tensor hardmax_along(node_call& c, const dynamic_tensor& x, int axis) {
    extents shape;
    for (int i = 0; i < x.shape().rank; ++i) {
        shape.append(i == axis ? x.shape()[i] : 1);
    }
    const dynamic_tensor places = c.filled(shape, [](std::int64_t i) { return i; });
    return c.real(c.add(op::equal, {c.add(op::arg_max, {x}, ane::axis{axis}), places}));
}
/// Along one axis; before version 13 along all axes from one on.
template <dynamic_tensor (*Along)(node_call&, const dynamic_tensor&, int)> results on_one_axis(node_call& c) {
    const dynamic_tensor x = c.x(0);
    const int rank = x.shape().rank;
    if (c.opset() >= 13) {
        return {Along(c, x, c.axis("axis", -1, rank))};
    }
    const int axis = c.integer("axis", 1) == rank ? rank : c.axis("axis", 1, rank);
    if (axis == rank - 1) {
        return {Along(c, x, axis)};
    }
    const extents flat{count_of(x.shape(), 0, axis), count_of(x.shape(), axis, rank)};
    return {c.reshape(Along(c, c.reshape(x, flat), 1), x.shape())};
}

template <op Kind> results read_reduction(node_call& c) {
    const dynamic_tensor x = c.x(0);
    const indices over = reduction_axes(c);
    if (over.rank == 0 && x.shape().rank > 0) {
        return {c.add(op::identity, {x})};
    }
    return {c.reshape(c.reduced(Kind, x, over), reduced_shape(x.shape(), over, c.integer("keepdims", 1) != 0))};
}
ANEMONE_INLINE results read_product(node_call& c) {
    dynamic_tensor x = c.x(0);
    const extents whole_shape = x.shape();
    const indices over = reduction_axes(c);
    for (int k = 0; k < over.rank; ++k) {
        const int axis = static_cast<int>(over[k]);
        dynamic_tensor product = c.along(x, axis, 0, 1);
        for (std::int64_t i = 1; i < whole_shape[axis]; ++i) {
            product = c.add(op::mul, {product, c.along(x, axis, i, 1)});
        }
        x = product;
    }
    return {over.rank == 0 ? c.add(op::identity, {x})
                           : c.reshape(x, reduced_shape(whole_shape, over, c.integer("keepdims", 1) != 0))};
}
template <op Kind> results read_extreme(node_call& c) {
    const dynamic_tensor x = c.x(0);
    const int axis = c.axis("axis", 0, x.shape().rank);
    dynamic_tensor y;
    if (c.integer("select_last_index", 0) != 0) {
        axes backwards;
        backwards.list.append(axis);
        const dynamic_tensor at = c.add(Kind, {c.add(op::reverse, {x}, backwards)}, ane::axis{axis});
        y = c.add(op::sub, static_cast<double>(x.shape()[axis] - 1), at);
    } else {
        y = c.add(Kind, {x}, ane::axis{axis});
    }
    return {{c.reshape(y, reduced_shape(x.shape(), {axis}, c.integer("keepdims", 1) != 0)), element_type::int64}};
}
ANEMONE_INLINE results read_cumsum(node_call& c) {
    const dynamic_tensor x = c.x(0);
    return {c.add(op::cumsum, {x},
                  cumulation{.axis = c.axis(c.integer(1), x.shape().rank),
                             .exclusive = c.integer("exclusive", 0) != 0,
                             .reverse = c.integer("reverse", 0) != 0})};
}
ANEMONE_INLINE results read_top_k(node_call& c) {
    const dynamic_tensor x = c.x(0);
    const selection how{.k = narrow(c.has(1) ? c.integer(1) : c.needed_integer("k")),
                        .axis = c.axis("axis", -1, x.shape().rank),
                        .ascending = c.integer("largest", 1) == 0};
    return {c.add(op::top_k, {x}, how), {c.add(op::top_k_indices, {x}, how), element_type::int64}};
}

ANEMONE_INLINE void add_normalization(converter_table& t) {
    t.insert({
        {"BatchNormalization", read_batch_normalization},
        {"InstanceNormalization", read_instance_normalization},
        {"GroupNormalization", read_group_normalization},
        {"LayerNormalization", read_layer_normalization},
        {"MeanVarianceNormalization", read_mean_variance},
        {"LRN", read_lrn},
        {"LpNormalization", read_lp_normalization},
        {"Softmax", on_one_axis<softmax_along>},
        {"LogSoftmax", on_one_axis<log_softmax_along>},
        {"Hardmax", on_one_axis<hardmax_along>},
        {"ReduceSum", read_reduction<op::reduce_sum>},
        {"ReduceMean", read_reduction<op::reduce_mean>},
        {"ReduceMax", read_reduction<op::reduce_max>},
        {"ReduceMin", read_reduction<op::reduce_min>},
        {"ReduceL1", read_reduction<op::reduce_l1_norm>},
        {"ReduceL2", read_reduction<op::reduce_l2_norm>},
        {"ReduceSumSquare", read_reduction<op::reduce_sum_square>},
        {"ReduceLogSum", read_reduction<op::reduce_log_sum>},
        {"ReduceLogSumExp", read_reduction<op::reduce_log_sum_exp>},
        {"ReduceProd", read_product},
        {"ArgMax", read_extreme<op::arg_max>},
        {"ArgMin", read_extreme<op::arg_min>},
        {"CumSum", read_cumsum},
        {"TopK", read_top_k},
    });
}

} // namespace ane::onnx::inline ANEMONE_WAY
