#pragma once

#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "proto.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

/// The element types of ONNX, by the numbers that files give them. Only bodies include this header.
namespace ane::onnx::inline ANEMONE_WAY {

using tensor_proto = ::onnx::TensorProto;

enum class number_kind : std::uint8_t { none, real, with_sign, without_sign, boolean };

struct element_facts {
    std::string_view name;
    int bits;
    number_kind kind;
};

/// Numbers above 16 came after version 1.12, whose headers do not name them.
inline constexpr std::array<element_facts, 23> elements{
    {{"undefined", 0, number_kind::none},       {"float", 32, number_kind::real},
     {"uint8", 8, number_kind::without_sign},   {"int8", 8, number_kind::with_sign},
     {"uint16", 16, number_kind::without_sign}, {"int16", 16, number_kind::with_sign},
     {"int32", 32, number_kind::with_sign},     {"int64", 64, number_kind::with_sign},
     {"string", 0, number_kind::none},          {"bool", 8, number_kind::boolean},
     {"float16", 16, number_kind::real},        {"double", 64, number_kind::real},
     {"uint32", 32, number_kind::without_sign}, {"uint64", 64, number_kind::without_sign},
     {"complex64", 0, number_kind::none},       {"complex128", 0, number_kind::none},
     {"bfloat16", 16, number_kind::real},       {"float8e4m3fn", 0, number_kind::none},
     {"float8e4m3fnuz", 0, number_kind::none},  {"float8e5m2", 0, number_kind::none},
     {"float8e5m2fnuz", 0, number_kind::none},  {"uint4", 4, number_kind::without_sign},
     {"int4", 4, number_kind::with_sign}}};

/// The facts of a type; those of `undefined` for a number that is none.
constexpr const element_facts& facts_of(int type) {
    return elements[type > 0 && type < static_cast<int>(elements.size()) ? static_cast<std::size_t>(type) : 0];
}
constexpr bool is_real(int type) { return facts_of(type).kind == number_kind::real; }
constexpr bool is_integer(int type) {
    return facts_of(type).kind == number_kind::with_sign || facts_of(type).kind == number_kind::without_sign;
}
ANEMONE_INLINE std::string type_name(int type) {
    const element_facts& facts = facts_of(type);
    return facts.bits == 0 && facts.kind == number_kind::none && facts.name == "undefined"
               ? formatted("the element type {}", type)
               : std::string(facts.name);
}

/// A number as an integer, cut off; beyond what 64 bits hold, the nearest that they do.
constexpr std::int64_t whole(double value) {
    constexpr double limit = 9223372036854775807.0; // rounds to 2^63
    if (!(value > -limit)) {
        return value != value ? 0 : std::numeric_limits<std::int64_t>::min(); // NOLINT(misc-redundant-expression): NaN
    }
    return value >= limit ? std::numeric_limits<std::int64_t>::max() : static_cast<std::int64_t>(value);
}

} // namespace ane::onnx::inline ANEMONE_WAY
