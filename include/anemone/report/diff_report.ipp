#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_report_diff_report_hpp);

#include "../base/formatted.hpp"
#include "../rules/phrases.hpp"
#include "diff_report.hpp"
#include "diff_text.hpp"
#include "terminal.hpp"

#include <algorithm>
#include <cstddef>
#include <ostream>

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF diff_report::diff_report(const graph_view& model, const model_difference& found) : found_(found) {
    for (const node_difference& n : found_.nodes) {
        names_.push_back(detail::node_phrase(model, n.node, model[n.node].kind));
    }
    if (!found_.identical()) {
        const node& n = model[found_.first_divergent];
        first_ = detail::node_phrase(model, found_.first_divergent, n.kind);
        if (n.where.line > 0) {
            first_ += formatted(" ({}:{})", detail::base_name(n.where.file), n.where.line);
        }
    }
}

ANEMONE_BODY std::string diff_report::str(bool coloured) const {
    std::size_t width = 4;
    for (const std::string& n : names_) {
        width = std::max(width, detail::display_width(n));
    }
    std::string text = formatted("{:>{}}  the two runs, each on its own values      alone, on the same operands\n"
                                 "{:<{}}  {:>9} {:>6} {:>7}  {:<{}}  {:>9} {:>6}  cause\n",
                                 "", width, "node", width, "max abs", "ulp", "differ", "0 1 2 4 .. ulp",
                                 ulp_histogram::bins, "max abs", "ulp");
    for (std::size_t i = 0; i < names_.size(); ++i) {
        const node_difference& n = found_.nodes[i];
        const bool equal = n.whole.max_ulp == 0;
        text += formatted("{}  {:>9} {:>6} {:>5.1f} %  {}  {:>9} {:>6}  {}\n", detail::padded(names_[i], width),
                          detail::distance_text(n.whole.max_abs), detail::ulp_text(n.whole.max_ulp),
                          100 * n.histogram.differing(), detail::bar_of(n.histogram),
                          detail::distance_text(n.alone.max_abs), detail::ulp_text(n.alone.max_ulp),
                          equal && n.cause == difference_cause::none
                              ? "same"
                              : detail::painted(name(n.cause), detail::colour_of(n.cause), coloured));
    }
    return text +
           (found_.identical() ? std::string("no node differs\n") : formatted("first divergent node: {}\n", first_));
}

ANEMONE_BODY void diff_report::print(std::FILE* to) const { detail::write_text(to, str(detail::wants_colour(to))); }
ANEMONE_BODY_OF std::ostream& operator<<(std::ostream& to, const diff_report& r) { return to << r.str(); }

} // namespace ane::inline ANEMONE_WAY
