#include "command_line.hpp"

#include "../app/option.hpp"
#include <anemone/rules/registry.hpp>
#include <anemone/targets/sets.hpp>

namespace command {

namespace words = app::words;

namespace {

/// "{any,mil,netplist}" within the text of an option's type.
std::vector<std::string> choices_in(const std::string& type) {
    std::vector<std::string> all;
    const std::size_t begin = type.find('{');
    const std::size_t end = type.find('}');
    if (begin == std::string::npos || end == std::string::npos) {
        return all;
    }
    std::string_view rest = std::string_view(type).substr(begin + 1, end - begin - 1);
    while (true) {
        const std::size_t comma = rest.find(',');
        all.emplace_back(rest.substr(0, comma));
        if (comma == std::string_view::npos) {
            return all;
        }
        rest.remove_prefix(comma + 1);
    }
}

/// Options and arguments of these names, beside those of use cases, whose tables say it; a command only where one of that
/// name means something else elsewhere.
struct named_word {
    std::string_view command;
    std::string_view name;
    std::string_view word;
};
constexpr named_word named_words[] = {
    {"", "--explain", words::rules}, {"", "--output", words::file},        {"", "--input", words::file},
    {"", "--compare", words::file},  {"", "--config", words::file},        {"", "--svg", words::file},
    {"train", "--csv", words::file}, {"targets", "NAMES", words::targets}, {"rules", "NAMES", words::rules}};

std::string_view word_of(std::string_view command, std::string_view name) {
    for (const named_word& each : named_words) {
        if (each.name == name && (each.command.empty() || each.command == command)) {
            return each.word;
        }
    }
    return {};
}

std::string_view or_text(std::string_view word) { return word.empty() ? "TEXT" : word; }

described_option described(std::string_view command, const CLI::Option& option) {
    described_option result;
    const std::string type = option.get_type_name();
    for (const std::string& each : option.get_lnames()) {
        result.longs.push_back("--" + each);
    }
    for (const std::string& each : option.get_snames()) {
        result.shorts.push_back("-" + each);
    }
    if (option.get_positional()) {
        result.name = option.get_name(true);
        result.repeats = option.get_expected_max() > 1;
        result.word = result.name.starts_with(words::file) ? words::file : or_text(word_of(command, result.name));
    } else if (option.get_expected_max() > 0) {
        result.word = type.substr(0, type.find_first_of(":{ "));
    }
    result.choices = choices_in(type);
    result.text = option.get_description();
    result.standard = option.get_default_str();
    return result;
}

described_command described_alone(const CLI::App& app) {
    described_command result{
        app.get_parent() == nullptr ? "" : app.get_name(), app.get_description(), app.get_footer(), {}};
    for (const CLI::Option* const option : app.get_options()) {
        result.options.push_back(described(result.name, *option));
    }
    return result;
}

} // namespace

void name_values(CLI::App& app) {
    for (CLI::App* const sub : app.get_subcommands([](CLI::App*) { return true; })) {
        name_values(*sub);
    }
    for (CLI::Option* const option : app.get_options()) {
        if (option->get_positional()) {
            option->type_name(""); // its name says it
        } else if (const std::string_view word = word_of(app.get_name(), option->get_name()); !word.empty()) {
            option->type_name(std::string(word));
        }
    }
}

void refuse_empty_paths(CLI::App& app) {
    for (CLI::App* const sub : app.get_subcommands([](CLI::App*) { return true; })) {
        for (CLI::Option* const option : sub->get_options()) {
            const bool is_file = option->get_positional() ? option->get_name(true).starts_with(words::file)
                                                          : option->get_type_name().starts_with(words::file);
            if (is_file) {
                option->check([](const std::string& path) { return path.empty() ? "the path is empty" : ""; });
            }
        }
    }
}

std::vector<described_command> described(const CLI::App& app) {
    std::vector<described_command> all{described_alone(app)};
    for (const CLI::App* const sub : app.get_subcommands([](const CLI::App*) { return true; })) {
        all.push_back(described_alone(*sub));
    }
    return all;
}

std::vector<std::string> values_of(std::string_view word) {
    std::vector<std::string> all;
    if (word == words::target || word == words::targets || word == words::reference) {
        if (word == words::reference) {
            all = {"cpu", "f64"};
        }
        if (word == words::targets) {
            all = {"macs", "all"};
        }
        for (const ane::target t : ane::all_targets) {
            all.emplace_back(ane::describe(t).runtime);
        }
    } else if (word == words::backends) {
        all.emplace_back("cpu");
        for (const char* const kind : {"oracle:", "engine:"}) {
            for (const ane::target t : ane::all_targets) {
                all.push_back(std::string(kind) + std::string(ane::describe(t).runtime));
            }
        }
    } else if (word == words::rules) {
        for (std::size_t i = 0; i < ane::rule_count; ++i) {
            const auto r = static_cast<ane::rule>(i);
            std::string_view facts = ane::record_of(r).fact; // several are separated by blanks
            while (!facts.empty()) {
                const std::size_t blank = facts.find(' ');
                if (blank != 0) {
                    all.emplace_back(facts.substr(0, blank));
                }
                facts.remove_prefix(blank == std::string_view::npos ? facts.size() : blank + 1);
            }
            all.emplace_back(ane::name(r));
        }
    }
    return all;
}

} // namespace command
