#pragma once

#include "attributes.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

/// The operations: one row each with its name (which is its builder's), its group, the least and the largest number of
/// operands, and its attribute struct. Floors and routes are rules (rules/support.hpp), shapes are in ops/.
#define ANEMONE_OPERATIONS(ROW)                                                                                        \
    ROW(input, source, 0, 0, contract)                                                                                 \
    ROW(weight, source, 0, 0, contract)                                                                                \
    ROW(constant, source, 0, 0, literal)                                                                               \
    ROW(conv2d, contraction, 2, 3, conv)                                                                               \
    ROW(conv_transpose2d, contraction, 2, 3, conv_transpose)                                                           \
    ROW(linear, contraction, 2, 3, none)                                                                               \
    ROW(matmul, contraction, 2, 2, transposed)                                                                         \
    /* elementwise, two operands with broadcasting */                                                                  \
    ROW(add, binary, 2, 2, none)                                                                                       \
    ROW(sub, binary, 2, 2, none)                                                                                       \
    ROW(mul, binary, 2, 2, none)                                                                                       \
    ROW(div, binary, 2, 2, none)                                                                                       \
    ROW(minimum, binary, 2, 2, none)                                                                                   \
    ROW(maximum, binary, 2, 2, none)                                                                                   \
    ROW(pow, binary, 2, 2, none)                                                                                       \
    ROW(floor_div, binary, 2, 2, none)                                                                                 \
    ROW(equal, comparison, 2, 2, none)                                                                                 \
    ROW(not_equal, comparison, 2, 2, none)                                                                             \
    ROW(greater, comparison, 2, 2, none)                                                                               \
    ROW(greater_equal, comparison, 2, 2, none)                                                                         \
    ROW(less, comparison, 2, 2, none)                                                                                  \
    ROW(less_equal, comparison, 2, 2, none)                                                                            \
    ROW(logical_not, logic, 1, 1, none)                                                                                \
    ROW(select, logic, 3, 3, none)                                                                                     \
    /* elementwise, one operand */                                                                                     \
    ROW(relu, unary, 1, 1, none)                                                                                       \
    ROW(relu6, unary, 1, 1, none)                                                                                      \
    ROW(leaky_relu, unary, 1, 1, coefficients)                                                                         \
    ROW(clamp, unary, 1, 1, coefficients)                                                                              \
    ROW(thresholded_relu, unary, 1, 1, coefficients)                                                                   \
    ROW(clamped_relu, unary, 1, 1, coefficients)                                                                       \
    ROW(elu, unary, 1, 1, coefficients)                                                                                \
    ROW(sigmoid, unary, 1, 1, none)                                                                                    \
    ROW(hard_sigmoid, unary, 1, 1, coefficients)                                                                       \
    ROW(tanh, unary, 1, 1, none)                                                                                       \
    ROW(scaled_tanh, unary, 1, 1, coefficients)                                                                        \
    ROW(gelu, unary, 1, 1, none)                                                                                       \
    ROW(gelu_sigmoid, unary, 1, 1, none)                                                                               \
    ROW(silu, unary, 1, 1, none)                                                                                       \
    ROW(softplus, unary, 1, 1, none)                                                                                   \
    ROW(softsign, unary, 1, 1, none)                                                                                   \
    ROW(erf, unary, 1, 1, none)                                                                                        \
    ROW(exp, unary, 1, 1, none)                                                                                        \
    ROW(exp2, unary, 1, 1, none)                                                                                       \
    ROW(log, unary, 1, 1, stabilizer)                                                                                  \
    ROW(sqrt, unary, 1, 1, none)                                                                                       \
    ROW(rsqrt, unary, 1, 1, stabilizer)                                                                                \
    ROW(inverse, unary, 1, 1, stabilizer)                                                                              \
    ROW(square, unary, 1, 1, none)                                                                                     \
    ROW(abs, unary, 1, 1, none)                                                                                        \
    ROW(sign, unary, 1, 1, none)                                                                                       \
    ROW(ceil, unary, 1, 1, none)                                                                                       \
    ROW(floor, unary, 1, 1, none)                                                                                      \
    ROW(round, unary, 1, 1, none)                                                                                      \
    ROW(sin, unary, 1, 1, none)                                                                                        \
    ROW(cos, unary, 1, 1, none)                                                                                        \
    ROW(atan, unary, 1, 1, none)                                                                                       \
    /* elementwise with parameters for each channel */                                                                 \
    ROW(prelu, parametric, 2, 2, none)                                                                                 \
    ROW(parametric_softplus, parametric, 3, 3, none)                                                                   \
    /* windows */                                                                                                      \
    ROW(max_pool, window, 1, 1, pool)                                                                                  \
    ROW(avg_pool, window, 1, 1, pool)                                                                                  \
    ROW(l2_pool, window, 1, 1, pool)                                                                                   \
    /* normalisation */                                                                                                \
    ROW(softmax, normalization, 1, 1, axis)                                                                            \
    ROW(layer_norm, normalization, 3, 3, stabilizer)                                                                   \
    ROW(batch_norm, normalization, 5, 5, stabilizer)                                                                   \
    ROW(instance_norm, normalization, 3, 3, stabilizer)                                                                \
    ROW(group_norm, normalization, 3, 3, grouping)                                                                     \
    ROW(rms_norm, normalization, 2, 2, stabilizer)                                                                     \
    ROW(l2_norm, normalization, 1, 1, stabilizer)                                                                      \
    ROW(local_response_norm, normalization, 1, 1, response)                                                            \
    ROW(minmax_norm, normalization, 1, 1, stabilizer)                                                                  \
    /* reductions */                                                                                                   \
    ROW(reduce_sum, reduction, 1, 1, axes)                                                                             \
    ROW(reduce_mean, reduction, 1, 1, axes)                                                                            \
    ROW(reduce_max, reduction, 1, 1, axes)                                                                             \
    ROW(reduce_min, reduction, 1, 1, axes)                                                                             \
    ROW(reduce_sum_square, reduction, 1, 1, axes)                                                                      \
    ROW(reduce_l1_norm, reduction, 1, 1, axes)                                                                         \
    ROW(reduce_l2_norm, reduction, 1, 1, axes)                                                                         \
    ROW(reduce_log_sum, reduction, 1, 1, axes)                                                                         \
    ROW(reduce_log_sum_exp, reduction, 1, 1, axes)                                                                     \
    ROW(arg_max, arg_reduction, 1, 1, axis)                                                                            \
    ROW(arg_min, arg_reduction, 1, 1, axis)                                                                            \
    ROW(global_arg_max, arg_reduction, 1, 1, axis)                                                                     \
    ROW(global_arg_min, arg_reduction, 1, 1, axis)                                                                     \
    ROW(cumsum, scan, 1, 1, cumulation)                                                                                \
    /* data movement */                                                                                                \
    ROW(reshape, movement, 1, 1, none)                                                                                 \
    ROW(transpose, movement, 1, 1, permutation)                                                                        \
    ROW(concat, movement, 2, 1 << 30, axis)                                                                            \
    ROW(slice, movement, 1, 1, window)                                                                                 \
    ROW(strided_slice, movement, 1, 1, strided_window)                                                                 \
    ROW(slice_update, movement, 2, 2, strided_window)                                                                  \
    ROW(dynamic_slice, movement, 2, 2, window)                                                                         \
    ROW(pad, movement, 2, 2, pads)                                                                                     \
    ROW(reflect_pad, movement, 1, 1, pads)                                                                             \
    ROW(symmetric_pad, movement, 1, 1, pads)                                                                           \
    ROW(cast, movement, 1, 1, none)                                                                                    \
    ROW(identity, movement, 1, 1, none)                                                                                \
    ROW(tile, movement, 1, 1, repeats)                                                                                 \
    ROW(reverse, movement, 1, 1, axes)                                                                                 \
    ROW(gather, movement, 2, 2, axis)                                                                                  \
    ROW(gather_along_axis, movement, 2, 2, axis)                                                                       \
    ROW(gather_nd, movement, 2, 2, none)                                                                               \
    ROW(pixel_shuffle, movement, 1, 1, factors)                                                                        \
    ROW(pixel_unshuffle, movement, 1, 1, factors)                                                                      \
    ROW(depth_to_space, movement, 1, 1, factors)                                                                       \
    ROW(space_to_depth, movement, 1, 1, factors)                                                                       \
    ROW(space_to_batch, movement, 1, 1, factors)                                                                       \
    ROW(batch_to_space, movement, 1, 1, factors)                                                                       \
    /* texture engine */                                                                                               \
    ROW(resize, texture, 1, 1, sampling)                                                                               \
    ROW(crop_resize, texture, 2, 2, sampling)                                                                          \
    ROW(resample, texture, 2, 2, sampling)                                                                             \
    ROW(affine, texture, 2, 2, sampling)                                                                               \
    ROW(gather_hw, texture, 2, 2, none)                                                                                \
    /* quantisation; compressed: a weight as it is stored and streamed */                                              \
    ROW(quantize, quantization, 2, 3, quantization)                                                                    \
    ROW(dequantize, quantization, 2, 3, quantization)                                                                  \
    ROW(compressed, quantization, 1, 1, compression)                                                                   \
    ROW(attention, attention, 3, 4, coefficients)                                                                      \
    /* order */                                                                                                        \
    ROW(top_k, rank, 1, 1, selection)                                                                                  \
    ROW(top_k_indices, rank, 1, 1, selection)                                                                          \
    ROW(sort, rank, 1, 1, selection)                                                                                   \
    ROW(arg_sort, rank, 1, 1, selection)                                                                               \
    /* the engine's own layers */                                                                                      \
    ROW(dropout, native, 1, 1, coefficients)                                                                           \
    ROW(random_uniform, native, 0, 0, coefficients)                                                                    \
    ROW(scaled_elementwise, native, 2, 2, scaling)                                                                     \
    ROW(cross_correlation, native, 2, 2, none)                                                                         \
    ROW(cross_product, native, 2, 2, none)                                                                             \
    ROW(cost_volume, native, 2, 2, amount)                                                                             \
    ROW(furthest_point_sampling, native, 1, 1, amount)                                                                 \
    ROW(radius_search, native, 2, 2, coefficients)

