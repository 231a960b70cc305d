#pragma once

#include "../../base/way.hpp"
#include "kernels/algorithms.hpp"
#include "kernels/weight_gradient.hpp"
#include "step.hpp"

#include <utility>

namespace ane::cpu::inline ANEMONE_WAY {

/// Binds a weight gradient, whose step reads the cotangent and x.
using gradient_binder = bound_step (*)(const binding_context&, const weight_gradient&);

} // namespace ane::cpu::inline ANEMONE_WAY

namespace ane::cpu::detail::inline ANEMONE_WAY {

ANEMONE_INLINE bound_step bind_weight_gradient(const binding_context& c, const weight_gradient& g) {
    weight_gradient_plan plan = plan_weight_gradient(g, c.shape(g.x));
    const scratch_sizes scratch = plan.scratch();
    const kernel_table& kernels = c.kernels;
    return {[&kernels, plan = std::move(plan)](const operands& o) {
                weight_gradient_of(kernels, plan, o.input(0), o.input(1), o.output(), o.workers);
            },
            scratch};
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

namespace ane::cpu::inline ANEMONE_WAY {

/// Null for programs without the loops that it takes.
template <kernel_needs Needs> constexpr gradient_binder gradient_binder_of() {
    if constexpr (Needs.contains(algorithm::many_rows) && Needs.contains(op::matmul) &&
                  Needs.any(op::slice, op::strided_slice)) {
        return detail::bind_weight_gradient;
    } else {
        return nullptr;
    }
}

} // namespace ane::cpu::inline ANEMONE_WAY
