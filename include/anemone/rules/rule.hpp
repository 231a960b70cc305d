#pragma once

#include "../base/enum_set.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

/// The design rules by name. The names are API: compilers print them as the reason of a failed `conforms`. What a rule
/// says is its record (record.hpp, registry.hpp).
#define ANEMONE_RULES(ROW)                                                                                             \
    /* support: is there such an operation on the target */                                                            \
    ROW(operation_below_its_floor)                                                                                     \
    ROW(softmax_is_not_supported)                                                                                      \
    ROW(sine_is_not_native)                                                                                            \
    ROW(code_generator_lacks_the_operation)                                                                            \
    ROW(random_numbers_are_not_supported)                                                                              \
    ROW(texture_engine_is_missing)                                                                                     \
    ROW(divisor_is_not_constant)                                                                                       \
    ROW(reduction_is_multiplied_by_zero)                                                                               \
    ROW(target_has_no_mil)                                                                                             \
    ROW(arg_reduction_has_no_mil_form)                                                                                 \
    ROW(operation_has_no_mil_form)                                                                                     \
    ROW(operation_has_no_netplist_form)                                                                                \
    /* type */                                                                                                         \
    ROW(cast_gives_int32)                                                                                              \
    ROW(normalization_result_is_not_float)                                                                             \
    ROW(uint8_reaches_arithmetic)                                                                                      \
    ROW(element_type_is_not_f16)                                                                                       \
    /* extent */                                                                                                       \
    ROW(rank_exceeds_five)                                                                                             \
    ROW(extent_is_zero)                                                                                                \
    ROW(extent_is_not_known)                                                                                           \
    ROW(tensor_width_exceeds)                                                                                          \
    ROW(tensor_height_exceeds)                                                                                         \
    ROW(tensor_channels_exceed)                                                                                        \
    ROW(tensor_depth_exceeds)                                                                                          \
    ROW(tensor_batch_exceeds)                                                                                          \
    /* convolution */                                                                                                  \
    ROW(convolution_rank_is_not_four)                                                                                  \
    ROW(convolution_is_three_dimensional)                                                                              \
    ROW(kernel_width_exceeds)                                                                                          \
    ROW(kernel_height_exceeds)                                                                                         \
    ROW(dynamic_weight_batch_exceeds_one)                                                                              \
    ROW(transposed_stride_exceeds_two)                                                                                 \
    ROW(transposed_convolution_is_dilated)                                                                             \
    ROW(transposed_kernel_is_large)                                                                                    \
    ROW(kernel_needs_large_mode)                                                                                       \
    ROW(large_kernel_is_not_a_multiple_of_eight)                                                                       \
    ROW(large_kernel_is_grouped)                                                                                       \
    ROW(large_kernel_is_dilated)                                                                                       \
    ROW(folded_channels_exceed)                                                                                        \
    ROW(convolved_width_leaves_no_margin)                                                                              \
    ROW(groups_do_not_divide_cores)                                                                                    \
    ROW(grouped_kernel_is_decomposed)                                                                                  \
    ROW(stride_does_not_factor)                                                                                        \
    ROW(stride_is_not_native)                                                                                          \
    ROW(dilation_is_not_native)                                                                                        \
    /* matmul */                                                                                                       \
    ROW(matmul_reads_a_transpose_of_rank_five)                                                                         \
    ROW(matmul_rank_exceeds_four)                                                                                      \
    ROW(matmul_depth_exceeds_one)                                                                                      \
    ROW(linear_rank_exceeds_four)                                                                                      \
    ROW(contraction_length_exceeds)                                                                                    \
    ROW(matmul_exceeds_kernel_memory)                                                                                  \
    ROW(right_operand_is_not_resident)                                                                                 \
    /* pooling */                                                                                                      \
    ROW(pool_window_exceeds_input)                                                                                     \
    ROW(max_pool_width_exceeds)                                                                                        \
    ROW(pool_stride_is_three)                                                                                          \
    ROW(pool_extent_is_not_a_multiple_of_its_stride)                                                                   \
    ROW(excluded_padding_reaches_the_window)                                                                           \
    ROW(pool_window_is_not_native)                                                                                     \
    /* reduction */                                                                                                    \
    ROW(arg_reduction_axis_exceeds)                                                                                    \
    ROW(reduced_axis_exceeds_four)                                                                                     \
    ROW(square_and_sum_are_not_fused)                                                                                  \
    ROW(cumulated_axis_is_not_the_last)                                                                                \
    /* movement */                                                                                                     \
    ROW(transposed_extent_exceeds)                                                                                     \
    ROW(channel_transpose_is_not_native)                                                                               \
    ROW(batch_transpose_has_channels)                                                                                  \
    ROW(concat_has_one_operand)                                                                                        \
    ROW(reshape_does_not_flatten)                                                                                      \
    ROW(reversed_slice_is_not_whole)                                                                                   \
    ROW(sliced_channels_are_not_aligned)                                                                               \
    ROW(concat_row_exceeds)                                                                                            \
    ROW(padding_is_not_on_height_or_width)                                                                             \
    ROW(width_slice_may_saturate)                                                                                      \
    ROW(width_slices_are_joined)                                                                                       \
    /* attention */                                                                                                    \
    ROW(attention_rank_exceeds_four)                                                                                   \
    ROW(attention_value_shape_differs)                                                                                 \
    ROW(attention_mask_type_differs)                                                                                   \
    ROW(attention_sequence_exceeds)                                                                                    \
    ROW(attention_is_too_square)                                                                                       \
    ROW(attention_mask_is_not_shared)                                                                                  \
    ROW(mask_hides_nothing)                                                                                            \
    ROW(attention_has_few_queries)                                                                                     \
    /* rearrange */                                                                                                    \
    ROW(shuffle_factor_is_not_native)                                                                                  \
    ROW(shuffled_channels_are_not_divisible)                                                                           \
    ROW(batch_factor_is_not_native)                                                                                    \
    ROW(batch_is_not_divisible)                                                                                        \
    ROW(space_to_channel_batch_exceeds_one)                                                                            \
    ROW(tile_factor_is_not_native)                                                                                     \
    /* normalization */                                                                                                \
    ROW(instance_norm_is_not_supported)                                                                                \
    ROW(normalized_groups_do_not_divide_channels)                                                                      \
    ROW(normalized_groups_have_depth)                                                                                  \
    ROW(normalized_group_exceeds)                                                                                      \
    ROW(response_norm_channels_exceed)                                                                                 \
    ROW(minmax_norm_is_over_channels)                                                                                  \
    ROW(rms_norm_rank_is_not_two)                                                                                      \
    ROW(softmax_does_not_subtract_its_maximum)                                                                         \
    /* elementwise */                                                                                                  \
    ROW(broadcast_along_depth_is_not_supported)                                                                        \
    ROW(prelu_rank_is_below_three)                                                                                     \
    ROW(square_feeds_a_nonlinearity)                                                                                   \
    ROW(angle_leaves_the_half_period)                                                                                  \
    ROW(both_operands_are_live)                                                                                        \
    ROW(product_takes_another_scale)                                                                                   \
    ROW(producer_has_other_readers)                                                                                    \
    /* texture */                                                                                                      \
    ROW(padding_mode_needs_the_texture_engine)                                                                         \
    ROW(resize_is_decomposed)                                                                                          \
    ROW(gather_needs_one_batch_one_plane_and_3_components)                                                             \
    /* order: sorting, selection, gathers */                                                                           \
    ROW(index_exceeds_half_precision)                                                                                  \
    ROW(top_k_over_width_is_in_dispute)                                                                                \
    ROW(top_k_is_three_or_four)                                                                                        \
    /* native: layers that only the netplist has */                                                                    \
    ROW(cross_correlation_has_channels)                                                                                \
    /* weight: how weights are stored */                                                                               \
    ROW(weight_is_not_float)                                                                                           \
    ROW(weight_exceeds_half_precision)                                                                                 \
    ROW(compressed_weight_is_computed)                                                                                 \
    ROW(int4_channels_do_not_interleave)                                                                               \
    ROW(zero_point_is_not_supported)                                                                                   \
    ROW(palette_index_width_is_not_supported)                                                                          \
    ROW(palette_vector_size_is_not_supported)                                                                          \
    ROW(vector_palette_meets_a_special_convolution)                                                                    \
    ROW(sparse_weight_has_few_zeros)                                                                                   \
    ROW(blockwise_scale_is_not_supported)                                                                              \
    ROW(weight_is_expanded_before_it_runs)                                                                             \
    ROW(weight_form_is_not_written)                                                                                    \
    ROW(compressed_elements_are_narrow)                                                                                \
    ROW(weight_is_palette_and_sparse)                                                                                  \
    /* value: what the declared ranges prove */                                                                        \
    ROW(contraction_may_reach_ceiling)                                                                                 \
    ROW(int8_activation_may_saturate)                                                                                  \
    ROW(sum_of_codes_may_reach_ceiling)                                                                                \
    ROW(loss_scale_exceeds)                                                                                            \
    ROW(exponential_may_overflow)                                                                                      \
    ROW(state_may_leave_its_promise)                                                                                   \
    ROW(square_may_overflow)                                                                                           \
    ROW(logarithm_of_zero)                                                                                             \
    ROW(reciprocal_of_zero)                                                                                            \
    ROW(divisor_may_be_zero)                                                                                           \
    ROW(infinity_becomes_zero)                                                                                         \
    ROW(subnormal_operand_is_zero)                                                                                     \
    ROW(terms_cancel)                                                                                                  \
    ROW(argument_leaves_the_table)                                                                                     \
    ROW(nan_enters_as_infinity)                                                                                        \
    /* stored value: what leaves fp16 */                                                                               \
    ROW(value_may_leave_half_precision)                                                                                \
    ROW(inner_value_may_leave_half_precision)                                                                          \
    ROW(epsilon_becomes_zero)                                                                                          \
    ROW(number_becomes_zero)                                                                                           \
    /* own layer: what the engine's own layers do to values */                                                         \
    ROW(own_layer_fails)                                                                                               \
    ROW(parametric_softplus_may_be_zero)                                                                               \
    ROW(scales_of_blocks_are_not_applied)                                                                              \
    ROW(factor_after_rounding_is_dropped)                                                                              \
    /* precision: how many digits are left */                                                                          \
    ROW(products_are_many)                                                                                             \
    ROW(products_are_near_the_quantum)                                                                                 \
    ROW(signed_sum_is_long)                                                                                            \
    /* layout */                                                                                                       \
    ROW(channels_do_not_interleave)                                                                                    \
    ROW(width_is_not_a_granule)                                                                                        \
    ROW(width_is_one)                                                                                                  \
    ROW(rows_share_a_bank)                                                                                             \
    ROW(output_channels_cross_a_pass)                                                                                  \
    ROW(winograd_needs_unit_stride)                                                                                    \
    /* memory */                                                                                                       \
    ROW(working_set_exceeds)                                                                                           \
    ROW(working_set_exceeds_nominal)                                                                                   \
    ROW(live_set_exceeds)                                                                                              \
    ROW(weights_exceed_kernel_memory)                                                                                  \
    ROW(fan_in_exceeds)                                                                                                \
    ROW(max_pool_channels_are_tiled)                                                                                   \
    ROW(input_is_not_used)                                                                                             \
    ROW(state_width_is_not_a_multiple)                                                                                 \
    /* program: what the compiler is given */                                                                          \
    ROW(target_is_not_known)                                                                                           \
    ROW(compile_follows_a_failure)                                                                                     \
    ROW(descriptor_generation_differs)                                                                                 \
    ROW(shape_is_dynamic)                                                                                              \
    ROW(programs_are_several)                                                                                          \
    ROW(attention_cuts_the_program)                                                                                    \
    ROW(trained_batch_is_large)                                                                                        \
    /* runtime: loading and dispatching */                                                                             \
    ROW(loaded_programs_exceed)                                                                                        \
    ROW(requests_in_flight_exceed)                                                                                     \
    ROW(streams_overlap)                                                                                               \
    ROW(engine_was_idle)                                                                                               \
    /* advice */                                                                                                       \
    ROW(large_matmul_runs_faster_on_gpu)                                                                               \
    ROW(long_attention_runs_faster_on_gpu)                                                                             \
    ROW(encoder_batch_runs_faster_on_gpu)                                                                              \
    ROW(whole_decoder_runs_faster_on_gpu)                                                                              \
    ROW(decoding_runs_faster_on_gpu)                                                                                   \
    ROW(concat_operands_are_not_two)                                                                                   \
    ROW(work_is_below_the_dispatch_floor)                                                                              \
    ROW(tiny_work_runs_faster_on_cpu)                                                                                  \
    ROW(sums_are_reassociated)                                                                                         \
    ROW(order_of_operands_decides_bits)                                                                                \
    ROW(resize_rounds_by_strategy)                                                                                     \
    ROW(small_convolution_leaves_the_engine)                                                                           \
    /* field: what single programs met on one chip */                                                                  \
    ROW(convolution_weight_is_computed)                                                                                \
    ROW(tile_ends_the_process)                                                                                         \
    ROW(product_repeats_the_batch)                                                                                     \
    ROW(surface_is_narrow)                                                                                             \
    /* vendor: its own guidance, on request */                                                                         \
    ROW(port_width_is_padded)                                                                                          \
    ROW(product_is_no_convolution)                                                                                     \
    ROW(transpose_moves_the_width)                                                                                     \
    ROW(norm_is_written_in_parts)                                                                                      \
    ROW(softmax_is_not_over_channels)                                                                                  \
    ROW(pool_stride_is_not_two_or_four)                                                                                \
    ROW(heads_are_attended_together)                                                                                   \
    ROW(cache_is_written_by_the_program)                                                                               \
    ROW(table_is_gathered_inside)                                                                                      \
    ROW(prompt_exceeds_a_chunk)                                                                                        \
    /* written: what our files can say */                                                                              \
    ROW(operation_is_not_written)                                                                                      \
    /* system: what an older system's Core ML does not know */                                                         \
    ROW(operation_is_newer_than_the_system)

