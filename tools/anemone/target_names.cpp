#include "target_names.hpp"

#include <anemone/base/error.hpp>

#include <string>
#include <string_view>

namespace command {

namespace {

std::string known_names() {
    std::string all;
    for (const ane::target t : ane::all_targets) {
        all.append(all.empty() ? "" : " ").append(ane::describe(t).name);
    }
    return all;
}

ane::target_set part_named(std::string_view part) {
    if (part == "macs") {
        return ane::macs;
    }
    if (part == "all") {
        return ane::all_targets;
    }
    const std::size_t dots = part.find("..");
    if (dots == std::string_view::npos) {
        return {target_named(std::string(part))};
    }
    const ane::target first = target_named(std::string(part.substr(0, dots)));
    if (dots + 2 == part.size()) {
        return ane::targets_where(
            [&](const ane::target_description& d) { return ane::at_least(d.tier, ane::describe(first).tier); });
    }
    const ane::target last = target_named(std::string(part.substr(dots + 2)));
    if (last < first) {
        throw ane::error(ane::errc::argument, std::string(part), "the range ends before it begins");
    }
    return ane::targets_where([&](const ane::target_description& d) { return d.id >= first && d.id <= last; });
}

} // namespace

ane::target target_named(const std::string& text) {
    for (const ane::target t : ane::all_targets) {
        if (text == ane::describe(t).name || text == ane::describe(t).runtime) {
            return t;
        }
    }
    throw ane::error(ane::errc::argument, "target '" + text + "'", "is none of: " + known_names() + ", macs, all");
}

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

} // namespace command
