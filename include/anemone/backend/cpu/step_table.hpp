#pragma once

#include "contraction_steps.hpp"
#include "movement_steps.hpp"
#include "value_steps.hpp"

#include <array>

namespace ane::cpu {

using step_binder = bound_step (*)(const binding_context&, int node);

namespace detail {

/// The binder of every operation; null where there is nothing to run (sources) and where there is no kernel. A new
/// operation gets its row here.
constexpr step_binder binder_of(op kind) {
    switch (kind) {
    case op::input:
    case op::weight:
    case op::constant: return nullptr;
    case op::conv2d: return bind_conv2d;
    case op::conv_transpose2d: return bind_conv_transpose2d;
    case op::linear: return bind_linear;
    case op::matmul: return bind_matmul;
    case op::max_pool:
    case op::avg_pool: return bind_pool;
    case op::softmax: return bind_softmax;
    case op::layer_norm: return bind_layer_norm;
    case op::batch_norm: return bind_batch_norm;
    case op::arg_max:
    case op::arg_min: return bind_arg_reduce;
    case op::reshape: return bind_reshape;
    case op::transpose: return bind_transpose;
    case op::concat: return bind_concat;
    case op::slice: return bind_slice;
    case op::pad: return bind_pad;
    case op::cast: return bind_cast;
    case op::attention: return bind_attention;
    case op::add:
    case op::sub:
    case op::mul:
    case op::div:
    case op::minimum:
    case op::maximum: return bind_binary;
    case op::relu:
    case op::relu6:
    case op::leaky_relu:
    case op::clamp:
    case op::sigmoid:
    case op::tanh:
    case op::gelu:
    case op::silu:
    case op::exp:
    case op::log:
    case op::sqrt:
    case op::rsqrt:
    case op::abs: return bind_unary;
    case op::reduce_sum:
    case op::reduce_mean:
    case op::reduce_max:
    case op::reduce_min: return bind_reduce;
    default: return nullptr;
    }
}

constexpr std::array<step_binder, op_count> make_step_table() {
    std::array<step_binder, op_count> table{};
    for (std::size_t i = 0; i < op_count; ++i) {
        table[i] = binder_of(static_cast<op>(i));
    }
    return table;
}

} // namespace detail

/// For each operation how it is bound to kernels.
inline constexpr std::array<step_binder, op_count> step_table = detail::make_step_table();

} // namespace ane::cpu