namespace ane {

enum class rule : std::uint8_t {
#define ANEMONE_ROW(name) name,
    ANEMONE_RULES(ANEMONE_ROW)
#undef ANEMONE_ROW
};

/// What a rule reports for an unbounded value; also the largest value that it reports.
inline constexpr std::int64_t no_bound = 1'000'000'000'000'000;

inline constexpr std::size_t rule_count =
#define ANEMONE_ROW(name) +1
    0 ANEMONE_RULES(ANEMONE_ROW);
#undef ANEMONE_ROW

constexpr std::string_view name(rule r) noexcept {
    constexpr std::string_view names[] = {
#define ANEMONE_ROW(name) #name,
        ANEMONE_RULES(ANEMONE_ROW)
#undef ANEMONE_ROW
    };
    return names[static_cast<std::size_t>(r)];
}

/// What breaking a rule means.
enum class severity : std::uint8_t {
    reject, ///< the engine's compiler refuses the program
    hazard, ///< it compiles and may give a wrong value
    warn,   ///< it works, slower or with waste
    note    ///< worth knowing: another form or device may suit better
};

constexpr std::string_view name(severity s) noexcept {
    constexpr std::string_view names[] = {"reject", "hazard", "warn", "note"};
    return names[static_cast<std::size_t>(s)];
}

/// What a rule is about, and thus who enforces it.
enum class rule_scope : std::uint8_t {
    graph,   ///< operations, shapes, types and declared ranges: at build time
    weights, ///< how weights are stored and what they hold: at build time as far as declared, else in the loader
    program, ///< the compiled program: the compiler's driver
    runtime, ///< loading and dispatching: the driver
    advice   ///< what a reader of the report and of the cost should know
};

constexpr std::string_view name(rule_scope s) noexcept {
    constexpr std::string_view names[] = {"graph", "weights", "program", "runtime", "advice"};
    return names[static_cast<std::size_t>(s)];
}

/// A set of rules.
using rule_set = enum_set<rule, rule_count>;

} // namespace ane

#undef ANEMONE_RULES
