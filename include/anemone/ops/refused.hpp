#pragma once

#include "../graph/builder.hpp"
#include "../graph/tensor.hpp"

#include <array>
#include <string_view>
#include <type_traits>

/// Operations that the engine runs on no target, or that no route reaches: one row each with its name (which is its
/// builder's; `runtime_shape` is MIL's shape), the fact that says so (a rule's id, or a chapter of the guide, or
/// ANEForge) and what to write instead. Their builders take any operands and do not compile. Where the guide names the
/// host as the only rewrite, the form in a graph is derived from the operation's definition.
#define ANEMONE_REFUSED_OPERATIONS(ROW)                                                                                \
    /* arithmetic and logic */                                                                                         \
    ROW(reduce_prod, "R130", "exp(reduce_sum(log(x))) for positive x, about 1e-3 relative")                            \
    ROW(mod, "R130", "a - b * floor_div(a, b)")                                                                        \
    ROW(nan_to_num, "ANEForge", "clamp: NaN has become +infinity at the input (R155)")                                 \
    /* trigonometry */                                                                                                 \
    ROW(tan, "R130", "div(sin(x), cos(x)) from A15, or a ratio of polynomials")                                        \
    ROW(asin, "R130", "a polynomial, or atan(div(x, sqrt(1 - x * x)))")                                                \
    ROW(acos, "R130", "pi / 2 less the arc sine by a polynomial or by atan")                                           \
    ROW(atan2, "chapter 35", "atan(div(y, x)) and select by the signs")                                                \
    ROW(sinh, "R130", "0.5 * (exp(x) - exp(-x))")                                                                      \
    ROW(cosh, "R130", "0.5 * (exp(x) + exp(-x))")                                                                      \
    ROW(asinh, "R130", "log(x + sqrt(x * x + 1))")                                                                     \
    ROW(acosh, "R130", "log(x + sqrt(x * x - 1))")                                                                     \
    ROW(atanh, "R130", "0.5 * (log(1 + x) - log(1 - x))")                                                              \
    /* indices and shapes */                                                                                           \
    ROW(scatter, "R130", "a product with a one-hot matrix, or select with a constant mask; else the host")             \
    ROW(scatter_along_axis, "R130", "a product with a one-hot matrix, or select with a constant mask; else the host")  \
    ROW(scatter_nd, "R130", "a product with a one-hot matrix, or select with a constant mask; else the host")          \
    ROW(one_hot, "R130", "equal(x, range) with a constant range, or gather rows of an identity matrix")                \
    ROW(non_zero, "R130", "the host, because the shape of the result depends on data")                                 \
    ROW(runtime_shape, "R130", "the extents themselves: every shape is a constant here")                               \
    ROW(band_part, "R130", "mul with a constant mask")                                                                 \
    ROW(reverse_sequence, "R130", "reverse and select with constant masks; else the host")                             \
    ROW(sliding_windows, "R130", "slices joined by concat on an axis that is not the last")                            \
    /* convolutions */                                                                                                 \
    ROW(conv3d, "R040", "depth folded into channels, or conv2d for each slice")                                        \
    ROW(conv_quantized, "ANEForge", "conv2d with a compressed weight")                                                 \
    ROW(constexpr_cast, "appendix A", "a weight file whose values are fp16 already")                                   \
    ROW(matrix_decomposition, "appendix A", "a fixed number of sweeps written out, or the host")                       \
    /* recurrence, control and state */                                                                                \
    ROW(gru, "R130", "a fixed number of steps of linear and activations")                                              \
    ROW(lstm, "R130", "a fixed number of steps of linear and activations")                                             \
    ROW(rnn, "R130", "a fixed number of steps of linear and activations")                                              \
    ROW(cond, "R123", "both branches, and select of their results")                                                    \
    ROW(while_loop, "R123", "the body written out a fixed number of times")                                            \
    ROW(call, "R123", "a C++ function: it is inlined into the graph")                                                  \
    ROW(read_state, "R122", "builder.state, and read")                                                                 \
    ROW(write_state, "R122", "builder.state, and write, or write_where for a part of it")                              \
    ROW(tensor_buffer_to_tensor, "appendix A", "an input port")                                                        \
    ROW(tensor_to_tensor_buffer, "appendix A", "an output port")                                                       \
    ROW(circular_buffer_to_tensor, "appendix A", "builder.state, read, and select by a mask")                          \
    ROW(tensor_to_circular_buffer, "appendix A", "builder.state, and write_where")                                     \
    ROW(make_list, "appendix A", "tensors in a C++ array")                                                             \
    ROW(list_length, "appendix A", "the length of a C++ array of tensors")                                             \
    ROW(list_read, "appendix A", "an element of a C++ array of tensors")                                               \
    ROW(list_write, "appendix A", "an element of a C++ array of tensors")                                              \
    ROW(list_gather, "appendix A", "concat of elements of a C++ array of tensors")                                     \
    ROW(list_scatter, "appendix A", "slices of the tensor in a C++ array")                                             \
    /* detection, random numbers and images */                                                                         \
    ROW(non_maximum_suppression, "R137", "the host: this runs on the CPU and the GPU only")                            \
    ROW(classify, "ANEForge", "arg_max, and the labels on the host")                                                   \
    ROW(random_bernoulli, "R130", "an input port with numbers from the host")                                          \
    ROW(random_normal, "R130", "an input port with numbers from the host")                                             \
    ROW(random_categorical, "R130", "an input port with numbers from the host")                                        \
    ROW(pixel_buffer_to_tensor, "R120", "a uint8 input port and to_f16")                                               \
    ROW(tensor_to_pixel_buffer, "R120", "an fp16 output port, converted on the host")                                  \
    ROW(gamma, "appendix A", "pow, or a piecewise linear function of linear, relu and linear")                         \
    ROW(degamma, "appendix A", "pow, or a piecewise linear function of linear, relu and linear")                       \
    /* units inside the engine's compiler */                                                                           \
    ROW(ne_conv, "appendix A", "conv2d: the compiler chooses the unit")                                                \
    ROW(ne_matmul, "appendix A", "matmul: the compiler chooses the unit")                                              \
    ROW(ne_pool, "appendix A", "max_pool, avg_pool or l2_pool: the compiler chooses the unit")                         \
    ROW(ne_bypass, "appendix A", "leave it out: the compiler places it")                                               \
    ROW(pe_pool, "appendix A", "max_pool, avg_pool or l2_pool: the compiler chooses the unit")                         \
    ROW(pe_elementwise, "appendix A", "add, mul, minimum, maximum: the compiler chooses the unit")                     \
    ROW(pe_goc, "appendix A", "mul and add with constants: the compiler folds them")

