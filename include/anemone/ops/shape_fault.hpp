#pragma once

#include "../graph/op.hpp"
#include "../graph/state.hpp"
#include "../graph/tensor.hpp"
#include "fault.hpp"

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <utility>

/// Shape rules as constraints. Each builder has two overloads: one constrained by its rule, and a twin for operands that
/// break it, whose result is a type without a definition.
///
///     template <class A, class B>
///         requires obeys<shapes::broadcast, A, B>
///     constexpr auto add(A a, B b, source_location where = here()) { ... }
///     template <class A, class B, class Broken = breach<op::add, shapes::broadcast, A, B>>
///     Broken add(A, B, ...);
///
/// The call of such a function is what puts the caller's line and the type, which has the rule, its numbers and the
/// operands, into the first line of both compilers, however deep the call stands in templates, with and without
/// -Wfatal-errors. A deleted function does so with g++ alone: clang tells its arguments behind all instantiations. A failed
/// constraint lists candidates, g++ tells its reason in notes far below (with -Wfatal-errors nowhere); a `static_assert`
/// shows the library's lines first. To `requires` the call is no expression, as with a failed constraint.
namespace ane {

/// What is wrong with the operands of an operation, as compilers print it: the rule, what was found, what is wanted.
template <op Operation, fault Rule, std::int64_t Got, std::int64_t Want> struct shape_fault {};

/// What an operation returns for such operands. There is no such value: the type is not complete.
template <class Fault, class... Operands> struct refused_operands;

/// The same of an einsum's letter.
template <op Operation, fault Rule, char Letter> struct letter_fault {};

template <class T>
concept number = std::integral<T> || std::floating_point<T>;

namespace detail {

/// An operand as a rule sees it. A number stands for a constant of rank 0.
struct operand {
    enum kind : std::uint8_t { tensor, scaled_tensor, number, unknown, state, other };
    extents shape{};
    dtype type = dtype::f16;
    kind is = other;
};
template <class T> inline constexpr operand operand_of_type{.is = number<T> ? operand::number : operand::other};
template <class Shape, dtype Type>
inline constexpr operand operand_of_type<tensor<Shape, Type>> = {Shape::value, Type, operand::tensor};
template <dtype Type>
inline constexpr operand operand_of_type<tensor<unknown_shape, Type>> = {unknown_shape::value, Type, operand::unknown};
template <class Shape>
inline constexpr operand operand_of_type<state<Shape>> = {Shape::value, dtype::f16, operand::state};

/// The common check of operands: fp16 elements and positive extents.
constexpr void require_arithmetic(inferred& result, const operand& x) {
    result.require(x.type == dtype::f16, fault::operands_must_be_fp16_use_to_f16_R002, static_cast<int>(x.type),
                   static_cast<int>(dtype::f16));
    for (int i = 0; i < x.shape.rank; ++i) {
        result.require(x.shape[i] > 0, fault::every_extent_must_be_at_least_1_R019, x.shape[i], 1);
    }
}

enum class verdict_on_operands : std::uint8_t { not_ours, kept, broken };
struct judgement {
    verdict_on_operands verdict = verdict_on_operands::not_ours;
    inferred result{};
    bool unknown = false;

