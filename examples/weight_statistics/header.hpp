#pragma once

#include <anemone/io/json.hpp>
#include <anemone/passes/print.hpp>
#include <anemone/weights/statistics.hpp>
#include <anemone/weights/store.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

/// Text of the header: names of tensors become C++ identifiers, their statistics constants.

/// Words that no variable can be called: keywords, alternative tokens, and macros that some compilers bring.
inline bool is_taken_word(std::string_view word) {
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
inline std::string identifier(std::string_view name) {
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
    return is_taken_word(text) ? text + "_" : text;
}

/// An identifier for each name. Of several names with one identifier the first in sorted order keeps it, the others get
/// numbers from 2 on that no other name's identifier has.
inline std::map<std::string, std::string> identifiers(const std::set<std::string>& names) {
    std::set<std::string> wanted;
    for (const std::string& name : names) {
        wanted.insert(identifier(name));
    }
    std::map<std::string, std::string> result;
    std::set<std::string> used;
    for (const std::string& name : names) {
        const std::string base = identifier(name);
        std::string chosen = base;
        for (int number = 2; used.count(chosen) != 0 || (chosen != base && wanted.count(chosen) != 0); ++number) {
            chosen = fmt::format("{}_{}", base, number);
        }
        used.insert(chosen);
        result.emplace(name, chosen);
    }
    return result;
}

/// A text for a comment: in quotes, with everything escaped that could end the line.
inline std::string escaped(std::string_view text) { return ane::json_string(text); }

/// The whole header. `file` and `digest` are for its first lines, `advance(bytes)` is told of each tensor that is done,
/// `left_out(name, reason)` of each that has no fp16 form and so no constant.
inline std::string header_text(const ane::weight_store& store, std::string_view file, std::string_view digest,
                               std::string_view space, const std::function<void(std::size_t)>& advance,
                               const std::function<void(const std::string&, const std::string&)>& left_out) {
    std::set<std::string> names;
    for (const ane::stored_tensor& tensor : store) {
        names.insert(tensor.name);
    }
    const std::map<std::string, std::string> called = identifiers(names);
    std::string text = fmt::format("// Made by weight_statistics, not by hand.\n"
                                   "// file: {}\n// sha256: {}\n"
                                   "#pragma once\n\n#include <anemone/values/contract.hpp>\n\n"
                                   "/// What the tensors of the file are, stored as fp16. A contract is\n"
                                   "/// `ane::bounded_by(...)` of one of these.\n"
                                   "namespace {} {{\n",
                                   escaped(file), digest, space);
    for (const std::string& name : names) {
        const ane::stored_tensor& tensor = store.at(name);
        text += fmt::format("\n/// {}: {} {}\n", escaped(name), ane::name(tensor.type), ane::print(tensor.shape));
        try {
            text += fmt::format("inline constexpr ane::tensor_statistics {}{};\n", called.at(name),
                                ane::print(ane::statistics_of(tensor)));
        } catch (const ane::error& reason) {
            text += fmt::format("/// is left out: {}\n", escaped(reason.what()));
            left_out(name, reason.what());
        }
        advance(tensor.bytes.size());
    }
    return text + fmt::format("\n}} // namespace {}\n", space);
}
