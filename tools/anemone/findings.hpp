#pragma once

#include <anemone/report/aside.hpp>
#include <anemone/report/verdicts.hpp>

#include <span>
#include <string>
#include <vector>

namespace command {

/// A finding that is the same on several targets, its limit too, in the words of the first of them.
struct shared_finding {
    ane::violation first;
    std::string sentence; ///< with the way out and, of an error, the first target that takes the layer
    std::vector<ane::target> targets;

    /// "error", "warning" or "note"
    const char* level() const;
    /// Whether a bound is infinite because one before it is: what follows from another finding.
    bool follows() const;
};

/// "error", "warning" or "note"
const char* level_of(const ane::aside& o);

/// Every finding once: errors, warnings, notes, each in the order of the layers.
std::vector<shared_finding> shared_findings(const ane::verdict_table& verdicts);

/// Inputs, weights and constants are none.
std::size_t operation_count(const ane::graph_view& g);

/// The verdicts of all targets on a file, then, unless quiet, what it costs and how much of the memories it uses, what
/// was observed, and every finding once: its layer, its place, what to do, and the targets that have it. Of the
/// warnings and notes of a rule the first three, unless `all`, and the numbers of the other layers.
std::string findings_text(const std::string& path, const ane::graph_view& g, const ane::verdict_table& verdicts,
                          std::span<const ane::aside> observed, bool quiet, bool all, bool coloured);

} // namespace command
