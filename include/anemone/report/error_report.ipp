#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_report_error_report_hpp);

#include "../base/formatted.hpp"
#include "../passes/lowering.hpp"
#include "../passes/validate.hpp"
#include "../rules/phrases.hpp"
#include "../targets/table.hpp"
#include "error_report.hpp"
#include "terminal.hpp"

#include <ostream>
#include <string_view>

namespace ane::detail::inline ANEMONE_WAY {

/// `matmul "head" (model.cpp:12)`: a contraction as its author calls it.
ANEMONE_INLINE std::string contraction_name(const graph_view& model, int origin) {
    const node& n = model[origin];
    const std::string_view given = label(model, origin);
    std::string text(name(n.kind));
    text += given.empty() ? formatted(" #{}", origin) : formatted(" \"{}\"", given);
    if (n.where.line > 0) {
        text += formatted(" ({}:{})", base_name(n.where.file), n.where.line);
    }
    return text;
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF error_report::error_report(const graph_view& model, const numerics::datapath& path) {
    const lowered_graph lowered = lower(validated(model));
    errors_ = error_envelope(lowered.graph, path);
    for (const contraction_error& e : errors_) {
        const int origin = lowered.origins[static_cast<std::size_t>(e.node)];
        names_.push_back(detail::contraction_name(model, origin));
    }
}

ANEMONE_BODY std::string error_report::str() const {
    std::size_t width = 7;
    for (const std::string& n : names_) {
        width = n.size() > width ? n.size() : width;
    }
    std::string text = formatted("{:<{}}  {:>6}  {:<10}  {:>10} {:>10} {:>9} {:>10} {:>9} {:>8}\n", "product", width,
                                 "K", "basis", "result rms", "expected", "relative", "worst", "relative", "dropped");
    for (std::size_t i = 0; i < errors_.size(); ++i) {
        const contraction_error& e = errors_[i];
        text += formatted("{:<{}}  {:>6}  {:<10}  ", names_[i], width, e.terms, name(e.basis));
        text += e.known() ? formatted("{:>10.3g} {:>10.3g} {:>9.2e} {:>10.3g} {:>9.2e} {:>6.1f} %\n", e.result,
                                      e.expected(), e.expected_relative(), e.worst, e.worst_relative(), 100 * e.dropped)
                          : formatted("{:>10} {:>10} {:>9} {:>10.3g} {:>9} {:>8}\n", "-", "-", "-", e.worst, "-", "-");
    }
    for (std::size_t i = 0; i < errors_.size(); ++i) {
        const contraction_error& e = errors_[i];
        if (e.scale > 0 && e.gain() >= 2) {
            text += formatted(
                "{}: scaled<{}> of its {} operand makes it {:.1f} times as exact, {:.2e}; sums stay below {:.0f} "
                "of 32768{}\n",
                names_[i], e.scale, e.scaled_operand == 0 ? "left" : "right", e.gain(), e.relative(e.scaled_expected),
                e.bound * power_of_two(e.scale),
                e.assumed ? " (operands without a range taken at eight standard deviations)" : "");
        }
    }
    return text;
}

ANEMONE_BODY void error_report::print(std::FILE* to) const { detail::write_text(to, str()); }
ANEMONE_BODY_OF std::ostream& operator<<(std::ostream& to, const error_report& r) { return to << r.str(); }

ANEMONE_BODY_OF error_report report_errors(const graph_view& model, const target_description& t) {
    return {model, numerics::datapath_of(t.tier)};
}
ANEMONE_BODY_OF error_report report_errors(const graph_view& model, target t) {
    return report_errors(model, describe(t));
}

} // namespace ane::inline ANEMONE_WAY
