#pragma once

#include "mil_table.hpp"

#include <limits>

/// Functions, arithmetic, comparisons and logic. Defaults: Core ML's public definitions of the operations. Only bodies
/// include this header.
namespace ane::readers::inline ANEMONE_WAY {

template <op Kind> std::vector<mil_value> read_function(mil_call& c) { return c.result(c.add(Kind, {c.tensor("x")})); }

/// Arithmetic on integers is that of fp16.
template <op Kind> std::vector<mil_value> read_arithmetic(mil_call& c) {
    const dynamic_tensor x = c.tensor("x");
    const dynamic_tensor y = c.tensor("y");
    if (is_integer(c.value("x").element)) {
        if (Kind == op::div && is_integer(c.declared().element)) {
            c.refuse("divides integers into integers, for which the definitions differ: use floor_div");
        }
        c.scope().note("integers are computed as fp16, exactly up to 2048");
    }
    return c.result(c.add(Kind, {x, y}));
}

template <op Kind> std::vector<mil_value> read_comparison(mil_call& c) {
    return c.result(c.add(Kind, {c.tensor("x"), c.tensor("y")}), element_type::boolean);
}

/// What a number called epsilon keeps away from zero. The defaults of Core ML are below fp16's smallest number; the
/// engine's parser fills in none (measured, mil-ops section 3).
template <op Kind> std::vector<mil_value> read_stabilized(mil_call& c) {
    const double otherwise = Kind == op::log ? 1e-45 : Kind == op::rsqrt ? 1e-12 : 1e-4;
    const dynamic_tensor x = c.tensor("x"); // first: of two faults the same one is told, whatever the compiler
    return c.result(c.add(Kind, {x}, stabilizer{.epsilon = c.float_of("epsilon", otherwise), .axis = -1}));
}

ANEMONE_INLINE std::vector<mil_value> read_gelu(mil_call& c) {
    const std::string mode = c.word("mode", "EXACT");
    if (mode == "SIGMOID_APPROXIMATION") {
        return c.result(c.add(op::gelu_sigmoid, {c.tensor("x")}));
    }
    if (mode == "TANH_APPROXIMATION") {
        c.scope().note("the tanh form of gelu is read as the exact one: the engine has one table for both");
    } else if (mode != "EXACT") {
        c.refuse(formatted("mode must be EXACT, TANH_APPROXIMATION or SIGMOID_APPROXIMATION, not {}", mode));
    }
    return c.result(c.add(op::gelu, {c.tensor("x")}));
}

/// A limit that is infinite limits nothing.
ANEMONE_INLINE std::vector<mil_value> read_clip(mil_call& c) {
    const dynamic_tensor x = c.tensor("x");
    constexpr double infinite = std::numeric_limits<double>::infinity();
    const double low = c.number_of("alpha", -infinite);
    const double high = c.number_of("beta", infinite);
    if (low < -half_max && high > half_max) {
        return c.result(x);
    }
    if (low < -half_max) {
        return c.result(c.add(op::minimum, {x, c.number(high)}));
    }
    if (high > half_max) {
        return c.result(c.add(op::maximum, {x, c.number(low)}));
    }
    return c.result(c.add(op::clamp, {x}, clip_range{static_cast<float>(low), static_cast<float>(high)}));
}

ANEMONE_INLINE std::vector<mil_value> read_linear_activation(mil_call& c) {
    dynamic_tensor x = c.tensor("x");
    const double alpha = c.number_of("alpha", 1);
    const double beta = c.number_of("beta", 0);
    x = alpha == 1 ? x : c.add(op::mul, {x, c.number(alpha)});
    return c.result(beta == 0 ? x : c.add(op::add, {x, c.number(beta)}));
}

/// x - y floor(x / y), which fp16 gives exactly for small integers only.
ANEMONE_INLINE std::vector<mil_value> read_mod(mil_call& c) {
    if (!is_integer(c.value("x").element) || !is_integer(c.value("y").element)) {
        c.refuse("of fractions is not exact when composed of the graph's operations; of integers it is read");
    }
    const dynamic_tensor x = c.tensor("x");
    const dynamic_tensor y = c.tensor("y");
    c.scope().note("integers are computed as fp16, exactly up to 2048");
    return c.result(c.add(op::sub, {x, c.add(op::mul, {y, c.add(op::floor_div, {x, y})})}));
}

template <op Kind> std::vector<mil_value> read_logic(mil_call& c) {
    return c.result(c.add(Kind, {c.condition("x"), c.condition("y")}), element_type::boolean);
}

ANEMONE_INLINE std::vector<mil_value> read_not(mil_call& c) {
    return c.result(c.add(op::logical_not, {c.condition("x")}), element_type::boolean);
}

ANEMONE_INLINE std::vector<mil_value> read_select(mil_call& c) {
    const dynamic_tensor condition = c.condition("cond");
    const dynamic_tensor chosen = c.add(op::select, {condition, c.tensor("a"), c.tensor("b")});
    const element_type element = c.value("a").element;
    return c.result(element == element_type::boolean ? c.truth_of(chosen) : chosen, element);
}

/// The whole part: a cast to an integer cuts the digits behind the point off.
ANEMONE_INLINE dynamic_tensor whole_part(mil_call& c, const dynamic_tensor& x) {
    return c.add(op::mul, {c.add(op::sign, {x}), c.add(op::floor, {c.add(op::abs, {x})})});
}

ANEMONE_INLINE std::vector<mil_value> read_cast(mil_call& c) {
    const std::string wanted = c.word("dtype", "");
    const element_type to = mil_element(wanted);
    if (to == element_type::undefined || to == element_type::text) {
        c.refuse(formatted("'{}' is no type of elements", wanted));
    }
    mil_value& v = c.value("x");
    const element_type from = v.element;
    if (to == element_type::boolean) {
        return c.result(c.condition(v), to);
    }
    if (c.raw(v).type() == dtype::uint8 && to == element_type::uint8) {
        return c.result(c.raw(v), to);
    }
    const dynamic_tensor x = c.tensor(v);
    if (is_integer(to) && is_floating(from)) {
        return c.result(whole_part(c, x), to);
    }
    if (is_integer(to) && is_integer(from) && facts_of(to).bits < facts_of(from).bits) {
        c.scope().note("casts to narrower integers are left out: values that do not fit stay as they are");
    }
    return c.result(x, to);
}

ANEMONE_INLINE std::vector<mil_value> read_parametric_softplus(mil_call& c) {
    return c.result(c.add(op::parametric_softplus, {c.tensor("x"), c.tensor("alpha"), c.tensor("beta")}));
}

ANEMONE_INLINE void add_elementwise(statement_table& t) {
    t.insert({
        {"relu", read_function<op::relu>},
        {"relu6", read_function<op::relu6>},
        {"sigmoid", read_function<op::sigmoid>},
        {"tanh", read_function<op::tanh>},
        {"silu", read_function<op::silu>},
        {"softplus", read_function<op::softplus>},
        {"softsign", read_function<op::softsign>},
        {"erf", read_function<op::erf>},
        {"exp", read_function<op::exp>},
        {"exp2", read_function<op::exp2>},
        {"sqrt", read_function<op::sqrt>},
        {"square", read_function<op::square>},
        {"abs", read_function<op::abs>},
        {"sign", read_function<op::sign>},
        {"ceil", read_function<op::ceil>},
        {"floor", read_function<op::floor>},
        {"round", read_function<op::round>},
        {"sin", read_function<op::sin>},
        {"cos", read_function<op::cos>},
        {"atan", read_function<op::atan>},
        {"log", read_stabilized<op::log>},
        {"rsqrt", read_stabilized<op::rsqrt>},
        {"inverse", read_stabilized<op::inverse>},
        {"gelu", read_gelu},
        {"clip", read_clip},
        {"linear_activation", read_linear_activation},
        {"softplus_parametric", read_parametric_softplus},
        {"leaky_relu",
         [](mil_call& c) {
             const dynamic_tensor x = c.tensor("x");
             return c.result(c.add(op::leaky_relu, {x}, leakage{c.float_of("alpha", 0.01)}));
         }},
        {"elu",
         [](mil_call& c) {
             const dynamic_tensor x = c.tensor("x");
             return c.result(c.add(op::elu, {x}, saturation{c.float_of("alpha", 1)}));
         }},
        {"thresholded_relu",
         [](mil_call& c) {
             const dynamic_tensor x = c.tensor("x");
             return c.result(c.add(op::thresholded_relu, {x}, relu_threshold{c.float_of("alpha", 1)}));
         }},
        {"threshold",
         [](mil_call& c) {
             return c.result(c.add(op::maximum, {c.tensor("x"), c.number(c.number_of("alpha"))}));
         }},
        {"clamped_relu",
         [](mil_call& c) {
             const dynamic_tensor x = c.tensor("x");
             return c.result(c.add(
                 op::clamped_relu, {x},
                 clamped_leakage{static_cast<float>(c.number_of("alpha")), static_cast<float>(c.number_of("beta"))}));
         }},
        {"sigmoid_hard",
         [](mil_call& c) {
             const dynamic_tensor x = c.tensor("x");
             return c.result(
                 c.add(op::hard_sigmoid, {x}, clamped_line{c.float_of("alpha", 0.2), c.float_of("beta", 0.5)}));
         }},
        {"scaled_tanh",
         [](mil_call& c) {
             const dynamic_tensor x = c.tensor("x");
             return c.result(c.add(op::scaled_tanh, {x}, tanh_scaling{c.float_of("alpha", 1), c.float_of("beta", 1)}));
         }},
        {"prelu",
         [](mil_call& c) {
             return c.result(c.add(op::prelu, {c.tensor("x"), c.tensor("alpha")}));
         }},
        {"add", read_arithmetic<op::add>},
        {"sub", read_arithmetic<op::sub>},
        {"mul", read_arithmetic<op::mul>},
        {"real_div", read_arithmetic<op::div>},
        {"floor_div", read_arithmetic<op::floor_div>},
        {"maximum", read_arithmetic<op::maximum>},
        {"minimum", read_arithmetic<op::minimum>},
        {"pow", read_arithmetic<op::pow>},
        {"mod", read_mod},
        {"equal", read_comparison<op::equal>},
        {"not_equal", read_comparison<op::not_equal>},
        {"greater", read_comparison<op::greater>},
        {"greater_equal", read_comparison<op::greater_equal>},
        {"less", read_comparison<op::less>},
        {"less_equal", read_comparison<op::less_equal>},
        {"logical_and", read_logic<op::logical_and>},
        {"logical_or", read_logic<op::logical_or>},
        {"logical_xor", read_logic<op::logical_xor>},
        {"logical_not", read_not},
        {"select", read_select},
        {"cast", read_cast},
    });
}

} // namespace ane::readers::inline ANEMONE_WAY
