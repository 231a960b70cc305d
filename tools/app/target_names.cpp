#include "target_names.hpp"

#include <anemone/base/error.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace app {

namespace {

/// Small letters and digits alone: "M5 Pro" and "m5pro" are one name.
std::string plain(std::string_view text) {
    std::string name;
    for (const char c : text) {
        const bool is_large = c >= 'A' && c <= 'Z';
        if (is_large || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
            name += is_large ? static_cast<char>(c - 'A' + 'a') : c;
        }
    }
    return name;
}

/// Whether a name is one of those in a product: of "M1 Pro, Max, Ultra" these three, of "M1 base" M1. What stands in
/// brackets is no product of its own.
bool is_product(std::string_view wanted, std::string_view product) {
    const std::size_t blank = product.find(' ');
    const bool is_chip = product.size() > 1 && product[0] == 'M' && product[1] >= '0' && product[1] <= '9';
    if (!is_chip || blank == std::string_view::npos || product.find('(') != std::string_view::npos) {
        return false;
    }
    const std::string chip = plain(product.substr(0, blank));
    for (std::string_view rest = product.substr(blank + 1); !rest.empty();) {
        const std::size_t comma = rest.find(',');
        const std::string kind = plain(rest.substr(0, comma));
        if (wanted == chip + kind || (kind == "base" && wanted == chip)) {
            return true;
        }
        rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    }
    return false;
}

std::optional<ane::target> target_of(std::string_view text) {
    for (const ane::target t : ane::all_targets) {
        if (text == ane::describe(t).name || text == ane::describe(t).runtime) {
            return t;
        }
    }
    const std::string wanted = plain(text);
    for (const ane::target t : ane::all_targets) {
        if (is_product(wanted, ane::describe(t).product)) {
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
    const std::string wanted = plain(text);
    const bool is_device = wanted.starts_with("iphone") || wanted.starts_with("ipad") || wanted.starts_with("watch");
    throw ane::error(ane::errc::argument, "target '" + std::string(text) + "'",
                     (is_device ? "no source says which target the engine of this device is; " : "") +
                         ("must be one of: " + names + more + ", or a Mac's chip: M1, \"M3 Pro\", m4max"));
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
    if (dots == 0 && part.size() > 2) {
        const ane::target last = required(part.substr(2), sets);
        return ane::targets_where(
            [&](const ane::target_description& d) { return ane::at_least(ane::describe(last).tier, d.tier); });
    }
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
