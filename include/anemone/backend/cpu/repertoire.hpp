#pragma once

#include "../../base/way.hpp"
#include "aligned_memory.hpp"
#include "kernel_needs.hpp"
#include "kernels/levels.hpp"
#include "kernels/table.hpp"
#include "pool_gradient_step.hpp"
#include "step_table.hpp"
#include "strips_step.hpp"
#include "weight_gradient_step.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ane::cpu::detail::inline ANEMONE_WAY {

/// Constants may have any shapes.
constexpr algorithm_set algorithms_of_constants(const op_set& operations) {
    for (const op kind :
         {op::conv2d, op::conv_transpose2d, op::cross_correlation, op::linear, op::matmul, op::attention}) {
        if (operations.contains(kind)) {
            return every_algorithm;
        }
    }
    return {};
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

namespace ane::cpu::inline ANEMONE_WAY {

/// What programs are built from: how operations are bound, the loops of this machine, and the evaluator of constants.
struct repertoire {
    const step_table& steps;
    const kernel_table& kernels;
    stage_numbers numbers;
    constant_arithmetic constants;
    weight_gradient_steps weight_gradients{};
    pool_gradient_steps pool_gradients{};
    strip_steps strips{};
};

/// stage_numbers of some operations.
template <op_set Operations> ane::detail::unary_numbers numbers_of(const node& n) {
    static constexpr op_set functions = detail::those_in(Operations, ops_of(op_group::unary));
    static constexpr auto readers = op_table<stage_numbers, functions>(
        []<op Kind>() -> stage_numbers { return ane::detail::unary_numbers_of<attributes_of<Kind>>; });
    ane::detail::unary_numbers numbers = readers[static_cast<std::size_t>(n.kind)](n);
    if (numbers.first == 0 && (n.kind == op::inverse || n.kind == op::rsqrt)) {
        numbers.first = -0.0F; // as in cpu::unary: without an epsilon -0 stays -0 under the fraction
    }
    return numbers;
}

/// A separate function: merely naming the table of all operations elsewhere would instantiate it.
template <kernel_needs Needs> const step_table& steps_of() { return step_table_of<Needs>; }

template <kernel_needs Needs> const kernel_table& kernels_of(isa_level level) {
    if constexpr (Needs == every_kernel) {
        return kernels_for(level);
    } else {
        return detail::kernels_of<Needs>(level);
    }
}

template <kernel_needs Needs> const kernel_table& generic_kernels_of() {
    if constexpr (Needs == every_kernel) {
        return generic_kernels();
    } else {
        return detail::generic_kernels_of<Needs>();
    }
}

/// What computes constants by some operations.
constexpr kernel_needs needs_of_constants(const op_set& operations) {
    return {operations, operations == every_op ? every_algorithm : detail::algorithms_of_constants(operations)};
}

/// One operation of a graph over known operands, as a program of these operations computes it, but at the generic
/// level, so that a constant does not depend on the machine that computed it.
template <op_set Operations>
void evaluate_constant(const graph_view& g, const folded_constants& known, int index, std::byte* result) {
    constexpr kernel_needs needs = needs_of_constants(Operations);
    const binding_context context{g, known, generic_kernels_of<needs>()};
    sequence<const std::byte*> inputs;
    for (const int operand : g.operands(index)) {
        inputs.push_back(known.memory(operand));
    }
    const bound_step step = steps_of<needs>()[static_cast<std::size_t>(g[index].kind)](context, index);
    const std::int64_t shared = in_arena_lines(step.scratch.shared);
    const aligned_memory memory = aligned_memory::of(shared + step.scratch.each);
    step.run({inputs, result, {.shared = memory.data(), .own = memory.data() + shared}});
}

/// For a program of some operations, of which some are computed when it is compiled. (Not constexpr: compilers instantiate
/// a constexpr function wherever they read its call, also in bodies that no program uses.)
template <op_set Operations, constant_operations Folded> constant_arithmetic constant_arithmetic_of() {
    constant_arithmetic with{.expand = expansion_for<Operations>()};
    if constexpr (Folded.rounded != op_set{}) {
        with.evaluate = evaluate_constant<Folded.rounded>;
    }
    if constexpr (Folded.unrounded != op_set{}) {
        with.fold = fold_unrounded;
    }
    return with;
}

} // namespace ane::cpu::inline ANEMONE_WAY
