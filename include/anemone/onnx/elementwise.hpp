#pragma once

#include "shapes.hpp"

#include <limits>

/// Operators on elements. Only bodies include this header.
namespace ane::onnx::inline ANEMONE_WAY {

inline constexpr double pi = 3.141592653589793;

/// Before version 7 the second operand's axes stand at `axis` of the first.
ANEMONE_INLINE dynamic_tensor old_broadcast(node_call& c, const dynamic_tensor& a, const dynamic_tensor& b) {
    if (c.opset() >= 7 || c.integer("broadcast", 0) == 0 || !c.has_attribute("axis")) {
        return b;
    }
    extents shape = b.shape();
    const int begin = c.axis("axis", 0, a.shape().rank);
    for (int i = a.shape().rank - begin - b.shape().rank; i > 0; --i) {
        shape.append(1);
    }
    return c.reshape(b, shape);
}
template <op Kind> results one_operand(node_call& c) { return {c.add(Kind, {c.x(0)})}; }
template <op Kind> results two_operands(node_call& c) {
    const dynamic_tensor a = c.x(0);
    return {c.add(Kind, {a, old_broadcast(c, a, c.x(1))})};
}
template <op Kind> results two_booleans(node_call& c) {
    const dynamic_tensor a = c.boolean(0);
    return {c.add(Kind, {a, old_broadcast(c, a, c.boolean(1))})};
}
/// Those with a small number in the graph that ONNX has not.
template <op Kind> results stabilized(node_call& c) { return {c.add(Kind, {c.x(0)}, stabilizer{.epsilon = 0})}; }

ANEMONE_INLINE results read_neg(node_call& c) { return {c.add(op::mul, c.x(0), -1.0)}; }
ANEMONE_INLINE results read_not(node_call& c) { return {c.add(op::logical_not, {c.boolean(0)})}; }

/// Integers are cut off: the quotient of their absolute values, with the sign of both.
ANEMONE_INLINE results read_div(node_call& c) {
    if (!is_integer(c.type(0))) {
        return two_operands<op::div>(c);
    }
    const dynamic_tensor a = c.x(0);
    const dynamic_tensor b = c.x(1);
    const bool positive = facts_of(c.type(0)).kind == number_kind::without_sign;
    if (positive) {
        return {c.add(op::floor_div, {a, b})};
    }
    const dynamic_tensor size = c.add(op::floor_div, {c.add(op::abs, {a}), c.add(op::abs, {b})});
    const dynamic_tensor sign = c.add(op::mul, {c.add(op::sign, {a}), c.add(op::sign, {b})});
    return {c.add(op::mul, {size, sign})};
}

ANEMONE_INLINE results read_pow(node_call& c) {
    if (c.is_known(1) && c.known(1).count() == 1 && c.rank(1) <= c.rank(0)) {
        const double power = c.number(1);
        if (power == 2) {
            return {c.add(op::square, {c.x(0)})};
        }
        if (power == 0.5) {
            return {c.add(op::sqrt, {c.x(0)})};
        }
    }
    return two_operands<op::pow>(c);
}

ANEMONE_INLINE results read_tan(node_call& c) {
    const dynamic_tensor x = c.x(0);
    return {c.add(op::div, {c.add(op::sin, {x}), c.add(op::cos, {x})})};
}
/// atan(x / sqrt((1 - x) (1 + x))): no difference loses digits, as 1 - x x would near 1.
ANEMONE_INLINE results read_asin(node_call& c) {
    const dynamic_tensor x = c.x(0);
    const dynamic_tensor below = c.add(op::mul, {c.add(op::sub, 1.0, x), c.add(op::add, 1.0, x)});
    return {c.add(op::atan, {c.add(op::div, {x, c.add(op::sqrt, {below})})})};
}
/// 2 atan(sqrt((1 - x) / (1 + x)))
ANEMONE_INLINE results read_acos(node_call& c) {
    const dynamic_tensor x = c.x(0);
    const dynamic_tensor ratio = c.add(op::div, {c.add(op::sub, 1.0, x), c.add(op::add, 1.0, x)});
    return {c.add(op::mul, c.add(op::atan, {c.add(op::sqrt, {ratio})}), 2.0)};
}
template <op Kind> results half_exponentials(node_call& c) {
    const dynamic_tensor x = c.x(0);
    const dynamic_tensor down = c.add(op::exp, {c.add(op::mul, x, -1.0)});
    return {c.add(op::mul, c.add(Kind, {c.add(op::exp, {x}), down}), 0.5)};
}
ANEMONE_INLINE dynamic_tensor log_of(node_call& c, const dynamic_tensor& x) {
    return c.add(op::log, {x}, stabilizer{.epsilon = 0});
}
/// sign(x) log(|x| + sqrt(x^2 + 1))
ANEMONE_INLINE results read_asinh(node_call& c) {
    const dynamic_tensor x = c.x(0);
    const dynamic_tensor root = c.add(op::sqrt, {c.add(op::add, c.add(op::mul, {x, x}), 1.0)});
    const dynamic_tensor sum = c.add(op::add, {c.add(op::abs, {x}), root});
    return {c.add(op::mul, {c.add(op::sign, {x}), log_of(c, sum)})};
}
/// log(x + sqrt((x - 1) (x + 1)))
ANEMONE_INLINE results read_acosh(node_call& c) {
    const dynamic_tensor x = c.x(0);
    const dynamic_tensor product = c.add(op::mul, {c.add(op::sub, x, 1.0), c.add(op::add, x, 1.0)});
    return {log_of(c, c.add(op::add, {x, c.add(op::sqrt, {product})}))};
}
/// log((1 + x) / (1 - x)) / 2
ANEMONE_INLINE results read_atanh(node_call& c) {
    const dynamic_tensor x = c.x(0);
    const dynamic_tensor ratio = c.add(op::div, {c.add(op::add, 1.0, x), c.add(op::sub, 1.0, x)});
    return {c.add(op::mul, log_of(c, ratio), 0.5)};
}

// Activations.

inline float as_float(double v) { return static_cast<float>(v); }

ANEMONE_INLINE results read_elu(node_call& c) {
    const dynamic_tensor x = c.x(0);
    return {c.add(op::elu, {x}, saturation{as_float(c.number("alpha", 1))})};
}
/// alpha elu(x / alpha)
ANEMONE_INLINE results read_celu(node_call& c) {
    const double alpha = c.number("alpha", 1);
    return {c.add(op::mul, c.add(op::elu, {c.add(op::div, c.x(0), alpha)}, saturation{1}), alpha)};
}
ANEMONE_INLINE results read_selu(node_call& c) {
    const double alpha = c.number("alpha", 1.67326319217681884765625);
    const double gamma = c.number("gamma", 1.05070102214813232421875);
    return {c.add(op::mul, c.add(op::elu, {c.x(0)}, saturation{as_float(alpha)}), gamma)};
}
ANEMONE_INLINE results read_hard_sigmoid(node_call& c) {
    const dynamic_tensor x = c.x(0);
    return {
        c.add(op::hard_sigmoid, {x}, clamped_line{as_float(c.number("alpha", 0.2)), as_float(c.number("beta", 0.5))})};
}
ANEMONE_INLINE results read_hard_swish(node_call& c) {
    const dynamic_tensor x = c.x(0);
    return {c.add(op::mul, {x, c.add(op::hard_sigmoid, {x}, clamped_line{as_float(1.0 / 6), 0.5F})})};
}
ANEMONE_INLINE results read_gelu(node_call& c) { return {c.add(op::gelu, {c.x(0)})}; }
ANEMONE_INLINE results read_mish(node_call& c) {
    const dynamic_tensor x = c.x(0);
    return {c.add(op::mul, {x, c.add(op::tanh, {c.add(op::softplus, {x})})})};
}
ANEMONE_INLINE results read_leaky_relu(node_call& c) {
    const dynamic_tensor x = c.x(0);
    return {c.add(op::leaky_relu, {x}, leakage{as_float(c.number("alpha", 0.01))})};
}
/// The graph's passes x from alpha on, ONNX's above alpha: the next fp16 number is the threshold.
ANEMONE_INLINE results read_thresholded_relu(node_call& c) {
    const half alpha(c.number("alpha", 1));
    c.require(is_finite(alpha), "has a threshold that fp16 does not hold");
    const auto bits = static_cast<std::uint16_t>(alpha.bits);
    const std::uint16_t next = bits == 0x8000U || bits == 0 ? 1 : (bits & 0x8000U) != 0 ? bits - 1 : bits + 1;
    return {c.add(op::thresholded_relu, {c.x(0)}, relu_threshold{static_cast<float>(half::from_bits(next))})};
}
ANEMONE_INLINE results read_shrink(node_call& c) {
    const double lambd = c.number("lambd", 0.5);
    const double bias = c.number("bias", 0);
    const dynamic_tensor x = c.x(0);
    const dynamic_tensor zero = c.number_tensor(0);
    const dynamic_tensor inside = c.add(op::select, {c.add(op::greater, x, lambd), c.add(op::sub, x, bias), zero});
    return {c.add(op::select, {c.add(op::less, x, -lambd), c.add(op::add, x, bias), inside})};
}
ANEMONE_INLINE results read_is_nan(node_call& c) {
    const dynamic_tensor x = c.x(0);
    return {c.add(op::not_equal, {x, x})};
}
/// Nothing but an infinity is above the largest number.
ANEMONE_INLINE results read_is_inf(node_call& c) {
    const dynamic_tensor x = c.x(0);
    const bool above = c.integer("detect_positive", 1) != 0;
    const bool below = c.integer("detect_negative", 1) != 0;
    c.require(above || below, "looks for neither infinity");
    const auto side = [&](op kind, double limit) { return c.real(c.add(kind, x, limit)); };
    const element_type type = element_type::boolean;
    if (!above || !below) {
        return {{above ? side(op::greater, half_max) : side(op::less, -half_max), type}};
    }
    return {{c.add(op::maximum, {side(op::greater, half_max), side(op::less, -half_max)}), type}};
}
ANEMONE_INLINE results read_clip(node_call& c) {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    const bool inputs = c.opset() >= 11;
    double low = inputs ? -infinite : c.number("min", -infinite);
    double high = inputs ? infinite : c.number("max", infinite);
    dynamic_tensor x = c.x(0);
    for (int i = 1; i <= 2 && inputs; ++i) {
        if (c.has(i) && c.is_known(i)) {
            (i == 1 ? low : high) = c.number(i);
        } else if (c.has(i)) {
            x = c.add(i == 1 ? op::maximum : op::minimum, {x, c.x(i)});
        }
    }
    if (low >= -half_max && high <= half_max && low <= high) {
        return {c.add(op::clamp, {x}, clip_range{as_float(low), as_float(high)})};
    }
    if (low >= -half_max) {
        x = c.add(op::maximum, x, std::min(low, half_max));
    }
    if (high <= half_max) {
        x = c.add(op::minimum, x, std::max(high, -half_max));
    }
    return {x};
}
/// To integers digits behind the point are cut off; to real numbers and between integers nothing changes.
ANEMONE_INLINE results read_cast(node_call& c) {
    const element_type to = cast_type(c);
    if (to == element_type::boolean) {
        return {{c.boolean(0), to}};
    }
    const dynamic_tensor x = c.x(0);
    if (is_integer(to) && is_floating(c.type(0))) {
        return {{c.add(op::select, {c.add(op::less, x, 0.0), c.add(op::ceil, {x}), c.add(op::floor, {x})}), to}};
    }
    return {{c.add(op::identity, {x}), to}};
}
ANEMONE_INLINE results read_identity(node_call& c) {
    const dynamic_tensor t = c.raw(0);
    return {t.type() == dtype::f16 ? c.add(op::identity, {t}) : t};
}
ANEMONE_INLINE results read_dropout(node_call& c) {
    const bool training = c.opset() >= 12 ? c.has(2) && c.number(2) != 0
                                          : c.opset() < 7 && c.has_attribute("is_test") && c.integer("is_test", 0) == 0;
    const double ratio = c.opset() >= 12 ? (c.has(1) ? c.number(1) : 0.5) : c.number("ratio", 0.5);
    c.require(!training || ratio == 0, "draws random numbers, as in training");
    results all{c.add(op::identity, {c.x(0)})};
    if (c.wants(1)) {
        all.emplace_back(c.computed(element_type::boolean, c.shape(0), [](std::int64_t) { return 1; }));
    }
    return all;
}
/// One slope for each channel is the operation; any other shape of slopes is a choice between x and slope x.
ANEMONE_INLINE results read_prelu(node_call& c) {
    const dynamic_tensor x = c.x(0);
    dynamic_tensor slope = c.x(1);
    const extents& s = slope.shape();
    const int rank = x.shape().rank;
    const std::int64_t channels = rank > 1 ? x.shape()[1] : 1;
    const bool old = c.opset() < 7 && s.rank <= 1;
    const bool by_channel = s.rank <= rank && rank >= 3 && s.count() == s.from_last(rank - 2);
    if (!old && !by_channel) {
        return {c.add(op::select, {c.add(op::less, x, 0.0), c.add(op::mul, {x, slope}), x})};
    }
    slope = c.reshape(slope, {s.count()});
    if (slope.shape()[0] != channels) {
        slope = c.add(op::tile, {slope}, repeats{channels});
    }
    extents wide = x.shape();
    while (wide.rank < 3) {
        wide.append(1);
    }
    return {c.reshape(c.add(op::prelu, {c.reshape(x, wide), slope}), x.shape())};
}
/// a - b floor(a / b); with fmod towards zero.
ANEMONE_INLINE results read_mod(node_call& c) {
    const dynamic_tensor a = c.x(0);
    const dynamic_tensor b = c.x(1);
    if (c.integer("fmod", 0) == 0) {
        return {c.add(op::sub, {a, c.add(op::mul, {b, c.add(op::floor_div, {a, b})})})};
    }
    const dynamic_tensor p = c.add(op::abs, {a});
    const dynamic_tensor q = c.add(op::abs, {b});
    const dynamic_tensor rest = c.add(op::sub, {p, c.add(op::mul, {q, c.add(op::floor_div, {p, q})})});
    return {c.add(op::mul, {rest, c.add(op::sign, {a})})};
}
ANEMONE_INLINE results read_where(node_call& c) {
    return {{c.add(op::select, {c.boolean(0), c.x(1), c.x(2)}), c.type(1)}};
}
template <op Kind> results several(node_call& c) {
    dynamic_tensor x = c.x(0);
    for (int i = 1; i < c.operand_count(); ++i) {
        x = c.add(Kind, {x, c.x(i)});
    }
    if (c.name() == "Mean") {
        return {c.add(op::div, x, static_cast<double>(c.operand_count()))};
    }
    return {c.operand_count() == 1 ? c.add(op::identity, {x}) : x};
}
/// A product with a power of two, or the floor of a quotient by one.
ANEMONE_INLINE results read_bit_shift(node_call& c) {
    const bool left = c.word("direction", "") == "LEFT";
    return {c.add(left ? op::mul : op::floor_div, {c.x(0), c.add(op::exp2, {c.x(1)})})};
}

ANEMONE_INLINE void add_elementwise(converter_table& t) {
    t.insert({
        {"Abs", one_operand<op::abs>},
        {"Atan", one_operand<op::atan>},
        {"Ceil", one_operand<op::ceil>},
        {"Cos", one_operand<op::cos>},
        {"Erf", one_operand<op::erf>},
        {"Exp", one_operand<op::exp>},
        {"Floor", one_operand<op::floor>},
        {"Relu", one_operand<op::relu>},
        {"Round", one_operand<op::round>},
        {"Sigmoid", one_operand<op::sigmoid>},
        {"Sign", one_operand<op::sign>},
        {"Sin", one_operand<op::sin>},
        {"Softplus", one_operand<op::softplus>},
        {"Softsign", one_operand<op::softsign>},
        {"Sqrt", one_operand<op::sqrt>},
        {"Tanh", one_operand<op::tanh>},
        {"Log", stabilized<op::log>},
        {"Reciprocal", stabilized<op::inverse>},
        {"Identity", read_identity},
        {"Add", two_operands<op::add>},
        {"Sub", two_operands<op::sub>},
        {"Mul", two_operands<op::mul>},
        {"Div", read_div},
        {"Pow", read_pow},
        {"Mod", read_mod},
        {"Equal", two_operands<op::equal>},
        {"Greater", two_operands<op::greater>},
        {"GreaterOrEqual", two_operands<op::greater_equal>},
        {"Less", two_operands<op::less>},
        {"LessOrEqual", two_operands<op::less_equal>},
        {"And", two_booleans<op::logical_and>},
        {"Or", two_booleans<op::logical_or>},
        {"Xor", two_booleans<op::logical_xor>},
        {"Not", read_not},
        {"Neg", read_neg},
        {"Tan", read_tan},
        {"Asin", read_asin},
        {"Acos", read_acos},
        {"Sinh", half_exponentials<op::sub>},
        {"Cosh", half_exponentials<op::add>},
        {"Asinh", read_asinh},
        {"Acosh", read_acosh},
        {"Atanh", read_atanh},
        {"Elu", read_elu},
        {"Celu", read_celu},
        {"Selu", read_selu},
        {"Gelu", read_gelu},
        {"Mish", read_mish},
        {"HardSigmoid", read_hard_sigmoid},
        {"HardSwish", read_hard_swish},
        {"LeakyRelu", read_leaky_relu},
        {"ThresholdedRelu", read_thresholded_relu},
        {"Shrink", read_shrink},
        {"IsNaN", read_is_nan},
        {"IsInf", read_is_inf},
        {"Clip", read_clip},
        {"Cast", read_cast},
        {"CastLike", read_cast},
        {"Dropout", read_dropout},
        {"PRelu", read_prelu},
        {"Where", read_where},
        {"Max", several<op::maximum>},
        {"Min", several<op::minimum>},
        {"Sum", several<op::add>},
        {"Mean", several<op::add>},
        {"BitShift", read_bit_shift},
    });
}

} // namespace ane::onnx::inline ANEMONE_WAY
