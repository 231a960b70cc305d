#pragma once

#include "../../../base/way.hpp"
#include "../../../graph/op_set.hpp"
#include "chain_kernels.hpp"
#include "reduction_parts.hpp"

#include <cstddef>

/// The functions of elements whose loops the kernels of some operations need: of rows of fp32, of rows of fp16, in chains,
/// and the folds of reductions.
namespace ane::cpu::detail::inline ANEMONE_WAY {

constexpr op_set those_in(const op_set& a, const op_set& b) {
    return op_set::where([&](op kind) { return a.contains(kind) && b.contains(kind); });
}
inline constexpr op_set functions_of_one = op_set::where([](op kind) { return is_unary(kind); });
inline constexpr op_set functions_of_two = op_set::where([](op kind) { return is_binary(kind); });
inline constexpr op_set comparisons = op_set::where([](op kind) { return is_comparison(kind); });

constexpr bool has_unary(const op_set& functions) {
    return those_in(functions, functions_of_one) != op_set{} || functions.contains(op::parametric_softplus);
}
constexpr bool has_binary(const op_set& functions) { return those_in(functions, functions_of_two) != op_set{}; }
constexpr bool has_comparison(const op_set& functions) { return those_in(functions, comparisons) != op_set{}; }

/// Those that may follow sums within a layer, and what operations do with their own.
constexpr op_set float_functions(const op_set& operations) {
    op_set functions = those_in(operations, functions_of_one);
    functions.insert(those_in(operations, functions_of_two));
    for (const op biased : {op::conv2d, op::conv_transpose2d, op::linear, op::matmul}) {
        functions.insert(operations.contains(biased) ? op_set{op::add} : op_set{});
    }
    for (const op mean : {op::avg_pool, op::reduce_mean}) {
        functions.insert(operations.contains(mean) ? op_set{op::div} : op_set{});
    }
    functions.insert(operations.contains(op::l2_pool) ? op_set{op::mul, op::sqrt} : op_set{});
    functions.insert(operations.contains(op::reduce_log_sum_exp) ? op_set{op::add} : op_set{});
    for (std::size_t i = 0; i < op_count; ++i) {
        const op kind = static_cast<op>(i);
        if (is_reduction(kind) && operations.contains(kind) && parts_of(kind).after != op::identity) {
            functions.insert(parts_of(kind).after);
        }
    }
    return functions;
}

constexpr op_set half_functions(const op_set& operations) {
    op_set functions = those_in(operations, functions_of_one);
    functions.insert(those_in(operations, functions_of_two));
    functions.insert(those_in(operations, comparisons));
    functions.insert(operations.contains(op::prelu) ? op_set{op::leaky_relu} : op_set{});
    functions.insert(those_in(operations, {op::parametric_softplus}));
    return functions;
}

constexpr op_set chained_functions(const op_set& operations) { return those_in(operations, chain_functions); }

constexpr op_set folds_of(const op_set& operations) {
    op_set folds;
    for (std::size_t i = 0; i < op_count; ++i) {
        const op kind = static_cast<op>(i);
        if (is_reduction(kind) && operations.contains(kind)) {
            folds.insert(fold_of(kind));
            folds.insert(kind == op::reduce_log_sum_exp ? op_set{op::reduce_max} : op_set{});
        }
    }
    return folds;
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY
