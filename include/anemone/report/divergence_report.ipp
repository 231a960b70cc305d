#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_report_divergence_report_hpp);

#include "../base/formatted.hpp"
#include "../passes/validate.hpp"
#include "../rules/phrases.hpp"
#include "divergence_report.hpp"
#include "findings.hpp"
#include "terminal.hpp"

#include <ostream>
#include <string_view>

namespace ane::detail::inline ANEMONE_WAY {

ANEMONE_INLINE std::string divergence_line(const graph_view& g, const divergent_node& d,
                                           const target_description& refusing) {
    if (d.kind == divergence::support) {
        return format(d.refusal, g, refusing);
    }
    const source_location where = g[d.node].where;
    std::string text = node_phrase(g, d.node, g[d.node].kind);
    if (where.line > 0) {
        text += formatted(" ({}:{})", printable(base_name(where.file)), where.line);
    }
    const std::string part = d.operation == g[d.node].kind ? "" : formatted(" in its {}", name(d.operation));
    return text + formatted(": {}{} [{}, {}]", d.reason, part, d.source, name(d.evidence));
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF std::vector<std::string> outputs_behind(const graph_view& g, const std::vector<divergent_node>& found) {
    std::vector<char> reached(g.nodes.size(), 0);
    for (const divergent_node& d : found) {
        reached[static_cast<std::size_t>(d.node)] = 1;
    }
    for (int i = 0; i < g.size(); ++i) {
        for (const int o : g.operands(i)) {
            reached[static_cast<std::size_t>(i)] |= reached[static_cast<std::size_t>(o)];
        }
    }
    std::vector<std::string> names;
    for (const output_port& port : g.outputs) {
        if (reached[static_cast<std::size_t>(port.node)] != 0) {
            names.emplace_back(g.called(g.name(port)));
        }
    }
    return names;
}

ANEMONE_BODY_OF divergence_report::divergence_report(const graph_view& g, const machine& a, const machine& b)
    : pair_(detail::target_phrase(a.device) + " and " + detail::target_phrase(b.device)),
      found_(divergences_of(validated(g), a, b)), outputs_(outputs_behind(g, found_)), count_(g.outputs.size()) {
    for (const divergent_node& d : found_) {
        lines_.push_back(detail::divergence_line(g, d, d.refusal.target == a.device.id ? a.device : b.device));
    }
}

ANEMONE_BODY std::string divergence_report::str(bool coloured) const {
    std::string text;
    for (std::size_t i = 0; i < found_.size(); ++i) {
        const divergence kind = found_[i].kind;
        const std::string_view colour = kind <= divergence::infinity   ? "\x1b[1;31m"
                                        : kind == divergence::rounding ? "\x1b[33m"
                                                                       : "\x1b[36m";
        text += formatted("{}: {}\n", detail::painted(name(kind), colour, coloured), lines_[i]);
    }
    if (same()) {
        return text + formatted("{}: no difference is known\n", pair_);
    }
    std::string which;
    for (const std::string& output : outputs_) {
        which += formatted("{}\"{}\"", which.empty() ? "" : ", ", detail::printable(output));
    }
    return text + formatted("{}: {}; {} of {} can differ{}{}\n", pair_, detail::counted(found_.size(), "difference"),
                            outputs_.size(), detail::counted(count_, "output"), which.empty() ? "" : ": ", which);
}

ANEMONE_BODY void divergence_report::print(std::FILE* to) const {
    detail::write_text(to, str(detail::wants_colour(to)));
}
ANEMONE_BODY_OF std::ostream& operator<<(std::ostream& to, const divergence_report& r) { return to << r.str(); }

ANEMONE_BODY_OF divergence_report differences(const graph_view& g, const machine& a, const machine& b) {
    return {g, a, b};
}
ANEMONE_BODY_OF divergence_report differences(const graph_view& g, target a, target b) {
    return {g, machine_of(a), machine_of(b)};
}

} // namespace ane::inline ANEMONE_WAY
