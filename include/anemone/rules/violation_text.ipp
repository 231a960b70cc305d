#pragma once

#include "../base/formatted.hpp"
#include "phrases.hpp"
#include "violation_text.hpp"

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY std::string format(const violation& v, const graph_view& g, const target_description& t,
                                std::string_view remedy) {
    const rule_record& r = record_of(v.rule);
    std::string text = detail::node_phrase(g, v.node, v.operation);
    if (v.line > 0) {
        text += formatted(" ({}:{})", detail::printable(detail::base_name(v.file)), v.line);
    }
    text += formatted(": {} on {}", detail::sentence_of(v), detail::target_phrase(t));
    if (!remedy.empty()) {
        text += formatted("; {}", remedy);
    }
    std::string_view lead = "try";
    for (const std::string& suggestion : detail::suggestions_of(v, g, t)) {
        text += formatted("; {}: {}", lead, suggestion);
        lead = "or";
    }
    if (v.after != nullptr) {
        text += formatted("; but first {}", v.after->why);
    }
    return text + formatted(" [{}, {}]", r.fact, name(evidence_on(r, t)));
}
ANEMONE_BODY std::string format(const violation& v, const graph_view& g) { return format(v, g, describe(v.target)); }

} // namespace ane::inline ANEMONE_WAY
