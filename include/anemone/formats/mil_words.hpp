#pragma once

#include "../values/element_type.hpp"

#include <string_view>

namespace ane {

/// Words of MIL's grammar beside its element types (values/element_type.hpp). No file is known that has one of them as a
/// name, and whether the engine's parser would take it is not published (facts: mil-ops sections 1 and 2, mil-dialects).
inline constexpr std::string_view mil_words[] = {"program", "func",   "buildInfo",     "dict",     "list",  "tuple",
                                                 "state",   "tensor", "tensor_buffer", "BLOBFILE", "const", "block",
                                                 "true",    "false",  "inf",           "nan"};

/// Whether a name is a word of MIL's grammar: a port of such a name has another one in the text.
constexpr bool is_mil_word(std::string_view name) noexcept {
    for (const std::string_view word : mil_words) {
        if (word == name) {
            return true;
        }
    }
    return mil_element(name) != element_type::undefined;
}

} // namespace ane
