#pragma once

#include "../../ops/comparison.hpp"
#include "../ranges/binary.hpp"
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
    static constexpr interval range(const graph_view&, const node&, operand_ranges in) {
        return stored(sum(in(0), in(1)));
    }
};
template <> struct operation<op::sub> : arithmetic {
    static constexpr interval range(const graph_view&, const node&, operand_ranges in) {
        return stored(difference(in(0), in(1)));
    }
};
template <> struct operation<op::mul> : arithmetic {
    static constexpr interval range(const graph_view& g, const node& n, operand_ranges in) {
        const bool squares = g.operands(n)[0] == g.operands(n)[1];
        return stored(squares ? square_by_product(in(0)) : product(in(0), in(1)));
    }
};
template <> struct operation<op::div> : arithmetic {
    static constexpr interval range(const graph_view&, const node&, operand_ranges in) {
        return stored(divided(in(0), in(1)));
    }
};
template <> struct operation<op::minimum> : arithmetic {
    static constexpr interval range(const graph_view&, const node&, operand_ranges in) { return smaller(in(0), in(1)); }
    static constexpr bool exact = true;
};
template <> struct operation<op::maximum> : arithmetic {
    static constexpr interval range(const graph_view&, const node&, operand_ranges in) { return larger(in(0), in(1)); }
    static constexpr bool exact = true;
};
template <> struct operation<op::pow> : arithmetic {
    static constexpr interval range(const graph_view&, const node&, operand_ranges in) {
        return stored(power_of(in(0), in(1)));
    }
};
template <> struct operation<op::floor_div> : arithmetic {
    static constexpr interval range(const graph_view&, const node&, operand_ranges in) {
        const interval near = divided(in(0), in(1));
        return near.bounded() ? stored({floor_of(near.low), floor_of(near.high), near.declared}) : near;
    }
};

template <> struct operation<op::equal> : comparison {};
template <> struct operation<op::not_equal> : comparison {};
template <> struct operation<op::greater> : comparison {};
template <> struct operation<op::greater_equal> : comparison {};
template <> struct operation<op::less> : comparison {};
template <> struct operation<op::less_equal> : comparison {};

template <> struct operation<op::logical_not> : truth_value {
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return boolean_rule(type_of(g, n, 0), shape_of(g, n, 0));
    }
    static constexpr bool reads(const graph_view& g, const node& n, int position) {
        return type_of(g, n, position) == dtype::boolean;
    }
};
/// (condition, a, b)
template <> struct operation<op::select> : of_halves {
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
