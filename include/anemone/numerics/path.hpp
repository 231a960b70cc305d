#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

/// Which arithmetic of the engine an operation uses; each says so in the catalogue (catalogue).
namespace ane::numerics {

enum class arithmetic_path : std::uint8_t {
    multiply_accumulate, ///< accumulator.hpp
    reduction,           ///< reduction.hpp
    elementwise,         ///< elementwise.hpp: one fp16 rounding, or a comparison
    table,               ///< activation.hpp
    composed,            ///< steps of several other paths, one after another
    movement             ///< values pass unchanged, except for the gains of movement.hpp
};

constexpr std::string_view name(arithmetic_path path) noexcept {
    constexpr std::string_view names[] = {
        "multiply-accumulate", "reduction", "elementwise", "table", "composed", "movement"};
    return names[static_cast<std::size_t>(path)];
}

/// How a statement about the arithmetic is known.
enum class evidence : std::uint8_t { measured, decompiled, inferred, conflicting };

constexpr std::string_view name(evidence e) noexcept {
    constexpr std::string_view names[] = {"measured", "decompiled", "inferred", "conflicting"};
    return names[static_cast<std::size_t>(e)];
}

/// The arithmetic of an operation, and how it is known: facts by their ids (N040), sweeps by their chip (M5).
struct engine_path {
    arithmetic_path path;
    evidence known;
    std::string_view source; ///< "" if the operation has no arithmetic of its own
};

} // namespace ane::numerics
