#pragma once

#include "../../../base/way.hpp"
#include "../../../graph/op_facet.hpp"
#include "../../../graph/op_set.hpp"

namespace ane::cpu::detail::inline ANEMONE_WAY {

/// A reduction as a function of each element, a fold, and a function of the result; `identity` stands for none.
struct reduction_parts {
    op before = op::identity;
    op fold = op::add;
    op after = op::identity;
};

inline constexpr op_facet<reduction_parts> reduction_forms{
    {op::reduce_sum, {}},
    {op::reduce_mean, {}}, // divided afterwards
    {op::reduce_max, {.fold = op::maximum}},
    {op::reduce_min, {.fold = op::minimum}},
    {op::reduce_sum_square, {.before = op::square}},
    {op::reduce_l1_norm, {.before = op::abs}},
    {op::reduce_l2_norm, {.before = op::square, .after = op::sqrt}},
    {op::reduce_log_sum, {.after = op::log}},
    {op::reduce_log_sum_exp, {.before = op::exp, .after = op::log}}};
static_assert(reduction_forms.kinds() == ops_of(op_group::reduction), "a reduction has no parts");

constexpr reduction_parts parts_of(op kind) { return reduction_forms[kind]; }

/// The first reduction that folds the same: its loop serves both.
constexpr op fold_of(op kind) {
    const reduction_parts wanted = parts_of(kind);
    for (std::size_t i = 0; i < op_count; ++i) {
        const auto other = static_cast<op>(i);
        if (is_reduction(other) && parts_of(other).before == wanted.before && parts_of(other).fold == wanted.fold) {
            return other;
        }
    }
    return kind;
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY
