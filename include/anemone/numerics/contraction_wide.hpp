#pragma once

#include "../base/way.hpp"
#include "accumulator.hpp"
#include "contraction_tile.hpp"

#include <bit>
#include <cstdint>
#include <cstring>

/// Sums of products near the ceiling, or of products too large for the loops of contraction_tile.hpp: every partial sum
/// is seen, in vectors of doubles.
namespace ane::numerics::detail::inline ANEMONE_WAY {

/// Products between two looks at the largest and the smallest partial sum.
inline constexpr std::int64_t wide_depth = 64;

/// A double of this size plus a sum: its last bit counts units, so that adding a product to it rounds the product.
inline constexpr double unit_grid = 0x1.8p52;
/// What makes a tie no longer a tie, and no other product cross one: half to even becomes half away.
inline constexpr double beyond_tie = 1.0 + 0x1p-50;
/// The ceiling in units of 2^-16.
inline constexpr double sum_ceiling = 0x1p31;

template <int Width> struct wide_vectors;
// NOLINTBEGIN(modernize-use-using): g++ takes the attribute on a typedef
template <> struct wide_vectors<4> {
    typedef double real __attribute__((vector_size(16)));
    typedef std::int64_t whole __attribute__((vector_size(16)));
    typedef float narrow_real __attribute__((vector_size(8)));
    typedef std::int32_t narrow_whole __attribute__((vector_size(8)));
};
template <> struct wide_vectors<8> {
    typedef double real __attribute__((vector_size(32)));
    typedef std::int64_t whole __attribute__((vector_size(32)));
    typedef float narrow_real __attribute__((vector_size(16)));
    typedef std::int32_t narrow_whole __attribute__((vector_size(16)));
};
template <> struct wide_vectors<16> {
    typedef double real __attribute__((vector_size(64)));
    typedef std::int64_t whole __attribute__((vector_size(64)));
    typedef float narrow_real __attribute__((vector_size(32)));
    typedef std::int32_t narrow_whole __attribute__((vector_size(32)));
};
// NOLINTEND(modernize-use-using)

/// Operands of at most wide_depth products as add_wide_rows reads them: those of the rows, and a stretch of the panel.
template <int Width> struct wide_operands {
    static constexpr int vectors = Width == 16 ? 2 : 1;
    static constexpr int stretch = vectors * Width / 2;

    double scaled[wide_depth][tile_rows]; ///< in units of 2^-16
    double floors[wide_depth][tile_rows]; ///< 0 for an operand of 0, whose products are 0 anyway
    double right[wide_depth][stretch];    ///< times beyond_tie, which changes no comparison with a floor
    double highest_floor;                 ///< if no number of the right is smaller but 0, every product counts
};

/// The first partial sum that reaches the ceiling: its sign, or 0 if there is none.
template <int Width>
ANEMONE_CPU_INLINE std::int32_t first_overflow(std::int32_t start, std::int64_t depth, const wide_operands<Width>& from,
                                               int row, int column) {
    double sum = unit_grid + start;
    for (std::int64_t i = 0; i < depth; ++i) {
        const double b = from.right[i][column];
        if ((b < 0 ? -b : b) >= from.floors[i][row]) {
            sum += b * from.scaled[i][row];
        }
        if (sum >= unit_grid + sum_ceiling || sum <= unit_grid - sum_ceiling) {
            return sum < unit_grid ? -1 : 1;
        }
    }
    return 0;
}

/// Adds products to the sums of a stretch of `Rows` rows from `row` on; `sums` and `over` are those of its first output.
///
/// A product of two fp16 values has 22 significant bits. `beyond_tie` moves it by less than the last of them, the
/// addition to `unit_grid` rounds it to a unit, and the sum stays exact: 2^50, the largest product, is far below the
/// grid. Only a product from 2^47 on is moved by as much as a unit, and it reaches the ceiling whatever the sum was.
template <int Width, int Rows, bool Gated>
ANEMONE_CPU_INLINE void add_wide_rows(std::int64_t depth, const wide_operands<Width>& from, int row,
                                      std::uint32_t* sums, std::int32_t* over) {
    using v = wide_vectors<Width>;
    constexpr int lanes = Width / 2;
    constexpr int vectors = wide_operands<Width>::vectors;
    const auto grid_bits = std::bit_cast<std::int64_t>(unit_grid);
    typename v::real sum[Rows][vectors];
    typename v::real low[Rows][vectors];
    typename v::real high[Rows][vectors];
#pragma GCC unroll 4
    for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 2
        for (int k = 0; k < vectors; ++k) {
            typename v::narrow_whole units;
            std::memcpy(&units, sums + r * panel_lanes + k * lanes, sizeof units);
            sum[r][k] =
                reinterpret_cast<typename v::real>(__builtin_convertvector(units, typename v::whole) + grid_bits);
            low[r][k] = sum[r][k];
            high[r][k] = sum[r][k];
        }
    }
    for (std::int64_t i = 0; i < depth; ++i) {
        typename v::real b[vectors];
        typename v::real magnitude[vectors];
#pragma GCC unroll 2
        for (int k = 0; k < vectors; ++k) {
            std::memcpy(&b[k], &from.right[i][k * lanes], sizeof b[k]);
            magnitude[k] =
                reinterpret_cast<typename v::real>(reinterpret_cast<typename v::whole>(b[k]) & 0x7FFFFFFFFFFFFFFF);
        }
#pragma GCC unroll 4
        for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 2
            for (int k = 0; k < vectors; ++k) {
                if constexpr (Gated) {
                    const typename v::real floor = from.floors[i][row + r] - typename v::real{};
                    const typename v::whole counts = magnitude[k] >= floor;
                    const auto counted =
                        reinterpret_cast<typename v::real>(reinterpret_cast<typename v::whole>(b[k]) & counts);
                    sum[r][k] += counted * from.scaled[i][row + r];
                } else {
                    sum[r][k] += b[k] * from.scaled[i][row + r];
                }
                low[r][k] = sum[r][k] < low[r][k] ? sum[r][k] : low[r][k];
                high[r][k] = sum[r][k] > high[r][k] ? sum[r][k] : high[r][k];
            }
        }
    }
    // Negative where a sum was at the ceiling: differences, for g++ 12 splits combined 512-bit comparisons.
    typename v::whole any{};
