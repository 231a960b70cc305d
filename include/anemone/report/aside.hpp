#pragma once

#include "../base/way.hpp"
#include "../rules/record.hpp"
#include "findings.hpp"

#include <string>
#include <string_view>

/// What a report says beside the rules: of a file, of the values of weights, of measured data.
namespace ane::inline ANEMONE_WAY {

/// A kind of aside, as formats with a list of rules name it.
struct aside_kind {
    std::string_view id;      ///< "weights.digits"
    std::string_view summary; ///< a clause without figures
    std::string_view page;    ///< of the documentation
};

inline constexpr aside_kind reading_note{"file.note", "the graph differs from the file", "docs/reading.md"};
inline constexpr aside_kind file_doubt{
    "file.doubt", "the file says in its words what the engine's compiler was measured to refuse", "docs/reading.md"};
inline constexpr aside_kind file_form{"file.form", "the file has a form that Apple's parser is not known to take",
                                      "docs/reading.md"};
inline constexpr aside_kind file_hazard{"file.hazard", "the file has a form that a system was seen to fail on",
                                        "docs/reading.md"};
inline constexpr aside_kind file_refused{
    "file.refused", "the engine's compiler is expected to refuse the file as it stands", "docs/reading.md"};
inline constexpr aside_kind file_number{
    "file.number", "the file has a number that the graph does not hold, and no run takes", "docs/reading.md"};
inline constexpr aside_kind file_unreadable{"file.unreadable", "the file has what no graph is made of",
                                            "docs/reading.md"};
inline constexpr aside_kind weights_missing{
    "weights.missing", "the values of weights are not there, and what depends on them is open", "docs/reading.md"};
inline constexpr aside_kind weights_expanded{
    "weights.expanded", "weights that the file stores smaller are fp16 in what is judged, priced and written",
    "docs/compression.md"};
inline constexpr aside_kind weight_digits{"weights.digits", "a weight loses digits as fp16", "docs/precision.md"};
inline constexpr aside_kind weight_not_finite{
    "weights.not_finite", "a weight has elements that fp16 does not hold (R006)", "docs/weights.md"};
inline constexpr aside_kind overflow_seen{"values.overflow", "a point of the promised ranges at which values overflow",
                                          "docs/envelope.md"};
inline constexpr aside_kind data_not_finite{"data.not_finite", "measured data have elements that fp16 does not hold",
                                            "docs/envelope.md"};

/// One thing observed. `level` is that of a rule: `reject` is an error, `note` a note, all others are warnings.
struct aside {
    aside_kind kind = reading_note;
    severity level = severity::note;
    std::string text{}; ///< a sentence with its figures
    std::string file{}; ///< where; empty where it is no place in a file
    int line = 0;
};

} // namespace ane::inline ANEMONE_WAY

namespace ane::detail::inline ANEMONE_WAY {

constexpr report_level level_of(severity s) noexcept {
    return s == severity::reject ? report_level::error
           : s == severity::note ? report_level::note
                                 : report_level::warning;
}

} // namespace ane::detail::inline ANEMONE_WAY
