#pragma once

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

/// Bits of one element.
constexpr int bits(dtype type) noexcept {
    switch (type) {
    case dtype::int4: return 4;
    case dtype::uint8:
    case dtype::boolean:
    case dtype::int8: return 8;
    case dtype::f16:
    case dtype::int16:
    case dtype::uint16: return 16;
    case dtype::f32:
    case dtype::int32:
    case dtype::uint32: return 32;
    case dtype::int64:
    case dtype::uint64: return 64;
    }
    return 0;
}

/// Bytes that `count` elements take.
constexpr std::int64_t bytes(dtype type, std::int64_t count) noexcept { return (count * bits(type) + 7) / 8; }

/// The name in MIL text ("fp16", "uint8").
constexpr std::string_view mil_name(dtype type) noexcept {
    constexpr std::string_view names[] = {"int4",   "uint8", "int8",   "fp16",  "fp32",   "int16",
                                          "uint16", "int32", "uint32", "int64", "uint64", "bool"};
    return names[static_cast<std::size_t>(type)];
}

/// The token in a netplist ("Float16", "UInt8").
constexpr std::string_view netplist_name(dtype type) noexcept {
    constexpr std::string_view names[] = {"Int4",   "UInt8", "Int8",   "Float16", "Float32", "Int16",
                                          "UInt16", "Int32", "UInt32", "Int64",   "UInt64"};
    return names[static_cast<std::size_t>(type)];
}

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