#pragma GCC unroll 4
    for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 2
        for (int k = 0; k < vectors; ++k) {
            low[r][k] = low[r][k] - (unit_grid - sum_ceiling + 1);
            high[r][k] = (unit_grid + sum_ceiling - 1) - high[r][k];
            any |= reinterpret_cast<typename v::whole>(low[r][k]) | reinterpret_cast<typename v::whole>(high[r][k]);
        }
    }
    std::int64_t flags[lanes];
    std::memcpy(flags, &any, sizeof flags);
    std::int64_t reached = 0;
    for (int lane = 0; lane < lanes; ++lane) {
        reached |= flags[lane];
    }
#pragma GCC unroll 4
    for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 2
        for (int k = 0; k < vectors; ++k) {
            const int place = r * panel_lanes + k * lanes;
            typename v::narrow_whole units = __builtin_convertvector(
                reinterpret_cast<typename v::whole>(sum[r][k]) - grid_bits, typename v::narrow_whole);
            if (reached < 0) {
                const typename v::narrow_whole rises = __builtin_convertvector(
                    reinterpret_cast<typename v::whole>(high[r][k]) >> 63, typename v::narrow_whole);
                const typename v::narrow_whole falls = __builtin_convertvector(
                    reinterpret_cast<typename v::whole>(low[r][k]) >> 63, typename v::narrow_whole);
                typename v::narrow_whole sign;
                std::memcpy(&sign, over + place, sizeof sign);
                const typename v::narrow_whole unsettled = rises & falls & ((sign & 1) - 1); // at both ceilings
                std::int32_t both[lanes];
                std::memcpy(both, &unsettled, sizeof both);
                sign = sign != 0 ? sign : falls - rises;
                std::memcpy(over + place, &sign, sizeof sign);
                for (int lane = 0; lane < lanes; ++lane) {
                    if (both[lane] != 0) {
                        over[place + lane] = first_overflow(static_cast<std::int32_t>(sums[place + lane]), depth, from,
                                                            row + r, k * lanes + lane);
                    }
                }
                std::memcpy(&sign, over + place, sizeof sign);
                units = units & ((sign & 1) - 1); // a sum that is over must not reach the ceiling again
            }
            std::memcpy(sums + place, &units, sizeof units);
        }
    }
}

