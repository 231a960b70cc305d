#pragma once

#include "../shape.hpp"

#include <cstdint>

/// The rules of shapes: one row each with its name, the relation that must hold between the two integers, and the
/// sentence that both the compiler (as a failed static_assert, with the integers) and `ane::error` show.
#define ANEMONE_SHAPE_FAULTS(ROW)                                                                                      \
    ROW(operand_is_not_f16, got == want, "operands must be fp16; a uint8 image goes through to_f16 first (R002)")      \
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
    ROW(key_depth_differs, got == want, "attention: query and key must have the same depth")                           \
    ROW(value_shape_differs, got == want, "attention: key and value must have the same shape (R086)")                  \
    ROW(mask_does_not_broadcast, got == want,                                                                          \
        "attention: the mask's extents must be those of the scores [..., queries, keys], or 1")                        \
    ROW(mask_rank_exceeds, got <= want, "attention: the mask must not have more axes than the scores")

namespace ane {

enum class fault : std::uint8_t {
    none,
#define ROW(name, relation, sentence) name,
    ANEMONE_SHAPE_FAULTS(ROW)
#undef ROW
};

/// The sentence of a shape rule.
constexpr const char* sentence(fault broken) {
    switch (broken) {
#define ROW(name, relation, text)                                                                                      \
    case fault::name: return text;
        ANEMONE_SHAPE_FAULTS(ROW)
#undef ROW
    case fault::none: break;
    }
    return "";
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

namespace detail {

template <fault> inline constexpr bool unbroken = false;

/// Fails to compile when a shape rule is broken, with the rule's sentence and the two integers. A rule that was found broken
/// fails whatever its printed relation says of the integers.
template <fault Broken, std::int64_t got, std::int64_t want> constexpr void require_shape_rule() {
#define ROW(name, relation, text)                                                                                      \
    if constexpr (Broken == fault::name) {                                                                             \
        if constexpr (relation) {                                                                                      \
            static_assert(unbroken<Broken>, text);                                                                     \
        } else {                                                                                                       \
            static_assert(relation, text);                                                                             \
        }                                                                                                              \
    }
    ANEMONE_SHAPE_FAULTS(ROW)
#undef ROW
}

} // namespace detail

} // namespace ane

#undef ANEMONE_SHAPE_FAULTS
