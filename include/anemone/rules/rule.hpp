#pragma once

#include "../enum_set.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

/// The design rules by name. The names are API: compilers print them as the reason of a failed `conforms`. What a rule
/// says is its record (record.hpp, registry.hpp).
#define ANEMONE_RULES(ROW)                                                                                             \
    /* support: is there such an operation on the target */                                                            \
    ROW(operation_below_its_floor)                                                                                     \
    ROW(softmax_is_not_supported)                                                                                      \
    ROW(divisor_is_not_constant)                                                                                       \
    ROW(reduction_is_multiplied_by_zero)                                                                               \
    ROW(target_has_no_mil)                                                                                             \
    ROW(arg_reduction_has_no_mil_form)                                                                                 \
    ROW(scalar_has_no_mil_form)                                                                                        \
    /* type */                                                                                                         \
    ROW(uint8_reaches_arithmetic)                                                                                      \
    ROW(element_type_is_not_f16)                                                                                       \
    /* extent */                                                                                                       \
    ROW(rank_exceeds_five)                                                                                             \
    ROW(extent_is_zero)                                                                                                \
    ROW(tensor_width_exceeds)                                                                                          \
    ROW(tensor_height_exceeds)                                                                                         \
    ROW(tensor_channels_exceed)                                                                                        \
    ROW(tensor_depth_exceeds)                                                                                          \
    ROW(tensor_batch_exceeds)                                                                                          \
    /* convolution */                                                                                                  \
    ROW(convolution_rank_is_not_four)                                                                                  \
    ROW(kernel_width_exceeds)                                                                                          \
    ROW(kernel_height_exceeds)                                                                                         \
    ROW(dynamic_weight_batch_exceeds_one)                                                                              \
    ROW(transposed_stride_exceeds_two)                                                                                 \
    ROW(transposed_convolution_is_dilated)                                                                             \
    ROW(transposed_kernel_is_large)                                                                                    \
    ROW(kernel_needs_large_mode)                                                                                       \
    ROW(groups_do_not_divide_cores)                                                                                    \
    ROW(grouped_kernel_is_decomposed)                                                                                  \
    ROW(stride_is_not_native)                                                                                          \
    ROW(dilation_is_not_native)                                                                                        \
    /* matmul */                                                                                                       \
    ROW(matmul_rank_exceeds_four)                                                                                      \
    ROW(matmul_depth_exceeds_one)                                                                                      \
    ROW(linear_rank_exceeds_four)                                                                                      \
    ROW(matmul_exceeds_kernel_memory)                                                                                  \
    ROW(right_operand_is_not_resident)                                                                                 \
    /* pooling */                                                                                                      \
    ROW(pool_window_exceeds_input)                                                                                     \
    ROW(pool_stride_is_three)                                                                                          \
    ROW(pool_extent_is_not_a_multiple_of_its_stride)                                                                   \
    ROW(pool_window_is_not_native)                                                                                     \
    /* reduction */                                                                                                    \
    ROW(arg_reduction_axis_exceeds)                                                                                    \
    ROW(reduced_axis_exceeds_four)                                                                                     \
    /* movement */                                                                                                     \
    ROW(transposed_extent_exceeds)                                                                                     \
    ROW(channel_transpose_is_not_native)                                                                               \
    ROW(batch_transpose_has_channels)                                                                                  \
    ROW(concat_row_exceeds)                                                                                            \
    ROW(padding_is_not_on_height_or_width)                                                                             \
    ROW(width_slice_may_saturate)                                                                                      \
    ROW(width_slices_are_joined)                                                                                       \
    /* attention */                                                                                                    \
    ROW(attention_rank_exceeds_four)                                                                                   \
    ROW(attention_value_shape_differs)                                                                                 \
    ROW(attention_sequence_exceeds)                                                                                    \
    ROW(attention_is_too_square)                                                                                       \
    ROW(attention_mask_is_not_shared)                                                                                  \
    /* value: what the declared ranges prove */                                                                        \
    ROW(contraction_may_reach_ceiling)                                                                                 \
    ROW(exponential_may_overflow)                                                                                      \
    /* layout */                                                                                                       \
    ROW(channels_do_not_interleave)                                                                                    \
    ROW(width_is_not_a_granule)                                                                                        \
    ROW(width_is_one)                                                                                                  \
    /* memory */                                                                                                       \
    ROW(working_set_exceeds)                                                                                           \
    ROW(weights_exceed_kernel_memory)                                                                                  \
    ROW(fan_in_exceeds)                                                                                                \
    ROW(input_is_not_used)

namespace ane {

enum class rule : std::uint8_t {
#define ROW(name) name,
    ANEMONE_RULES(ROW)
#undef ROW
};

inline constexpr std::size_t rule_count =
#define ROW(name) +1
    0 ANEMONE_RULES(ROW);
#undef ROW

constexpr std::string_view name(rule r) noexcept {
    constexpr std::string_view names[] = {
#define ROW(name) #name,
        ANEMONE_RULES(ROW)
#undef ROW
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

/// What a rule is about, and so who holds it.
enum class rule_scope : std::uint8_t {
    graph,   ///< operations, shapes, types and declared ranges: at build time
    weights, ///< how weights are stored and what they hold: at build time as far as declared, in the loader for the rest
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
