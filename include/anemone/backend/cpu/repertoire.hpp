#pragma once

#include "../../base/way.hpp"
#include "aligned_memory.hpp"
#include "kernels/levels.hpp"
#include "kernels/table.hpp"
#include "step_table.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ane::cpu::inline ANEMONE_WAY {

/// What programs are built from: how operations are bound, the loops of this machine, and the evaluator of constants.
struct repertoire {
    const step_table& steps;
    const kernel_table& kernels;
    constant_arithmetic constants;
};

/// The operations whose loops the kernels of some operations run.
constexpr op_set loops_under(const op_set& operations) {
    op_set loops = operations;
    loops.insert({op::add, op::sub, op::mul, op::div, op::minimum, op::maximum});
    for (std::size_t i = 0; i < op_count; ++i) {
        const op kind = static_cast<op>(i);
        if (operations.contains(kind)) {
            loops.insert({detail::parts_of(kind).before, detail::parts_of(kind).after, detail::fold_of(kind)});
            loops.insert(kind == op::reduce_log_sum_exp ? op_set{op::reduce_max} : op_set{});
            loops.insert(kind == op::softmax || kind == op::attention ? op_set{op::exp} : op_set{});
            loops.insert(kind == op::l2_pool ? op_set{op::sqrt} : op_set{});
            loops.insert(kind == op::prelu ? op_set{op::leaky_relu} : op_set{});
        }
    }
    return loops;
}

/// A separate function: merely naming the table of all operations elsewhere would instantiate it.
template <op_set Operations> const step_table& steps_of() { return step_table_of<Operations>; }

template <op_set Operations> const kernel_table& kernels_of(isa_level level) {
    if constexpr (Operations == every_op) {
        return kernels_for(level);
    } else {
        return detail::kernels_of<loops_under(Operations)>(level);
    }
}

template <op_set Operations> const kernel_table& generic_kernels_of() {
    if constexpr (Operations == every_op) {
        return generic_kernels();
    } else {
        return detail::generic_kernels_of<loops_under(Operations)>();
    }
}

/// One operation of a graph over known operands, as a program of these operations computes it, but at the generic
/// level, so that a constant does not depend on the machine that computed it.
template <op_set Operations>
void evaluate_constant(const graph_view& g, const materialized& known, int index, std::byte* result) {
    const binding_context context{g, known, generic_kernels_of<Operations>()};
    std::vector<const std::byte*> inputs;
    for (const int operand : g.operands(index)) {
        inputs.push_back(known.memory(operand));
    }
    const bound_step step = steps_of<Operations>()[static_cast<std::size_t>(g[index].kind)](context, index);
    const std::int64_t shared = (step.scratch.shared + arena_alignment - 1) / arena_alignment * arena_alignment;
    const aligned_memory memory = aligned_memory::of(shared + step.scratch.each);
    step.run({inputs, result, {.shared = memory.data(), .own = memory.data() + shared}});
}

/// For a program of some operations, of which some are computed when it is compiled. (Not constexpr: compilers instantiate
/// a constexpr function wherever they read its call, also in bodies that no program uses.)
template <op_set Operations, op_set Folded> constant_arithmetic constant_arithmetic_of() {
    if constexpr (Folded == op_set{}) {
        return {expansion_for<Operations>(), nullptr};
    } else {
        return {expansion_for<Operations>(), evaluate_constant<Folded>};
    }
}

} // namespace ane::cpu::inline ANEMONE_WAY
