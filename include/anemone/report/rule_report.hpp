#pragma once

#include "../base/way.hpp"
#include "findings.hpp"
#include "neighbourhood.hpp"

#include <cstddef>
#include <cstdio>
#include <iosfwd>
#include <string>
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
    /// Finds what a valid graph breaks on a target, under a policy.
    ANEMONE_API rule_report(const graph_view& g, const target_description& t, const policy& p = {});

    /// Whether nothing is an error under the policy.
    bool ok() const noexcept { return counts_.errors == 0; }
    std::size_t errors() const noexcept { return counts_.errors; }
    std::size_t warnings() const noexcept { return counts_.warnings; }
    /// Findings of rules, and remarks: what stays between runs, and which operations share a weight.
    std::size_t notes() const noexcept { return counts_.notes; }
    const std::vector<std::string>& remarks() const noexcept { return remarks_; }
    const std::vector<violation>& found() const noexcept { return found_; }

    /// The sentences, in the order of `found`.
    const std::vector<std::string>& sentences() const noexcept { return lines_; }

    /// A line for each finding, drawings, and a line that counts.
    ANEMONE_API std::string str(const report_style& style) const;
    /// The same with drawings, and with the escapes of a terminal if coloured.
    ANEMONE_API std::string str(bool coloured = false) const;

    /// Prints to a stream of the C library: coloured on a terminal unless NO_COLOR is set, plain elsewhere.
    ANEMONE_API void print(std::FILE* to = stdout) const;

private:
    struct drawing_after {
        std::size_t after; ///< the finding that it follows
        neighbourhood picture;
    };

    /// Says what the model keeps between runs, and how each route does it.
    ANEMONE_API void tell_states(const graph_view& g);
    /// Says which route holds the model, where it is not the direct one.
    ANEMONE_API void tell_route(const graph_view& g);
    /// Draws the node of finding `last`, with the numbers of all errors there, if there is any.
    ANEMONE_API void draw(const graph_view& g, const reader_lists& readers, std::size_t last);

    std::string target_;
    std::vector<violation> found_;
    std::vector<std::string> lines_;
    std::vector<drawing_after> drawings_;
    std::vector<std::string> remarks_;
    detail::finding_counts counts_;
};

ANEMONE_API std::ostream& operator<<(std::ostream& to, const rule_report& r);

/// Everything that the rules say about a graph on a target: `report(model, ane::h13).print();`
ANEMONE_API rule_report report(const graph_view& g, const target_description& t, const policy& p = {});
ANEMONE_API rule_report report(const graph_view& g, target t, const policy& p = {});

} // namespace ane::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "rule_report.ipp"
#endif
