#pragma once

#include "../way.hpp"
#include "findings.hpp"
#include "neighbourhood.hpp"

#include <cstdio>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

/// The rules at run time: every finding as a sentence with its node, source line, value, limit and advice, and a
/// drawing of the node where it is an error.
namespace ane::inline ANEMONE_WAY {

/// How a report is written.
struct report_style {
    bool coloured = false; ///< the severities stand out, and the offending numbers
    bool drawings = true;  ///< of the neighbourhood of every node with an error
};

/// All findings of a graph on a target. Keeps its own text: the graph may go away.
class rule_report {
public:
    rule_report(const graph_view& g, const target_description& t, const policy& p = {})
        : target_(detail::target_phrase(t)), found_(violations(g, t, p)) {
        const node_acceptance elsewhere(g, macs, p);
        const reader_lists readers(g);
        for (std::size_t i = 0; i < found_.size(); ++i) {
            const violation& v = found_[i];
            lines_.push_back(
                format(v, g, t, v.is_error ? detail::remedy_phrase(elsewhere.first_for(v.node)) : std::string()));
            counts_.add(v);
            if (i + 1 == found_.size() || found_[i + 1].node != v.node) {
                draw(g, readers, i);
            }
        }
    }

    /// Whether nothing is an error under the policy.
    bool ok() const noexcept { return counts_.errors == 0; }
    std::size_t errors() const noexcept { return counts_.errors; }
    std::size_t warnings() const noexcept { return counts_.warnings; }
    std::size_t notes() const noexcept { return counts_.notes; }
    const std::vector<violation>& found() const noexcept { return found_; }

    /// The sentences, in the order of `found`.
    const std::vector<std::string>& sentences() const noexcept { return lines_; }

    /// A line for each finding, drawings, and a line that counts.
    std::string str(const report_style& style) const {
        std::string text;
        std::size_t drawn = 0;
        for (std::size_t i = 0; i < found_.size(); ++i) {
            const violation& v = found_[i];
            const bool raised = v.is_error && v.severity != severity::reject && v.severity != severity::hazard;
            text += detail::painted(raised ? "error" : name(v.severity), detail::colour_of(v.severity, v.is_error),
                                    style.coloured);
            text += fmt::format(": {}\n", lines_[i]);
            for (; drawn < drawings_.size() && drawings_[drawn].after == i; ++drawn) {
                text += style.drawings ? drawings_[drawn].picture.str(style.coloured) : std::string();
            }
        }
        return text + fmt::format("{}: {}\n", target_, counts_.str());
    }
    std::string str(bool coloured = false) const { return str(report_style{coloured, true}); }

    /// Prints to a stream of the C library: coloured on a terminal unless NO_COLOR is set, plain elsewhere.
    void print(std::FILE* to = stdout) const { detail::write_text(to, str(detail::wants_colour(to))); }
    friend std::ostream& operator<<(std::ostream& to, const rule_report& r) { return to << r.str(); }

private:
    struct drawing_after {
        std::size_t after; ///< the finding that it follows
        neighbourhood picture;
    };

    /// Draws the node of finding `last`, with the numbers of all errors there, if there is any.
    void draw(const graph_view& g, const reader_lists& readers, std::size_t last) {
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

    std::string target_;
    std::vector<violation> found_;
    std::vector<std::string> lines_;
    std::vector<drawing_after> drawings_;
    detail::finding_counts counts_;
};

/// Everything that the rules say of a graph on a target: `report(model, ane::h13).print();`
ANEMONE_INLINE rule_report report(const graph_view& g, const target_description& t, const policy& p = {}) {
    return rule_report(g, t, p);
}
ANEMONE_INLINE rule_report report(const graph_view& g, target t, const policy& p = {}) {
    return report(g, describe(t), p);
}

} // namespace ane::inline ANEMONE_WAY
