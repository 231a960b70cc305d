#pragma once

#include "../ops/comparison.hpp"
#include "../ranges/binary.hpp"
#include "../ranges/shifted_exponentials.hpp"
#include "../ranges/written_norms.hpp"
#include "operation.hpp"

/// Two operands, which broadcast: arithmetic, comparisons, and what reads their booleans.
namespace ane::detail::catalogue {

struct broadcasting {
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return broadcast(shape_of(g, n, 0), shape_of(g, n, 1));
    }
};

struct arithmetic : of_halves, broadcasting {};

struct truth_value {
    static constexpr dtype type(const graph_view&, const node&) { return dtype::boolean; }
    static constexpr interval range(const graph_view&, const node&, operand_ranges) { return {0, 1, true}; }
    static constexpr bool exact = true;
};

struct comparison : truth_value, broadcasting {
    static constexpr bool reads(const graph_view& g, const node& n, int position) {
        return type_of(g, n, position) == dtype::f16;
    }
};

template <> struct operation<op::add> : arithmetic {
    static constexpr operation_support support{"add", family::older, "nnnnn"};
    static constexpr engine_path engine{path::elementwise, evidence::measured, "study M6; N080, N091, N105, N106 M1"};
    static constexpr interval range(const graph_view&, const node&, operand_ranges in) {
        const interval r = sum(in(0), in(1));
        return with_rows_of(in(1), 1, in(0).magnitude(), with_rows_of(in(0), 1, in(1).magnitude(), r));
    }
};
template <> struct operation<op::sub> : arithmetic {
    static constexpr operation_support support{"sub", family::older, "nnnnn"};
    static constexpr engine_path engine{path::elementwise, evidence::measured, "N091"};
    static constexpr interval range(const graph_view& g, const node& n, operand_ranges in) {
        return with_subtracted_maximum(g, n, difference(in(0), in(1)));
    }
};
template <> struct operation<op::mul> : arithmetic {
    static constexpr operation_support support{"mul", family::older, "nnnnn"};
    static constexpr engine_path engine{path::elementwise, evidence::conflicting,
                                        "N045 M1, N100; the study's probes stop at 2^15"};
    static constexpr interval range(const graph_view& g, const node& n, operand_ranges in) {
        if (g.operands(n)[0] == g.operands(n)[1]) {
            return square_by_product(in(0));
        }
        const interval r = with_written_norm(g, n, in(0), in(1), product(in(0), in(1)));
        return with_rows_of(in(1), in(0).magnitude(), 0, with_rows_of(in(0), in(1).magnitude(), 0, r));
    }
};
template <> struct operation<op::div> : arithmetic {
    static constexpr operation_support support{"real_div", family::older, "nnnnn"};
    static constexpr engine_path engine{path::composed, evidence::inferred,
                                        "reciprocal table, then a product; N123 for A11, A12"};
    static constexpr interval range(const graph_view& g, const node& n, operand_ranges in) {
        return with_written_norm(g, n, in(0), in(1), divided_by(g, g.operand(n, 1), in(0), in(1)));
    }
};
template <> struct operation<op::minimum> : arithmetic {
    static constexpr operation_support support{"minimum", family::older, "nnnnn"};
    static constexpr engine_path engine{path::elementwise, evidence::inferred, "as maximum"};
    static constexpr interval range(const graph_view&, const node&, operand_ranges in) { return smaller(in(0), in(1)); }
    static constexpr bool exact = true;
};
template <> struct operation<op::maximum> : arithmetic {
    static constexpr operation_support support{"maximum", family::older, "nnnnn"};
    static constexpr engine_path engine{path::elementwise, evidence::measured, "N086"};
    static constexpr interval range(const graph_view&, const node&, operand_ranges in) { return larger(in(0), in(1)); }
    static constexpr bool exact = true;
};
template <> struct operation<op::pow> : arithmetic {
    static constexpr operation_support support{"pow", family::older, "nnnnn"};
    static constexpr engine_path engine{path::elementwise, evidence::inferred,
                                        "a unit of the planar engine; M5 sweep 1.8e-4"};
    static constexpr interval range(const graph_view&, const node&, operand_ranges in) {
        return power_of(in(0), in(1));
    }
};
template <> struct operation<op::floor_div> : arithmetic {
    static constexpr operation_support support{"floor_div", family::older, "nnnnn"};
    static constexpr engine_path engine{path::composed, evidence::inferred, "div, then floor; N123 for A11, A12"};
    static constexpr interval range(const graph_view& g, const node& n, operand_ranges in) {
        const interval near = divided_by(g, g.operand(n, 1), in(0), in(1));
        return near.bounded() ? interval{floor_of(near.low), floor_of(near.high), near.declared} : near;
    }
};

