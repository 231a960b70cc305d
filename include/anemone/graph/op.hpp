#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ane {

/// The operations of a graph. The names are API: compilers print them in diagnostics.
enum class op : std::uint8_t {
    // sources
    input,
    weight,
    constant,
    // contractions
    conv2d,
    conv_transpose2d,
    linear,
    matmul,
    // elementwise, two operands with broadcasting
    add,
    sub,
    mul,
    div,
    minimum,
    maximum,
    // elementwise, one operand
    relu,
    relu6,
    leaky_relu,
    clamp,
    sigmoid,
    tanh,
    gelu,
    silu,
    exp,
    log,
    sqrt,
    rsqrt,
    abs,
    // windows
    max_pool,
    avg_pool,
    // normalisation
    softmax,
    layer_norm,
    batch_norm,
    // reductions
    reduce_sum,
    reduce_mean,
    reduce_max,
    reduce_min,
    arg_max,
    arg_min,
    // data movement
    reshape,
    transpose,
    concat,
    slice,
    pad,
    cast,
    // attention
    attention
};

inline constexpr std::size_t op_count = static_cast<std::size_t>(op::attention) + 1;

/// The name of an operation, as its builder function is called.
constexpr std::string_view name(op kind) noexcept {
    constexpr std::string_view names[op_count] = {
        "input",      "weight",     "constant",    "conv2d",     "conv_transpose2d",
        "linear",     "matmul",     "add",         "sub",        "mul",
        "div",        "minimum",    "maximum",     "relu",       "relu6",
        "leaky_relu", "clamp",      "sigmoid",     "tanh",       "gelu",
        "silu",       "exp",        "log",         "sqrt",       "rsqrt",
        "abs",        "max_pool",   "avg_pool",    "softmax",    "layer_norm",
        "batch_norm", "reduce_sum", "reduce_mean", "reduce_max", "reduce_min",
        "arg_max",    "arg_min",    "reshape",     "transpose",  "concat",
        "slice",      "pad",        "cast",        "attention"};
    return names[static_cast<std::size_t>(kind)];
}

constexpr bool is_source(op kind) noexcept { return kind <= op::constant; }
constexpr bool is_binary(op kind) noexcept { return kind >= op::add && kind <= op::maximum; }
constexpr bool is_unary(op kind) noexcept { return kind >= op::relu && kind <= op::abs; }
constexpr bool is_reduction(op kind) noexcept { return kind >= op::reduce_sum && kind <= op::reduce_min; }
constexpr bool is_arg_reduction(op kind) noexcept { return kind == op::arg_max || kind == op::arg_min; }
constexpr bool is_pool(op kind) noexcept { return kind == op::max_pool || kind == op::avg_pool; }
constexpr bool is_convolution(op kind) noexcept { return kind == op::conv2d || kind == op::conv_transpose2d; }

/// Operations whose products go through the multiply-accumulate array.
constexpr bool is_contraction(op kind) noexcept { return kind >= op::conv2d && kind <= op::matmul; }

} // namespace ane
