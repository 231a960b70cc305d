#pragma once

#include <anemone/readers/read_model.hpp>
#include <anemone/report/verdicts.hpp>

#include <string>
#include <vector>

namespace command {

/// A finding that is the same on several targets, in the words of the first of them.
struct shared_finding {
    ane::violation first;
    std::vector<ane::target> targets;

    /// "error", "warning" or "note"
    const char* level() const;
};

/// Every finding once: errors first, then in the order of the layers.
std::vector<shared_finding> shared_findings(const ane::verdict_table& verdicts);

/// "h13 h14"; "all 11" where it is every one of the verdicts.
std::string names_of(const std::vector<ane::target>& targets, std::size_t of);

/// The verdicts of all targets on a file, then, unless quiet, every finding once: its layer, its place, what to do, and
/// the targets that have it.
std::string findings_text(const std::string& path, const ane::read_model& model, const ane::verdict_table& verdicts,
                          bool quiet, bool coloured);

/// Why a file cannot be read, a line for each fault.
std::string unreadable_text(const std::string& path, const ane::unreadable& refused, bool coloured);

} // namespace command
