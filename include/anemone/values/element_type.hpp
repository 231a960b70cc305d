#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ane {

/// The element types of files and callers. The first twelve are those of `dtype`, under its codes.
enum class element_type : std::uint8_t {
    int4,
    uint8,
    int8,
    f16,
    f32,
    int16,
    uint16,
    int32,
    uint32,
    int64,
    uint64,
    boolean,
    uint1,
    uint2,
    uint3,
    uint4,
    uint6,
    f64,
    bf16,
    f8_e4m3,
    f8_e5m2,
    f8_e4m3_fnuz,
    f8_e5m2_fnuz,
    complex64,
    complex128,
    text,
    undefined
};

enum class number_kind : std::uint8_t { none, floating, with_sign, without_sign, boolean };

/// What an element type is, and what it is called in each vocabulary: empty, or -1, where that has no such type.
struct element_facts {
    element_type type;
    number_kind kind = number_kind::none; ///< `none`: no numbers that anything here reads
    int bits = 0;
    std::string_view mil = {};         ///< MIL text (facts: mil-ops section 2)
    int blob = -1;                     ///< the metadata of a blob of MIL (facts: weights section 1)
    std::string_view netplist = {};    ///< netplists
    std::string_view safetensors = {}; ///< the header of a safetensors file
    std::string_view numpy = {};       ///< the descriptor of NumPy, without its byte order
    std::string_view onnx = {};        ///< ONNX, in sentences
    int onnx_number = -1;              ///< TensorProto.DataType; above 16 they came after version 1.12
    int core_ml = -1;                  ///< DataType of MIL.proto
    int core_ml_array = -1;            ///< ArrayDataType of FeatureTypes.proto
    std::string_view array = {};       ///< arrays that callers hand over, as NumPy calls it, where they may be of it
    int c = -1;                        ///< the same in c/anemone.h
};

