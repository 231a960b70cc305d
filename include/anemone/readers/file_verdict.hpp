#ifndef ANEMONE_READERS_FILE_VERDICT_HPP
#define ANEMONE_READERS_FILE_VERDICT_HPP

#include "../base/way.hpp"
#include "../rules/policy.hpp"
#include "../targets/target.hpp"
#include "mil.hpp"

#include <string>
#include <vector>

namespace ane::inline ANEMONE_WAY {

/// Whether the engine's compiler would take a file as it stands, as far as the rules know, and why not: each reason with
/// its place in the file.
struct file_verdict {
    std::vector<read_fault> reasons;

    bool accepted() const noexcept { return reasons.empty(); }
};

/// The verdict on MIL text: what the reader refuses, operations that the compiler was measured to refuse (`doubts`), and
/// the rules that reject a program on the target's MIL route. Hazards and what only our own writers lack do not count.
/// Predicted: this project never gave a file to the compiler. Throws `error` (errc::file) where the file cannot be read.
ANEMONE_API_OF(anemone_readers_file_verdict_hpp)
file_verdict judge_mil_file(const std::string& path, target t, const mil_reader_options& options = {});
/// The same of a model that was read already. Rules that are waived are not asked.
ANEMONE_API_OF(anemone_readers_file_verdict_hpp)
file_verdict judge(const read_model& model, target t, const rule_set& waived = {});

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "file_verdict.ipp"
#endif
