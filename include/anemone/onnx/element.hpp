#pragma once

#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "../values/element_type.hpp"
#include "proto.hpp"

#include <cstdint>
#include <string>

/// The element types of ONNX, by the numbers that files give them. Only bodies include this header.
namespace ane::onnx::inline ANEMONE_WAY {

using tensor_proto = ::onnx::TensorProto;

/// The type of a number; `undefined` where there is none, or none whose elements are read.
constexpr element_type element_of(std::int64_t number) {
    const element_type type = find_element(&element_facts::onnx_number, number);
    const bool is_read =
        facts_of(type).kind != number_kind::none && type != element_type::f8_e4m3 && type != element_type::f8_e5m2;
    return is_read ? type : element_type::undefined;
}

/// What ONNX calls the type of a number.
ANEMONE_INLINE std::string type_name(std::int64_t number) {
    const element_type type = find_element(&element_facts::onnx_number, number);
    return type == element_type::undefined ? formatted("the element type {}", number)
                                           : std::string(facts_of(type).onnx);
}
constexpr std::string_view type_name(element_type type) { return facts_of(type).onnx; }

} // namespace ane::onnx::inline ANEMONE_WAY
