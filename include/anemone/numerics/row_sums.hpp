#pragma once

#include "../base/way.hpp"
#include "../values/half.hpp"
#include "contraction_wide.hpp"
#include "reduction.hpp"
#include "row_lanes.hpp"

#include <cstdint>
#include <cstring>
#include <utility>

/// Reductions in lanes: those of a row have a tile of the sum each, those of columns an output each. The sums of four
/// lanes are exact in fp32, 2,048 of them in double, whose whole numbers of 2^-24 are added as integers.
namespace ane::numerics::detail::inline ANEMONE_WAY {

/// Tiles that are added in double before an integer takes their sum.
inline constexpr std::int64_t tiles_in_double = 1024;

/// The sums of as many outputs or tiles as there are lanes.
template <int Width> struct lane_totals {
    using l = lanes<Width>;
    using wide = wide_vectors<Width>;
    typename wide::real low{};
    typename wide::real high{};
    typename l::natural largest{}; ///< magnitude of an element, as a pattern

    template <std::size_t... Lane>
    ANEMONE_CPU_INLINE void add(const typename l::real& tile, std::index_sequence<Lane...>) {
        constexpr int middle = Width / 2;
        low += __builtin_convertvector(__builtin_shufflevector(tile, tile, static_cast<int>(Lane)...),
                                       typename wide::real);
        high += __builtin_convertvector(__builtin_shufflevector(tile, tile, (static_cast<int>(Lane) + middle)...),
                                        typename wide::real);
    }
    ANEMONE_CPU_INLINE void add(const typename l::real& tile) {
        add(tile, std::make_index_sequence<static_cast<std::size_t>(Width / 2)>());
    }
    /// The value of an element; that of an infinity or a NaN is some number.
    ANEMONE_CPU_INLINE void take(const typename l::natural& x, typename l::real& y) {
        const typename l::natural magnitude = x & 0x7FFFU;
        largest = magnitude > largest ? magnitude : largest;
        l::ordinary(x, y);
    }
    /// Whether every element of a lane was finite.
    ANEMONE_CPU_INLINE bool is_finite(int lane) const {
        std::uint32_t magnitudes[Width];
        std::memcpy(magnitudes, &largest, sizeof magnitudes);
        return magnitudes[lane] < 0x7C00U;
    }
    /// Moves what the doubles hold into integers, in units of 2^-24.
    ANEMONE_CPU_INLINE void flush(std::int64_t* units) {
        double part[Width];
        std::memcpy(part, &low, sizeof low);
        std::memcpy(part + Width / 2, &high, sizeof high);
        for (int lane = 0; lane < Width; ++lane) {
            units[lane] += static_cast<std::int64_t>(part[lane] * 0x1p24);
        }
        low = typename wide::real{};
        high = typename wide::real{};
    }
};

/// Which infinities there are among `count` values, `stride` apart.
ANEMONE_CPU_INLINE reduction_sum infinities_of(const half* x, std::int64_t count, std::int64_t stride) {
    unsigned positive = 0;
    unsigned negative = 0;
    for (std::int64_t i = 0; i < count && (positive & negative) == 0; ++i) {
        const unsigned bits = x[i * stride].bits;
        const unsigned minus = bits == 0xFC00U ? 1U : 0U;
        negative |= minus;
        positive |= ((bits & 0x7FFFU) >= 0x7C00U ? 1U : 0U) & (1U - minus);
    }
    return {0, positive != 0, negative != 0};
}

/// Four vectors of elements: lane k has the k-th tile of the 4 Width elements from `from` on, in some order.
template <int Width, std::size_t... Lane>
ANEMONE_CPU_INLINE void load_tiles(const half* from, typename lanes<Width>::natural (&x)[4],
                                   std::index_sequence<Lane...>) {
    using natural = typename lanes<Width>::natural;
    natural first; // pairs of elements
    natural second;
    std::memcpy(&first, from, sizeof first);
    std::memcpy(&second, from + 2 * Width, sizeof second);
    const natural front = __builtin_shufflevector(first, second, (2 * static_cast<int>(Lane))...);
    const natural back = __builtin_shufflevector(first, second, (2 * static_cast<int>(Lane) + 1)...);
    x[0] = front & 0xFFFFU;
    x[1] = front >> 16U;
    x[2] = back & 0xFFFFU;
    x[3] = back >> 16U;
}

template <int Width> ANEMONE_CPU_INLINE reduction_sum sum_of_row(const half* x, std::int64_t count) {
    using l = lanes<Width>;
    constexpr std::int64_t block = std::int64_t{4} * Width;
    lane_totals<Width> totals;
    std::int64_t units[Width] = {};
    std::int64_t in_double = 0;
    for (std::int64_t i = 0; i < count; i += block) {
        typename l::natural bits[4]{};
        if (count - i >= block) {
            load_tiles<Width>(x + i, bits, std::make_index_sequence<static_cast<std::size_t>(Width)>());
        } else {
            half rest[block] = {}; // a tile that ends with zeros has the sum of a shorter one
            std::memcpy(static_cast<void*>(rest), x + i, static_cast<std::size_t>(count - i) * sizeof(half));
            load_tiles<Width>(rest, bits, std::make_index_sequence<static_cast<std::size_t>(Width)>());
        }
        typename l::real tile;
        typename l::real value;
        totals.take(bits[0], tile);
        for (int k = 1; k < 4; ++k) {
            totals.take(bits[k], value);
            l::add_aligned_lanes(value, tile);
        }
        totals.add(tile);
        if (++in_double == tiles_in_double) {
            totals.flush(units);
            in_double = 0;
        }
    }
    totals.flush(units);
    reduction_sum sum;
    for (int lane = 0; lane < Width; ++lane) {
        if (!totals.is_finite(lane)) {
            return infinities_of(x, count, 1);
        }
        sum.units += units[lane];
    }
    return sum;
}

/// `columns` of at most Width elements side by side; the other lanes are 0.
template <int Width>
ANEMONE_CPU_INLINE void load_columns(const half* from, std::int64_t columns, typename lanes<Width>::natural& x) {
    if (columns >= Width) {
        lanes<Width>::load(from, x);
    } else {
        half some[Width] = {};
        std::memcpy(static_cast<void*>(some), from, static_cast<std::size_t>(columns) * sizeof(half));
        lanes<Width>::load(some, x);
    }
}

template <int Width>
ANEMONE_CPU_INLINE void sums_of_columns(const half* x, std::int64_t count, std::int64_t stride, std::int64_t columns,
                                        reduction_sum* out) {
    using l = lanes<Width>;
    for (std::int64_t c = 0; c < columns; c += Width) {
        const std::int64_t part = columns - c < Width ? columns - c : Width;
        lane_totals<Width> totals;
        std::int64_t units[Width] = {};
        std::int64_t in_double = 0;
        for (std::int64_t i = 0; i < count; i += 4) {
            typename l::natural bits{};
            typename l::real tile;
            typename l::real value;
            load_columns<Width>(x + i * stride + c, part, bits);
            totals.take(bits, tile);
            for (std::int64_t k = i + 1; k < count && k < i + 4; ++k) {
                load_columns<Width>(x + k * stride + c, part, bits);
                totals.take(bits, value);
                l::add_aligned_lanes(value, tile);
            }
            totals.add(tile);
            if (++in_double == tiles_in_double) {
                totals.flush(units);
                in_double = 0;
            }
        }
        totals.flush(units);
        for (int lane = 0; lane < part; ++lane) {
            out[c + lane] = totals.is_finite(lane) ? reduction_sum{units[lane], false, false}
                                                   : infinities_of(x + c + lane, count, stride);
        }
    }
}

template <int Width>
ANEMONE_CPU_INLINE void extremes_of_columns(const half* x, std::int64_t count, std::int64_t stride,
                                            std::int64_t columns, bool largest, half* out) {
    using l = lanes<Width>;
    const std::int32_t flip = largest ? 0 : -1; // the complement turns the order round
    for (std::int64_t c = 0; c < columns; c += Width) {
        const std::int64_t part = columns - c < Width ? columns - c : Width;
        typename l::natural bits{};
        typename l::whole key;
        typename l::whole best = typename l::whole{} - 0x10000;
        for (std::int64_t i = 0; i < count; ++i) {
            load_columns<Width>(x + i * stride + c, part, bits);
            l::enter(bits);
            l::key(bits, key);
            key = key ^ flip;
            best = key > best ? key : best;
        }
        half some[Width];
        l::pattern(best ^ flip, bits);
        l::store(bits, some);
        std::memcpy(static_cast<void*>(out + c), some, static_cast<std::size_t>(part) * sizeof(half));
    }
}

template <int Width> ANEMONE_CPU_INLINE half extreme_of_row(const half* x, std::int64_t count, bool largest) {
    half best[Width];
    const std::int64_t whole = count / Width;
    if (whole == 0) {
        half only{};
        extremes_of_columns<Width>(x, count, 1, 1, largest, &only);
        return only;
    }
    extremes_of_columns<Width>(x, whole, Width, Width, largest, best);
    half inside{};
    extremes_of_columns<Width>(best, Width, 1, 1, largest, &inside);
    if (whole * Width == count) {
        return inside;
    }
    best[0] = inside;
    extremes_of_columns<Width>(x + whole * Width, count - whole * Width, 1, 1, largest, best + 1);
    extremes_of_columns<Width>(best, 2, 1, 1, largest, &inside);
    return inside;
}

/// Each sum divided by `divisor`, as store_sum does it. The quotient in double is no tie unless the exact one is: the
/// two differ by less than one part in 2^52, a sum of fewer than 2^51 units from a tie by more. Its low bits become one
/// that is set if any of them was.
template <int Width>
ANEMONE_CPU_INLINE void means_of(const reduction_sum* sums, std::int64_t divisor, half* out, std::int64_t count,
                                 bool half_away) {
    using l = lanes<Width>;
    using wide = wide_vectors<Width>;
    constexpr int half_width = Width / 2;
    constexpr std::int64_t low = (std::int64_t{1} << 29) - 1;
    const auto parts = static_cast<double>(divisor);
    for (std::int64_t i = 0; i < count; i += Width) {
        const std::int64_t part = count - i < Width ? count - i : Width;
        double units[Width] = {};
        for (std::int64_t lane = 0; lane < part; ++lane) {
            units[lane] = static_cast<double>(sums[i + lane].units) * 0x1p-24;
        }
        float narrow[Width];
        for (int k = 0; k < 2; ++k) {
            typename wide::real mean;
            std::memcpy(&mean, units + k * half_width, sizeof mean);
            mean = mean / parts;
            const auto bits = reinterpret_cast<typename wide::whole>(mean);
            const typename wide::whole rest = (bits & low) != 0;
            const typename wide::whole odd = (bits & ~low) | (rest & (low + 1));
            const typename wide::narrow_real value =
                __builtin_convertvector(reinterpret_cast<typename wide::real>(odd), typename wide::narrow_real);
            std::memcpy(narrow + k * half_width, &value, sizeof value);
        }
        typename l::real value;
        typename l::natural bits{};
        std::memcpy(&value, narrow, sizeof value);
        l::round(value, half_away, bits);
        half some[Width];
        l::store(bits, some);
        for (std::int64_t lane = 0; lane < part; ++lane) {
            const reduction_sum& s = sums[i + lane];
            const bool special = s.positive_infinity || s.negative_infinity;
            const bool both = s.positive_infinity && s.negative_infinity;
            out[i + lane] = !special ? some[lane]
                            : both   ? half{}
                                     : half::from_bits(s.positive_infinity ? 0x7C00U : 0xFC00U);
        }
    }
}

} // namespace ane::numerics::detail::inline ANEMONE_WAY
