#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

namespace ane {

namespace detail {

/// The last part of a path.
constexpr std::string_view base_name(std::string_view path) {
    const std::size_t slash = path.find_last_of('/');
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

} // namespace detail

/// A string as a template argument: structural, compared by value.
template <std::size_t Size> struct fixed_string {
    char characters[Size]{};

    constexpr fixed_string(const char (&literal)[Size]) { // NOLINT(google-explicit-constructor): a literal is the value
        for (std::size_t i = 0; i < Size; ++i) {
            characters[i] = literal[i];
        }
    }
    /// The first characters of a longer text.
    constexpr explicit fixed_string(const char* text) {
        for (std::size_t i = 0; i + 1 < Size; ++i) {
            characters[i] = text[i];
        }
        characters[Size - 1] = '\0'; // written explicitly: otherwise clang prints character codes instead of text
    }
    constexpr std::string_view view() const { return {characters, Size - 1}; }
};

/// A text that compilers print as text. clang before 16 shows a string among template arguments as character codes, but
/// characters one by one as they are; g++ and later clang show the string (measured with g++ 12, clang 14 and 16).
#if defined(__clang__) && __clang_major__ < 16
template <char...> struct spelled {};
namespace detail {
template <fixed_string Text, std::size_t... I> constexpr auto spell(std::index_sequence<I...>) {
    return spelled<Text.characters[I]...>{};
}
} // namespace detail
template <fixed_string Text>
using named = decltype(detail::spell<Text>(std::make_index_sequence<Text.view().size()>{}));
#else
template <fixed_string> struct named {};
#endif

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
