#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace ane {

namespace detail {

/// Words without members, each with a mark in its highest bit. g++ 12 leaves zeros out when it mangles a template argument,
/// wherever they stand, and takes {0, 0, 32} and {32, 0, 0} for one: no word may be zero.
inline constexpr std::uint64_t word_mark = std::uint64_t{1} << 63;
template <std::size_t Words>
inline constexpr auto marked_words = [] {
    std::array<std::uint64_t, Words> words{};
    for (std::uint64_t& word : words) {
        word = word_mark;
    }
    return words;
}();

} // namespace detail

/// A set of the enumerators 0 .. Count - 1 of an enumeration; structural, so that it can be a template argument.
template <class Enum, std::size_t Count> struct enum_set {
    static constexpr std::size_t word_size = 63; ///< members in a word
    std::array<std::uint64_t, (Count + word_size - 1) / word_size> words =
        detail::marked_words<(Count + word_size - 1) / word_size>;

    constexpr enum_set() = default;
    constexpr enum_set(std::initializer_list<Enum> members) {
        for (const Enum e : members) {
            insert(e);
        }
    }
    constexpr bool contains(Enum e) const noexcept {
        const auto i = static_cast<std::size_t>(e);
        return ((words[i / word_size] >> (i % word_size)) & 1u) != 0;
    }
    constexpr void insert(Enum e) noexcept {
        const auto i = static_cast<std::size_t>(e);
        words[i / word_size] |= std::uint64_t{1} << (i % word_size);
    }
    constexpr void insert(const enum_set& more) noexcept {
        for (std::size_t i = 0; i < words.size(); ++i) {
            words[i] |= more.words[i];
        }
    }

    /// Every enumerator that satisfies a predicate.
    template <class Predicate> static constexpr enum_set where(Predicate predicate) {
        enum_set s;
        for (std::size_t i = 0; i < Count; ++i) {
            if (predicate(static_cast<Enum>(i))) {
                s.insert(static_cast<Enum>(i));
            }
        }
        return s;
    }

    friend constexpr bool operator==(const enum_set&, const enum_set&) = default;
};

} // namespace ane
