#pragma once

#include <string_view>

namespace ane {

/// Words of MIL's grammar, element types among them. No file is known that has one of them as a name, and whether the
/// engine's parser would take it is not published (facts: mil-ops sections 1 and 2, mil-dialects).
inline constexpr std::string_view mil_words[] = {
    "program",  "func",  "buildInfo", "dict",  "list",  "tuple", "state",  "tensor", "tensor_buffer",
    "BLOBFILE", "const", "block",     "true",  "false", "inf",   "nan",    "bool",   "string",
    "fp16",     "fp32",  "fp64",      "bf16",  "int4",  "int8",  "int16",  "int32",  "int64",
    "uint1",    "uint2", "uint3",     "uint4", "uint6", "uint8", "uint16", "uint32", "uint64"};

/// Whether a name is a word of MIL's grammar: a port of such a name has another one in the text.
constexpr bool is_mil_word(std::string_view name) noexcept {
    for (const std::string_view word : mil_words) {
        if (word == name) {
            return true;
        }
    }
    return false;
}

} // namespace ane
