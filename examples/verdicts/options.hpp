#pragma once

#include "models.hpp"
#include <anemone/base/error.hpp>
#include <anemone/rules/evaluate.hpp>

#include <fmt/format.h>

#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The command line. What cannot be understood throws `ane::error` (errc::argument) that names it.

enum class format { text, json, sarif };
enum class action { verdicts, compare, list_rules, list_targets, list_models, help };

struct options {
    action wanted = action::verdicts;
    models::named model = models::all[0];
    ane::target_set targets = ane::macs;
    format form = format::text;
    ane::policy rules{};
    std::string root = ANEMONE_SOURCE_DIR;
    std::pair<ane::target, ane::target> compared{};
    bool findings = false;
};

inline constexpr std::string_view usage = R"(usage: example_verdicts [options]

Says which targets take a model, and why the others do not.

  --model NAME          one of the built-in models (default: classifier)
  --target NAMES        targets by name, divided by commas, or macs, mil, all (default: macs)
  --format text|json|sarif
  --policy default|strict   strict: every warning and note is an error
  --as-error RULES      these rules, divided by commas, are errors too
  --waive RULES         these rules are not looked at
  --findings            text: everything that the rules say, with drawings, for each target
  --root FOLDER         sarif: files are named relative to it
  --compare A,B         where two targets can give different results
  --list-models, --list-targets, --list-rules, --help

Exit codes: 0 every target accepts (--compare: no difference is known), 1 otherwise, 2 the command line is wrong.
)";

[[noreturn]] inline void refuse(std::string_view option, const std::string& why) {
    throw ane::error(ane::errc::argument, std::string(option), why);
}

inline std::vector<std::string_view> split(std::string_view list) {
    std::vector<std::string_view> parts;
    for (std::size_t comma = 0; comma != std::string_view::npos; list.remove_prefix(comma + 1)) {
        comma = list.find(',');
        parts.push_back(list.substr(0, comma));
        if (comma == std::string_view::npos) {
            break;
        }
    }
    return parts;
}

inline ane::target parse_target(std::string_view option, std::string_view name) {
    const std::optional<ane::target> found = ane::find_target(name);
    if (!found) {
        refuse(option, fmt::format("'{}' is not one of the {} targets (--list-targets)", name, ane::target_count));
    }
    return *found;
}

inline ane::target_set parse_targets(std::string_view option, std::string_view list) {
    ane::target_set targets;
    for (const std::string_view name : split(list)) {
        if (name == "macs" || name == "mil" || name == "all") {
            targets = targets | (name == "macs" ? ane::macs : (name == "mil" ? ane::mil_targets : ane::all_targets));
        } else {
            targets.insert(parse_target(option, name));
        }
    }
    return targets;
}

inline void parse_rules(std::string_view option, std::string_view list, ane::rule_set& into) {
    for (const std::string_view wanted : split(list)) {
        bool known = false;
        for (std::size_t i = 0; i < ane::rule_count; ++i) {
            const auto r = static_cast<ane::rule>(i);
            if (name(r) == wanted) {
                into.insert(r);
                known = true;
            }
        }
        if (!known) {
            refuse(option, fmt::format("'{}' is not one of the {} rules (--list-rules)", wanted, ane::rule_count));
        }
    }
}

/// The one of the names that was given, as its position.
inline std::size_t parse_choice(std::string_view option, std::string_view given,
                                const std::vector<std::string_view>& names) {
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i] == given) {
            return i;
        }
    }
    refuse(option, fmt::format("'{}' is not one of {}", given, fmt::join(names, ", ")));
}

inline options parse(const std::vector<std::string_view>& arguments) {
    options o;
    std::vector<std::string_view> seen;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string_view option = arguments[i];
        for (const std::string_view before : seen) {
            if (before == option) {
                refuse(option, "is given twice, at most once is understood");
            }
        }
        seen.push_back(option);
        const auto value = [&] {
            if (i + 1 == arguments.size()) {
                refuse(option, "needs a value");
            }
            return arguments[++i];
        };
        if (option == "--help") {
            o.wanted = action::help;
        } else if (option == "--list-rules") {
            o.wanted = action::list_rules;
        } else if (option == "--list-targets") {
            o.wanted = action::list_targets;
        } else if (option == "--list-models") {
            o.wanted = action::list_models;
        } else if (option == "--findings") {
            o.findings = true;
        } else if (option == "--model") {
            std::vector<std::string_view> names;
            names.reserve(std::size(models::all));
            for (const models::named& m : models::all) {
                names.push_back(m.name);
            }
            o.model = models::all[parse_choice(option, value(), names)];
        } else if (option == "--target") {
            o.targets = parse_targets(option, value());
        } else if (option == "--format") {
            o.form = static_cast<format>(parse_choice(option, value(), {"text", "json", "sarif"}));
        } else if (option == "--policy") {
            if (parse_choice(option, value(), {"default", "strict"}) == 1) {
                o.rules.errors = ane::rule_set::where([](ane::rule) { return true; });
            }
        } else if (option == "--as-error") {
            parse_rules(option, value(), o.rules.errors);
        } else if (option == "--waive") {
            parse_rules(option, value(), o.rules.waived);
        } else if (option == "--root") {
            o.root = value();
        } else if (option == "--compare") {
            const std::vector<std::string_view> pair = split(value());
            if (pair.size() != 2) {
                refuse(option, fmt::format("needs 2 targets, {} given", pair.size()));
            }
            o.compared = {parse_target(option, pair[0]), parse_target(option, pair[1])};
            o.wanted = action::compare;
        } else {
            refuse(option, "is not an option (--help)");
        }
    }
    return o;
}
