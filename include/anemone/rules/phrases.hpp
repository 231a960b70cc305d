#pragma once

#include "../analysis/held_weights.hpp"
#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "../base/text.hpp"
#include "../base/way.hpp"
#include "../forms/form_text.hpp"
#include "../io/unicode.hpp"
#include "evaluate.hpp"
#include "kernel_advice.hpp"
#include "memory_advice.hpp"
#include "route_advice.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// How reports name nodes and targets, and what they say about a violation.
namespace ane::detail::inline ANEMONE_WAY {

/// What a reader calls a node: its own name, that of the output it is, or that of the weight it reads without the
/// last part ("stem" for "stem.weight"); a stored form is called as its weight. Empty when there is none.
constexpr std::string_view label(const graph_view& g, int index) {
    if (g[index].name.count > 0) {
        return g.called(index);
    }
    if (is_stored_form(g[index]) && g[index].operands.count > 0) {
        return g.name(g.operands(index)[0]);
    }
    for (const output_port& port : g.outputs) {
        if (port.node == index) {
            return g.called(g.name(port));
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
                                : formatted("{} ({})", printable(t.runtime), printable(t.product));
}

/// `conv2d "stem"`, `conv2d #12`
ANEMONE_INLINE std::string node_phrase(const graph_view& g, int index, op operation) {
    const std::string_view called = label(g, index);
    return called.empty() ? formatted("{} #{}", name(operation), index)
                          : formatted("{} \"{}\"", name(operation), error::shortened(printable(called), 1000));
}

/// "kernel width 14 exceeds 13". An unbounded magnitude, which the rules cap at 10^15, is "infinity".
ANEMONE_INLINE std::string sentence_of(const violation& v) {
    const std::string got = v.got >= no_bound ? "infinity" : std::to_string(v.got);
    std::string text = fmt::format(fmt::runtime(record_of(v.rule).sentence), fmt::arg("got", got),
                                   fmt::arg("limit", std::to_string(v.limit)));
    if (v.form != form_reason::nothing) {
        text += formatted(" (it {})", forms::phrase(form_fault{v.form, v.got, v.limit}));
    }
    return text;
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

/// The same of a violation, what can be written instead first.
ANEMONE_INLINE std::vector<std::string> suggestions_of(const violation& v, const graph_view& g,
                                                       const target_description& t) {
    const bool of_kernel = v.rule == rule::kernel_width_exceeds || v.rule == rule::kernel_height_exceeds;
    if (of_kernel && is_convolution(g[v.node].kind)) {
        return {kernel_advice(g, v.node, t)};
    }
    if (v.rule == rule::large_kernel_is_not_a_multiple_of_eight && is_convolution(g[v.node].kind)) {
        return {padding_advice(g, v.node, t)};
    }
    const bool is_of_memory = v.rule == rule::weights_exceed_kernel_memory || v.rule == rule::working_set_exceeds ||
                              v.rule == rule::working_set_exceeds_nominal;
    if (is_of_memory) {
        std::string of_weights = v.rule == rule::weights_exceed_kernel_memory ? kernel_memory_advice(g, v.node, t)
                                                                              : large_weight_advice(g, v.node, v.limit);
        if (!of_weights.empty()) {
            return {std::move(of_weights)};
        }
    }
    const rule_record& r = record_of(v.rule);
    std::vector<std::string> all = suggestions_of(r);
    if (r.other != compile_route::any) {
        all[0] = route_advice(all[0], v, g, t, r.other);
        std::erase(all, std::string());
    }
    if (v.form != form_reason::nothing) {
        all.insert(all.begin(), forms::phrase(rewrite_for(v.operation, v.form)));
    }
    return all;
}

/// Whether another target may take what this one refuses: none is to blame for what our files cannot say, and fp16 ends at
/// the same number on all.
constexpr bool asks_elsewhere(const violation& v) noexcept {
    const bool everywhere = overflow_rules.contains(v.rule) && v.rule != rule::width_slice_may_saturate;
    return v.is_error && v.rule != rule::operation_is_not_written && !everywhere;
}

/// Which target takes a node that this one refuses, as a clause of its sentence.
ANEMONE_INLINE std::string remedy_phrase(const std::optional<target>& first) {
    return first ? "the first target that takes it is " + target_phrase(describe(*first)) : "no Mac takes it";
}

} // namespace ane::detail::inline ANEMONE_WAY