// clang-format off
inline constexpr element_facts element_types[] = {
    {.type = element_type::int4, .kind = number_kind::with_sign, .bits = 4,
     .mil = "int4", .blob = 8, .netplist = "Int4", .onnx = "int4", .onnx_number = 22, .core_ml = 25},
    {.type = element_type::uint8, .kind = number_kind::without_sign, .bits = 8,
     .mil = "uint8", .blob = 3, .netplist = "UInt8", .safetensors = "U8", .numpy = "u1",
     .onnx = "uint8", .onnx_number = 2, .core_ml = 31, .array = "uint8", .c = 2},
    {.type = element_type::int8, .kind = number_kind::with_sign, .bits = 8,
     .mil = "int8", .blob = 4, .netplist = "Int8", .safetensors = "I8", .numpy = "i1",
     .onnx = "int8", .onnx_number = 3, .core_ml = 21, .array = "int8", .c = 1},
    {.type = element_type::f16, .kind = number_kind::floating, .bits = 16,
     .mil = "fp16", .blob = 1, .netplist = "Float16", .safetensors = "F16", .numpy = "f2",
     .onnx = "float16", .onnx_number = 10, .core_ml = 10, .core_ml_array = 65552, .array = "float16", .c = 0},
    {.type = element_type::f32, .kind = number_kind::floating, .bits = 32,
     .mil = "fp32", .blob = 2, .netplist = "Float32", .safetensors = "F32", .numpy = "f4",
     .onnx = "float", .onnx_number = 1, .core_ml = 11, .core_ml_array = 65568, .array = "float32", .c = 3},
    {.type = element_type::int16, .kind = number_kind::with_sign, .bits = 16,
     .mil = "int16", .blob = 6, .netplist = "Int16", .safetensors = "I16", .numpy = "i2",
     .onnx = "int16", .onnx_number = 5, .core_ml = 22},
    {.type = element_type::uint16, .kind = number_kind::without_sign, .bits = 16,
     .mil = "uint16", .blob = 7, .netplist = "UInt16", .safetensors = "U16", .numpy = "u2",
     .onnx = "uint16", .onnx_number = 4, .core_ml = 32},
    {.type = element_type::int32, .kind = number_kind::with_sign, .bits = 32,
     .mil = "int32", .blob = 14, .netplist = "Int32", .safetensors = "I32", .numpy = "i4",
     .onnx = "int32", .onnx_number = 6, .core_ml = 23, .core_ml_array = 131104},
    {.type = element_type::uint32, .kind = number_kind::without_sign, .bits = 32,
     .mil = "uint32", .blob = 15, .netplist = "UInt32", .safetensors = "U32", .numpy = "u4",
     .onnx = "uint32", .onnx_number = 12, .core_ml = 33},
    {.type = element_type::int64, .kind = number_kind::with_sign, .bits = 64,
     .mil = "int64", .netplist = "Int64", .safetensors = "I64", .numpy = "i8",
     .onnx = "int64", .onnx_number = 7, .core_ml = 24},
    {.type = element_type::uint64, .kind = number_kind::without_sign, .bits = 64,
     .mil = "uint64", .netplist = "UInt64", .safetensors = "U64", .numpy = "u8",
     .onnx = "uint64", .onnx_number = 13, .core_ml = 34},
    {.type = element_type::boolean, .kind = number_kind::boolean, .bits = 8,
     .mil = "bool", .safetensors = "BOOL", .numpy = "b1", .onnx = "bool", .onnx_number = 9, .core_ml = 1},
    {.type = element_type::uint1, .kind = number_kind::without_sign, .bits = 1,
     .mil = "uint1", .blob = 9, .core_ml = 37},
    {.type = element_type::uint2, .kind = number_kind::without_sign, .bits = 2,
     .mil = "uint2", .blob = 10, .core_ml = 36},
    {.type = element_type::uint3, .kind = number_kind::without_sign, .bits = 3,
     .mil = "uint3", .blob = 12, .core_ml = 39},
    {.type = element_type::uint4, .kind = number_kind::without_sign, .bits = 4,
     .mil = "uint4", .blob = 11, .onnx = "uint4", .onnx_number = 21, .core_ml = 35},
    {.type = element_type::uint6, .kind = number_kind::without_sign, .bits = 6,
     .mil = "uint6", .blob = 13, .core_ml = 38},
    {.type = element_type::f64, .kind = number_kind::floating, .bits = 64,
     .mil = "fp64", .safetensors = "F64", .numpy = "f8",
     .onnx = "double", .onnx_number = 11, .core_ml = 12, .core_ml_array = 65600, .array = "float64", .c = 4},
    {.type = element_type::bf16, .kind = number_kind::floating, .bits = 16,
     .mil = "bf16", .blob = 5, .safetensors = "BF16", .onnx = "bfloat16", .onnx_number = 16, .core_ml = 13},
    {.type = element_type::f8_e4m3, .kind = number_kind::floating, .bits = 8,
     .safetensors = "F8_E4M3", .onnx = "float8e4m3fn", .onnx_number = 17},
    {.type = element_type::f8_e5m2, .kind = number_kind::floating, .bits = 8,
     .safetensors = "F8_E5M2", .onnx = "float8e5m2", .onnx_number = 19},
    {.type = element_type::f8_e4m3_fnuz, .onnx = "float8e4m3fnuz", .onnx_number = 18},
    {.type = element_type::f8_e5m2_fnuz, .onnx = "float8e5m2fnuz", .onnx_number = 20},
    {.type = element_type::complex64, .onnx = "complex64", .onnx_number = 14},
    {.type = element_type::complex128, .onnx = "complex128", .onnx_number = 15},
    {.type = element_type::text, .mil = "string", .onnx = "string", .onnx_number = 8, .core_ml = 2},
    {.type = element_type::undefined},
};
// clang-format on

constexpr const element_facts& facts_of(element_type type) noexcept {
    return element_types[static_cast<std::size_t>(type)];
}

/// The type that a vocabulary names so, or `undefined`: `find_element(&element_facts::mil, "fp16")`.
constexpr element_type find_element(std::string_view element_facts::*vocabulary, std::string_view name) noexcept {
    for (const element_facts& row : element_types) {
        if (!name.empty() && row.*vocabulary == name) {
            return row.type;
        }
    }
    return element_type::undefined;
}
constexpr element_type find_element(int element_facts::*vocabulary, std::int64_t number) noexcept {
    for (const element_facts& row : element_types) {
        if (number >= 0 && row.*vocabulary == number) {
            return row.type;
        }
    }
    return element_type::undefined;
}

/// The name in MIL text ("fp16", "uint8"), which messages use too.
constexpr std::string_view mil_name(element_type type) noexcept { return facts_of(type).mil; }
/// The type of a name in MIL text, or `undefined`.
constexpr element_type mil_element(std::string_view name) noexcept { return find_element(&element_facts::mil, name); }

constexpr bool is_floating(element_type type) noexcept { return facts_of(type).kind == number_kind::floating; }
constexpr bool is_integer(element_type type) noexcept {
    return facts_of(type).kind == number_kind::with_sign || facts_of(type).kind == number_kind::without_sign;
}

/// Bytes that `count` elements take, packed without gaps.
constexpr std::int64_t bytes(element_type type, std::int64_t count) noexcept {
    return (count * facts_of(type).bits + 7) / 8;
}

} // namespace ane
