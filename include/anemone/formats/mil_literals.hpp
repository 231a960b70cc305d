#pragma once

#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "../graph/attributes.hpp"
#include "../passes/print.hpp"
#include "../values/half.hpp"

#include <cstdint>
#include <string>
#include <string_view>

/// Types and literals of MIL text. Facts: mil-ops section 2.
namespace ane::formats::inline ANEMONE_WAY {

ANEMONE_INLINE std::string mil_type(std::string_view element, const extents& shape) {
    return shape.rank == 0 ? std::string(element) : formatted("tensor<{}, {}>", element, print(shape));
}
ANEMONE_INLINE std::string mil_type(dtype type, const extents& shape) { return mil_type(mil_name(type), shape); }

/// Literals are typed; fp16 ones are C99 hexadecimal floats of the value already rounded to fp16.
ANEMONE_INLINE std::string mil_literal(half value) { return formatted("fp16({:a})", static_cast<double>(value)); }
ANEMONE_INLINE std::string mil_literal(float value) { return mil_literal(half(value)); }
ANEMONE_INLINE std::string mil_literal(bool value) { return formatted("bool({})", value); }
ANEMONE_INLINE std::string mil_literal(int value) { return formatted("int32({})", value); }
ANEMONE_INLINE std::string mil_literal(std::string_view value) { return formatted("string(\"{}\")", value); }
ANEMONE_INLINE std::string mil_literal(const indices& value) {
    return formatted("tensor<int32, [{}]>({})", value.rank, print(value));
}
ANEMONE_INLINE std::string mil_literal(size2 value) { return mil_literal(indices{value.height, value.width}); }
ANEMONE_INLINE std::string mil_literal(const padding2& value) {
    return mil_literal(indices{value.top, value.bottom, value.left, value.right});
}
/// One flag for each axis.
ANEMONE_INLINE std::string mil_flags(int count, bool value) {
    std::string text;
    for (int i = 0; i < count; ++i) {
        text += formatted("{}{}", i == 0 ? "" : ", ", value);
    }
    return formatted("tensor<bool, [{}]>([{}])", count, text);
}

/// The type that a literal starts with: "int32" of "int32(1)".
ANEMONE_INLINE std::string mil_literal_type(const std::string& literal) { return literal.substr(0, literal.find('(')); }

/// A tensor in the weight file, which starts at a record.
ANEMONE_INLINE std::string mil_blob(std::uint64_t offset) {
    return formatted("BLOBFILE(path = string(\"@model_path/weights.bin\"), offset = uint64({}))", offset);
}
/// The statement of a constant.
ANEMONE_INLINE std::string mil_constant(const std::string& type, const std::string& name, const std::string& literal) {
    return formatted("        {0} {1} = const()[name = string(\"{1}\"), val = {2}];\n", type, name, literal);
}
/// The statement of a constant in the weight file.
ANEMONE_INLINE std::string mil_part(const std::string& type, const std::string& name, std::uint64_t offset) {
    return mil_constant(type, name, formatted("{}({})", type, mil_blob(offset)));
}

} // namespace ane::formats::inline ANEMONE_WAY
