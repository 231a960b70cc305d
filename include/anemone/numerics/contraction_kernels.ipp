#pragma once

#include "../base/isa_dispatch.hpp"
#include "contraction_kernels.hpp"
#include "contraction_tile.hpp"
#include "contraction_wide.hpp"
#include "row_lanes.hpp"

namespace ane::numerics::detail::inline ANEMONE_WAY {

inline constexpr int convert_block = 16;

template <int Width>
ANEMONE_CPU_INLINE float decode_body(const half* from, float* to, std::int64_t count, const datapath& path) {
    using l = lanes<Width>;
    using natural = typename l::natural;
    const bool nan_is_infinity = path.mac_nan == nan_rule::infinity;
    const bool keep_subnormals = path.mac_keeps_subnormals;
    natural largest{}; // of the patterns of magnitudes: they order as the values do
    std::int64_t i = 0;
    for (; i + Width <= count; i += Width) {
        natural x{};
        l::load(from + i, x);
        if (nan_is_infinity) {
            l::enter(x);
        }
        natural magnitude = x & 0x7FFFU;
        x = magnitude > 0x7C00U ? x | 0x200U : x;
        if (!keep_subnormals) {
            x = magnitude < 0x400U ? x & 0x8000U : x;
        }
        magnitude = x & 0x7FFFU;
        largest = magnitude > largest ? magnitude : largest;
        typename l::real y{};
        l::ordinary(x, y);
        std::memcpy(to + i, &y, sizeof y);
    }
    std::uint32_t magnitudes[Width];
    std::memcpy(magnitudes, &largest, sizeof magnitudes);
    float most = 0.0F;
    for (int lane = 0; lane < Width; ++lane) {
        const float magnitude = decoded(magnitudes[lane], false, true);
        most = magnitude > most ? magnitude : most;
    }
    for (; i < count; ++i) {
        to[i] = decoded(from[i].bits, nan_is_infinity, keep_subnormals);
        const float magnitude = to[i] < 0 ? -to[i] : to[i];
        most = magnitude > most ? magnitude : most;
    }
    return most;
}

ANEMONE_CPU_INLINE float prepare_body(const half* from, left_operand* to, std::int64_t count, int stride,
                                      const datapath& path) {
    const bool nan_is_infinity = path.mac_nan == nan_rule::infinity;
    const bool keep_subnormals = path.mac_keeps_subnormals;
    const int exponent_floor = path.mac_exponent_floor;
    std::uint32_t most = 0;
    for (std::int64_t i = 0; i < count; i += convert_block) {
        const int lanes = static_cast<int>(count - i < convert_block ? count - i : convert_block);
        std::uint16_t bits[convert_block] = {};
        std::uint32_t scaled[convert_block];
        float floors[convert_block];
        std::memcpy(bits, from + i, static_cast<std::size_t>(lanes) * sizeof(half));
        for (int lane = 0; lane < convert_block; ++lane) {
            const std::uint32_t value =
                std::bit_cast<std::uint32_t>(decoded(bits[lane], nan_is_infinity, keep_subnormals) * 65536.0F);
            scaled[lane] = value | ((value & 0x7FFFFFFFU) != 0 ? 1U : 0U);
            floors[lane] = partner_floor(bits[lane], exponent_floor);
        }
        for (int lane = 0; lane < convert_block; ++lane) {
            const std::uint32_t magnitude = scaled[lane] & 0x7FFFFFFFU;
            most = magnitude > most ? magnitude : most;
        }
        for (int lane = 0; lane < lanes; ++lane) {
            to[(i + lane) * stride] = {std::bit_cast<float>(scaled[lane]), floors[lane]};
        }
    }
    return std::bit_cast<float>(most);
}

ANEMONE_CPU_INLINE void round_body(const std::uint32_t* sums, half* to, bool half_away) {
    std::uint16_t bits[panel_lanes];
    for (int lane = 0; lane < panel_lanes; ++lane) {
        bits[lane] = rounded_sum(static_cast<std::int32_t>(sums[lane]), half_away);
    }
    std::memcpy(static_cast<void*>(to), bits, sizeof bits);
}

template <isa_level Level, class Lazy = void> struct contraction_loops;

// The wrappers of one level: nothing but the target attribute differs.
#define ANEMONE_CONTRACTION_LOOPS(LEVEL, WIDTH, TARGET, ...)                                                           \
    template <class Lazy> struct contraction_loops<isa_level::LEVEL, Lazy> {                                           \
        TARGET static float decode(const half* from, float* to, std::int64_t count, const datapath& path) {            \
            return decode_body<WIDTH>(from, to, count, path);                                                          \
        }                                                                                                              \
        TARGET static float prepare(const half* from, left_operand* to, std::int64_t count, int stride,                \
                                    const datapath& path) {                                                            \
            return prepare_body(from, to, count, stride, path);                                                        \
        }                                                                                                              \
        TARGET static void add(int rows, std::int64_t depth, const left_operand* left, const float* right,             \
                               std::uint32_t* sums) {                                                                  \
            add_tile<WIDTH>(rows, depth, left, right, sums);                                                           \
        }                                                                                                              \
        TARGET static void add_wide(int rows, std::int64_t depth, const left_operand* left, const float* right,        \
                                    std::uint32_t* sums, std::int32_t* over) {                                         \
            add_wide_tile<WIDTH>(rows, depth, left, right, sums, over);                                                \
        }                                                                                                              \
        TARGET static void round(const std::uint32_t* sums, half* to, bool half_away) {                                \
            round_body(sums, to, half_away);                                                                           \
        }                                                                                                              \
        static constexpr contraction_kernels table{isa_level::LEVEL, decode, prepare, add, add_wide, round};           \
    };
ANEMONE_ISA_LEVELS(ANEMONE_CONTRACTION_LOOPS)
#undef ANEMONE_CONTRACTION_LOOPS

} // namespace ane::numerics::detail::inline ANEMONE_WAY

namespace ane::numerics::inline ANEMONE_WAY {

ANEMONE_BODY const contraction_kernels& contraction_kernels_for(isa_level level) {
    ane::detail::require_loops(level, "contractions");
    return ane::detail::at_level(
        level, []<isa_level Level>() -> const contraction_kernels& { return detail::contraction_loops<Level>::table; });
}

ANEMONE_BODY const contraction_kernels& best_contraction_kernels() {
    static const contraction_kernels& best = contraction_kernels_for(ane::detail::best_loops());
    return best;
}

} // namespace ane::numerics::inline ANEMONE_WAY
