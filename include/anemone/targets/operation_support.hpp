#pragma once

#include "target.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ane {

/// How a program reaches the engine's compiler. Some operations are accepted, and some rules hold, on one route only.
enum class compile_route : std::uint8_t { any, mil, netplist };

/// How an operation is found on one generation of Macs.
enum class availability : std::uint8_t {
    native, ///< an instruction or a lowering of the engine's compiler
    bridge, ///< as a layer of the netplist, or folded into another operation
    gated,  ///< from a later generation on
    none    ///< nowhere
};

constexpr std::string_view name(availability a) noexcept {
    constexpr std::string_view names[] = {"native", "bridge", "gated", "none"};
    return names[static_cast<std::size_t>(a)];
}

/// The five generations of Macs that the appendix lists: M1 (A13) to M5 (A17).
inline constexpr std::size_t mac_generations = 5;

/// How far the engine has an operation (guide appendices A and B, chapter 35; the operator sweep of ANEForge). Each says
/// so in the catalogue (catalogue). Where the sources disagree (docs/conflicts.md) the floor is the later
/// generation, and the route the one that was run: OC1 top-k, OC2 cumsum, OC9 argmax, OC10 slice_update, OC11 gather,
/// OC12 crop_resize, OC14 random, OC17 resize.
struct operation_support {
    const char* fact; ///< the operation's name in the sources; "" where they have it as a layer of the netplist only,
                      ///< or refuse it and it is made of others here
    family floor; ///< the first generation that has it: `older` stands for all (F0), a13 for F2, a14 for F3, a15 for F4
    const char* status;                       ///< one letter for each of M1 to M5: native, bridge, gated, none
    compile_route route = compile_route::any; ///< the one route that takes it
    const char* route_fact = "";              ///< why

    constexpr availability on(std::size_t generation) const {
        switch (status[generation]) {
        case 'n': return availability::native;
        case 'b': return availability::bridge;
        case 'g': return availability::gated;
        default: return availability::none;
        }
    }
};

} // namespace ane
