#pragma once

#include "../../base/way.hpp"
#include "kernels/algorithms.hpp"
#include "kernels/weight_gradient.hpp"
#include "step.hpp"

#include <utility>

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

/// Finds those of a model, as sums over a whole batch without a rounding on the way, and makes each a layer.
ANEMONE_INLINE sequence<weight_gradient> join_weight_gradients(const graph_view& model,
                                                               const folded_constants& constants,
                                                               fused_layers& layers) {
    const auto is_zero = [&](int node) {
        return constants.known(node) && model[node].type == dtype::f16 &&
               static_cast<float>(*constants.data(node)) == 0;
    };
    sequence<weight_gradient> all = find_weight_gradients(model, is_zero);
    join_derivatives(all, layers);
    return all;
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

namespace ane::cpu::inline ANEMONE_WAY {

/// What a program does with weight gradients, whose step reads the cotangent and x: null where it has not the loops that they
/// take, so that they are products, place by place.
struct weight_gradient_steps {
    sequence<weight_gradient> (*join)(const graph_view&, const folded_constants&, fused_layers&) = nullptr;
    bound_step (*bind)(const binding_context&, const weight_gradient&) = nullptr;
};

template <kernel_needs Needs> constexpr weight_gradient_steps weight_gradient_steps_of() {
    if constexpr (Needs.contains(algorithm::many_rows) && Needs.contains(op::matmul) &&
                  Needs.any(op::slice, op::strided_slice)) {
        return {detail::join_weight_gradients, detail::bind_weight_gradient};
    } else {
        return {};
    }
}

} // namespace ane::cpu::inline ANEMONE_WAY
