#pragma once

#include "../values/contract.hpp"

#include <cstdint>
#include <string_view>

/// What is found of the padding of sequences (padding.hpp).
namespace ane {

/// Why a model cannot be padded.
enum class padding_rule : std::uint8_t {
    harmless,
    the_lengths_are_different_graphs,
    a_weight_depends_on_the_length,
    an_extent_is_not_the_length,
    the_model_keeps_a_state,
    padding_is_summed_and_is_not_zero,
    padding_takes_part_in_a_softmax_and_is_not_masked,
    padding_reaches_other_elements
};

constexpr std::string_view sentence(padding_rule broken) noexcept {
    switch (broken) {
    case padding_rule::harmless: return "padding changes nothing";
    case padding_rule::the_lengths_are_different_graphs:
        return "the graphs of two lengths differ in more than their extents";
    case padding_rule::a_weight_depends_on_the_length:
        return "a weight depends on the length: gather its rows by an input, or slice it on the host";
    case padding_rule::an_extent_is_not_the_length:
        return "an extent differs between two lengths and is not the length: padding is known for the length alone";
    case padding_rule::the_model_keeps_a_state:
        return "the model keeps a state, which a program of another length would not have";
    case padding_rule::padding_is_summed_and_is_not_zero:
        return "sums over the length, and the padding is not known to be zero: multiply by a port of bytes first";
    case padding_rule::padding_takes_part_in_a_softmax_and_is_not_masked:
        return "a softmax over the length, and the padding is not masked: select(mask, scores, -10000) with a port of "
               "bytes, and promises that keep the scores above -9900";
    case padding_rule::padding_reaches_other_elements:
        return "mixes elements along the length, or is not known to keep them apart";
    }
    return "";
}

/// What was found first, at which node.
struct padding_verdict {
    padding_rule broken = padding_rule::harmless;
    int node = -1;
    int axis = -1; ///< of the operand that is mixed

    constexpr bool ok() const { return broken == padding_rule::harmless; }
};

/// What an input is padded with: zero, or the end of its promise that is nearest to it.
constexpr double padding_value(const contract& promise) noexcept {
    return promise.low > 0 ? promise.low : promise.high < 0 ? promise.high : 0;
}

/// An input of bytes that says which elements a softmax sees, and the axis along which one of them must not be zero.
struct padding_mask {
    int input = -1;
    int axis = -1;
};

} // namespace ane
