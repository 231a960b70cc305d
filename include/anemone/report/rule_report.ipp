#pragma once

#include "../base/formatted.hpp"
#include "../forms/form_text.hpp"
#include "../passes/validate.hpp"
#include "../rules/acceptance.hpp"
#include "../rules/phrases.hpp"
#include "rule_report.hpp"
#include "terminal.hpp"
#include "weight_list.hpp"

#include <ostream>
#include <string_view>
#include <utility>

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY rule_report::rule_report(const graph_view& g, const target_description& t, const policy& p)
    : target_(detail::target_phrase(t)), found_(violations(validated(g), t, p)) {
    const node_acceptance elsewhere(g, macs, p);
    const reader_lists readers(g);
    for (std::size_t i = 0; i < found_.size(); ++i) {
        const violation& v = found_[i];
        lines_.push_back(format(
            v, g, t, detail::asks_elsewhere(v) ? detail::remedy_phrase(elsewhere.first_for(v.node)) : std::string()));
        counts_.add(v);
        if (i + 1 == found_.size() || found_[i + 1].node != v.node) {
            draw(g, readers, i);
        }
    }
    tell_states(g);
    for (detail::remark& remark : detail::remarks_on_shared_weights(g)) {
        remarks_.push_back(std::move(remark.text));
    }
    if (p.route == compile_route::any && !p.waived.contains(rule::operation_is_not_written)) {
        tell_route(g);
    }
    counts_.notes += remarks_.size();
}

ANEMONE_BODY void rule_report::tell_states(const graph_view& g) {
    std::string names;
    std::int64_t size = 0;
    int count = 0;
    for (const output_port& port : g.outputs) {
        if (port.is_state()) {
            const node& n = g[port.state];
            names += formatted("{}\"{}\" {}", names.empty() ? "" : ", ",
                               detail::printable(g.called(g.name(port.state))), ane::print(n.type, n.shape));
            size += bytes(n.type, n.shape.count());
            ++count;
        }
    }
    if (count > 0) {
        remarks_.push_back(formatted(
            "{} of {} bytes {} between runs ({}): on the direct route by binding the output's buffer to the input "
            "(measured by others), by a netplist as one surface for both (inferred, run nowhere); state operations are "
            "written for Core ML alone",
            count == 1 ? "a state" : formatted("{} states", count), size, count == 1 ? "stays" : "stay", names));
    }
}

ANEMONE_BODY void rule_report::tell_route(const graph_view& g) {
    const form_faults faults = find_form_faults(g, true);
    if (faults.mil_count == 0 || faults.netplist_count > 0) {
        return;
    }
    int first = 0;
    while (!faults.mil[static_cast<std::size_t>(first)]) {
        ++first;
    }
    const form_fault& why = faults.mil[static_cast<std::size_t>(first)];
    remarks_.push_back(formatted("a netplist can hold the model, MIL text, which the direct route needs, cannot: {} {}",
                                 detail::node_phrase(g, first, g[first].kind), forms::phrase(why)));
}

ANEMONE_BODY std::string rule_report::str(const report_style& style) const {
    std::string text;
    std::size_t drawn = 0;
    for (std::size_t i = 0; i < found_.size(); ++i) {
        const violation& v = found_[i];
        const bool raised = v.is_error && v.severity != severity::reject && v.severity != severity::hazard;
        text += detail::painted(raised ? "error" : name(v.severity), detail::colour_of(v.severity, v.is_error),
                                style.coloured);
        text += formatted(": {}\n", lines_[i]);
        for (; drawn < drawings_.size() && drawings_[drawn].after == i; ++drawn) {
            text += style.drawings ? drawings_[drawn].picture.str(style.coloured) : std::string();
        }
    }
    for (const std::string& remark : remarks_) {
        text += detail::painted(name(severity::note), detail::colour_of(severity::note, false), style.coloured);
        text += formatted(": {}\n", remark);
    }
    return text + formatted("{}: {}\n", target_, counts_.str());
}
ANEMONE_BODY std::string rule_report::str(bool coloured) const { return str(report_style{coloured, true}); }

ANEMONE_BODY void rule_report::print(std::FILE* to) const { detail::write_text(to, str(detail::wants_colour(to))); }
ANEMONE_BODY std::ostream& operator<<(std::ostream& to, const rule_report& r) { return to << r.str(); }

ANEMONE_BODY void rule_report::draw(const graph_view& g, const reader_lists& readers, std::size_t last) {
    std::vector<std::int64_t> offending;
    bool wrong = false;
    for (std::size_t i = last + 1; i > 0 && found_[i - 1].node == found_[last].node; --i) {
        const violation& v = found_[i - 1];
        wrong = wrong || v.is_error;
        if (v.is_error && detail::tells_an_extent(record_of(v.rule).sentence)) {
            offending.push_back(v.got);
        }
    }
    if (wrong) {
        drawings_.push_back({last, neighbourhood(g, readers, found_[last].node, offending)});
    }
}

ANEMONE_BODY rule_report report(const graph_view& g, const target_description& t, const policy& p) {
    return rule_report(g, t, p);
}
ANEMONE_BODY rule_report report(const graph_view& g, target t, const policy& p) { return report(g, describe(t), p); }

} // namespace ane::inline ANEMONE_WAY