template <> struct operation<op::equal> : comparison {
    static constexpr operation_support support{"equal", family::older, "nnnnn"};
    static constexpr engine_path engine{path::elementwise, evidence::inferred, "exact (netplist: ElementWise)"};
};
template <> struct operation<op::not_equal> : comparison {
    static constexpr operation_support support{"not_equal", family::older, "nnnnn"};
    static constexpr engine_path engine{path::elementwise, evidence::inferred, "as equal"};
};
template <> struct operation<op::greater> : comparison {
    static constexpr operation_support support{"greater", family::older, "nnnnn"};
    static constexpr engine_path engine{path::elementwise, evidence::inferred, "as equal"};
};
template <> struct operation<op::greater_equal> : comparison {
    static constexpr operation_support support{"greater_equal", family::older, "nnnnn"};
    static constexpr engine_path engine{path::elementwise, evidence::inferred, "as equal"};
};
template <> struct operation<op::less> : comparison {
    static constexpr operation_support support{"less", family::older, "nnnnn"};
    static constexpr engine_path engine{path::elementwise, evidence::inferred, "as equal"};
};
template <> struct operation<op::less_equal> : comparison {
    static constexpr operation_support support{"less_equal", family::older, "nnnnn"};
    static constexpr engine_path engine{path::elementwise, evidence::inferred, "as equal"};
};

template <> struct operation<op::logical_not> : truth_value {
    static constexpr interval range(const graph_view&, const node&, operand_ranges in) {
        return {1 - in(0).high, 1 - in(0).low, true};
    }
    static constexpr operation_support support{"logical_not", family::older, "nnnnn"};
    static constexpr engine_path engine{path::elementwise, evidence::inferred, "exact"};
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return boolean_rule(type_of(g, n, 0), shape_of(g, n, 0));
    }
    static constexpr bool reads(const graph_view& g, const node& n, int position) {
        return type_of(g, n, position) == dtype::boolean;
    }
};
/// What lowering makes of them; their own forms are in dispute (OC20).
struct logic_of_two : truth_value {
    static constexpr engine_path engine{path::composed, evidence::inferred, "masks of 0 and 1, exactly"};
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return logic_rule(type_of(g, n, 0), shape_of(g, n, 0), type_of(g, n, 1), shape_of(g, n, 1));
    }
    static constexpr bool reads(const graph_view& g, const node& n, int position) {
        return type_of(g, n, position) == dtype::boolean;
    }
};
template <> struct operation<op::logical_and> : logic_of_two {
    static constexpr interval range(const graph_view&, const node&, operand_ranges in) { return smaller(in(0), in(1)); }
    static constexpr operation_support support{"", family::older, "nnnnn"};
};
template <> struct operation<op::logical_or> : logic_of_two {
    static constexpr interval range(const graph_view&, const node&, operand_ranges in) { return larger(in(0), in(1)); }
    static constexpr operation_support support{"", family::older, "nnnnn"};
};
template <> struct operation<op::logical_xor> : logic_of_two {
    static constexpr interval range(const graph_view&, const node&, operand_ranges in) {
        return {0, larger(in(0), in(1)).high, true};
    }
    static constexpr operation_support support{"", family::older, "nnnnn"};
};
/// (condition, a, b)
template <> struct operation<op::select> : of_halves {
    static constexpr operation_support support{"select", family::older, "nnnnn"};
    static constexpr engine_path engine{path::elementwise, evidence::inferred, "chooses, exactly (M5 sweep: no error)"};
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return select_rule(type_of(g, n, 0), shape_of(g, n, 0), shape_of(g, n, 1), shape_of(g, n, 2));
    }
    static constexpr bool reads(const graph_view& g, const node& n, int position) {
        return type_of(g, n, position) == (position == 0 ? dtype::boolean : dtype::f16);
    }
    static constexpr interval range(const graph_view&, const node&, operand_ranges in) { return hull(in(1), in(2)); }
    static constexpr bool exact = true;
};

} // namespace ane::detail::catalogue
