#pragma once

#include "../../base/way.hpp"
#include "../../values/element_type.hpp"
#include "../../values/half.hpp"
#include "fp8.hpp"
#include "packing.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

/// Elements of every type as they lie in memory, little-endian and without gaps. Only bodies include this header.
namespace ane::weight_formats::inline ANEMONE_WAY {

/// The upper half of a float.
struct bfloat16 {
    std::uint16_t bits = 0;
    bfloat16() = default;
    /// The nearest, halves to even; NaN stays one.
    constexpr explicit bfloat16(float value) noexcept {
        const auto wide = std::bit_cast<std::uint32_t>(value);
        const bool nan = (wide & 0x7FFFFFFFU) > 0x7F800000U;
        bits = static_cast<std::uint16_t>(nan ? (wide >> 16U) | 0x40U : (wide + 0x7FFFU + ((wide >> 16U) & 1U)) >> 16U);
    }
    constexpr explicit operator float() const noexcept {
        return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
    }
};
struct e4m3fn {
    std::uint8_t bits = 0;
    e4m3fn() = default;
    /// By way of fp16; beyond 448 NaN.
    constexpr explicit e4m3fn(float value) noexcept : bits(encode_e4m3fn(half(value), fp8_overflow::not_a_number)) {}
    constexpr explicit operator float() const noexcept { return static_cast<float>(decode_e4m3fn(bits)); }
};
struct e5m2 {
    std::uint8_t bits = 0;
    e5m2() = default;
    /// By way of fp16; beyond 57344 infinite.
    constexpr explicit e5m2(float value) noexcept : bits(encode_e5m2(half(value))) {}
    constexpr explicit operator float() const noexcept { return static_cast<float>(decode_e5m2(bits)); }
};
/// A byte that is true unless it is 0.
struct truth {
    std::uint8_t bits;
    constexpr explicit operator float() const noexcept { return bits != 0 ? 1.0F : 0.0F; }
};

/// Calls `visitor` with the C++ type of elements that take whole bytes; of others, and of what is no number, with void.
template <class Visitor> auto with_element(element_type type, const Visitor& visitor) {
    switch (type) {
    case element_type::boolean: return visitor.template operator()<truth>();
    case element_type::f8_e4m3: return visitor.template operator()<e4m3fn>();
    case element_type::f8_e5m2: return visitor.template operator()<e5m2>();
    case element_type::f16: return visitor.template operator()<half>();
    case element_type::bf16: return visitor.template operator()<bfloat16>();
    case element_type::f32: return visitor.template operator()<float>();
    case element_type::f64: return visitor.template operator()<double>();
    case element_type::int8: return visitor.template operator()<std::int8_t>();
    case element_type::uint8: return visitor.template operator()<std::uint8_t>();
    case element_type::int16: return visitor.template operator()<std::int16_t>();
    case element_type::uint16: return visitor.template operator()<std::uint16_t>();
    case element_type::int32: return visitor.template operator()<std::int32_t>();
    case element_type::uint32: return visitor.template operator()<std::uint32_t>();
    case element_type::int64: return visitor.template operator()<std::int64_t>();
    case element_type::uint64: return visitor.template operator()<std::uint64_t>();
    case element_type::int4:
    case element_type::uint1:
    case element_type::uint2:
    case element_type::uint3:
    case element_type::uint4:
    case element_type::uint6:
    case element_type::f8_e4m3_fnuz:
    case element_type::f8_e5m2_fnuz:
    case element_type::complex64:
    case element_type::complex128:
    case element_type::text:
    case element_type::undefined: break;
    }
    return visitor.template operator()<void>();
}

/// An element as a number: a real one as it is, an integer or a truth value as an integer of its width.
template <class Element> constexpr auto number_of(Element value) noexcept {
    if constexpr (std::is_same_v<Element, truth>) {
        return std::int64_t{value.bits != 0};
    } else if constexpr (std::is_arithmetic_v<Element>) {
        return value;
    } else {
        return static_cast<float>(value);
    }
}

/// Element `i`, as `Number` holds it: exact in double but for 64-bit integers beyond 2^53.
template <class Number> Number element_as(std::span<const std::byte> bytes, element_type type, std::int64_t i) {
    return with_element(type, [&]<class Element>() -> Number {
        if constexpr (std::is_void_v<Element>) {
            const element_facts& facts = facts_of(type);
            return facts.kind == number_kind::with_sign ? static_cast<Number>(packed_signed_at(bytes, i, facts.bits))
                                                        : static_cast<Number>(packed_at(bytes, i, facts.bits));
        } else {
            Element value;
            std::memcpy(&value, bytes.data() + static_cast<std::size_t>(i) * sizeof value, sizeof value);
            return static_cast<Number>(number_of(value));
        }
    });
}

/// The same of as many elements from `begin` on as there is room for.
template <class Number>
void elements_as(std::span<const std::byte> bytes, element_type type, std::int64_t begin, std::span<Number> to) {
    with_element(type, [&]<class Element>() {
        for (std::size_t i = 0; i < to.size(); ++i) {
            if constexpr (std::is_void_v<Element>) {
                to[i] = element_as<Number>(bytes, type, begin + static_cast<std::int64_t>(i));
            } else {
                Element value;
                const std::byte* const at = bytes.data() + (static_cast<std::size_t>(begin) + i) * sizeof value;
                std::memcpy(&value, at, sizeof value);
                to[i] = static_cast<Number>(number_of(value));
            }
        }
    });
}

/// Packs numbers (doubles or integers), each rounded to the nearest real element; an integer has to be one of the type.
template <class Number> std::vector<std::byte> pack_elements(element_type type, std::span<const Number> values) {
    return with_element(type, [&]<class Element>() -> std::vector<std::byte> {
        if constexpr (std::is_void_v<Element>) {
            std::vector<int> integers;
            integers.reserve(values.size());
            for (const Number value : values) {
                integers.push_back(static_cast<int>(value));
            }
            return pack(std::span<const int>(integers), facts_of(type).bits);
        } else {
            std::vector<std::byte> bytes(values.size() * sizeof(Element));
            for (std::size_t i = 0; i < values.size(); ++i) {
                Element value{};
                if constexpr (std::is_same_v<Element, truth>) {
                    value.bits = values[i] != 0 ? 1 : 0;
                } else if constexpr (std::is_same_v<Element, half>) {
                    value = half(static_cast<double>(values[i]));
                } else if constexpr (std::is_arithmetic_v<Element>) {
                    value = static_cast<Element>(values[i]);
                } else {
                    value = Element(static_cast<float>(values[i]));
                }
                std::memcpy(bytes.data() + i * sizeof value, &value, sizeof value);
            }
            return bytes;
        }
    });
}

} // namespace ane::weight_formats::inline ANEMONE_WAY
