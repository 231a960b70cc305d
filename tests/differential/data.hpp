#pragma once

#include "../backend/composer.hpp"

#include <cstdint>
#include <span>

/// Inputs and weights for random graphs.
namespace differential {

using namespace ane;

/// What the inputs hold besides ordinary numbers.
enum class flavour : std::uint8_t {
    ordinary,
    rare_specials, ///< an infinity, NaN, subnormal or extreme value here and there
    specials,      ///< many of them
    extremes,      ///< finite ones only: zeros, subnormals, values at the ceilings and at the ends of fp16
    flat,          ///< one number everywhere: no variance, nothing but ties
};

inline half special(composing::random_engine& random, bool finite) {
    static constexpr std::uint16_t patterns[] = {
        0x0000, 0x8000, 0x0001, 0x83FF, 0x03FF, 0x0400, // zeros, subnormals, the smallest normal one
        0x7BFF, 0xFBFF, 0x7800, 0xF800, 0x77FF, 0xF7FF, // 65504, 32768 and the one below
        0x6BFF, 0x6C00, 0x6800, 0x5C00, 0x3C01,         // 4094, 4096, 2048, 256, the one above 1
        0x7C00, 0xFC00, 0x7E00};                        // infinities, NaN
    return half::from_bits(patterns[composing::below(random, finite ? 17 : 20)]);
}

inline composing::port_memory inputs_of(const graph_view& g, composing::random_engine& random, flavour style) {
    std::vector<std::size_t> sizes;
    for (const node& n : g.nodes) {
        if (n.kind == op::input) {
            sizes.push_back(composing::port_bytes(n));
        }
    }
    composing::port_memory memory(sizes);
    std::size_t port = 0;
    for (const node& n : g.nodes) {
        if (n.kind != op::input) {
            continue;
        }
        if (n.type != dtype::f16) {
            for (std::byte& b : memory.bytes[port]) {
                b = static_cast<std::byte>(random() & 0xFFU);
            }
        } else {
            const int one_in = style == flavour::rare_specials ? 60 : 8;
            const half everywhere(composing::uniform(random, -3, 3));
            for (half& h : memory.halves(port)) {
                if (style == flavour::flat) {
                    h = everywhere;
                    continue;
                }
                h = style != flavour::ordinary && composing::below(random, one_in) == 0
                        ? special(random, style == flavour::extremes)
                        : half(composing::uniform(random, -3, 3));
            }
        }
        ++port;
    }
    return memory;
}

/// Weights between -1 and 1, some of them zero; those of names that begin with "positive." between 0.2 and 2.
inline weight_store weights_of(const graph_view& g, composing::random_engine& random) {
    weight_store store;
    for (int i = 0; i < g.size(); ++i) {
        if (g[i].kind != op::weight) {
            continue;
        }
        const bool positive = g.name(i).substr(0, 9) == "positive.";
        std::vector<half> values(static_cast<std::size_t>(g[i].shape.count()));
        for (half& h : values) {
            h = positive                            ? half(composing::uniform(random, 0.2, 2))
                : composing::below(random, 12) == 0 ? half(0)
                                                    : half(composing::uniform(random, -1, 1));
        }
        store.add(std::string(g.name(i)), g[i].shape, std::span<const half>(values));
    }
    return store;
}

} // namespace differential
