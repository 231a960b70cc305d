#pragma once

#include "../graph/op_facet.hpp"

namespace ane::numerics {

/// Whether a comparison holds where the first value is below the second, where they are equal, and where it is above.
struct comparison_outcomes {
    bool below = false;
    bool same = false;
    bool above = false;
};

inline constexpr op_facet<comparison_outcomes> comparisons{
    {op::equal, {.same = true}},    {op::not_equal, {.below = true, .above = true}},
    {op::greater, {.above = true}}, {op::greater_equal, {.same = true, .above = true}},
    {op::less, {.below = true}},    {op::less_equal, {.below = true, .same = true}},
};
static_assert(comparisons.kinds() == ops_of(op_group::comparison),
              "a comparison has no row in numerics/comparison.hpp");

/// Whether a comparison holds of two values of which the first is below (-1), equal to (0) or above (1) the second.
constexpr bool holds(op comparison, int order) {
    const comparison_outcomes& outcomes = comparisons[comparison];
    return order < 0 ? outcomes.below : order > 0 ? outcomes.above : outcomes.same;
}

} // namespace ane::numerics
