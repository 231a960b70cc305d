#pragma once

#include "rewrites.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

/// Why an operation of a lowered graph cannot be written in a format. The writers throw these sentences, and the rule
/// `operation_is_not_written` tells them at build time: both call `mil_fault` and `netplist_fault`. Those of weights at the
/// end are told by `weight_form_is_not_written`: such a weight is written as fp16.
namespace ane {

// Each reason: its name, what is told of the operation, with {got} and {limit}, and the nearest form that can be written.
#define ANEMONE_FORM_REASONS(ROW)                                                                                      \
    ROW(nothing, "", none)                                                                                             \
    ROW(is_not_lowered, "is not an operation of a lowered graph: lower() takes composed operations apart",             \
        lower_the_graph)                                                                                               \
    ROW(no_mil_form, "has no form in MIL text", none)                                                                  \
    ROW(no_netplist_form, "has no netplist form", none)                                                                \
    ROW(no_unit_changes_the_element_type,                                                                              \
        "has no netplist form: no unit is known that turns one element type into another", take_fp16_inputs)           \
    ROW(result_is_no_fp16, "is an output that is not fp16, the engine returns fp16 only", dequantize_or_to_f16)        \
    ROW(rank_is_zero, "has rank 0, of which no form is known", keep_an_axis_of_one_element)                            \
    ROW(rank_exceeds, "has rank {got}, the engine takes {limit}", join_axes_by_a_reshape)                              \
    ROW(number_is_not_finite, "has a number that is not finite as fp16, the limit is {limit}", use_finite_numbers)     \
    ROW(pad_of_the_first_of_five, "pads the first of five axes by {got}: the list of a pad holds {limit} axes",        \
        join_axes_by_a_reshape)                                                                                        \
    ROW(padding_reaches_the_kernel,                                                                                    \
        "needs padding {got} behind the input for ceil_mode, the limit is below the kernel, {limit}",                  \
        set_ceil_mode_to_false)                                                                                        \
    ROW(kernel_is_computed, "has a kernel that is computed on the device: a Conv unit reads its kernel from a blob",   \
        make_the_kernel_a_weight)                                                                                      \
    ROW(transposed_dilation, "has dilation {got}: the compiler answers 'dilated deconvolution is not supported'",      \
        store_zeros_in_the_kernel)                                                                                     \
    ROW(crops_the_stuffed_input, "needs a padding of {got} on the input stuffed with zeros; cropping has no form",     \
        slice_the_result_of_a_smaller_padding)                                                                         \
    ROW(axis_is_outer, "works along Batch or Depth, the unit takes Width, Height or Channel",                          \
        transpose_the_axis_to_the_last_place)                                                                          \
    ROW(reduces_five_axes, "reduces {got} axes, the unit takes {limit}", reduce_in_two_steps)                          \
    ROW(broadcast_meets_depth, "broadcasts a batch of {got} against a tensor of rank 5, where it would become depth",  \
        reshape_the_smaller_operand_to_rank_5)                                                                         \
    ROW(product_has_depth, "multiplies tensors of depth {got}, the unit takes depth {limit}", join_axes_by_a_reshape)  \
    ROW(pads_an_outer_axis,                                                                                            \
        "pads by {got} along another axis than height and width: the engine pads those only (R096)", concat_constants) \
    ROW(constant_has_depth, "reads a constant of depth {got}, whose order of elements in a netplist is not known",     \
        reshape_a_constant_of_rank_4)                                                                                  \
    ROW(reshape_mixes_depth,                                                                                           \
        "reshapes a tensor of depth {got} and {limit} channels: the unit counts channels outside depth, the graph "    \
        "depth outside channels",                                                                                      \
        reshape_by_way_of_rank_4)                                                                                      \
    ROW(input_is_not_read, "is read by no unit: a netplist declares an input only for the units that read it",         \
        leave_the_input_out)                                                                                           \
    ROW(port_has_a_key_for_a_name, "has the name of a key of every network, or of another port", name_it_otherwise)    \
    ROW(parameter_is_computed, "computes operand {got} on the device: the form takes a constant there",                \
        make_the_parameter_a_weight)                                                                                   \
    ROW(rank_is_below, "has rank {got}, the form takes {limit} and more", add_axes_by_a_reshape)                       \
    ROW(factors_differ, "has blocks of {got} by {limit} pixels, the form has one factor for both",                     \
        reshape_transpose_and_reshape)                                                                                 \
    ROW(order_of_blocks_in_a_batch,                                                                                    \
        "moves blocks of pixels of {got} images: in which order they follow each other is known of {limit} image",     \
        slice_single_images)                                                                                           \
    ROW(sampling_has_no_form, "samples by a method, a grid or a border that no form has", none)                        \
    ROW(moves_no_halves, "moves integers or booleans, the form moves fp16", dequantize_or_to_f16)                      \
    ROW(zero_point_is_no_integer, "has a zero point that is not an integer from {got} to {limit}",                     \
        round_the_zero_point)                                                                                          \
    ROW(scale_is_not_of_the_depth, "has another scale than 1 / sqrt({got}), which the form has built in",              \
        take_it_apart_in_lower)                                                                                        \
    ROW(power_is_not_whole,                                                                                            \
        "raises to a power other than a constant 1, 2, 3 or -1: the keys of the unit for others are not known",        \
        exp_of_b_log_a)                                                                                                \
    ROW(blends_what_is_not_finite,                                                                                     \
        "selects a constant that is not finite: a netplist selects by products with a mask, 0 times infinity is NaN",  \
        use_finite_numbers)                                                                                            \
    ROW(needs_many_views, "needs {got} views of its operand, {limit} are written at most", none)                       \
    ROW(writes_every_other_element, "writes with stride {got}, a netplist joins what is adjacent, stride {limit}",     \
        blend_by_a_mask_of_the_position)                                                                               \
    ROW(factor_has_no_unit,                                                                                            \
        "moves blocks of {got} pixels along an axis, the units take 1, 2, 3, 4 and 8, those of the batch products",    \
        reshape_transpose_and_reshape)                                                                                 \
    ROW(normalizes_over_part_of_the_channels,                                                                          \
        "normalises over {got} of {limit} channels: the unit takes all of at most 15 at depth 1",                      \
        write_it_with_other_operations)                                                                                \
    ROW(orders_several_lines, "orders {got} lines by themselves: the unit orders {limit}", order_each_line_by_itself)  \
    ROW(takes_three_or_four, "takes the first {got}: the unit refuses 3 and 4", take_five_and_slice)                   \
    ROW(drops_elements, "drops elements: the unit is known at rate 0 only", leave_it_out_of_inference)                 \
    ROW(has_a_batch, "has batch {got}, the unit takes {limit}", slice_single_images)                                   \
    ROW(sequence_is_long,                                                                                              \
        "attends over a sequence of {got}: the unit is reliable up to {limit}, with the other below 512",              \
        take_it_apart_in_lower)                                                                                        \
    ROW(mask_has_planes, "has a mask of {got} planes, the unit takes {limit} for all heads", take_it_apart_in_lower)   \
    ROW(takes_width_or_height, "works along another axis than Width and Height, which the unit takes",                 \
        take_it_apart_in_lower)                                                                                        \
    ROW(replaces_all, "replaces every element: no unit reads what is replaced", leave_the_input_out)                   \
    ROW(window_is_not_two_of_four, "moves a window of {got} over {limit}: the unit is known for 2 of 4 along Width",   \
        none)                                                                                                          \
    ROW(netplist_weight_is_no_fp16, "is stored in {got} bits for an element, a netplist holds {limit}",                \
        write_it_as_mil_text)                                                                                          \
    ROW(weight_is_read_otherwise,                                                                                      \
        "is stored in {got} bits for an element, and not read by convolutions and as the right operand of products "   \
        "alone, where stored forms were run",                                                                          \
        let_products_alone_read_it)                                                                                    \
    ROW(weight_of_other_integers, "is made of integers of {got} bits, MIL text holds those of {limit}",                \
        use_a_palette_of_4_bits)                                                                                       \
    ROW(weight_has_zero_points, "is made of integers of {got} bits with zero points, MIL text holds those without",    \
        use_a_palette_of_4_bits)                                                                                       \
    ROW(weight_has_blocks,                                                                                             \
        "is made of integers of {got} bits in blocks of {limit}, MIL text holds those of 8 bits with one scale for "   \
        "each channel",                                                                                                \
        use_a_palette_of_4_bits)                                                                                       \
    ROW(palette_of_other_bits, "is a palette of {got} bits, MIL text holds those of 4 and {limit}",                    \
        use_a_palette_of_4_bits)                                                                                       \
    ROW(palette_of_vectors,                                                                                            \
        "is a palette of {got} bits for vectors of {limit} elements, MIL text holds those of single elements",         \
        use_a_palette_of_4_bits)                                                                                       \
    ROW(sparse_weight_has_a_second_form,                                                                               \
        "is sparse and stored in {got} bits for an element, MIL text holds one of the two forms",                      \
        use_a_palette_of_4_bits)

/// What keeps an operation from being written.
enum class form_reason : std::uint8_t {
#define ANEMONE_ROW(name, sentence, instead) name,
    ANEMONE_FORM_REASONS(ANEMONE_ROW)
#undef ANEMONE_ROW
};

/// A reason with its numbers; `nothing` where an operation can be written.
struct form_fault {
    form_reason why = form_reason::nothing;
    std::int64_t got = 0;
    std::int64_t limit = 0;

