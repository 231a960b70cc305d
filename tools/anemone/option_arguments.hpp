#pragma once

#include "../app/option_faults.hpp"
#include "../app/reading.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// Options of use cases as arguments of subcommands: what their tables say, as the parser takes it.
namespace command {

/// An option that the command reads in its own way, from texts: ranges, files of arrays.
using own_texts = std::pair<std::string_view, std::vector<std::string>*>;

namespace detail {

/// The option of a name, "--seed"; nullptr where a subcommand has none. CLI11's own search ends the program where there is
/// no memory.
const CLI::Option* option_named(const CLI::App& app, const std::string& name);

/// "-t,--target"
std::string names_of(const app::description& option);

/// "INT in [1 - 100000]"
std::string type_text(const char* kind, const app::allowed_numbers& allowed);

/// What several values, or a text, have in common.
void describe(CLI::Option& added, const app::description& option);

void add_texts(CLI::App& sub, const app::description& option, std::vector<std::string>& given);

template <class Of> class option_adder {
public:
    option_adder(CLI::App& sub, Of& given, std::initializer_list<own_texts> own)
        : sub_(sub), given_(given), own_(own) {}

    void operator()(const app::given_apart& row) const { add_own(row.is); }

    template <class Value> void operator()(const app::option<Of, Value>& row) const {
        const bool is_taken = // by an option of the subcommand itself: `draw --weights` draws them, and runs nothing
            option_named(sub_, "--" + std::string(row.is.name_in(app::front_end::command))) != nullptr;
        if (!row.is.is_in(app::front_end::command) || is_taken) {
            return;
        }
        const std::string names = names_of(row.is);
        const std::string text(row.is.text_in(app::front_end::command));
        Value& value = given_.*row.member;
        if constexpr (std::is_same_v<Value, bool>) {
            sub_.add_flag(names, value, text);
        } else if constexpr (app::is_number<Value>) {
            add_number(row, names, text);
        } else if constexpr (std::is_enum_v<Value>) {
            add_word(row, names, text);
        } else if constexpr (std::is_same_v<Value, std::string>) {
            describe(*sub_.add_option(names, value, text)->capture_default_str(), row.is);
        } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
            add_texts(sub_, row.is, value);
        } else if constexpr (std::is_same_v<Value, std::vector<int>>) {
            describe(*sub_.add_option(names, value, text), row.is);
        } else {
            add_own(row.is);
        }
    }

private:
    void add_own(const app::description& option) const {
        for (const auto& [name, texts] : own_) {
            if (name == option.name) {
                add_texts(sub_, option, *texts);
                return;
            }
        }
        throw CLI::IncorrectConstruction("no texts for " + std::string(option.name));
    }

    template <class Value>
    void add_number(const app::option<Of, Value>& row, const std::string& names, const std::string& text) const {
        using number = typename app::limits<Value>::number;
        const auto take = [row, &given = given_](const number& n) {
            number value = n;
            if constexpr (std::is_floating_point_v<number>) {
                value = row.is.command_unit == 1 ? n : n * row.is.command_unit;
            }
            app::require(row, value, app::front_end::command);
            given.*row.member = value;
        };
        CLI::Option* const added = sub_.add_option_function<number>(names, take, text);
        if constexpr (std::is_unsigned_v<number>) {
            added->check([row](const std::string& given) { // which the parser would take modulo 2^64
                if (given.starts_with('-')) {
                    app::refuse_number(row.is, app::front_end::command, given,
                                       app::allowed_in(row, app::front_end::command));
                }
                return std::string();
            });
        }
        const char* const kind = std::is_floating_point_v<number> ? "FLOAT" : std::is_signed_v<number> ? "INT" : "UINT";
        if (row.is.word == app::words::bytes) {
            added->transform(CLI::AsSizeValue(false));
        } else if (row.within != app::limits<Value>{}) {
            added->type_name(type_text(kind, app::allowed_in(row, app::front_end::command)));
        }
        if constexpr (std::is_same_v<number, Value>) {
            added->default_str(app::shown(row, given_.*row.member, app::front_end::command));
        }
    }

    template <class Enum>
    void add_word(const app::option<Of, Enum>& row, const std::string& names, const std::string& text) const {
        const auto take = [row, &given = given_](const std::string& word) {
            given.*row.member = app::value_named(row, word, app::front_end::command);
        };
        CLI::Option* const added = sub_.add_option_function<std::string>(names, take, text);
        std::string words;
        for (const app::named_value<Enum>& each : app::words_of<Enum>) {
            words.append(words.empty() ? "" : ",").append(each.name);
        }
        added->type_name("TEXT:{" + words + "}");
        if (row.is.is_required) {
            added->required();
        } else {
            added->default_str(std::string(app::word_of(given_.*row.member)));
        }
    }

    CLI::App& sub_;
    Of& given_;
    std::initializer_list<own_texts> own_;
};

} // namespace detail

/// Adds the options of a use case to a subcommand; `given`, which has the defaults, lives as long as it. Wrong values are
/// refused where they are parsed, in the sentences of every front end.
template <class Options> void add_options(CLI::App& sub, Options& given, std::initializer_list<own_texts> own = {}) {
    app::each_option<Options>(detail::option_adder<Options>(sub, given, own));
}

/// Of two options of a subcommand only one can be given.
void exclude(CLI::App& sub, const char* one, const char* other);

} // namespace command
