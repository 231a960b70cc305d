#pragma once

#include "../base/way.hpp"
#include "../rules/violation_text.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// What counts as a finding, in every form of report.
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

#if !defined(ANEMONE_COMPILED)
#include "findings.ipp"
#endif
