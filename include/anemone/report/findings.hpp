#pragma once

#include "../rules/evaluate.hpp"
#include "../way.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// What every form of report says about one violation.
namespace ane::detail::inline ANEMONE_WAY {

/// What a finding counts as in a report.
enum class report_level : std::uint8_t { error, warning, note };

constexpr report_level level_of(const violation& v) noexcept {
    return v.is_error ? report_level::error : v.severity == severity::note ? report_level::note : report_level::warning;
}
constexpr std::string_view name(report_level l) noexcept {
    constexpr std::string_view names[] = {"error", "warning", "note"};
    return names[static_cast<std::size_t>(l)];
}

/// How many findings of each level there are.
struct finding_counts {
    std::size_t errors = 0, warnings = 0, notes = 0;

    constexpr void add(const violation& v) noexcept {
        const report_level l = level_of(v);
        ++(l == report_level::error ? errors : l == report_level::warning ? warnings : notes);
    }
    /// "1 error, 2 warnings", and the notes where there are any.
    ANEMONE_API std::string str() const;
};

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

/// `conv2d "stem" (model.cpp:41): kernel width 14 exceeds 13 on h13 (M1 base); the first target that takes it is h16
/// (M4 base); try: swap the axes ... [R030, measured]`. `remedy` is the clause in the middle; none where it is empty.
ANEMONE_API std::string format(const violation& v, const graph_view& g, const target_description& t,
                               std::string_view remedy = {});
ANEMONE_API std::string format(const violation& v, const graph_view& g);

} // namespace ane::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "findings.ipp"
#endif
