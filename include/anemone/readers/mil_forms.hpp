#pragma once

#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "mil_syntax.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

/// Forms of MIL text that we read and that Apple's parser is not known to take, each with what to write instead. Facts:
/// mil-ops section 2 (arguments are names or typed values; bare truth values are refused by the in-memory route, Orion),
/// mil-dialects. Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// "int32(3)", "tensor<int32, [2]>([1, 1])": a value with the type that Apple's parser wants before it.
ANEMONE_INLINE std::string typed_text(const mil_argument& a) {
    constexpr std::size_t longest = 60;
    const std::string_view written = a.written.substr(0, longest);
    const std::string more = a.written.size() > longest ? "..." : "";
    if (a.value.form == expression_form::text) {
        return formatted("string({}{})", written, more);
    }
    const bool truth = written.starts_with("true") || written.starts_with("false") || written.starts_with("[true") ||
                       written.starts_with("[false");
    const bool whole =
        std::all_of(a.value.numbers.begin(), a.value.numbers.end(), [](double x) { return x == std::floor(x); });
    const char* const element = truth ? "bool" : whole ? "int32" : "fp16";
    const bool is_list = written.starts_with('[') || written.starts_with('(');
    if (!is_list) {
        return formatted("{}({}{})", element, written, more);
    }
    std::string inside(written);
    inside.front() = '[';
    inside.back() = more.empty() ? ']' : inside.back();
    return formatted("tensor<{}, [{}]>({}{})", element, a.value.numbers.size(), inside, more);
}

/// What is said of an argument without a type; empty where it has one, or is a variable.
ANEMONE_INLINE std::string fault_of_form(const mil_argument& a) {
    const bool bare = a.value.form == expression_form::numbers || a.value.form == expression_form::text;
    if (!bare || a.written.empty()) {
        return {};
    }
    return formatted("the value of {} has no type: write {} = {}", a.name, a.name, typed_text(a));
}

/// The same of a whole statement but for its arguments.
ANEMONE_INLINE std::string fault_of_form(const mil_statement& s) {
    return s.has_bracketed_results ? "the results stand in brackets: write them without" : "";
}

/// The same of an attribute of a program: its versions are a dictionary in braces of their own.
ANEMONE_INLINE std::string fault_of_build_info(const mil_argument& a) {
    if (a.name != "buildInfo") {
        return {};
    }
    std::string packed;
    for (const char c : a.written) {
        packed += c == ' ' || c == '\t' || c == '\n' || c == '\r' ? "" : std::string(1, c);
    }
    const bool empty = packed.ends_with(">({})");
    const bool well =
        packed.starts_with("dict<") && (empty || (packed.find(">({{") != std::string::npos && packed.ends_with("}})")));
    return well ? ""
                : "buildInfo is a dictionary, each pair in braces: write "
                  "dict<string, string>({{\"coremlc-component-MIL\", \"3520.4.1\"}})";
}

} // namespace ane::readers::inline ANEMONE_WAY