namespace ane {

/// An operation without a path: its name, the fact that says so, and what to write instead.
struct refused_operation {
    std::string_view name;
    std::string_view fact;
    std::string_view rewrite;
};

inline constexpr auto refused_operations = std::to_array<refused_operation>({
#define ANEMONE_ROW(name, fact, rewrite) {#name, fact, rewrite},
    ANEMONE_REFUSED_OPERATIONS(ANEMONE_ROW)
#undef ANEMONE_ROW
});

namespace detail {

template <class T> inline constexpr bool of_a_model = std::is_same_v<T, builder>;
template <class Shape, dtype Type> inline constexpr bool of_a_model<tensor<Shape, Type>> = true;

/// A value for the rest of the model to use, so that it causes no further errors; there is no model.
template <class First, class... Rest>
constexpr unknown_tensor refused_among(model_rule why, std::string_view name, First first, Rest... rest) {
    if constexpr (std::is_same_v<First, builder>) {
        return refused_among(why, name, first.constant(f16<>, 0));
    } else if constexpr (of_a_model<First>) {
        first.graph->refuse(why, name, site_of(first));
        return {first.graph, first.node};
    } else {
        return refused_among(why, name, rest...);
    }
}

} // namespace detail

// Unavailable, not deleted: only the attribute puts the sentence into the messages of both compilers. Calls with
// numbers alone are left to <cmath>: one argument must be a tensor or a builder.
#define ANEMONE_ROW(name, fact, rewrite)                                                                               \
    template <auto... Attributes, class... Operands>                                                                   \
        requires(detail::of_a_model<Operands> || ...)                                                                  \
    __attribute__((unavailable(#name " has no path on any target (" fact "); instead: " rewrite))) constexpr auto      \
    name(Operands... operands) {                                                                                       \
        return detail::refused_among(model_rule::the_operation_has_no_path_on_any_target, #name, operands...);         \
    }
ANEMONE_REFUSED_OPERATIONS(ANEMONE_ROW)
#undef ANEMONE_ROW

} // namespace ane

#undef ANEMONE_REFUSED_OPERATIONS
