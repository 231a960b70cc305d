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

/// The first partial sum of `depth` products that reaches the ceiling: its sign, or 0 if there is none. `step` floats
/// lie between two right operands.
ANEMONE_CPU_INLINE std::int32_t first_overflow(std::int32_t start, std::int64_t depth, const double* scaled,
                                               const double* floors, int rows, const float* right) {
    double sum = start;
    for (std::int64_t i = 0; i < depth; ++i) {
        const auto b = static_cast<double>(right[i * panel_lanes]);
        if ((b < 0 ? -b : b) >= floors[i * rows]) {
            sum = (sum + unit_grid) + b * beyond_tie * scaled[i * rows] - unit_grid;
        }
        if (sum >= sum_ceiling || sum <= -sum_ceiling) {
            return sum < 0 ? -1 : 1;
        }
    }
    return 0;
}

/// Adds at most wide_depth products to the sums of `Rows` rows; see add_wide_tile.
///
/// A product of two fp16 values has 22 significant bits. `beyond_tie` moves it by less than the last of them, the
/// addition to `unit_grid` rounds it to a unit, and the sum stays exact: 2^50, the largest product, is far below the
/// grid. Only a product from 2^47 on is moved by as much as a unit, and it reaches the ceiling whatever the sum was.
template <int Width, int Rows>
ANEMONE_CPU_INLINE void add_wide_rows(int stride, std::int64_t depth, const left_operand* left, const float* right,
                                      std::uint32_t* sums, std::int32_t* over) {
    using v = wide_vectors<Width>;
    constexpr int lanes = Width / 2;
    constexpr int vectors = Width == 16 ? 2 : 1;
    constexpr int stretch = lanes * vectors;
    const auto grid_bits = std::bit_cast<std::int64_t>(unit_grid);
    double scaled[wide_depth * Rows];
    double floors[wide_depth * Rows];
    for (std::int64_t i = 0; i < depth; ++i) {
        for (int r = 0; r < Rows; ++r) {
            const left_operand& a = left[i * stride + r];
            scaled[i * Rows + r] =
                static_cast<double>(std::bit_cast<float>(std::bit_cast<std::uint32_t>(a.scaled) & ~1U));
            floors[i * Rows + r] = static_cast<double>(a.partner_floor);
        }
    }
    for (int c = 0; c < panel_lanes; c += stretch) {
        typename v::real sum[Rows][vectors];
        typename v::real low[Rows][vectors];
        typename v::real high[Rows][vectors];
#pragma GCC unroll 4
        for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 2
            for (int k = 0; k < vectors; ++k) {
                typename v::narrow_whole units;
                std::memcpy(&units, sums + r * panel_lanes + c + k * lanes, sizeof units);
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
                typename v::narrow_real value;
                std::memcpy(&value, right + i * panel_lanes + c + k * lanes, sizeof value);
                b[k] = __builtin_convertvector(value, typename v::real);
                magnitude[k] =
                    reinterpret_cast<typename v::real>(reinterpret_cast<typename v::whole>(b[k]) & 0x7FFFFFFFFFFFFFFF);
                b[k] = b[k] * beyond_tie;
            }
#pragma GCC unroll 4
            for (int r = 0; r < Rows; ++r) {
                const double factor = scaled[i * Rows + r];
                const double floor = floors[i * Rows + r];
#pragma GCC unroll 2
                for (int k = 0; k < vectors; ++k) {
                    const typename v::whole counts = magnitude[k] >= (typename v::real{} + floor);
                    const auto counted =
                        reinterpret_cast<typename v::real>(reinterpret_cast<typename v::whole>(b[k]) & counts);
                    sum[r][k] += counted * factor;
                    low[r][k] = sum[r][k] < low[r][k] ? sum[r][k] : low[r][k];
                    high[r][k] = sum[r][k] > high[r][k] ? sum[r][k] : high[r][k];
                }
            }
        }
#pragma GCC unroll 4
        for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 2
            for (int k = 0; k < vectors; ++k) {
                const int place = r * panel_lanes + c + k * lanes;
                const typename v::whole rises = high[r][k] >= (typename v::real{} + (unit_grid + sum_ceiling));
                const typename v::whole falls = low[r][k] <= (typename v::real{} + (unit_grid - sum_ceiling));
                std::int64_t up[lanes];
                std::int64_t down[lanes];
                std::memcpy(up, &rises, sizeof up);
                std::memcpy(down, &falls, sizeof down);
                std::int64_t any = 0;
                for (int lane = 0; lane < lanes; ++lane) {
                    any |= up[lane] | down[lane];
                }
                for (int lane = 0; any != 0 && lane < lanes; ++lane) {
                    if (over[place + lane] != 0 || (up[lane] | down[lane]) == 0) {
                        continue;
                    }
                    over[place + lane] = up[lane] == 0 ? -1 : 1;
                    if ((up[lane] & down[lane]) != 0) {
                        over[place + lane] = first_overflow(static_cast<std::int32_t>(sums[place + lane]), depth,
                                                            scaled + r, floors + r, Rows, right + c + k * lanes + lane);
                    }
                }
                const typename v::narrow_whole units = __builtin_convertvector(
                    reinterpret_cast<typename v::whole>(sum[r][k]) - grid_bits, typename v::narrow_whole);
                std::memcpy(sums + place, &units, sizeof units);
            }
        }
    }
}

/// Adds `depth` products to the sums of the rows of a panel, layouts as in add_rows, and looks at every partial sum:
/// `over` becomes the sign of the first one that reaches the ceiling. The sum of such an output means nothing any more.
template <int Width>
ANEMONE_CPU_INLINE void add_wide_tile(int rows, std::int64_t depth, const left_operand* left, const float* right,
                                      std::uint32_t* sums, std::int32_t* over) {
    for (std::int64_t i = 0; i < depth; i += wide_depth) {
        const std::int64_t part = depth - i < wide_depth ? depth - i : wide_depth;
        const left_operand* const from = left + i * rows;
        const float* const panel = right + i * panel_lanes;
        switch (rows) {
        case 1: add_wide_rows<Width, 1>(rows, part, from, panel, sums, over); break;
        case 2: add_wide_rows<Width, 2>(rows, part, from, panel, sums, over); break;
        default:
            for (int r = 0; r < rows; r += 4) {
                add_wide_rows<Width, 4>(rows, part, from + r, panel, sums + r * panel_lanes, over + r * panel_lanes);
            }
        }
    }
}

} // namespace ane::numerics::detail::inline ANEMONE_WAY