namespace ane {

/// The names are API: compilers print them in diagnostics.
enum class op : std::uint8_t {
#define ANEMONE_ROW(name, group, least, most, attributes) name,
    ANEMONE_OPERATIONS(ANEMONE_ROW)
#undef ANEMONE_ROW
};

enum class op_group : std::uint8_t {
    source,      ///< input, weight, constant
    contraction, ///< products through the multiply-accumulate array
    binary,      ///< arithmetic on two operands, which broadcast
    comparison,  ///< two operands, which broadcast; the result is boolean
    logic,       ///< on booleans
    unary,       ///< elementwise, one operand
    parametric,  ///< elementwise, with one parameter for each channel
    window,      ///< pooling
    normalization,
    reduction,     ///< axes become 1
    arg_reduction, ///< an index along one axis
    scan,
    movement, ///< no arithmetic
    texture,  ///< the sampling unit of the A14 and later
    quantization,
    attention,
    rank,  ///< sorting and selection
    native ///< layers that only the netplist route has
};

inline constexpr std::size_t op_count =
#define ANEMONE_ROW(name, group, least, most, attributes) +1
    0 ANEMONE_OPERATIONS(ANEMONE_ROW);
#undef ANEMONE_ROW

/// What is known of an operation by its kind alone.
struct op_signature {
    op_group group;
    int least_operands;
    int most_operands;
    attribute_kind attributes;
};

namespace detail {
inline constexpr op_signature signatures[] = {
#define ANEMONE_ROW(name, group, least, most, attributes) {op_group::group, least, most, attribute_kind::attributes},
    ANEMONE_OPERATIONS(ANEMONE_ROW)
#undef ANEMONE_ROW
};
} // namespace detail

constexpr const op_signature& signature(op kind) noexcept { return detail::signatures[static_cast<std::size_t>(kind)]; }

/// The name of an operation, as its builder function is called.
constexpr std::string_view name(op kind) noexcept {
    constexpr std::string_view names[] = {
#define ANEMONE_ROW(name, group, least, most, attributes) #name,
        ANEMONE_OPERATIONS(ANEMONE_ROW)
#undef ANEMONE_ROW
    };
    return names[static_cast<std::size_t>(kind)];
}

#undef ANEMONE_OPERATIONS

constexpr bool is_source(op kind) noexcept { return kind <= op::constant; }
constexpr bool is_contraction(op kind) noexcept { return kind >= op::conv2d && kind <= op::matmul; }
constexpr bool is_binary(op kind) noexcept { return kind >= op::add && kind <= op::floor_div; }
constexpr bool is_comparison(op kind) noexcept { return kind >= op::equal && kind <= op::less_equal; }
constexpr bool is_unary(op kind) noexcept { return kind >= op::relu && kind <= op::atan; }
constexpr bool is_reduction(op kind) noexcept { return kind >= op::reduce_sum && kind <= op::reduce_log_sum_exp; }
constexpr bool is_arg_reduction(op kind) noexcept { return kind >= op::arg_max && kind <= op::global_arg_min; }
constexpr bool is_pool(op kind) noexcept { return kind >= op::max_pool && kind <= op::l2_pool; }
constexpr bool is_convolution(op kind) noexcept { return kind == op::conv2d || kind == op::conv_transpose2d; }

} // namespace ane
