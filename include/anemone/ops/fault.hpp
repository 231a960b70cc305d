#pragma once

#include "../values/shape.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

/// The rules of shapes: one row each with its name, which compilers print with the two integers (see shape_fault.hpp), the
/// relation that must hold between them, and the sentence that `ane::error` shows.
#define ANEMONE_SHAPE_FAULTS(ROW)                                                                                      \
    ROW(operands_must_be_fp16_use_to_f16_R002, got == want,                                                            \
        "operands must be fp16; a uint8 image goes through to_f16 first (R002), and so does a boolean")                \
    ROW(operand_must_be_the_boolean_result_of_a_comparison, got == want,                                               \
        "the operand must be the boolean result of a comparison")                                                      \
    ROW(to_f16_takes_bytes_and_booleans, got == want, "to_f16 takes bytes (uint8) and booleans")                       \
    ROW(scale_must_lie_between_2_to_minus_14_and_2_to_14, got == want,                                                 \
        "scaled: the factor lies between 2^-14 and 2^14")                                                              \
    ROW(every_extent_must_be_at_least_1_R019, got >= want, "every extent of a tensor must be at least 1 (R019)")       \
    ROW(input_must_have_rank_4_as_N_C_H_W, got == want, "the input must have rank 4: batch, channels, height, width")  \
    ROW(weight_must_have_rank_4_as_O_I_kH_kW, got == want,                                                             \
        "the weight of a convolution must have rank 4: output and input channels, height, width")                      \
    ROW(weight_must_have_rank_2_as_out_in, got == want,                                                                \
        "the weight of a linear layer must have rank 2: output features, input features")                              \
    ROW(template_must_have_rank_4, got == want, "the template of a cross-correlation must have rank 4")                \
    ROW(bias_or_parameter_must_have_rank_1, got == want, "a bias, scale, mean or variance must have rank 1")           \
    ROW(parameter_must_have_one_value_for_each_channel, got == want,                                                   \
        "a scale, offset, mean or variance must have one value for each channel")                                      \
    ROW(parameter_must_have_the_length_of_the_normalised_axis, got == want,                                            \
        "a scale or offset must have one value for each index of the normalised axis")                                 \
    ROW(bias_must_have_one_value_for_each_output, got == want,                                                         \
        "a bias must have one value for each output channel or feature")                                               \
    ROW(stride_must_be_at_least_1, got >= want, "a stride must be at least 1")                                         \
    ROW(dilation_must_be_at_least_1, got >= want, "a dilation must be at least 1")                                     \
    ROW(padding_must_not_be_negative, got >= want, "padding must not be negative")                                     \
    ROW(kernel_must_be_at_least_1, got >= want, "a kernel must be at least 1")                                         \
    ROW(groups_must_be_at_least_1, got >= want, "groups must be at least 1")                                           \
    ROW(groups_must_divide_the_input_channels_R037, got % want == 0, "groups must divide the input channels (R037)")   \
    ROW(groups_must_divide_the_output_channels_R037, got % want == 0, "groups must divide the output channels (R037)") \
    ROW(groups_must_divide_the_channels_R063, got % want == 0, "groups must divide the channels (R063)")               \
    ROW(window_must_reach_over_at_least_1_channel, got >= want, "the window must reach over at least 1 channel")       \
    ROW(weight_channels_times_groups_must_equal_the_input_channels, got == want,                                       \
        "the weight's input channels (axis 1, times groups) must equal the input's channels")                          \
    ROW(the_image_comes_first_and_the_weight_second, got <= want,                                                      \
        "the image comes first and the weight second: conv2d(x, w); here the second has one output and would fit as "  \
        "the image")                                                                                                   \
    ROW(axis_0_of_the_weight_must_equal_the_input_channels, got == want,                                               \
        "axis 0 of the weight of a transposed convolution must equal the input's channels")                            \
    ROW(kernel_must_fit_into_the_padded_height_R033, got <= want,                                                      \
        "the dilated kernel must fit into the padded height (R033)")                                                   \
    ROW(kernel_must_fit_into_the_padded_width_R033, got <= want,                                                       \
        "the dilated kernel must fit into the padded width (R033)")                                                    \
    ROW(kernel_must_fit_into_the_padded_depth, got <= want, "the dilated kernel must fit into the padded depth")       \
    ROW(kernel_depth_must_not_exceed_1024, got <= want, "a kernel has at most 1024 planes: each becomes an operation") \
    ROW(input_must_have_rank_5_as_N_C_D_H_W, got == want, "the input must have rank 5: N, C, D, H, W")                 \
    ROW(weight_must_have_rank_5_as_O_I_kD_kH_kW, got == want, "the weight must have rank 5: O, I, kD, kH, kW")         \
    ROW(pool_padding_must_be_smaller_than_the_kernel_R060, got < want,                                                 \
        "the padding of a pool must be smaller than its kernel (R060)")                                                \
    ROW(operand_must_have_an_axis, got >= want, "the operand must have at least one axis")                             \
    ROW(operand_must_have_rows_and_columns, got >= want, "the operand must have at least two axes: rows and columns")  \
    ROW(input_must_have_channels_on_axis_1_and_rank_3, got >= want,                                                    \
        "the input must have rank 3 or more, with the channels on axis 1")                                             \
    ROW(inner_extents_must_be_equal_R053, got == want, "matmul: the inner extents must be equal (R053)")               \
    ROW(input_features_must_equal_the_last_axis_of_the_weight_R053, got == want,                                       \
        "linear: the input's last axis must equal the weight's last axis (R053); the weight is [out, in]")             \
    ROW(extents_must_be_equal_or_one_R026, got == want, "extents must be equal, or one of them 1 (R026)")              \
    ROW(the_left_side_of_an_assignment_keeps_its_rank, got == want,                                                    \
        "an assignment such as a += b keeps the rank of a; write a new name for a + b")                                \
    ROW(the_left_side_of_an_assignment_keeps_its_extents, got == want,                                                 \
        "an assignment such as a += b keeps the extents of a; write a new name for a + b")                             \
    ROW(axis_must_be_one_of_the_tensor, got >= 0 && got < want, "the axis must be one of the tensor's axes")           \
    ROW(axis_must_not_be_given_twice, got != want, "an axis is given twice")                                           \
    ROW(reshape_must_keep_the_number_of_elements, got == want, "reshape: the number of elements must stay the same")   \
    ROW(one_extent_may_be_minus_1_for_what_the_others_leave, got <= want,                                              \
        "reshape: one extent may be -1, which stands for what the others leave")                                       \
    ROW(order_must_name_every_axis_once, got == want, "transpose: the order must name every axis of the operand once") \
    ROW(begin_must_have_one_number_for_each_axis, got == want, "slice: the begin must have one number for each axis")  \
    ROW(end_must_have_one_number_for_each_axis, got == want, "slice: the end must have one number for each axis")      \
    ROW(size_must_have_one_number_for_each_axis, got == want, "slice: the size must have one number for each axis")    \
    ROW(stride_must_have_one_number_for_each_axis, got == want,                                                        \
        "slice: the stride must have one number for each axis")                                                        \
    ROW(padding_must_have_one_number_for_each_axis, got == want,                                                       \
        "pad: before and after must have one number for each axis")                                                    \
    ROW(counts_must_have_one_number_for_each_axis, got == want, "tile: the counts must have one number for each axis") \
    ROW(a_state_is_read_by_read_and_changed_by_write, got != want,                                                     \
        "a state cannot be an operand: write(s, read(s) + x)")                                                         \
    ROW(written_value_must_have_the_rank_of_the_state, got == want,                                                    \
        "write: the value must have as many axes as the state")                                                        \
    ROW(written_value_must_have_the_extents_of_the_state, got == want,                                                 \
        "write: the value must have the extents of the state")                                                         \
    ROW(mask_must_be_bytes_or_the_result_of_a_comparison, got == want,                                                 \
        "write_where: the mask is a port of bytes, or the boolean result of a comparison")                             \
    ROW(mask_and_value_must_not_be_larger_than_the_state, got == want,                                                 \
        "write_where: mask and value broadcast to the state, no further")                                              \
    ROW(indices_must_have_the_rank_of_the_tensor, got == want,                                                         \
        "gather_along_axis: the indices must have the tensor's rank")                                                  \
    ROW(query_key_and_value_must_have_the_same_rank, got == want,                                                      \
        "attention: query, key and value must have the same rank")                                                     \
    ROW(leading_extents_of_query_and_key_must_be_equal, got == want,                                                   \
        "attention: query and key must have equal extents on every axis before the last two")                          \
    ROW(grouped_queries_are_reshaped_to_rows_of_one_head_or_key_and_value_repeated, got == want,                       \
        "attention: query and key have different numbers of heads; of grouped queries, reshape makes the heads of a "  \
        "group rows of one head, [1, 8, 128, 64] to [1, 2, 4 * 128, 64], or each head of key and value is repeated")   \
    ROW(image_and_reference_must_have_the_same_batch_and_height, got == want,                                          \
        "cost_volume: image and reference must have the same batch and height")                                        \
    ROW(operands_must_have_the_same_rank, got == want, "the operands must have the same rank")                         \
    ROW(boxes_must_have_rank_2, got == want, "crop_resize: boxes are [R, 4]")                                          \
    ROW(coordinates_must_have_rank_4, got == want,                                                                     \
        "the coordinates must have rank 4: image, coordinate, height, width")                                          \
    ROW(matrix_must_have_rank_2, got == want, "affine: the matrix is [N, 6] or [1, 6]")                                \
    ROW(extents_must_be_equal, got == want, "the operands must have equal extents")                                    \
    ROW(extents_must_be_equal_but_on_the_joined_axis, got == want,                                                     \
        "concat: the operands' extents must be equal on every axis but the joined one")                                \
    ROW(slice_must_begin_at_0_or_later_R094, got >= want, "a slice must begin at 0 or later (R094)")                   \
    ROW(slice_must_end_within_the_tensor_R094, got <= want, "a slice must end within the tensor (R094)")               \
    ROW(mirrored_padding_must_not_exceed_the_axis, got <= want,                                                        \
        "a reflecting pad must be smaller than its axis, a symmetric one at most as large")                            \
    ROW(tensor_must_not_have_more_than_8_axes, got <= want,                                                            \
        "a tensor has at most eight axes (the engine takes five, R010)")                                               \
    ROW(start_must_have_one_element, got == want, "dynamic_slice: the start is a tensor of one element")               \
    ROW(window_must_move_along_one_axis, got <= want,                                                                  \
        "dynamic_slice: the window moves along one axis and spans all others")                                         \
    ROW(every_axis_must_occur_at_least_once, got >= want, "tile: every axis occurs at least once")                     \
    ROW(factor_must_be_at_least_1_R098, got >= want, "a factor must be at least 1 (R098)")                             \
    ROW(channels_must_be_divisible_by_the_factors_R098, got % want == 0,                                               \
        "the channels must be divisible by the product of the factors (R098)")                                         \
    ROW(batch_must_be_divisible_by_the_factors_R099, got % want == 0,                                                  \
        "the batch must be divisible by the product of the factors (R099)")                                            \
    ROW(height_must_be_divisible_by_its_factor_R098, got % want == 0,                                                  \
        "the height must be divisible by its factor (R098)")                                                           \
    ROW(width_must_be_divisible_by_its_factor_R098, got % want == 0,                                                   \
        "the width must be divisible by its factor (R098)")                                                            \
    ROW(indices_must_have_the_extents_of_every_other_axis, got == want,                                                \
        "gather_along_axis: the indices must have the tensor's extents on every other axis")                           \
    ROW(indices_must_have_a_number_for_each_gathered_axis, got >= 1 && got <= want,                                    \
        "gather_nd: the last axis of the indices must have one number for each gathered axis")                         \
    ROW(coordinates_must_have_two_channels_y_and_x, got == want,                                                       \
        "the channels of the coordinates must be two, y and x; resample also takes one")                               \
    ROW(there_must_be_one_entry_for_each_image_or_one_for_all, got == want,                                            \
        "the second operand must have one entry for each image, or one for all")                                       \
    ROW(boxes_must_have_four_corners_y1_x1_y2_x2, got == want,                                                         \
        "crop_resize: boxes are [R, 4], the corners y1, x1, y2, x2 of each")                                           \
    ROW(matrix_must_have_six_coefficients, got == want,                                                                \
        "affine: the matrix is [N, 6] or [1, 6], two rows of three coefficients")                                      \
    ROW(result_must_have_the_extents_of_the_coordinates, got == want,                                                  \
        "resample: the extents of the result are those of the coordinates")                                            \
    ROW(scale_must_be_one_number_or_a_vector, got <= want,                                                             \
        "quantisation: a scale or zero point is one number, or a vector along the axis")                               \
    ROW(scale_must_have_one_value_for_each_index_of_the_axis, got == want,                                             \
        "quantisation: a vector of scales or zero points has one value for each index of the axis")                    \
    ROW(quantized_type_must_be_int8_or_uint8, got == want,                                                             \
        "quantize makes int8 or uint8; dequantize reads int8, uint8 or int4")                                          \
    ROW(only_a_weight_is_stored_compressed, got == want, "compressed takes a weight of the graph")                     \
    ROW(stored_bits_must_be_1_2_3_4_6_or_8_R139, got == want,                                                          \
        "a palette index has 1, 2, 3, 4, 6 or 8 bits, a stored integer 4 or 8 (R139)")                                 \
    ROW(palette_entry_must_stand_for_1_2_4_or_5_elements_R140, got == want,                                            \
        "a palette entry stands for 1, 2, 4 or 5 elements (R140)")                                                     \
    ROW(block_must_divide_an_output_channel, got % want == 0,                                                          \
        "a block of scales must divide the elements of one output channel")                                            \
    ROW(zeros_must_be_a_fraction, got >= 0 && got <= want,                                                             \
        "the fraction of zeros lies between 0 and 1 (here in thousandths)")                                            \
    ROW(k_must_lie_between_1_and_the_extent, got >= 1 && got <= want,                                                  \
        "k must lie between 1 and the extent of the axis")                                                             \
    ROW(sort_must_order_the_whole_axis, got == want, "sort and arg_sort order the whole axis")                         \
    ROW(squeezed_axis_must_have_extent_1_R128, got == want, "squeeze: only an axis of extent 1 can go (R128)")         \
    ROW(number_of_parts_must_divide_the_extent, got % want == 0, "split: the number of parts must divide the extent")  \
    ROW(sizes_of_the_parts_must_add_up_to_the_extent, got == want,                                                     \
        "split: the sizes of the parts must add up to the extent")                                                     \
    ROW(equation_must_be_letters_comma_letters_arrow_letters, got == want,                                             \
        "einsum: an equation is letters, a comma, letters, an arrow, letters: 'ij,jk->ik'")                            \
    ROW(operand_must_have_one_axis_for_each_letter, got == want,                                                       \
        "einsum: an operand must have one axis for each of its letters")                                               \
    ROW(letter_must_occur_once_in_an_operand, got != want,                                                             \
        "einsum: a letter occurs once in an operand and once in the result")                                           \
    ROW(letter_of_the_result_must_be_one_of_an_operand, got != want,                                                   \
        "einsum: each letter of the result must be one of an operand's")                                               \
    ROW(axes_of_one_letter_must_have_equal_extents, got == want,                                                       \
        "einsum: axes with the same letter must have equal extents")                                                   \
    ROW(map_and_template_must_have_one_channel_R046, got == want,                                                      \
        "cross_correlation: the map and the template have one channel, the template one image (R046)")                 \
    ROW(template_must_fit_into_the_map, got <= want, "cross_correlation: the template must fit into the map")          \
    ROW(vectors_must_be_N_3_1_1, got == want, "cross_product: the operands are [N, 3, 1, 1]")                          \
    ROW(there_must_be_at_least_one_plane, got >= want, "cost_volume: there is at least one plane")                     \
    ROW(both_images_must_have_one_channel, got == want, "cost_volume: both images have one channel")                   \
    ROW(reference_must_be_as_wide_as_image_and_disparities, got >= want,                                               \
        "cost_volume: the reference must be as wide as the image plus the disparity range")                            \
    ROW(points_must_be_1_3_1_N, got == want, "points are [1, 3, 1, N]: their coordinates in the channels")             \
    ROW(there_must_be_at_most_8192_points, got <= want, "furthest_point_sampling: at most 8192 points")                \
    ROW(centroids_must_be_from_2_to_1024_and_no_more_than_points, got >= 2 && got <= want,                             \
        "furthest_point_sampling: between two centroids and as many as points, at most 1024")                          \
    ROW(rate_must_lie_from_0_to_below_1, got >= 0 && got < want,                                                       \
        "dropout: the rate lies in [0, 1) (here in thousandths)")                                                      \
    ROW(low_end_must_lie_below_the_high_end, got < want,                                                               \
        "random_uniform: the low end must lie below the high end (here in thousandths)")                               \
    ROW(radius_must_not_be_negative, got >= want,                                                                      \
        "radius_search: the radius must not be negative (here in thousandths)")                                        \
    ROW(scale_of_a_product_must_be_1, got == want,                                                                     \
        "scaled_elementwise: the engine ignores the scale of a product (here in thousandths)")                         \
    ROW(query_and_key_must_have_the_same_depth, got == want, "attention: query and key must have the same depth")      \
    ROW(key_and_value_must_have_the_same_shape_R086, got == want,                                                      \
        "attention: key and value must have the same shape (R086)")                                                    \
    ROW(a_mask_is_added_to_the_scores_write_select_of_it_with_0_and_minus_30000, got == want,                          \
        "attention: the mask is added to the scores, so that 0 and 1 hide nothing; write select(mask, 0, -30000), of " \
        "bytes select(not_equal(to_f16(mask), 0), 0, -30000)")                                                         \
    ROW(mask_must_have_the_extents_of_the_scores_or_1, got == want,                                                    \
        "attention: the mask's extents must be those of the scores [..., queries, keys], or 1")                        \
    ROW(mask_must_not_have_more_axes_than_the_scores, got <= want,                                                     \
        "attention: the mask must not have more axes than the scores")

