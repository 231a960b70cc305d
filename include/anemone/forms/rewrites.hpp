#pragma once

#include "../graph/op_facet.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

// What can be written instead of something that cannot: compilers print the names, reports print them with blanks.
#define ANEMONE_REWRITES(ROW)                                                                                          \
    ROW(none)                                                                                                          \
    ROW(take_fp16_inputs)                                                                                              \
    ROW(dequantize_or_to_f16)                                                                                          \
    ROW(keep_an_axis_of_one_element)                                                                                   \
    ROW(join_axes_by_a_reshape)                                                                                        \
    ROW(use_finite_numbers)                                                                                            \
    ROW(set_ceil_mode_to_false)                                                                                        \
    ROW(make_the_kernel_a_weight)                                                                                      \
    ROW(store_zeros_in_the_kernel)                                                                                     \
    ROW(slice_the_result_of_a_smaller_padding)                                                                         \
    ROW(transpose_the_axis_to_the_last_place)                                                                          \
    ROW(reduce_in_two_steps)                                                                                           \
    ROW(reshape_the_smaller_operand_to_rank_5)                                                                         \
    ROW(concat_constants)                                                                                              \
    ROW(reshape_a_constant_of_rank_4)                                                                                  \
    ROW(reshape_by_way_of_rank_4)                                                                                      \
    ROW(leave_the_input_out)                                                                                           \
    ROW(name_it_otherwise)                                                                                             \
    ROW(lower_the_graph)                                                                                               \
    ROW(multiply_a_one_hot_matrix_by_the_table)                                                                        \
    ROW(multiply_by_a_one_hot_mask_and_sum_the_axis)                                                                   \
    ROW(resample_with_constant_coordinates_or_a_one_hot_product)                                                       \
    ROW(concat_the_parts_before_and_after_or_blend_by_a_mask)                                                          \
    ROW(blend_by_a_mask_of_the_position)                                                                               \
    ROW(reshape_the_axis_to_n_stride_and_slice_it)                                                                     \
    ROW(multiply_by_a_permutation_matrix)                                                                              \
    ROW(draw_on_the_host_and_pass_an_input)                                                                            \
    ROW(leave_it_out_of_inference)                                                                                     \
    ROW(affine_with_a_constant_map)                                                                                    \
    ROW(affine_or_a_product_with_an_interpolation_matrix)                                                              \
    ROW(a_transposed_convolution)                                                                                      \
    ROW(take_the_index_on_the_host)                                                                                    \
    ROW(arg_max)                                                                                                       \
    ROW(arg_min)                                                                                                       \
    ROW(reduce_max_and_a_mask_k_times)                                                                                 \
    ROW(take_the_indices_on_the_host)                                                                                  \
    ROW(sort_on_the_host)                                                                                              \
    ROW(floor_of_a_quotient)                                                                                           \
    ROW(exp_of_b_log_a)                                                                                                \
    ROW(round_and_clamp_in_fp16)                                                                                       \
    ROW(scale_and_offset_in_fp16)                                                                                      \
    ROW(write_it_with_other_operations)                                                                                \
    ROW(make_the_parameter_a_weight)                                                                                   \
    ROW(add_axes_by_a_reshape)                                                                                         \
    ROW(reshape_transpose_and_reshape)                                                                                 \
    ROW(slice_single_images)                                                                                           \
    ROW(round_the_zero_point)                                                                                          \
    ROW(take_it_apart_in_lower)                                                                                        \
    ROW(order_each_line_by_itself)                                                                                     \
    ROW(take_five_and_slice)                                                                                           \
    ROW(write_it_as_mil_text)                                                                                          \
    ROW(let_products_alone_read_it)                                                                                    \
    ROW(use_a_palette_of_4_bits)

namespace ane {

/// The nearest form that can be written.
enum class rewrite : std::uint8_t {
#define ANEMONE_ROW(name) name,
    ANEMONE_REWRITES(ANEMONE_ROW)
#undef ANEMONE_ROW
};

constexpr std::string_view name(rewrite r) noexcept {
    constexpr std::string_view names[] = {
#define ANEMONE_ROW(name) #name,
        ANEMONE_REWRITES(ANEMONE_ROW)
#undef ANEMONE_ROW
    };
    return names[static_cast<std::size_t>(r)];
}

/// The nearest writable rewrite of operations that have no form of their own on one of the routes (facts: mil-ops
/// section 5, rewrites).
inline constexpr op_facet<rewrite> writable_rewrites{
    {{op::gather, rewrite::multiply_a_one_hot_matrix_by_the_table},
     {op::gather_along_axis, rewrite::multiply_by_a_one_hot_mask_and_sum_the_axis},
     {op::gather_nd, rewrite::multiply_a_one_hot_matrix_by_the_table},
     {op::gather_hw, rewrite::resample_with_constant_coordinates_or_a_one_hot_product},
     {op::slice_update, rewrite::concat_the_parts_before_and_after_or_blend_by_a_mask},
     {op::dynamic_slice, rewrite::blend_by_a_mask_of_the_position},
     {op::strided_slice, rewrite::reshape_the_axis_to_n_stride_and_slice_it},
     {op::reverse, rewrite::multiply_by_a_permutation_matrix},
     {op::random_uniform, rewrite::draw_on_the_host_and_pass_an_input},
     {op::dropout, rewrite::leave_it_out_of_inference},
     {op::crop_resize, rewrite::affine_with_a_constant_map},
     {op::resample, rewrite::affine_or_a_product_with_an_interpolation_matrix},
     {op::resize, rewrite::a_transposed_convolution},
     {op::arg_max, rewrite::take_the_index_on_the_host},
     {op::arg_min, rewrite::take_the_index_on_the_host},
     {op::global_arg_max, rewrite::arg_max},
     {op::global_arg_min, rewrite::arg_min},
     {op::top_k, rewrite::reduce_max_and_a_mask_k_times},
     {op::top_k_indices, rewrite::take_the_indices_on_the_host},
     {op::sort, rewrite::sort_on_the_host},
     {op::arg_sort, rewrite::sort_on_the_host},
     {op::floor_div, rewrite::floor_of_a_quotient},
     {op::pow, rewrite::exp_of_b_log_a},
     {op::cast, rewrite::take_fp16_inputs},
     {op::quantize, rewrite::round_and_clamp_in_fp16},
     {op::dequantize, rewrite::scale_and_offset_in_fp16}},
    rewrite::write_it_with_other_operations};

} // namespace ane

#undef ANEMONE_REWRITES