    /// How many axes the type of the result has; one more than possible means that it is not known.
    constexpr std::size_t axes() const { return static_cast<std::size_t>(unknown ? most_axes + 1 : result.shape.rank); }
    static constexpr int most_axes = extents::capacity;
};

/// Whether a rule judges such operands: tensors always, numbers and scaled tensors where it takes them. Any other
/// argument leaves the call to other functions of that name.
template <class Rule> constexpr bool judges(std::initializer_list<operand::kind> operands) {
    constexpr bool numbers = requires { Rule::takes_numbers; };
    int scaled = 0; // how many of the first operands may be scaled
    if constexpr (requires { Rule::takes_scaled; }) {
        scaled = Rule::takes_scaled;
    }
    bool any = false;
    for (const operand::kind is : operands) {
        const bool taken =
            is == operand::tensor || (is == operand::number && numbers) || (is == operand::scaled_tensor && scaled > 0);
        if (!taken) {
            return false;
        }
        any = any || is != operand::number;
        --scaled;
    }
    return any;
}

/// Rules about shapes see extents, and their operands must be arithmetic; other rules see operands and check the types
/// themselves.
template <class Rule, class... Operand> constexpr judgement judge(const Operand&... x) {
    judgement j;
    // NOLINTNEXTLINE(misc-redundant-expression): where there is one operand
    if (((x.is == operand::unknown) || ...) && ((x.is != operand::other) && ...)) {
        j.verdict = verdict_on_operands::kept; // reported already
        j.result.shape = unknown_shape::value;
        j.unknown = true;
    } else if (((x.is == operand::state) || ...)) {
        j.result.require(false, fault::a_state_is_read_by_read_and_changed_by_write, 0, 0);
        j.verdict = verdict_on_operands::broken;
    } else if (judges<Rule>({x.is...})) {
        if constexpr (requires { Rule::judge(x...); }) {
            j.result = Rule::judge(x...);
        } else {
            j.result = Rule::judge(x.shape...);
            (require_arithmetic(j.result, x), ...);
        }
        j.verdict = j.result.ok() ? verdict_on_operands::kept : verdict_on_operands::broken;
    }
    return j;
}
/// A variable, so that it is computed once per set of operand types, which is all that such a set costs.
template <class Rule, class... T> inline constexpr judgement judged = judge<Rule>(operand_of_type<T>...);

/// The shape that a rule gives, as a type.
template <class Sequence, class Rule, class... T> struct shape_from_rule;
template <std::size_t... Axis, class Rule, class... T>
struct shape_from_rule<std::index_sequence<Axis...>, Rule, T...> {
    using type = shape<judged<Rule, T...>.result.shape.extent[Axis]...>;
};
template <class Rule, class... T>
struct shape_from_rule<std::make_index_sequence<judgement::most_axes + 1>, Rule, T...> {
    using type = unknown_shape;
};
template <class Rule, class... T>
using judged_shape = typename shape_from_rule<std::make_index_sequence<judged<Rule, T...>.axes()>, Rule, T...>::type;

/// Whether the numbers of a fault are codes of a letter, which a type tells as one.
constexpr bool is_of_a_letter(fault broken) {
    return broken == fault::letter_must_occur_once_in_an_operand ||
           broken == fault::letter_of_the_result_must_be_one_of_an_operand;
}
template <bool OfALetter> struct told_with {
    template <class Fault, class... T> using type = refused_operands<Fault, T...>;
};
template <class Fault> struct of_a_letter;
template <op Operation, fault Rule, std::int64_t Got, std::int64_t Want>
struct of_a_letter<shape_fault<Operation, Rule, Got, Want>> {
    using type = letter_fault<Operation, Rule, static_cast<char>(Got)>;
};
template <> struct told_with<true> {
    template <class Fault, class... T> using type = refused_operands<typename of_a_letter<Fault>::type, T...>;
};

template <verdict_on_operands> struct fault_where {};
template <> struct fault_where<verdict_on_operands::broken> {
    template <op Operation, class Rule, class... T>
    using type = typename told_with<is_of_a_letter(judged<Rule, T...>.result.broken)>::template type<
        shape_fault<Operation, judged<Rule, T...>.result.broken, judged<Rule, T...>.result.got,
                    judged<Rule, T...>.result.want>,
        T...>;
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
/// The same of products, whose first operands may be scaled.
template <auto Attributes> struct product_of : of<Attributes> { static constexpr int takes_scaled = 2; };
/// The rule that is a function of some constants and the operands' shapes: `by<layer_norm_rule, 1>`.
template <auto Function, auto... Constants> struct by {
    static constexpr inferred judge(const std::same_as<extents> auto&... shapes) {
        return Function(Constants..., shapes...);
    }
};
template <auto Function, int Scaled = 2> struct product_by : by<Function> {
    static constexpr int takes_scaled = Scaled;
};
/// The result has the operand's shape.
struct same {
    static constexpr inferred judge(const extents& x) { return {.shape = x}; }
};

} // namespace shapes

/// Whether operands of these types keep a rule.
template <class Rule, class... T>
concept obeys = (detail::judged<Rule, T...>.verdict == detail::verdict_on_operands::kept);

/// The `shape_fault` of operands that break a rule; no type where they keep it.
template <op Operation, class Rule, class... T>
using breach = typename detail::fault_where<detail::judged<Rule, T...>.verdict>::template type<Operation, Rule, T...>;

} // namespace ane
