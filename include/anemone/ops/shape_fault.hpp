#pragma once

#include "../graph/op.hpp"
#include "../tensor.hpp"
#include "fault.hpp"

#include <concepts>
#include <cstddef>
#include <utility>

/// Shape rules as constraints. A builder stands twice: constrained by its rule, and deleted for operands that break it.
///
///     template <class A, class B>
///         requires obeys<shapes::broadcast, A, B>
///     constexpr auto add(A a, B b, site where = here()) { ... }
///     template <class A, class B, class Broken = breach<op::add, shapes::broadcast, A, B>>
///     A add(A, B, ...) = delete;
///
/// The call of a deleted function is what puts the caller's line, the rule and its numbers into the first line of g++
/// and the first notes of clang, with and without -Wfatal-errors. A failed constraint alone lists candidates, g++ tells
/// its reason in notes far below (with -Wfatal-errors nowhere); a `static_assert` shows the library's lines first.
namespace ane {

/// What is wrong with the operands of an operation, as compilers print it: the rule, what was found, what is wanted.
template <op Operation, fault Rule, std::int64_t Got, std::int64_t Want> struct shape_fault {};

template <class T>
concept number = std::integral<T> || std::floating_point<T>;

namespace detail {

template <class T> inline constexpr bool is_tensor = false;
template <class Shape, dtype Type> inline constexpr bool is_tensor<tensor<Shape, Type>> = true;

/// An operand as a rule sees it. A number stands for a constant of rank 0.
struct operand {
    extents shape;
    dtype type = dtype::f16;
};
template <class T> inline constexpr operand operand_of_type{};
template <class Shape, dtype Type> inline constexpr operand operand_of_type<tensor<Shape, Type>> = {Shape::value, Type};

/// The common check of operands: fp16 elements and positive extents.
constexpr void require_arithmetic(inferred& result, const operand& x) {
    result.require(x.type == dtype::f16, fault::operands_must_be_fp16_use_to_f16_R002, static_cast<int>(x.type),
                   static_cast<int>(dtype::f16));
    for (int i = 0; i < x.shape.rank; ++i) {
        result.require(x.shape[i] > 0, fault::every_extent_must_be_at_least_1_R019, x.shape[i], 1);
    }
}

/// Rules of shapes see extents, and their operands are arithmetic; others see operands and check the types themselves.
template <class Rule, class... T> constexpr inferred judge() {
    if constexpr (requires { Rule::judge(operand_of_type<T>...); }) {
        return Rule::judge(operand_of_type<T>...);
    } else {
        inferred result = Rule::judge(operand_of_type<T>.shape...);
        (require_arithmetic(result, operand_of_type<T>), ...);
        return result;
    }
}
/// A variable, so that it is computed once for operands of equal types.
template <class Rule, class... T> inline constexpr inferred judged = judge<Rule, T...>();

/// The shape that a rule gives, as a type.
template <class Sequence, class Rule, class... T> struct shape_from_rule;
template <std::size_t... Axis, class Rule, class... T>
struct shape_from_rule<std::index_sequence<Axis...>, Rule, T...> {
    using type = shape<judged<Rule, T...>.shape.extent[Axis]...>;
};
template <class Rule, class... T>
using judged_shape =
    typename shape_from_rule<std::make_index_sequence<static_cast<std::size_t>(judged<Rule, T...>.shape.rank)>, Rule,
                             T...>::type;

enum class verdict_on_operands : std::uint8_t { not_ours, kept, broken };

/// Tensors are judged, and numbers where the rule takes them; whatever else is left to other functions of the name.
template <class Rule, class... T> constexpr verdict_on_operands judge_operands() {
    constexpr bool numbers = requires { Rule::takes_numbers; };
    if constexpr (((is_tensor<T> || (numbers && number<T>)) && ...) && (is_tensor<T> || ...)) {
        return judged<Rule, T...>.ok() ? verdict_on_operands::kept : verdict_on_operands::broken;
    } else {
        return verdict_on_operands::not_ours;
    }
}
template <class Rule, class... T> inline constexpr verdict_on_operands verdict_on = judge_operands<Rule, T...>();

template <verdict_on_operands> struct fault_where {};
template <> struct fault_where<verdict_on_operands::broken> {
    template <op Operation, class Rule, class... T>
    using type = shape_fault<Operation, judged<Rule, T...>.broken, judged<Rule, T...>.got, judged<Rule, T...>.want>;
};

} // namespace detail

/// Rules of shapes as types, for the constraints of builders.
namespace shapes {

/// The rule that belongs to attributes.
template <auto Attributes> struct of {
    static constexpr inferred judge(const std::same_as<extents> auto&... shapes) {
        return shape_rule(Attributes, shapes...);
    }
};
/// The rule that is a function of some constants and the operands' shapes: `by<layer_norm_rule, 1>`.
template <auto Function, auto... Constants> struct by {
    static constexpr inferred judge(const std::same_as<extents> auto&... shapes) {
        return Function(Constants..., shapes...);
    }
};
/// The result has the operand's shape.
struct same {
    static constexpr inferred judge(const extents& x) { return {.shape = x}; }
};

} // namespace shapes

/// Whether operands of these types keep a rule.
template <class Rule, class... T>
concept obeys = detail::verdict_on<Rule, T...>
== detail::verdict_on_operands::kept;

/// The `shape_fault` of operands that break a rule; no type where they keep it.
template <op Operation, class Rule, class... T>
using breach = typename detail::fault_where<detail::verdict_on<Rule, T...>>::template type<Operation, Rule, T...>;

} // namespace ane