namespace ane {

enum class fault : std::uint8_t {
    none,
#define ANEMONE_ROW(name, relation, sentence) name,
    ANEMONE_SHAPE_FAULTS(ANEMONE_ROW)
#undef ANEMONE_ROW
};

/// The sentence of a shape rule.
constexpr const char* sentence(fault broken) {
    switch (broken) {
#define ANEMONE_ROW(name, relation, text)                                                                              \
    case fault::name: return text;
        ANEMONE_SHAPE_FAULTS(ANEMONE_ROW)
#undef ANEMONE_ROW
    case fault::none: break;
    }
    return "";
}

/// The same after an operation's name, which the sentence then omits.
constexpr const char* sentence(fault broken, std::string_view operation) {
    const std::string_view all = sentence(broken);
    const bool repeats = all.starts_with(operation) && all.substr(operation.size()).starts_with(": ");
    return all.data() + (repeats ? operation.size() + 2 : 0);
}

/// The name of a shape rule, and the relation that must hold between the two integers.
constexpr const char* name(fault broken) {
    switch (broken) {
#define ANEMONE_ROW(name, relation, text)                                                                              \
    case fault::name: return #name;
        ANEMONE_SHAPE_FAULTS(ANEMONE_ROW)
#undef ANEMONE_ROW
    case fault::none: break;
    }
    return "";
}
constexpr const char* relation_of(fault broken) {
    constexpr const char* all[] = {"",
#define ANEMONE_ROW(name, relation, text) #relation,
                                   ANEMONE_SHAPE_FAULTS(ANEMONE_ROW)
#undef ANEMONE_ROW
    };
    return all[static_cast<std::size_t>(broken)];
}

/// What a shape rule says about an operation: the shape of its result, and the first rule that the operands break.
struct inferred {
    extents shape;
    fault broken = fault::none;
    std::int64_t got = 0;
    std::int64_t want = 0;

    /// Records that `rule` is broken unless `holds`; the first record stays.
    constexpr inferred& require(bool holds, fault rule, std::int64_t value, std::int64_t limit) {
        if (!holds && broken == fault::none) {
            broken = rule;
            got = value;
            want = limit;
        }
        return *this;
    }
    constexpr bool ok() const { return broken == fault::none; }
};

} // namespace ane

#undef ANEMONE_SHAPE_FAULTS