/// add_wide_rows for products of which some, or none, lie below a floor.
template <int Width, int Rows>
ANEMONE_CPU_INLINE void add_wide_group(bool gated, std::int64_t depth, const wide_operands<Width>& from, int row,
                                       std::uint32_t* sums, std::int32_t* over) {
    if (gated) {
        add_wide_rows<Width, Rows, true>(depth, from, row, sums, over);
    } else {
        add_wide_rows<Width, Rows, false>(depth, from, row, sums, over);
    }
}

/// Fills `right` and returns its least magnitude above 0: where no floor is above that, every product counts.
template <int Width>
ANEMONE_CPU_INLINE double decode_stretch(std::int64_t depth, const float* panel, wide_operands<Width>& from) {
    using v = wide_vectors<Width>;
    constexpr int lanes = Width / 2;
    constexpr int vectors = wide_operands<Width>::vectors;
    typename v::real least = typename v::real{} + 0x1p60;
    for (std::int64_t i = 0; i < depth; ++i) {
#pragma GCC unroll 2
        for (int k = 0; k < vectors; ++k) {
            typename v::narrow_real value;
            std::memcpy(&value, panel + i * panel_lanes + k * lanes, sizeof value);
            const typename v::real b = __builtin_convertvector(value, typename v::real);
            const typename v::real right = b * beyond_tie;
            std::memcpy(&from.right[i][k * lanes], &right, sizeof right);
            const auto magnitude =
                reinterpret_cast<typename v::real>(reinterpret_cast<typename v::whole>(b) & 0x7FFFFFFFFFFFFFFF);
            const typename v::real positive = magnitude > 0.0 ? magnitude : typename v::real{} + 0x1p60;
            least = positive < least ? positive : least;
        }
    }
    double each[lanes];
    std::memcpy(each, &least, sizeof each);
    double result = each[0];
    for (int lane = 1; lane < lanes; ++lane) {
        result = each[lane] < result ? each[lane] : result;
    }
    return result;
}

/// Adds `depth` products to the sums of the rows of a panel, layouts as in add_rows, and looks at every partial sum:
/// `over` becomes the sign of the first one that reaches the ceiling. The sum of such an output means nothing any more.
template <int Width>
ANEMONE_CPU_INLINE void add_wide_tile(int rows, std::int64_t depth, const left_operand* left, const float* right,
                                      std::uint32_t* sums, std::int32_t* over) {
    wide_operands<Width> from;
    for (std::int64_t first = 0; first < depth; first += wide_depth) {
        const std::int64_t part = depth - first < wide_depth ? depth - first : wide_depth;
        float highest[tile_rows] = {};
        for (std::int64_t i = 0; i < part; ++i) {
            for (int r = 0; r < rows; ++r) {
                const left_operand& a = left[(first + i) * rows + r];
                const float floor = a.scaled == 0.0F ? 0.0F : a.partner_floor;
                from.scaled[i][r] =
                    static_cast<double>(std::bit_cast<float>(std::bit_cast<std::uint32_t>(a.scaled) & ~1U));
                from.floors[i][r] = static_cast<double>(floor);
                highest[r] = floor > highest[r] ? floor : highest[r];
            }
        }
        double highest_floor = 0;
        for (const float floor : highest) {
            highest_floor = static_cast<double>(floor) > highest_floor ? static_cast<double>(floor) : highest_floor;
        }
        for (int c = 0; c < panel_lanes; c += wide_operands<Width>::stretch) {
            const double least = decode_stretch<Width>(part, right + first * panel_lanes + c, from);
            const bool gated = least < highest_floor;
            const int together = rows < 4 ? 1 : 4; // a file pays for each number of rows that has a loop
            for (int r = 0; r < rows; r += together) {
                std::uint32_t* const to = sums + r * panel_lanes + c;
                std::int32_t* const signs = over + r * panel_lanes + c;
                if (together == 4) {
                    add_wide_group<Width, 4>(gated, part, from, r, to, signs);
                } else {
                    add_wide_group<Width, 1>(gated, part, from, r, to, signs);
                }
            }
        }
        std::int32_t below = 0; // sums that go on
        for (int i = 0; i < rows * panel_lanes; ++i) {
            below |= (over[i] & 1) - 1;
        }
        if (below == 0) {
            return;
        }
    }
}

} // namespace ane::numerics::detail::inline ANEMONE_WAY
