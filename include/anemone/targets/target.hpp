#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ane {

/// The 28 architectures that the engine's compiler can build for, one per silicon profile (guide chapter 34). The
/// letter after the number is the size of the die: none 4 cores, g 8, s 16, c 32, d 64. u1..u3 are validation profiles,
/// not silicon. Passes, rules and emitters take one as a template argument; a user's own device is a
/// `target_description` (table.hpp).
// clang-format off
enum class target : std::uint8_t {
    h11, h12, m9, t0,              // before A13: no MIL
    h13, h13g, t1,                 // A13, M1
    h14, h14g, h14c,               // A14, M2
    h15, h15g, h15c,               // A15, M3
    h16, h16g, h16s, h16c,         // A16, M4
    h17, h17a, h17g, h17s, h17c, h17d, // A17, M5
    h18,                           // A18, M6
    m11,                           // small embedded engine
    u1, u2, u3                     // reference
};
// clang-format on

// ane::h13 and so on. Enumerators rather than constants, so that a local variable `t0` shadows nothing.
using enum target;

inline constexpr std::size_t target_count = static_cast<std::size_t>(target::u3) + 1;

constexpr std::size_t ordinal(target t) noexcept { return static_cast<std::size_t>(t); }

/// Capability tier of a target (guide chapter 34, table of tiers). Contradictions TC2 and TC3: the compiler's own
/// family number puts h16* at A15 and h17 (all but h17s) at A16; the tier follows the capability bytes and limits, as
/// the guide's prose and ANEForge do. The compiler's number is kept in `target_description::compiler_family`.
enum class family : std::uint8_t { older, a13, a14, a15, a16, a17, a18, small, reference };

namespace detail {
/// Place in the order of generations. M11 has the flags of A16 and the limits of A13; ANEForge gates it as A15 (tier
/// 4), the lower reading of its flags. The reference profiles have no tier at all: they sort below everything.
constexpr int generation_rank(family f) noexcept {
    switch (f) {
    case family::reference: return 0;
    case family::older: return 1;
    case family::a13: return 2;
    case family::a14: return 3;
    case family::a15:
    case family::small: return 4;
    case family::a16: return 5;
    case family::a17: return 6;
    case family::a18: return 7;
    }
    return 0;
}
} // namespace detail

/// True where an operation that is native from `floor` upward is native on `f`. `small` counts as A15 on both sides;
/// `reference` reaches no floor but its own.
constexpr bool at_least(family f, family floor) noexcept {
    return detail::generation_rank(f) >= detail::generation_rank(floor);
}

/// The tier index that the operation floors are written in: 1 older, 2 A13, 3 A14, 4 A15 (and M11), 5 A16 and later;
/// 0 for the reference profiles, which have none. "ANE family 2" in the compiler's messages is this number.
constexpr int generation_tier(family f) noexcept {
    const int r = detail::generation_rank(f);
    return r < 5 ? r : 5;
}

constexpr std::string_view name(family f) noexcept {
    constexpr std::string_view names[] = {"older", "A13", "A14", "A15", "A16", "A17", "A18", "small", "reference"};
    return names[static_cast<std::size_t>(f)];
}

/// How a figure is known. The three are kept apart everywhere.
enum class mark : std::uint8_t {
    measured,   ///< run on the named silicon
    decompiled, ///< read from the compiler's or the firmware's binary
    predicted   ///< from a model, or carried over from another generation
};

constexpr std::string_view name(mark m) noexcept {
    constexpr std::string_view names[] = {"measured", "decompiled", "predicted"};
    return names[static_cast<std::size_t>(m)];
}

} // namespace ane