    constexpr explicit operator bool() const noexcept { return why != form_reason::nothing; }
};

/// What is told of the operation, with {got} and {limit}.
constexpr const char* sentence(form_reason why) noexcept {
    constexpr const char* sentences[] = {
#define ANEMONE_ROW(name, sentence, instead) sentence,
        ANEMONE_FORM_REASONS(ANEMONE_ROW) // NOLINT(bugprone-suspicious-missing-comma): sentences of two lines
#undef ANEMONE_ROW
    };
    return sentences[static_cast<std::size_t>(why)];
}

/// What to write instead; `none` where it depends on the operation (rewrites.hpp).
constexpr rewrite rewrite_for(form_reason why) noexcept {
    constexpr rewrite rewrites[] = {
#define ANEMONE_ROW(name, sentence, instead) rewrite::instead,
        ANEMONE_FORM_REASONS(ANEMONE_ROW)
#undef ANEMONE_ROW
    };
    return rewrites[static_cast<std::size_t>(why)];
}

/// What to write instead of an operation that a fault was found in.
constexpr rewrite rewrite_for(op kind, form_reason why) noexcept {
    return rewrite_for(why) == rewrite::none ? writable_rewrites[kind] : rewrite_for(why);
}

} // namespace ane

#undef ANEMONE_FORM_REASONS
