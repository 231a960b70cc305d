#pragma once

#include "activation_table.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

/// The tables of gelu and silu: bit patterns written by fit_table (table_fit.hpp) with origin_weight of the variant.
/// Inferred: a least-squares fit that meets the published points, not the engine's own table.
namespace ane::numerics {

namespace detail {

constexpr activation_table table_of_bits(double first, double step,
                                         const std::array<std::uint16_t, 33>& bits) noexcept {
    activation_table table{first, step, {}, {}, {}};
    for (std::size_t i = 0; i < bits.size(); ++i) {
        table.knots[i] = half::from_bits(bits[i]);
    }
    table.low = {first, static_cast<double>(table.knots[0])};
    table.high = {table.last(), static_cast<double>(table.knots[activation_table::segments])};
    return table;
}

} // namespace detail

// clang-format off
inline constexpr activation_table gelu_table_m1 = detail::table_of_bits(-4.0, 0.25, {
    0x8792, 0x8D15, 0x924B, 0x9751, 0x9BF7, 0xA010, 0xA3C0, 0xA6E9, 0xA9C0, 0xAC75, 0xAE67,
    0xB03D, 0xB11E, 0xB184, 0xB104, 0xAED2, 0x9072, 0x3097, 0x357E, 0x389F, 0x3AB8, 0x3C78,
    0x3D9A, 0x3EB9, 0x3FD2, 0x4072, 0x40F8, 0x417C, 0x41FE, 0x427F, 0x4300, 0x4380, 0x4400});
inline constexpr activation_table gelu_table_m6 = detail::table_of_bits(-4.0, 0.25, {
    0x8792, 0x8D15, 0x924B, 0x9751, 0x9BF7, 0xA010, 0xA3C0, 0xA6E9, 0xA9C0, 0xAC75, 0xAE67,
    0xB03D, 0xB11E, 0xB184, 0xB104, 0xAECF, 0x922B, 0x3098, 0x357E, 0x389F, 0x3AB8, 0x3C78,
    0x3D9A, 0x3EB9, 0x3FD2, 0x4072, 0x40F8, 0x417C, 0x41FE, 0x427F, 0x4300, 0x4380, 0x4400});
inline constexpr activation_table silu_table_m1 = detail::table_of_bits(-8.0, 0.5, {
    0x9967, 0x9C2F, 0x9E6F, 0xA0ED, 0xA37E, 0xA5A8, 0xA83B, 0xAA42, 0xAC8F, 0xAE84, 0xB088,
    0xB210, 0xB3A9, 0xB470, 0xB460, 0xB287, 0x9529, 0x34BD, 0x39D0, 0x3CE4, 0x3F0B, 0x409F,
    0x41B8, 0x42CC, 0x43DC, 0x4473, 0x44F8, 0x457A, 0x45FC, 0x467E, 0x46FE, 0x477F, 0x47FF});
inline constexpr activation_table silu_table_m6 = detail::table_of_bits(-8.0, 0.5, {
    0x9967, 0x9C2F, 0x9E6F, 0xA0ED, 0xA37E, 0xA5A8, 0xA83B, 0xAA42, 0xAC8F, 0xAE84, 0xB088,
    0xB210, 0xB3A9, 0xB470, 0xB460, 0xB284, 0x96F8, 0x34BE, 0x39D0, 0x3CE4, 0x3F0B, 0x409F,
    0x41B8, 0x42CC, 0x43DC, 0x4473, 0x44F8, 0x457A, 0x45FC, 0x467E, 0x46FE, 0x477F, 0x47FF});
// clang-format on

constexpr const activation_table& gelu_table(table_variant variant) noexcept {
    return variant == table_variant::m1 ? gelu_table_m1 : gelu_table_m6;
}

constexpr const activation_table& silu_table(table_variant variant) noexcept {
    return variant == table_variant::m1 ? silu_table_m1 : silu_table_m6;
}

} // namespace ane::numerics
