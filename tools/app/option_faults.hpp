#pragma once

#include "option.hpp"
#include <anemone/base/error.hpp>

#include <fmt/format.h>

#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

/// What is said of an option's value that cannot be: the same in every front end, but for the option's name.
namespace app {

/// "--most-loss" for the command, "most_loss" for others.
std::string spelled(const description& option, front_end by);
template <class Of, class Value> std::string spelled(Value Of::*member, front_end by) {
    return spelled(row_of(member).is, by);
}

/// "size or time", "any, mil or netplist"
std::string alternatives(std::span<const std::string_view> words);

/// What a number may be, as text.
struct allowed_numbers {
    std::string least;
    std::string most; ///< empty: there is no upper limit
};

/// Throws `ane::error` (errc::argument): "calls: are 0, allowed are 1 to 100000".
[[noreturn]] void refuse_number(const description& option, front_end by, const std::string& shown,
                                const allowed_numbers& allowed);
/// Throws `ane::error` (errc::argument): "goal 'speed': must be size or time".
[[noreturn]] void refuse_word(const description& option, front_end by, std::string_view word,
                              std::span<const std::string_view> allowed);

/// A number as a front end's user has it: in the command's unit for the command.
template <class Of, class Value>
std::string shown(const option<Of, Value>& row, const typename limits<Value>::number& value, front_end by) {
    if (by == front_end::command && row.is.command_unit != 1) {
        return fmt::format("{}", static_cast<double>(value) / row.is.command_unit);
    }
    return fmt::format("{}", value);
}

/// The limits of a number as a front end counts: where a number may be left out, which the command does by saying
/// nothing, 0 says so in others.
template <class Of, class Value> allowed_numbers allowed_in(const option<Of, Value>& row, front_end by) {
    using number = typename limits<Value>::number;
    const bool zero_is_none = !std::is_same_v<number, Value> && by != front_end::command;
    const bool is_bounded = std::is_integral_v<number> || row.within.most < std::numeric_limits<number>::max();
    return {shown(row, zero_is_none ? number{} : row.within.least, by),
            is_bounded ? shown(row, row.within.most, by) : ""};
}

/// Throws `ane::error` (errc::argument) for a number outside its limits.
template <class Of, class Value>
void require(const option<Of, Value>& row, const typename limits<Value>::number& value, front_end by) {
    if (!row.within.holds(value)) {
        refuse_number(row.is, by, shown(row, value, by), allowed_in(row, by));
    }
}

/// The value of a word. Throws `ane::error` (errc::argument) for an unknown one.
template <class Of, class Enum> Enum value_named(const option<Of, Enum>& row, std::string_view word, front_end by) {
    std::vector<std::string_view> all;
    for (const named_value<Enum>& each : words_of<Enum>) {
        if (each.name == word) {
            return each.value;
        }
        all.push_back(each.name);
    }
    refuse_word(row.is, by, word, all);
}

/// Throws `ane::error` (errc::argument) for the first number that is outside its limits: what every use case does first.
template <class Options> void require_limits(const Options& given, front_end by) {
    each_option<Options>([&](const auto& row) {
        if constexpr (requires { row.within.least; }) {
            const auto& value = given.*row.member;
            if constexpr (requires { value.has_value(); }) {
                if (value) {
                    require(row, *value, by);
                }
            } else {
                require(row, value, by);
            }
        }
    });
}

} // namespace app
