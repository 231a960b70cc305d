#ifndef ANEMONE_REPORT_SARIF_HPP
#define ANEMONE_REPORT_SARIF_HPP

#include "../base/way.hpp"
#include "../graph/graph.hpp"
#include "../targets/sets.hpp"
#include "aside.hpp"
#include "report_policy.hpp"

#include <span>
#include <string>
#include <vector>

/// The violations of a model as SARIF 2.1.0, the format in which code hosts take findings to mark them in the source.
namespace ane::inline ANEMONE_WAY {

struct sarif_options {
    /// The folder of the sources: files below it are named relative to it. Empty: as the compiler named them.
    std::string root{};
    /// An absolute URI under which the pages of the rules lie, as in "https://example.org/anemone/docs/rules/". Empty:
    /// the rules name their page in their help text only, since SARIF takes no relative URI there.
    std::string help_base{};
    report_policy rules{};
    /// What is said beside the rules: a result each.
    std::vector<aside> observed{};
};

/// "file:///my%20models/model.cpp" of an absolute path.
ANEMONE_API_OF(anemone_report_sarif_hpp) std::string file_uri(const std::string& absolute);

/// One model of several in a log.
struct sarif_run {
    graph_view graph;
    target_set targets;
    sarif_options options{};
};

/// The same of several models: a log with a run for each, in their order.
ANEMONE_API_OF(anemone_report_sarif_hpp) std::string sarif(std::span<const sarif_run> runs);

/// The violations of a model on some targets as a SARIF log with one run. A violation that is the same on several
/// targets is one result. That weights are shared is a note of the rule `model.weights_are_shared`.
ANEMONE_API_OF(anemone_report_sarif_hpp)
std::string sarif(const graph_view& g, const target_set& targets, const sarif_options& options = {});
ANEMONE_API_OF(anemone_report_sarif_hpp)
std::string sarif(const graph_view& g, target t, const sarif_options& options = {});

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "sarif.ipp"
#endif
