#include "option_arguments.hpp"

#include "../app/backends.hpp"
#include "../app/rule_names.hpp"
#include "../app/target_names.hpp"

namespace command {

namespace detail {

const CLI::Option* option_named(const CLI::App& app, const std::string& name) {
    for (const CLI::Option* const each : app.get_options()) {
        if (each->check_name(name)) {
            return each;
        }
    }
    return nullptr;
}

std::string names_of(const app::description& option) {
    const std::string name = app::spelled(option, app::front_end::command);
    return option.letter == '\0' ? name : fmt::format("-{},{}", option.letter, name);
}

std::string type_text(const char* kind, const app::allowed_numbers& allowed) {
    return allowed.most.empty() ? fmt::format("{} in [{} - inf)", kind, allowed.least)
                                : fmt::format("{} in [{} - {}]", kind, allowed.least, allowed.most);
}

namespace {

/// Refuses a name where it is parsed: before any file is read.
void require_name(std::string_view word, const std::string& name) {
    if (word == app::words::target) {
        app::target_named(name);
    } else if (word == app::words::reference && name != "cpu" && name != "f64") {
        app::target_named(name);
    } else if (word == app::words::targets && !name.empty()) {
        app::targets_named(name);
    } else if (word == app::words::rules) {
        app::rules_named(name);
    } else if (word == app::words::backends) {
        app::backend_named(name);
    }
}

} // namespace

void describe(CLI::Option& added, const app::description& option) {
    if (!option.word.empty()) {
        added.type_name(std::string(option.word));
        added.check([word = option.word](const std::string& name) {
            require_name(word, name);
            return std::string();
        });
    }
    if (option.with_commas) {
        added.delimiter(',');
    }
    if (option.takes_one) {
        added.allow_extra_args(false);
    }
}

void add_texts(CLI::App& sub, const app::description& option, std::vector<std::string>& given) {
    const std::string text(option.text_in(app::front_end::command));
    const std::string_view written = option.written.command;
    CLI::Option* const added =
        sub.add_option(names_of(option), given, written.empty() ? text : fmt::format("{}: {}", text, written));
    describe(*added, option);
    if (!given.empty()) {
        added->capture_default_str();
    }
}

} // namespace detail

namespace {

/// CLI::App::get_option ends the program where there is no memory: it takes some in a function that must not throw.
CLI::Option* option_called(CLI::App& sub, const std::string& name) {
    for (CLI::Option* const each : sub.get_options([](CLI::Option*) { return true; })) {
        if (each->check_name(name)) {
            return each;
        }
    }
    throw CLI::OptionNotFound(name);
}

} // namespace

void exclude(CLI::App& sub, const char* one, const char* other) {
    option_called(sub, one)->excludes(option_called(sub, other));
}

} // namespace command
