#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

namespace ane {

/// A string as a template argument: structural, compared by value.
template <std::size_t Size> struct fixed_string {
    char characters[Size]{};

    constexpr fixed_string(const char (&literal)[Size]) { // NOLINT(google-explicit-constructor): a literal is the value
        for (std::size_t i = 0; i < Size; ++i) {
            characters[i] = literal[i];
        }
    }
    constexpr std::string_view view() const { return {characters, Size - 1}; }
};

/// A value bound to the port called `Name`: what `"image"_s = x` makes.
template <fixed_string Name, class Value> struct binding { const Value& value; };

/// The name of a port or a weight. `"image"_s` is one; it converts to a string view and binds values by assignment.
template <fixed_string Name> struct port_name {
    static constexpr std::string_view view() { return Name.view(); }
    constexpr operator std::string_view() const { return Name.view(); } // NOLINT(google-explicit-constructor)

    template <class Value> constexpr binding<Name, Value> operator=(const Value& value) const { return {value}; }
};

inline namespace literals {
template <fixed_string Name> constexpr port_name<Name> operator""_s() { return {}; }
} // namespace literals

} // namespace ane
