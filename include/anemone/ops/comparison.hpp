#pragma once

#include "elementwise.hpp"

/// Comparisons, whose result is boolean, and what reads booleans: `logical_not`, `logical_and`, `logical_or`,
/// `logical_xor`, `select`, `to_f16`. No port is
/// boolean.
namespace ane {

/// A boolean operand, as comparisons give it.
constexpr inferred boolean_rule(dtype type, const extents& x) {
    inferred r;
    r.shape = x;
    return r.require(type == dtype::boolean, fault::operand_must_be_the_boolean_result_of_a_comparison,
                     static_cast<int>(type), static_cast<int>(dtype::boolean));
}

/// The condition is boolean; the three operands broadcast.
constexpr inferred select_rule(dtype type, const extents& condition, const extents& a, const extents& b) {
    const inferred r = boolean_rule(type, condition);
    if (!r.ok()) {
        return r;
    }
    const inferred values = detail::broadcast(a, b);
    return values.ok() ? detail::broadcast(condition, values.shape) : values;
}

/// Two boolean operands that broadcast.
constexpr inferred logic_rule(dtype a_type, const extents& a, dtype b_type, const extents& b) {
    const inferred first = boolean_rule(a_type, a);
    const inferred second = boolean_rule(b_type, b);
    return !first.ok() ? first : !second.ok() ? second : detail::broadcast(a, b);
}

namespace shapes {
struct logic {
    static constexpr inferred judge(const detail::operand& a, const detail::operand& b) {
        return logic_rule(a.type, a.shape, b.type, b.shape);
    }
};
struct boolean {
    static constexpr inferred judge(const detail::operand& x) { return boolean_rule(x.type, x.shape); }
};
struct select {
    static constexpr bool takes_numbers = true;
    static constexpr inferred judge(const detail::operand& condition, const detail::operand& a,
                                    const detail::operand& b) {
        inferred r = select_rule(condition.type, condition.shape, a.shape, b.shape);
        detail::require_arithmetic(r, a);
        detail::require_arithmetic(r, b);
        return r;
    }
};
/// What `to_f16` converts: bytes and booleans.
struct cast {
    static constexpr inferred judge(const detail::operand& x) {
        inferred r{.shape = x.shape};
        return r.require(x.type == dtype::uint8 || x.type == dtype::boolean, fault::to_f16_takes_bytes_and_booleans,
                         static_cast<int>(x.type), static_cast<int>(dtype::uint8));
    }
};
} // namespace shapes

// True or false for each element, by their rows in graph/operations.def.
#define ANEMONE_COMPARISON(name, ...)                                                                                  \
    template <class A, class B>                                                                                        \
        requires obeys<shapes::broadcast, A, B>                                                                        \
    constexpr auto name(A a, B b, source_location where = here()) {                                                    \
        return detail::binary<dtype::boolean>(op::name, a, b, where);                                                  \
    }                                                                                                                  \
    template <class A, class B, class Broken = breach<op::name, shapes::broadcast, A, B>> Broken name(A, B, ...);
#include "../graph/operations.def"

/// The comparisons as operators; `==` and `!=` are left out, since they would read as a comparison of two handles.
template <class A, class B>
    requires obeys<shapes::broadcast, A, B>
constexpr auto operator>(A a, B b) { return detail::binary<dtype::boolean>(op::greater, a, b, detail::site_of(a, b)); }
template <class A, class B, class Broken = breach<op::greater, shapes::broadcast, A, B>> Broken operator>(A, B);

template <class A, class B>
    requires obeys<shapes::broadcast, A, B>
constexpr auto operator>=(A a, B b) {
    return detail::binary<dtype::boolean>(op::greater_equal, a, b, detail::site_of(a, b));
}
template <class A, class B, class Broken = breach<op::greater_equal, shapes::broadcast, A, B>> Broken operator>=(A, B);

template <class A, class B>
    requires obeys<shapes::broadcast, A, B>
constexpr auto operator<(A a, B b) { return detail::binary<dtype::boolean>(op::less, a, b, detail::site_of(a, b)); }
template <class A, class B, class Broken = breach<op::less, shapes::broadcast, A, B>> Broken operator<(A, B);

template <class A, class B>
    requires obeys<shapes::broadcast, A, B>
constexpr auto operator<=(A a, B b) {
    return detail::binary<dtype::boolean>(op::less_equal, a, b, detail::site_of(a, b));
}
template <class A, class B, class Broken = breach<op::less_equal, shapes::broadcast, A, B>> Broken operator<=(A, B);

/// true where x is false
template <class X>
    requires obeys<shapes::boolean, X>
constexpr auto logical_not(X x, source_location where = here()) {
    return detail::append<shapes::boolean, dtype::boolean>(op::logical_not, no_attributes{}, where, x);
}
template <class X, class Broken = breach<op::logical_not, shapes::boolean, X>> Broken logical_not(X, ...);

// Of two booleans, by their rows in graph/operations.def.
#define ANEMONE_LOGIC(name, ...)                                                                                       \
    template <class A, class B>                                                                                        \
        requires obeys<shapes::logic, A, B>                                                                            \
    constexpr auto name(A a, B b, source_location where = here()) {                                                    \
        return detail::append<shapes::logic, dtype::boolean>(op::name, no_attributes{}, where, a, b);                  \
    }                                                                                                                  \
    template <class A, class B, class Broken = breach<op::name, shapes::logic, A, B>> Broken name(A, B, ...);
#include "../graph/operations.def"

/// a where the condition is true, b elsewhere; the three broadcast. The condition is the result of a comparison; a or b
/// may be a number.
template <class C, class A, class B>
    requires obeys<shapes::select, C, A, B>
constexpr auto select(C condition, A a, B b, source_location where = here()) {
    if constexpr (number<A>) {
        return select(condition, detail::scalar(condition, static_cast<double>(a), where), b, where);
    } else if constexpr (number<B>) {
        return select(condition, a, detail::scalar(condition, static_cast<double>(b), where), where);
    } else {
        return detail::append<shapes::select>(op::select, no_attributes{}, where, condition, a, b);
    }
}
template <class C, class A, class B, class Broken = breach<op::select, shapes::select, C, A, B>>
Broken select(C, A, B, ...);

/// Bytes as fp16, value for value; of booleans 1 where x is true and 0 where it is false.
template <class X>
    requires obeys<shapes::cast, X>
constexpr auto to_f16(X x, source_location where = here()) {
    return detail::append<shapes::cast>(op::cast, no_attributes{}, where, x);
}
template <class X, class Broken = breach<op::cast, shapes::cast, X>> Broken to_f16(X, ...);

namespace detail {
/// Whether a value is what `to_f16` made: bytes, or the 0 and 1 of booleans.
template <class Shape, dtype Type> constexpr bool is_of_bytes(const tensor<Shape, Type>& x) {
    return x.graph->nodes[static_cast<std::size_t>(x.node)].kind == op::cast;
}
} // namespace detail

} // namespace ane
