#pragma once

#include "../base/way.hpp"
#include "../graph/graph.hpp"
#include "../values/half.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

/// The numbers of random_uniform.
namespace ane::numerics::inline ANEMONE_WAY {

/// Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011): four random words for a counter and a key, without a state.
constexpr std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                              std::array<std::uint32_t, 2> key) noexcept {
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t a = std::uint64_t{0xD2511F53U} * counter[0];
        const std::uint64_t b = std::uint64_t{0xCD9E8D57U} * counter[2];
        counter = {static_cast<std::uint32_t>(b >> 32U) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
                   static_cast<std::uint32_t>(a >> 32U) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
        key = {key[0] + 0x9E3779B9U, key[1] + 0xBB67AE85U};
    }
    return counter;
}

/// The number of a random_uniform node among those of its graph: the stream that it draws from. Lowering keeps it.
constexpr std::uint32_t random_stream(const graph_view& g, int index) {
    std::uint32_t stream = 0;
    for (int i = 0; i < index; ++i) {
        stream += g[i].kind == op::random_uniform ? 1U : 0U;
    }
    return stream;
}

/// The largest fp16 value that is not above x, which is finite.
ANEMONE_API half rounded_down(double x) noexcept;

/// `count` numbers on [low, high), both fp16: low + (high - low) u, rounded down to fp16, so that each value represents
/// the interval up to the next one. Element i has u = word i mod 4 of philox({i / 4, stream}, {0, 0}) / 2^32. The
/// engine's own generator is not published (inferred); this one gives the same numbers in every run, on every backend
/// and machine. An interval that is empty in fp16 gives low.
ANEMONE_API void fill_uniform(const uniform_range& ends, std::uint32_t stream, half* y, std::int64_t count);

} // namespace ane::numerics::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "random.ipp"
#endif
