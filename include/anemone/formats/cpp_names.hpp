#pragma once

#include "../base/formatted.hpp"
#include "../base/unique_names.hpp"
#include "../base/way.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>

/// What names of any bytes are called in C++.
namespace ane::formats::inline ANEMONE_WAY {

/// Words that no variable can be called: keywords, alternative tokens, and macros that some compilers bring.
ANEMONE_INLINE bool is_cpp_word(std::string_view word) {
    static constexpr std::array<std::string_view, 101> words{
        "NULL",         "EOF",       "linux",        "unix",          "alignas",     "alignof",
        "and",          "and_eq",    "asm",          "assert",        "auto",        "bitand",
        "bitor",        "bool",      "break",        "case",          "catch",       "char",
        "char16_t",     "char32_t",  "char8_t",      "class",         "co_await",    "co_return",
        "co_yield",     "compl",     "concept",      "const",         "const_cast",  "consteval",
        "constexpr",    "constinit", "continue",     "decltype",      "default",     "delete",
        "do",           "double",    "dynamic_cast", "else",          "enum",        "errno",
        "explicit",     "export",    "extern",       "false",         "float",       "for",
        "friend",       "goto",      "if",           "inline",        "int",         "long",
        "mutable",      "namespace", "new",          "noexcept",      "not",         "not_eq",
        "nullptr",      "operator",  "or",           "or_eq",         "private",     "protected",
        "public",       "register",  "requires",     "return",        "short",       "signed",
        "sizeof",       "static",    "stderr",       "static_assert", "static_cast", "reinterpret_cast",
        "stdin",        "stdout",    "struct",       "switch",        "template",    "this",
        "thread_local", "throw",     "true",         "try",           "typedef",     "typeid",
        "typename",     "union",     "unsigned",     "using",         "virtual",     "void",
        "volatile",     "wchar_t",   "while",        "xor",           "xor_eq"};
    return std::find(words.begin(), words.end(), word) != words.end();
}

/// "blocks.0.attn.q" -> "blocks_0_attn_q": everything but letters and digits becomes an underscore, of which several
/// are one and those at the ends none; "w_" stands before a digit, an underscore behind a word that is taken.
ANEMONE_INLINE std::string cpp_identifier(std::string_view name) {
    std::string text;
    for (const char c : name) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (letter || (c >= '0' && c <= '9')) {
            text += c;
        } else if (!text.empty() && text.back() != '_') {
            text += '_';
        }
    }
    if (!text.empty() && text.back() == '_') {
        text.pop_back();
    }
    if (text.empty()) {
        return "unnamed";
    }
    if (text.front() >= '0' && text.front() <= '9') {
        text.insert(0, "w_");
    }
    return is_cpp_word(text) ? text + "_" : text;
}

/// Identifiers that are given out once each.
class cpp_names {
public:
    /// A word that is never given out.
    ANEMONE_INLINE void reserve(std::string_view word) {
        names_.take(word);
        reserved_.emplace(word);
    }

    /// The identifier of a name, at most 48 characters of it, with a number behind it where it is taken.
    ANEMONE_INLINE std::string fresh(std::string_view name) {
        constexpr std::size_t longest = 48;
        std::string base = cpp_identifier(name.substr(0, 4 * longest));
        if (base.size() > longest) { // the last part says most: "..._layers_11_attention_query"
            base = cpp_identifier(std::string_view(base).substr(base.size() - longest));
        }
        return names_.fresh(base, "_", reserved_.contains(base) ? 1 : 2);
    }

private:
    unique_names names_;
    std::set<std::string, std::less<>> reserved_;
};

} // namespace ane::formats::inline ANEMONE_WAY
