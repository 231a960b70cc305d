#pragma once

#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "../passes/print.hpp"
#include "../weights/convert.hpp"
#include "../weights/store.hpp"

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// What tensors of published models may be, and how they get the form of a graph. Only bodies include this header.
namespace ane::models::inline ANEMONE_WAY {

/// The sentence about a type that is not read; nothing for fp32, fp16 and bf16.
ANEMONE_INLINE std::optional<std::string> fault_of_type(const stored_tensor& t) {
    if (t.type == element_type::f32 || t.type == element_type::f16 || t.type == element_type::bf16) {
        return {};
    }
    return formatted("is of {}: known are F32, F16 and BF16", facts_of(t.type).safetensors);
}
ANEMONE_INLINE std::string fault_of_shape(const extents& found, const extents& wanted) {
    return formatted("is {}, the configuration says {}", ane::print(found), ane::print(wanted));
}

/// With its two axes exchanged.
ANEMONE_INLINE stored_tensor turned(stored_tensor t) {
    const std::string name = t.name;
    weight_store one;
    one.add(std::move(t));
    one.transpose(name);
    return one.take(name);
}
/// The same tensor with other values, in fp32.
ANEMONE_INLINE stored_tensor with_values(const stored_tensor& like, const std::vector<float>& values) {
    weight_store one;
    one.add(like.name, like.shape, std::span<const float>(values));
    return one.take(like.name);
}

} // namespace ane::models::inline ANEMONE_WAY
