#pragma once

#include "batch_norm_line.hpp"
#include "mil_reductions.hpp"
#include "mil_table.hpp"

/// Softmax, the norms, attention. Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// A parameter for each channel, or the same number for all where it is absent.
ANEMONE_INLINE dynamic_tensor parameter(mil_call& c, std::string_view name, std::int64_t channels, double otherwise) {
    return c.has(name) ? c.tensor(name) : c.filled({channels}, otherwise);
}

ANEMONE_INLINE std::int64_t channels_of(mil_call& c, const dynamic_tensor& x) {
    if (x.shape().rank < 3) {
        c.refuse(formatted("works on {}; it needs a batch, channels, and an axis behind them", print(x.shape())));
    }
    return x.shape()[1];
}

/// scale x + offset in place of a batch norm whose parameters fp16 does not hold.
ANEMONE_INLINE std::optional<dynamic_tensor> batch_norm_as_line(mil_call& c, const dynamic_tensor& x) {
    const auto known = [&](std::string_view name) {
        return c.has(name) && c.is_known(name) ? &c.known(name) : nullptr;
    };
    const batch_norm_parameters given{known("mean"), known("variance"), known("gamma"), known("beta"),
                                      c.number_of("epsilon", 1e-5)};
    const bool all_known = given.mean != nullptr && given.variance != nullptr &&
                           (given.gamma != nullptr || !c.has("gamma")) && (given.beta != nullptr || !c.has("beta"));
    extents by_channel{x.shape()[1]};
    for (int i = 2; i < x.shape().rank; ++i) {
        by_channel.append(1);
    }
    const auto line = all_known && given.are_for(x.shape()[1]) ? line_beyond_fp16(given) : std::nullopt;
    if (!line) {
        return std::nullopt;
    }
    c.scope().note(std::string(batch_norm_note));
    const auto of = [&](const std::vector<double>& values) {
        return c.constant(folding::known(element_type::f32, by_channel, values));
    };
    return c.add(op::add, {c.add(op::mul, {x, of(line->scale)}), of(line->offset)});
}

ANEMONE_INLINE std::vector<mil_value> read_batch_norm(mil_call& c) {
    const dynamic_tensor x = c.tensor("x");
    const std::int64_t channels = channels_of(c, x);
    if (const auto line = batch_norm_as_line(c, x)) {
        return c.result(*line);
    }
    const stabilizer s{.epsilon = c.float_of("epsilon", 1e-5), .axis = 1};
    return c.result(c.add(op::batch_norm,
                          {x, c.tensor("mean"), c.tensor("variance"), parameter(c, "gamma", channels, 1),
                           parameter(c, "beta", channels, 0)},
                          s));
}

ANEMONE_INLINE std::vector<mil_value> read_instance_norm(mil_call& c) {
    const dynamic_tensor x = c.tensor("x");
    const std::int64_t channels = channels_of(c, x);
    const stabilizer s{.epsilon = c.float_of("epsilon", 1e-5), .axis = 1};
    return c.result(
        c.add(op::instance_norm, {x, parameter(c, "gamma", channels, 1), parameter(c, "beta", channels, 0)}, s));
}

/// Neighbouring axes are normalised as one.
ANEMONE_INLINE std::vector<mil_value> read_layer_norm(mil_call& c) {
    const dynamic_tensor x = c.tensor("x");
    indices over = axes_of(c, "axes", x.shape().rank);
    std::sort(over.extent, over.extent + over.rank);
    if (over.rank == 0 || over[over.rank - 1] - over[0] != over.rank - 1) {
        c.refuse(formatted("normalises the axes {}, which are no neighbours", print(over)));
    }
    extents merged;
    std::int64_t together = 1;
    for (int i = 0; i < x.shape().rank; ++i) {
        const bool inside = i >= over[0] && i <= over[over.rank - 1];
        together *= inside ? x.shape()[i] : 1;
        if (!inside || i == over[over.rank - 1]) {
            merged.append(inside ? together : x.shape()[i]);
        }
    }
    const auto vector = [&](std::string_view name, double otherwise) {
        return c.reshape(parameter(c, name, together, otherwise), {together});
    };
    const stabilizer s{.epsilon = c.float_of("epsilon", 1e-5), .axis = static_cast<int>(over[0])};
    return c.result(
        c.reshape(c.add(op::layer_norm, {c.reshape(x, merged), vector("gamma", 1), vector("beta", 0)}, s), x.shape()));
}

/// x / sqrt(the sum of x^2 over the last three axes + epsilon).
ANEMONE_INLINE std::vector<mil_value> read_l2_norm(mil_call& c) {
    const dynamic_tensor x = c.tensor("x");
    channels_of(c, x);
    axes last;
    for (int i = x.shape().rank - 3; i < x.shape().rank; ++i) {
        last.list.append(i);
    }
    const dynamic_tensor sum = c.add(op::reduce_sum_square, {x}, last);
    return c.result(
        c.add(op::mul, {x, c.add(op::rsqrt, {sum}, stabilizer{.epsilon = c.float_of("epsilon", 1e-6), .axis = -1})}));
}

ANEMONE_INLINE std::vector<mil_value> read_local_response_norm(mil_call& c) {
    const response_norm_shape r{.size = static_cast<int>(std::clamp<std::int64_t>(c.integer("size"), 0, 1 << 20)),
                                .alpha = c.float_of("alpha", 1e-4),
                                .beta = c.float_of("beta", 0.75),
                                .k = c.float_of("k", 1)};
    return c.result(c.add(op::local_response_norm, {c.tensor("x")}, r));
}

/// A mask of truth values keeps the scores where it is true; elsewhere the finite mask is subtracted, which leaves nothing
/// of a score beside any other.
ANEMONE_INLINE std::vector<mil_value> read_attention(mil_call& c) {
    const dynamic_tensor query = c.tensor("query");
    std::vector<dynamic_tensor> operands{query, c.tensor("key"), c.tensor("value")};
    if (c.has("attn_mask")) {
        mil_value& mask = c.value("attn_mask");
        const bool truths = mask.element == element_type::boolean;
        if (truths) {
            c.scope().note(formatted("masks of truth values in attention are read as 0 and {}, added to the scores",
                                     -finite_mask));
        }
        operands.push_back(truths ? c.add(op::select, {c.condition(mask), c.number(0), c.number(-finite_mask)})
                                  : c.tensor(mask));
    }
    return c.result(c.add(op::attention, operands, score_scaling{c.float_of("scale", 0)}));
}

ANEMONE_INLINE void add_normalization(statement_table& t) {
    t.insert({
        {"softmax",
         [](mil_call& c) {
             const dynamic_tensor x = c.tensor("x");
             return c.result(c.add(op::softmax, {x}, axis{c.axis_of(c.integer("axis", -1), x.shape().rank)}));
         }},
        {"log_softmax",
         [](mil_call& c) {
             const dynamic_tensor x = c.tensor("x");
             const axes over{c.axis_of(c.integer("axis", -1), x.shape().rank)};
             return c.result(c.add(op::sub, {x, c.add(op::reduce_log_sum_exp, {x}, over)}));
         }},
        {"batch_norm", read_batch_norm},
        {"instance_norm", read_instance_norm},
        {"layer_norm", read_layer_norm},
        {"l2_norm", read_l2_norm},
        {"local_response_norm", read_local_response_norm},
        {"scaled_dot_product_attention", read_attention},
    });
}

} // namespace ane::readers::inline ANEMONE_WAY
