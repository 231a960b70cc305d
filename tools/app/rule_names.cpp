#include "rule_names.hpp"

#include <anemone/base/error.hpp>
#include <anemone/rules/registry.hpp>

#include <string>
#include <string_view>

namespace app {

namespace {

/// Whether a list of facts, separated by blanks, has one.
bool names_fact(std::string_view facts, std::string_view wanted) {
    while (!facts.empty()) {
        const std::size_t blank = facts.find(' ');
        if (facts.substr(0, blank) == wanted) {
            return true;
        }
        facts.remove_prefix(blank == std::string_view::npos ? facts.size() : blank + 1);
    }
    return false;
}

} // namespace

std::vector<ane::rule> rules_named(const std::string& text) {
    std::vector<ane::rule> found;
    std::string like;
    for (std::size_t i = 0; i < ane::rule_count; ++i) {
        const auto r = static_cast<ane::rule>(i);
        const std::string_view name = ane::name(r);
        if (name == text || names_fact(ane::record_of(r).fact, text)) {
            found.push_back(r);
        } else if (text.size() > 3 && name.find(text) != std::string_view::npos) {
            like.append(like.empty() ? "" : ", ").append(name);
        }
    }
    if (found.empty()) {
        throw ane::error(ane::errc::argument, "rule '" + text + "'",
                         like.empty() ? "is not a rule; anemone rules lists them" : "is not a rule; there are " + like);
    }
    return found;
}

} // namespace app
