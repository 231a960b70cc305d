#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace ane {

/// A set of the enumerators 0 .. Count - 1 of an enumeration; structural, so that it can be a template argument.
template <class Enum, std::size_t Count> struct enum_set {
    std::array<std::uint64_t, (Count + 63) / 64> words{};

    constexpr enum_set() = default;
    constexpr enum_set(std::initializer_list<Enum> members) {
        for (const Enum e : members) {
            insert(e);
        }
    }
    constexpr bool contains(Enum e) const noexcept {
        const auto i = static_cast<std::size_t>(e);
        return ((words[i / 64] >> (i % 64)) & 1u) != 0;
    }
    constexpr void insert(Enum e) noexcept {
        const auto i = static_cast<std::size_t>(e);
        words[i / 64] |= std::uint64_t{1} << (i % 64);
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
