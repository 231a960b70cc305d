#pragma once

#include "../base/error.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// What a builder refuses: one row each with its name, which compilers print, and the sentence of `ane::error`.
#define ANEMONE_REFUSALS(ROW)                                                                                          \
    ROW(two_inputs_have_this_name, "two inputs of the graph have this name")                                           \
    ROW(an_output_has_the_name_of_another_port, "the output has the name of another port")                             \
    ROW(a_port_name_is_letters_digits_and_underscores,                                                                 \
        "the name of a port is made of letters, digits and underscores")                                               \
    ROW(a_state_is_never_written, "the state is never written: an input or a constant would do")                       \
    ROW(a_state_is_written_again_before_it_is_read,                                                                    \
        "the state is written again before it is read: the value before is lost (write what read(s) gives)")           \
    ROW(the_promise_of_a_state_must_include_0,                                                                         \
        "the promise of a state must include 0, its value before the first run")                                       \
    ROW(a_state_is_written_with_a_value_of_another_graph, "the state is written with a value of another graph")        \
    ROW(a_weight_is_asked_for_with_two_shapes, "the weight is declared twice with different shapes")                   \
    ROW(a_weight_is_asked_for_with_two_contracts, "the weight is declared twice with different contracts")             \
    ROW(a_contract_has_its_low_end_above_its_high_end, "its contract has a low end above its high end")                \
    ROW(a_contract_has_a_negative_sum_or_deviation, "its contract has a negative sum of magnitudes or deviation")      \
    ROW(a_promise_of_fp16_values_lies_within_65504,                                                                    \
        "promises values that fp16, which ends at 65504, does not have: promise no more than that")                    \
    ROW(a_scope_is_numbered_from_0, "a scope is numbered from 0")                                                      \
    ROW(a_constant_has_one_value_or_one_for_each_element, "has as many values as elements, or one")                    \
    ROW(constants_above_262144_elements_belong_into_a_weight,                                                          \
        "the constants of a model that is built by the compiler have at most 262144 elements: make it a weight")       \
    ROW(a_number_does_not_fit_into_fp16_which_ends_at_65504_a_mask_takes_minus_30000,                                  \
        "does not fit into fp16, whose largest value is 65504 (a mask takes -30000 or so)")                            \
    ROW(the_low_end_is_above_the_high_end, "its low end is above its high end")                                        \
    ROW(the_low_end_must_lie_below_the_high_end, "its low end must lie below its high end")                            \
    ROW(the_limit_must_be_positive, "its limit must be positive")                                                      \
    ROW(the_rate_must_lie_from_0_to_below_1, "its rate must lie in [0, 1)")                                            \
    ROW(the_radius_must_not_be_negative, "its radius must not be negative")                                            \
    ROW(the_scale_of_a_product_is_ignored, "the engine ignores the scale of a product: multiply by it apart")          \
    ROW(the_scale_is_subnormal_without_the_factors,                                                                    \
        "without the factors of query and key its scale is subnormal: scale them less")                                \
    ROW(only_a_weight_is_stored_compressed, "it takes a weight of the graph")                                          \
    ROW(only_an_operation_has_a_place, "it takes what an operation computes, no port, weight or constant")             \
    ROW(a_mask_is_added_to_the_scores_so_0_and_1_hide_nothing_write_select_with_0_and_minus_30000,                     \
        "its mask is added to the scores, and 0 and 1 hide nothing: write select(not_equal(to_f16(m), 0), 0, -30000)") \
    ROW(the_operands_belong_to_different_graphs, "its operands belong to different graphs")                            \
    ROW(an_output_is_a_value_of_another_graph, "the output is a value of another graph")                               \
    ROW(the_operation_has_no_derivative, "has no derivative, and lies on the way from the loss")                       \
    ROW(the_gradient_needs_an_axis_of_at_most_2049_elements,                                                           \
        "its gradient needs an axis of at most 2049 elements, whose numbers fp16 tells apart")                         \
    ROW(the_loss_does_not_depend_on_it, "has no gradient: the loss does not depend on it")                             \
    ROW(the_operation_has_no_path_on_any_target, "has no path on any target")                                          \
    ROW(the_call_must_be_written_as_the_first_error_says, "must be written as the error of the compiler says")         \
    ROW(the_model_has_no_output, "needs at least one output: call g.output(name, value)")                              \
    ROW(the_function_must_not_capture, "the function of a constant must not capture: build_graph takes one that does") \
    ROW(the_function_takes_no_builder_or_has_an_error, "the function must be callable with a builder")

namespace ane {

enum class model_rule : std::uint8_t {
#define ANEMONE_ROW(name, sentence) name,
    ANEMONE_REFUSALS(ANEMONE_ROW)
#undef ANEMONE_ROW
};

/// The sentence of a refusal.
constexpr std::string_view sentence(model_rule why) noexcept {
    constexpr std::string_view sentences[] = {
#define ANEMONE_ROW(name, sentence) sentence,
        ANEMONE_REFUSALS(ANEMONE_ROW)
#undef ANEMONE_ROW
    };
    return sentences[static_cast<std::size_t>(why)];
}

namespace detail {

/// Refuses a graph at run time, with an `error` (errc::graph). Not constexpr: in a constant expression reaching the
/// call is the error. Builders record what they refuse there instead, see `dynamic_graph::refuse`.
[[noreturn]] inline void refuse_graph(std::string_view subject, std::string_view detail) {
    throw error(errc::graph, std::string(subject), std::string(detail));
}
/// The same with the place of the call, or of what its first operand came from where it is an operator.
[[noreturn]] inline void refuse_graph_at(std::string_view subject, std::string_view detail, const char* file,
                                         int line) {
    throw error(errc::graph, std::string(subject),
                std::string(detail) + " (" + file + ":" + std::to_string(line) + ")");
}
/// The same with the value found and the one that is wanted.
[[noreturn]] inline void refuse_graph(std::string_view subject, std::string_view detail, std::int64_t got,
                                      std::int64_t want) {
    throw error(errc::graph, std::string(subject),
                std::string(detail) + " (" + std::to_string(got) + ", not " + std::to_string(want) + ")");
}

} // namespace detail

} // namespace ane

#undef ANEMONE_REFUSALS
