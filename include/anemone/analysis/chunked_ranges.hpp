#pragma once

#include "ranges.hpp"

#include <array>
#include <cstddef>
#include <utility>

/// The ranges of a constexpr model, computed in pieces: compilers bound the steps of each constant expression, not
/// their number.
namespace ane::detail {

inline constexpr std::size_t ranges_chunk_size = 512;

/// Ranges of nodes [Chunk * size, ...); those of earlier chunks are constants of their own.
template <const auto& Model, std::size_t Chunk> struct ranges_chunk {
    static constexpr std::size_t first = Chunk * ranges_chunk_size;
    static constexpr std::size_t nodes = Model.nodes.size();
    static constexpr std::size_t count = nodes - first < ranges_chunk_size ? nodes - first : ranges_chunk_size;

    template <std::size_t... Earlier>
    static constexpr std::array<interval, count> compute(std::index_sequence<Earlier...>) {
        const interval* const before[] = {ranges_chunk<Model, Earlier>::value.data()..., nullptr};
        std::array<interval, count> mine{};
        interval* const here = mine.data();
        extend_ranges(
            Model, static_cast<int>(first), static_cast<int>(first + count),
            [&](int i) -> const interval& {
                const auto at = static_cast<std::size_t>(i);
                return at >= first ? here[at - first] : before[at / ranges_chunk_size][at % ranges_chunk_size];
            },
            [&](int i, const interval& range) { here[static_cast<std::size_t>(i) - first] = range; });
        return mine;
    }
    static constexpr std::array<interval, count> value = compute(std::make_index_sequence<Chunk>{});
};

/// All of them in one array.
template <const auto& Model> struct model_ranges {
    static constexpr std::size_t count = Model.nodes.size();

    template <std::size_t... Chunk> static constexpr std::array<interval, count> join(std::index_sequence<Chunk...>) {
        const interval* const pieces[] = {ranges_chunk<Model, Chunk>::value.data()..., nullptr};
        std::array<interval, count> all{};
        interval* const to = all.data();
        std::size_t at = 0;
        for (std::size_t chunk = 0; at < count; ++chunk) {
            const interval* const from = pieces[chunk];
            for (std::size_t k = 0; k < ranges_chunk_size && at < count; ++k) {
                to[at++] = from[k];
            }
        }
        return all;
    }
    static constexpr std::array<interval, count> value =
        join(std::make_index_sequence<(count + ranges_chunk_size - 1) / ranges_chunk_size>{});
};

} // namespace ane::detail
