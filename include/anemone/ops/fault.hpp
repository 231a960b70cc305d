#pragma once

#include "../shape.hpp"

#include <cstddef>
#include <cstdint>

/// The rules of shapes: one row each with its name, the relation that must hold between the two integers, and the
/// sentence that both the compiler (as a failed static_assert, with the integers) and `ane::error` show.
#define ANEMONE_SHAPE_FAULTS(ROW)                                                                                      \
    ROW(operand_is_not_f16, got == want,                                                                               \
        "operands must be fp16; a uint8 image goes through to_f16 first (R002), and so does a boolean")                \
    ROW(operand_is_not_boolean, got == want, "the operand must be the boolean result of a comparison")                 \
    ROW(operand_has_no_cast, got == want, "to_f16 takes bytes (uint8) and booleans")                                   \
    ROW(power_of_two_exceeds, got == want, "scaled: the factor lies between 2^-14 and 2^14")                           \
    ROW(extent_is_not_positive, got >= want, "every extent of a tensor must be at least 1 (R019)")                     \
    ROW(input_rank_differs, got == want, "the input must have this rank (NCHW for windows)")                           \
    ROW(weight_rank_differs, got == want, "the weight must have this rank")                                            \
    ROW(vector_rank_differs, got == want, "a bias, scale, mean or variance must have rank 1")                          \
    ROW(vector_length_differs, got == want, "a bias, scale, mean or variance must have one value per channel")         \
    ROW(stride_is_not_positive, got >= want, "a stride must be at least 1")                                            \
    ROW(dilation_is_not_positive, got >= want, "a dilation must be at least 1")                                        \
    ROW(padding_is_negative, got >= want, "padding must not be negative")                                              \
    ROW(kernel_is_not_positive, got >= want, "a kernel must be at least 1")                                            \
    ROW(groups_are_not_positive, got >= want, "groups must be at least 1")                                             \
    ROW(groups_do_not_divide_input_channels, got % want == 0, "groups must divide the input channels (R037)")          \
    ROW(groups_do_not_divide_output_channels, got % want == 0, "groups must divide the output channels (R037)")        \
    ROW(groups_do_not_divide_channels, got % want == 0, "groups must divide the channels (R063)")                      \
    ROW(channel_window_is_not_positive, got >= want, "the window must reach over at least 1 channel")                  \
    ROW(weight_input_channels_differ, got == want,                                                                     \
        "the weight's input channels (times groups) must equal the input's channels")                                  \
    ROW(kernel_exceeds_padded_height, got <= want, "the dilated kernel must fit into the padded height (R033)")        \
    ROW(kernel_exceeds_padded_width, got <= want, "the dilated kernel must fit into the padded width (R033)")          \
    ROW(padding_reaches_kernel, got < want, "the padding of a pool must be smaller than its kernel (R060)")            \
    ROW(rank_is_too_small, got >= want, "the operand has too few axes")                                                \
    ROW(inner_extents_differ, got == want, "matmul: the inner extents must be equal (R053)")                           \
    ROW(features_differ, got == want, "linear: the input's last axis must equal the weight's last axis (R053)")        \
    ROW(extents_do_not_broadcast, got == want, "extents must be equal, or one of them 1 (R026)")                       \
    ROW(axis_is_out_of_range, got >= 0 && got < want, "the axis must be one of the tensor's axes")                     \
    ROW(axis_is_repeated, got != want, "an axis is given twice")                                                       \
    ROW(element_counts_differ, got == want, "reshape: the number of elements must stay the same")                      \
    ROW(order_length_differs, got == want, "one index for each axis is needed")                                        \
    ROW(ranks_differ, got == want, "the operands must have the same rank")                                             \
    ROW(extents_differ, got == want, "the operands' extents must be equal on this axis")                               \
    ROW(begin_is_negative, got >= want, "a slice must begin at 0 or later (R094)")                                     \
    ROW(slice_leaves_the_tensor, got <= want, "a slice must end within the tensor (R094)")                             \
    ROW(mirror_exceeds_the_tensor, got <= want,                                                                        \
        "a reflecting pad must be smaller than its axis, a symmetric one at most as large")                            \
    ROW(rank_exceeds, got <= want, "a tensor has at most eight axes (the engine takes five, R010)")                    \
    ROW(start_is_not_one_number, got == want, "dynamic_slice: the start is a tensor of one element")                   \
    ROW(window_moves_along_axes, got <= want, "dynamic_slice: the window moves along one axis and spans all others")   \
    ROW(repeat_is_not_positive, got >= want, "tile: every axis occurs at least once")                                  \
    ROW(factor_is_not_positive, got >= want, "a factor must be at least 1 (R098)")                                     \
    ROW(channels_are_not_divisible, got % want == 0,                                                                   \
        "the channels must be divisible by the product of the factors (R098)")                                         \
    ROW(batch_is_not_divisible, got % want == 0, "the batch must be divisible by the product of the factors (R099)")   \
    ROW(height_is_not_divisible, got % want == 0, "the height must be divisible by its factor (R098)")                 \
    ROW(width_is_not_divisible, got % want == 0, "the width must be divisible by its factor (R098)")                   \
    ROW(index_extents_differ, got == want,                                                                             \
        "gather_along_axis: the indices must have the tensor's extents on every other axis")                           \
    ROW(index_length_differs, got >= 1 && got <= want,                                                                 \
        "gather_nd: the last axis of the indices must have one number for each gathered axis")                         \
    ROW(coordinates_differ, got == want,                                                                               \
        "the channels of the coordinates must be two, y and x; resample also takes one")                               \
    ROW(image_count_differs, got == want, "the second operand must have one entry for each image, or one for all")     \
    ROW(box_length_differs, got == want, "crop_resize: boxes are [R, 4], the corners y1, x1, y2, x2 of each")          \
    ROW(matrix_length_differs, got == want, "affine: the matrix is [N, 6] or [1, 6], two rows of three coefficients")  \
    ROW(grid_extent_differs, got == want, "resample: the extents of the result are those of the coordinates")          \
    ROW(scale_rank_differs, got <= want,                                                                               \
        "quantisation: a scale or zero point is one number, or a vector along the axis")                               \
    ROW(scale_length_differs, got == want,                                                                             \
        "quantisation: a vector of scales or zero points has one value for each index of the axis")                    \
    ROW(quantized_type_differs, got == want, "quantize makes int8 or uint8; dequantize reads int8, uint8 or int4")     \
    ROW(operand_is_not_a_weight, got == want, "compressed takes a weight of the graph")                                \
    ROW(stored_bits_differ, got == want,                                                                               \
        "a palette index has 1, 2, 3, 4, 6 or 8 bits, a stored integer 4 or 8 (R139)")                                 \
    ROW(palette_vector_differs, got == want, "a palette entry stands for 1, 2, 4 or 5 elements (R140)")                \
    ROW(block_does_not_divide, got % want == 0, "a block of scales must divide the elements of one output channel")    \
    ROW(zeros_are_no_fraction, got >= 0 && got <= want,                                                                \
        "the fraction of zeros lies between 0 and 1 (here in thousandths)")                                            \
    ROW(selection_exceeds, got >= 1 && got <= want, "k must lie between 1 and the extent of the axis")                 \
    ROW(sort_is_partial, got == want, "sort and arg_sort order the whole axis")                                        \
    ROW(squeezed_extent_is_not_one, got == want, "squeeze: only an axis of extent 1 can go (R128)")                    \
    ROW(split_is_not_even, got % want == 0, "split: the number of parts must divide the extent")                       \
    ROW(split_sizes_differ, got == want, "split: the sizes of the parts must add up to the extent")                    \
    ROW(equation_is_malformed, got == want,                                                                            \
        "einsum: an equation is letters, a comma, letters, an arrow, letters: 'ij,jk->ik'")                            \
    ROW(equation_rank_differs, got == want, "einsum: an operand must have one axis for each of its letters")           \
    ROW(equation_letter_is_repeated, got != want, "einsum: a letter occurs once in an operand and once in the result") \
    ROW(equation_letter_is_unknown, got != want, "einsum: each letter of the result must be one of an operand's")      \
    ROW(equation_extents_differ, got == want, "einsum: axes with the same letter must have equal extents")             \
    ROW(template_channels_differ, got == want,                                                                         \
        "cross_correlation: the map and the template have one channel, the template one image (R046)")                 \
    ROW(template_exceeds_the_map, got <= want, "cross_correlation: the template must fit into the map")                \
    ROW(vectors_are_not_threes, got == want, "cross_product: the operands are [N, 3, 1, 1]")                           \
    ROW(planes_are_not_positive, got >= want, "cost_volume: there is at least one plane")                              \
    ROW(cost_channels_differ, got == want, "cost_volume: both images have one channel")                                \
    ROW(reference_is_too_narrow, got >= want,                                                                          \
        "cost_volume: the reference must be as wide as the image plus the disparity range")                            \
    ROW(points_differ, got == want, "points are [1, 3, 1, N]: their coordinates in the channels")                      \
    ROW(points_exceed, got <= want, "furthest_point_sampling: at most 8192 points")                                    \
    ROW(centroids_differ, got >= 2 && got <= want,                                                                     \
        "furthest_point_sampling: between two centroids and as many as points, at most 1024")                          \
    ROW(rate_is_no_fraction, got >= 0 && got < want, "dropout: the rate lies in [0, 1) (here in thousandths)")         \
    ROW(low_is_not_below_high, got < want,                                                                             \
        "random_uniform: the low end must lie below the high end (here in thousandths)")                               \
    ROW(radius_is_negative, got >= want, "radius_search: the radius must not be negative (here in thousandths)")       \
    ROW(scale_is_ignored, got == want,                                                                                 \
        "scaled_elementwise: the engine ignores the scale of a product (here in thousandths)")                         \
    ROW(key_depth_differs, got == want, "attention: query and key must have the same depth")                           \
    ROW(value_shape_differs, got == want, "attention: key and value must have the same shape (R086)")                  \
    ROW(mask_does_not_broadcast, got == want,                                                                          \
        "attention: the mask's extents must be those of the scores [..., queries, keys], or 1")                        \
    ROW(mask_rank_exceeds, got <= want, "attention: the mask must not have more axes than the scores")

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

/// What a shape rule says of an operation: the shape of its result, and the first rule that the operands break.
struct inferred {
    extents shape;
    fault broken = fault::none;
    std::int64_t got = 0;
    std::int64_t want = 0;

    /// Notes that `rule` is broken unless `holds`; the first note stays.
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
