#include "target_names.hpp"

#include <anemone/base/error.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace app {

namespace {

std::optional<ane::target> target_of(std::string_view text) {
    for (const ane::target t : ane::all_targets) {
        if (text == ane::describe(t).name || text == ane::describe(t).runtime) {
            return t;
        }
    }
    return std::nullopt;
}

/// `more` may be given too.
ane::target required(std::string_view text, const char* more) {
    if (const std::optional<ane::target> found = target_of(text)) {
        return *found;
    }
    std::string names;
    for (const ane::target t : ane::all_targets) {
        names.append(names.empty() ? "" : " ").append(ane::describe(t).name);
    }
    throw ane::error(ane::errc::argument, "target '" + std::string(text) + "'", "must be one of: " + names + more);
}

ane::target_set part_named(std::string_view part) {
    if (part == "macs") {
        return ane::macs;
    }
    if (part == "all") {
        return ane::all_targets;
    }
    constexpr const char* sets = " macs all";
    const std::size_t dots = part.find("..");
    const ane::target first = required(part.substr(0, dots), sets);
    if (dots == std::string_view::npos) {
        return {first};
    }
    if (dots + 2 == part.size()) {
        return ane::targets_where(
            [&](const ane::target_description& d) { return ane::at_least(d.tier, ane::describe(first).tier); });
    }
    const ane::target last = required(part.substr(dots + 2), sets);
    if (last < first) {
        throw ane::error(ane::errc::argument, std::string(part), "the range ends before it begins");
    }
    return ane::targets_where([&](const ane::target_description& d) { return d.id >= first && d.id <= last; });
}

} // namespace

ane::target target_named(const std::string& text) { return required(text, ""); }

ane::target_set targets_named(const std::string& text) {
    ane::target_set all;
    std::string_view rest = text;
    while (true) {
        const std::size_t comma = rest.find(',');
        all = all | part_named(rest.substr(0, comma));
        if (comma == std::string_view::npos) {
            return all;
        }
        rest.remove_prefix(comma + 1);
    }
}

std::string names_of(const std::vector<ane::target>& targets, std::size_t of) {
    if (targets.size() == of) {
        return of == 1 ? std::string(ane::runtime_architecture(targets.front())) : "all " + std::to_string(of);
    }
    std::string text;
    for (const ane::target t : targets) {
        text.append(text.empty() ? "" : " ").append(ane::runtime_architecture(t));
    }
    return text;
}

} // namespace app
