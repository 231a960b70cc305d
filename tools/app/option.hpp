#pragma once

#include "front_end.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

/// Options, described once. A use case's structure of options has a `table()`: a row for each member with its name, its
/// meaning and its limits. The command's arguments, help, completions and manual, the checks of the C interface and the
/// conversions of Python's keywords walk it; the comments of anemone.h, the methods of Python and their documentation are
/// written from it (tests/python/options.py).
namespace app {

/// What values of options stand for, as the command's help calls them; completions and the manual follow it.
namespace words {
inline constexpr std::string_view file = "FILE";
inline constexpr std::string_view targets = "TARGETS"; ///< several, with commas and ranges
inline constexpr std::string_view target = "TARGET";
inline constexpr std::string_view reference = "REFERENCE"; ///< cpu or TARGET
inline constexpr std::string_view backends = "BACKENDS";   ///< cpu, oracle:TARGET, engine:TARGET
inline constexpr std::string_view rules = "RULES";
inline constexpr std::string_view bytes = "BYTES"; ///< a number, "64MB" too
} // namespace words

/// What an option is called and what it means.
struct description {
    std::string_view name;    ///< "most_loss": Python's keyword, C's member and, with dashes, the command's option
    std::string_view text;    ///< what it means, without a full stop: "The largest relative error of the outputs"
    texts named{};            ///< what a front end calls it instead: "shape", of which the command takes one at a time
    texts instead{};          ///< what it means there, where values are of another kind
    texts written{};          ///< how a value is written there, which follows the text: "x=1,3,224,224"
    texts left_out{};         ///< why a front end has no such option
    char letter = '\0';       ///< of the command
    std::string_view word{};  ///< of `words`, where the value is one
    double command_unit = 1;  ///< how much the command's 1 is: 1e-3 for milliseconds of what is otherwise seconds
    bool with_commas = false; ///< the command takes several values in one argument: "R030,R031"
    bool takes_one = false;   ///< the command takes one argument behind it, and not several
    bool is_plural = false;   ///< "calls: are 0"
    bool is_required = false; ///< it has no default
    bool is_argument_in_c = false; ///< of the function itself, and no member of its structure

    constexpr std::string_view name_in(front_end by) const {
        const std::string_view own = named.of(by);
        return own.empty() ? name : own;
    }
    constexpr std::string_view text_in(front_end by) const {
        const std::string_view own = instead.of(by);
        return own.empty() ? text : own;
    }
    constexpr bool is_in(front_end by) const { return left_out.of(by).empty(); }
};

/// What is in a number that may be left out; otherwise the value itself.
template <class Value> struct number_in { using type = Value; };
template <class Value> struct number_in<std::optional<Value>> { using type = Value; };

template <class Value>
inline constexpr bool is_number =
    std::is_arithmetic_v<typename number_in<Value>::type> && !std::is_same_v<typename number_in<Value>::type, bool>;

/// What a number may be: by default all of its type, but neither infinite nor NaN. Anything else has no limits.
template <class Value, bool = is_number<Value>> struct limits {};
template <class Value> struct limits<Value, true> {
    using number = typename number_in<Value>::type;
    number least = std::numeric_limits<number>::lowest();
    number most = std::numeric_limits<number>::max();

    constexpr bool holds(number value) const { return value >= least && value <= most; }
    friend constexpr bool operator==(const limits&, const limits&) = default;
};

/// A word, and the value of an enumeration that it means.
template <class Enum> struct named_value {
    std::string_view name;
    Enum value;
};

/// The words of an enumeration, which an option of its type takes: specialised beside the structure that has one.
template <class Enum> inline constexpr std::array<named_value<Enum>, 0> words_of{};

template <class Enum> constexpr std::string_view word_of(Enum value) {
    for (const named_value<Enum>& each : words_of<Enum>) {
        if (each.value == value) {
            return each.name;
        }
    }
    return {};
}

/// A row: a member of a structure, and what there is to know of it.
template <class Of, class Value> struct option {
    Value Of::*member;
    description is;
    limits<Value> within;

    constexpr option(Value Of::*of, const description& what, const limits<Value>& allowed = {})
        : member(of), is(what), within(allowed) {}
};

/// A row without a member: what a front end reads in its own way and hands over beside the structure.
struct given_apart {
    description is;
};

/// Where a front end has the use case: a subcommand ("compress"), the structure that C fills ("anemone_compressing"), a
/// method of Python ("Model.compress"). Empty: it has no such use case.
template <class... Rows> struct option_table {
    texts place;
    std::tuple<Rows...> rows;

    constexpr explicit option_table(const texts& where, Rows... all) : place(where), rows(std::move(all)...) {}
};

/// Calls `visit` with each row of a structure's table.
template <class Options, class Visit> constexpr void each_option(Visit&& visit) {
    constexpr auto table = Options::table();
    std::apply([&](const auto&... row) { (visit(row), ...); }, table.rows);
}

/// The row of a member.
template <class Of, class Value> constexpr option<Of, Value> row_of(Value Of::*member) {
    option<Of, Value> found(member, {});
    each_option<Of>([&](const auto& row) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(row)>, option<Of, Value>>) {
            if (row.member == member) {
                found = row;
            }
        }
    });
    return found;
}

} // namespace app
