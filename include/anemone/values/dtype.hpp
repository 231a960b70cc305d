#pragma once

#include "element_type.hpp"
#include "half.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ane {

/// Element types, with the codes that the engine's serializer uses for program input and output (R004, guide chapter 8:
/// the eleven ANECIRDataType codes; bf16 is not among them).
enum class dtype : std::uint8_t {
    int4 = 0,
    uint8 = 1,
    int8 = 2,
    f16 = 3,
    f32 = 4,
    int16 = 5,
    uint16 = 6,
    int32 = 7,
    uint32 = 8,
    int64 = 9,
    uint64 = 10,
    boolean = 11 ///< from comparisons to `select` only; neither ports nor the serializer have it
};

/// The same type among those of files (element_type.hpp), whose first ones have the same codes.
constexpr element_type element_of(dtype type) noexcept { return static_cast<element_type>(type); }

/// Bits of one element.
constexpr int bits(dtype type) noexcept { return facts_of(element_of(type)).bits; }

/// Bytes that `count` elements take.
constexpr std::int64_t bytes(dtype type, std::int64_t count) noexcept { return bytes(element_of(type), count); }

/// The name in MIL text ("fp16", "uint8").
constexpr std::string_view mil_name(dtype type) noexcept { return mil_name(element_of(type)); }

/// The token in a netplist ("Float16", "UInt8"); empty for booleans, which no port has.
constexpr std::string_view netplist_name(dtype type) noexcept { return facts_of(element_of(type)).netplist; }

namespace detail {
template <dtype T> struct element { using type = void; };
template <> struct element<dtype::f16> { using type = half; };
template <> struct element<dtype::uint8> { using type = std::uint8_t; };
template <> struct element<dtype::f32> { using type = float; };
template <> struct element<dtype::int32> { using type = std::int32_t; };
} // namespace detail

/// The C++ type that holds one element of `T` in host memory.
template <dtype T> using element_t = typename detail::element<T>::type;

} // namespace ane
