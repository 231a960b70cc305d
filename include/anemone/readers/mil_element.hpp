#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

/// The element types of MIL text and of its blobs (facts: weights section 1, mil-ops section 2).
namespace ane::readers {

enum class mil_element : std::uint8_t {
    fp16,
    fp32,
    fp64,
    bf16,
    int4,
    int8,
    int16,
    int32,
    int64,
    uint1,
    uint2,
    uint3,
    uint4,
    uint6,
    uint8,
    uint16,
    uint32,
    uint64,
    boolean,
    text
};

enum class number_kind : std::uint8_t { floating, with_sign, without_sign, none };

struct element_facts {
    std::string_view name; ///< in MIL text
    int bits;
    number_kind kind;
    int blob_code; ///< in the metadata of a blob; 0 where it has none
};

inline constexpr std::array<element_facts, 20> mil_elements{
    {{"fp16", 16, number_kind::floating, 1},        {"fp32", 32, number_kind::floating, 2},
     {"fp64", 64, number_kind::floating, 0},        {"bf16", 16, number_kind::floating, 5},
     {"int4", 4, number_kind::with_sign, 8},        {"int8", 8, number_kind::with_sign, 4},
     {"int16", 16, number_kind::with_sign, 6},      {"int32", 32, number_kind::with_sign, 14},
     {"int64", 64, number_kind::with_sign, 0},      {"uint1", 1, number_kind::without_sign, 9},
     {"uint2", 2, number_kind::without_sign, 10},   {"uint3", 3, number_kind::without_sign, 12},
     {"uint4", 4, number_kind::without_sign, 11},   {"uint6", 6, number_kind::without_sign, 13},
     {"uint8", 8, number_kind::without_sign, 3},    {"uint16", 16, number_kind::without_sign, 7},
     {"uint32", 32, number_kind::without_sign, 15}, {"uint64", 64, number_kind::without_sign, 0},
     {"bool", 8, number_kind::without_sign, 0},     {"string", 0, number_kind::none, 0}}};

constexpr const element_facts& facts_of(mil_element e) { return mil_elements[static_cast<std::size_t>(e)]; }
constexpr std::string_view name(mil_element e) { return facts_of(e).name; }
constexpr bool is_floating(mil_element e) { return facts_of(e).kind == number_kind::floating; }
constexpr bool is_integer(mil_element e) {
    return e != mil_element::boolean && e != mil_element::text && !is_floating(e);
}

/// Finds the type of this name; false where there is none.
constexpr bool find_element(std::string_view name, mil_element& found) {
    for (std::size_t i = 0; i < mil_elements.size(); ++i) {
        if (mil_elements[i].name == name) {
            found = static_cast<mil_element>(i);
            return true;
        }
    }
    return false;
}

} // namespace ane::readers
