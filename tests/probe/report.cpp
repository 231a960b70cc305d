#include "report.hpp"

#include <anemone/version.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace kit {

std::string counts(const std::vector<record>& records) {
    std::string text = fmt::format("{} in all", records.size());
    for (std::size_t v = 0; v < std::size(verdict_names); ++v) {
        const auto number = std::count_if(records.begin(), records.end(),
                                          [&](const record& r) { return r.outcome == static_cast<verdict>(v); });
        text += fmt::format(", {} {}", verdict_names[v], number);
    }
    return text;
}

bool all_good(const std::vector<record>& records) {
    return std::all_of(records.begin(), records.end(), [](const record& r) { return is_good(r.outcome); });
}

std::string report_text(const heading& head, const std::vector<record>& records) {
    std::string text = "Anemone probe report, form 1\n";
    const auto row = [&](std::string_view name, const std::string& value) {
        text += fmt::format("{}: {}\n", name, value);
    };
    row("began", head.began);
    row("ended", head.ended);
    row("chip", head.chip);
    row("system", head.system);
    row("compiler", head.compiler);
    row("anemone", std::string(ane::version));
    row("compared with the oracle of",
        fmt::format("{} ({})", describe(head.engine).runtime, describe(head.engine).product));
    for (const record& r : records) {
        if (r.id == library_task && !r.lines.empty()) {
            row(fmt::format("{} door", name(r.door)), r.lines[0]);
        }
    }
    row("items", counts(records));
    row("verdict", all_good(records) ? "everything agrees" : "NOT everything agrees");
    for (const record& r : records) {
        text += fmt::format("\n== {} {}: {}\n", r.id, name(r.door), name(r.outcome));
        std::string about = r.about;
        for (std::size_t end = 0; (end = about.find('\n', end)) != std::string::npos; end += 4) {
            about.replace(end, 1, "\n   ");
        }
        text += fmt::format("   {}\n", about);
        for (const std::string& line : r.lines) {
            text += fmt::format("   {}\n", line);
        }
    }
    return text + "\nend of the report\n";
}

} // namespace kit
