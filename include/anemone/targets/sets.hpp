#pragma once

#include "table.hpp"

#include <bit>
#include <cstdint>
#include <initializer_list>

namespace ane {

static_assert(target_count <= 32, "a target_set has 32 bits");

/// A set of targets: 28 bits. Structural, so that it can be a template argument: `f<target_set{h13, h14}>()`,
/// `f<from<h15>>()`. Iterates in the order of `target`.
struct target_set {
    std::uint32_t bits = 0;

    constexpr target_set() = default;
    constexpr target_set(std::initializer_list<target> targets) {
        for (const target t : targets) {
            insert(t);
        }
    }

    constexpr void insert(target t) noexcept { bits |= std::uint32_t{1} << ordinal(t); }
    constexpr bool contains(target t) const noexcept { return ((bits >> ordinal(t)) & 1u) != 0; }
    constexpr bool empty() const noexcept { return bits == 0; }
    constexpr int size() const noexcept { return std::popcount(bits); }

    struct iterator {
        std::uint32_t rest;
        constexpr target operator*() const noexcept { return static_cast<target>(std::countr_zero(rest)); }
        constexpr iterator& operator++() noexcept {
            rest &= rest - 1;
            return *this;
        }
        friend constexpr bool operator==(iterator, iterator) = default;
    };
    constexpr iterator begin() const noexcept { return {bits}; }
    constexpr iterator end() const noexcept { return {0}; }

    template <class F> constexpr void for_each(F f) const {
        for (const target t : *this) {
            f(t);
        }
    }

    friend constexpr bool operator==(target_set, target_set) = default;
    friend constexpr target_set operator|(target_set a, target_set b) noexcept { return of(a.bits | b.bits); }
    friend constexpr target_set operator&(target_set a, target_set b) noexcept { return of(a.bits & b.bits); }
    friend constexpr target_set operator-(target_set a, target_set b) noexcept { return of(a.bits & ~b.bits); }

private:
    static constexpr target_set of(std::uint32_t bits) noexcept {
        target_set s;
        s.bits = bits;
        return s;
    }
};

/// The targets whose description satisfies `predicate`.
template <class Predicate> constexpr target_set targets_where(Predicate predicate) {
    target_set s;
    for (const target_description& d : target_table) {
        if (predicate(d)) {
            s.insert(d.id);
        }
    }
    return s;
}

inline constexpr target_set all_targets = targets_where([](const target_description&) { return true; });

/// The targets that the MIL route accepts: A13 and later, and M11 (R176).
inline constexpr target_set mil_targets = targets_where([](const target_description& d) { return d.mil_supported; });

/// Every Mac: M1 to M5, base and Pro/Max (guide chapter 34, silicon to target; TC4 decides for h17s), and M6 (TC17).
inline constexpr target_set macs{h13, h13g, h14, h14g, h15, h15g, h16, h16g, h17, h17s, h18};

/// Every target of T's generation or a later one; M11 counts as A15. `from<h13>` is `mil_targets`.
template <target T>
inline constexpr target_set from = targets_where([](const target_description& d) {
    return at_least(d.tier, describe(T).tier);
});

} // namespace ane
