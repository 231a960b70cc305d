#pragma once

#include "../rules/acceptance.hpp"
#include "../way.hpp"
#include "terminal.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What is said of one violation, in every form of report.
namespace ane::detail::inline ANEMONE_WAY {

constexpr std::string_view base_name(std::string_view path) {
    const std::size_t slash = path.find_last_of('/');
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

/// What a reader calls a node: its own name, that of the output it is, or that of the weight it reads without the
/// last part ("stem" for "stem.weight"). Empty when there is none.
constexpr std::string_view label(const graph_view& g, int index) {
    if (g[index].name.count > 0) {
        return g.name(index);
    }
    for (const output_port& port : g.outputs) {
        if (port.node == index) {
            return g.name(port);
        }
    }
    for (const int operand : g.operands(index)) {
        if (g[operand].kind == op::weight) {
            const std::string_view weight = g.name(operand);
            const std::size_t dot = weight.find_last_of('.');
            return dot == std::string_view::npos ? weight : weight.substr(0, dot);
        }
    }
    return {};
}

/// "h13 (M1 base)"
ANEMONE_INLINE std::string target_phrase(const target_description& t) {
    return t.product[0] == '\0' ? printable(t.runtime)
                                : fmt::format("{} ({})", printable(t.runtime), printable(t.product));
}

/// `conv2d "stem"`, `conv2d #12`
ANEMONE_INLINE std::string node_phrase(const graph_view& g, int index, op operation) {
    const std::string_view called = label(g, index);
    return called.empty() ? fmt::format("{} #{}", name(operation), index)
                          : fmt::format("{} \"{}\"", name(operation), printable(called));
}

/// "kernel width 14 exceeds 13". A magnitude that nothing bounds, which the rules cut at 10^15, is "infinity".
ANEMONE_INLINE std::string sentence_of(const violation& v) {
    constexpr std::int64_t unlimited = 1'000'000'000'000'000;
    const std::string got = v.got >= unlimited ? "infinity" : std::to_string(v.got);
    return fmt::format(fmt::runtime(record_of(v.rule).sentence), fmt::arg("got", got),
                       fmt::arg("limit", std::to_string(v.limit)));
}

/// Where `separator` stands in a text outside of brackets, from `start` on.
constexpr std::size_t find_outside(std::string_view text, std::string_view separator, std::size_t start = 0) {
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        depth += text[i] == '(' || text[i] == '[' ? 1 : (text[i] == ')' || text[i] == ']' ? -1 : 0);
        if (depth == 0 && i >= start && text.substr(i, separator.size()) == separator) {
            return i;
        }
    }
    return std::string_view::npos;
}

/// The suggestions of a record, from its advice: "a, or b", "a, b, or c" and "a; or b" are lists of them.
ANEMONE_INLINE std::vector<std::string> suggestions_of(const rule_record& r) {
    constexpr std::size_t none = std::string_view::npos;
    const std::string_view advice = r.advice;
    std::vector<std::string> all;
    if (const std::size_t at = find_outside(advice, "; or "); at != none) {
        return {std::string(advice.substr(0, at)), std::string(advice.substr(at + 5))};
    }
    std::size_t begin = 0;
    if (const std::size_t last = find_outside(advice, ", or "); last != none) {
        for (std::size_t comma = 0; comma != last; begin = comma + 2) {
            comma = find_outside(advice, ", ", begin);
            all.emplace_back(advice.substr(begin, comma - begin));
        }
        begin = last + 5;
    }
    if (!advice.empty()) {
        all.emplace_back(advice.substr(begin));
    }
    return all;
}

/// What a finding counts as in a report.
enum class report_level : std::uint8_t { error, warning, note };

constexpr report_level level_of(const violation& v) noexcept {
    return v.is_error ? report_level::error : v.severity == severity::note ? report_level::note : report_level::warning;
}
constexpr std::string_view name(report_level l) noexcept {
    constexpr std::string_view names[] = {"error", "warning", "note"};
    return names[static_cast<std::size_t>(l)];
}

/// How many findings of each level there are.
struct finding_counts {
    std::size_t errors = 0, warnings = 0, notes = 0;

    constexpr void add(const violation& v) noexcept {
        const report_level l = level_of(v);
        ++(l == report_level::error ? errors : l == report_level::warning ? warnings : notes);
    }
    std::string str() const { return counted_findings(errors, warnings, notes); }
};

/// Which target takes a node that this one refuses, as a clause of its sentence.
ANEMONE_INLINE std::string remedy_phrase(const std::optional<target>& first) {
    return first ? "the first target that takes it is " + target_phrase(describe(*first)) : "no Mac takes it";
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

/// `conv2d "stem" (model.cpp:41): kernel width 14 exceeds 13 on h13 (M1 base); the first target that takes it is h16
/// (M4 base); try: swap the axes ... [R030, measured]`. `remedy` is the clause in the middle; none where it is empty.
ANEMONE_INLINE std::string format(const violation& v, const graph_view& g, const target_description& t,
                                  std::string_view remedy = {}) {
    const rule_record& r = record_of(v.rule);
    std::string text = detail::node_phrase(g, v.node, v.operation);
    if (v.line > 0) {
        text += fmt::format(" ({}:{})", detail::printable(detail::base_name(v.file)), v.line);
    }
    text += fmt::format(": {} on {}", detail::sentence_of(v), detail::target_phrase(t));
    if (!remedy.empty()) {
        text += fmt::format("; {}", remedy);
    }
    std::string_view lead = "try";
    for (const std::string& suggestion : detail::suggestions_of(r)) {
        text += fmt::format("; {}: {}", lead, suggestion);
        lead = "or";
    }
    return text + fmt::format(" [{}, {}]", r.fact, name(r.evidence));
}
ANEMONE_INLINE std::string format(const violation& v, const graph_view& g) { return format(v, g, describe(v.target)); }

} // namespace ane::inline ANEMONE_WAY
