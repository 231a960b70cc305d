#pragma once

#include "../half.hpp"
#include "accumulator.hpp"
#include "datapath.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

/// Many accumulators at once, bit for bit equal to class `accumulator`, for matrix products and convolutions.
///
/// Vectorised over independent outputs; every output adds its products in the order of k. What makes it exact: the
/// product of two fp16 values has 22 significant bits, so float holds it; its rounding to 2^-16 is trunc(|p| + 0.5) in
/// units of 2^-16, and that sum is exact in float wherever it matters; an output whose sum or product ever reaches
/// 2^14 is only marked here and recomputed by the scalar class, so the vector part needs no care for overflow.
namespace ane::numerics::detail {

#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64;
#elif defined(__AVX2__)
inline constexpr int vector_bytes = 32;
#else
inline constexpr int vector_bytes = 16;
#endif
inline constexpr int vector_lanes = vector_bytes / 4;
/// Outputs of one panel.
inline constexpr int panel_lanes = vector_lanes < 8 ? 8 : 2 * vector_lanes;
inline constexpr int panel_vectors = panel_lanes / vector_lanes;

// Vector extensions of GCC and Clang: no instruction set is assumed.
using float_vector = float __attribute__((vector_size(vector_bytes)));
using int_vector = std::int32_t __attribute__((vector_size(vector_bytes)));
using uint_vector = std::uint32_t __attribute__((vector_size(vector_bytes)));

/// One broadcast operand: its value in units of 2^-16, and the smallest magnitude of a partner whose product counts.
struct left_operand {
    float scaled;
    float partner_floor;
};

constexpr float decoded(half value, const datapath& path) noexcept {
    const operand o = decode_operand(value, path.mac_keeps_subnormals);
    const float scale = std::bit_cast<float>(static_cast<std::uint32_t>(o.exponent - 10 + 127) << 23U);
    const float magnitude = static_cast<float>(o.significand) * scale;
    return o.negative ? -magnitude : magnitude;
}

constexpr left_operand prepare_left(half value, const datapath& path) noexcept {
    const operand o = decode_operand(value, path.mac_keeps_subnormals);
    const int floor = path.mac_exponent_floor - o.exponent; // of the partner's exponent
    float partner_floor = 0.0F;                             // a subnormal partner has exponent -14 whatever its value
    if (floor > -14) {
        partner_floor = std::bit_cast<float>(static_cast<std::uint32_t>((floor > 100 ? 100 : floor) + 127) << 23U);
    }
    return {decoded(value, path) * 65536.0F, partner_floor};
}

/// 2^14 in units of 2^-16: an output whose sum or product reaches it is recomputed.
inline constexpr float watch_limit = 0x1p30F;

/// What is known of a row and a panel before their products are added.
enum class bound : std::uint8_t {
    none,    ///< a single product may reach the limit
    product, ///< no product can
    sum      ///< no partial sum can, in any order
};

/// Adds k products to the sums of `Rows` rows of one panel. Rows lie `k` apart in `left` and panel_lanes apart in
/// `sums` and `marked`; `right` is [k][panel_lanes]. Sets the top bit of `marked` where the scalar class is needed.
template <bound Bound, int Rows>
inline void accumulate_panel(const left_operand* left, const float* right, std::int64_t k, std::int32_t* sums,
                             std::uint32_t* marked) noexcept {
    const int_vector sign_bit = int_vector{} + std::numeric_limits<std::int32_t>::min();
    const int_vector one_half = int_vector{} + std::bit_cast<std::int32_t>(0.5F);
    const uint_vector watch = uint_vector{} + (1U << 30U);
    uint_vector sum[Rows][panel_vectors];
    uint_vector seen[Rows][panel_vectors];
    std::memcpy(sum, sums, sizeof(sum));
    std::memcpy(seen, marked, sizeof(seen));
    for (std::int64_t i = 0; i < k; ++i) {
        for (int v = 0; v < panel_vectors; ++v) {
            float_vector b;
            std::memcpy(&b, right + i * panel_lanes + std::ptrdiff_t{v} * vector_lanes, sizeof(b));
            const auto b_magnitude = reinterpret_cast<float_vector>(reinterpret_cast<int_vector>(b) & ~sign_bit);
            for (int r = 0; r < Rows; ++r) {
                const left_operand a = left[r * k + i];
                const int_vector counts = b_magnitude >= (float_vector{} + a.partner_floor);
                float_vector p = b * (float_vector{} + a.scaled);
                if constexpr (Bound == bound::none) {
                    const int_vector large = (p >= watch_limit) | (p <= -watch_limit);
                    seen[r][v] |= reinterpret_cast<uint_vector>(large & counts & sign_bit);
                    p = reinterpret_cast<float_vector>(reinterpret_cast<int_vector>(p) & ~large);
                }
                const int_vector away = (reinterpret_cast<int_vector>(p) & sign_bit) | one_half;
                const int_vector units = __builtin_convertvector(p + reinterpret_cast<float_vector>(away), int_vector);
                sum[r][v] += reinterpret_cast<uint_vector>(units & counts);
                if constexpr (Bound != bound::sum) {
                    seen[r][v] |= sum[r][v] + watch; // the top bit: outside [-2^30, 2^30)
                }
            }
        }
    }
    std::memcpy(sums, sum, sizeof(sum));
    std::memcpy(marked, seen, sizeof(seen));
}

template <int Rows>
inline void accumulate_panel(bound known, const left_operand* left, const float* right, std::int64_t k,
                             std::int32_t* sums, std::uint32_t* marked) noexcept {
    switch (known) {
    case bound::none: return accumulate_panel<bound::none, Rows>(left, right, k, sums, marked);
    case bound::product: return accumulate_panel<bound::product, Rows>(left, right, k, sums, marked);
    case bound::sum: return accumulate_panel<bound::sum, Rows>(left, right, k, sums, marked);
    }
}

/// The left operands of all rows, and what bounds their products.
struct left_rows {
    std::vector<left_operand> operands; ///< [rows][k]
    std::vector<float> largest;         ///< of a row, in units of 2^-16
    std::vector<float> total;           ///< of the magnitudes of a row, rounded
};

template <class Left>
left_rows prepare_rows(const datapath& path, std::int64_t rows, std::int64_t k, const Left& left) {
    left_rows result;
    result.operands.resize(static_cast<std::size_t>(rows * k));
    for (std::int64_t r = 0; r < rows; ++r) {
        float largest = 0.0F;
        float total = 0.0F;
        const auto row = left(r);
        for (std::int64_t i = 0; i < k; ++i) {
            const left_operand value = prepare_left(row(i), path);
            const float magnitude = value.scaled < 0 ? -value.scaled : value.scaled;
            result.operands[static_cast<std::size_t>(r * k + i)] = value;
            largest = std::max(largest, magnitude);
            total += magnitude;
        }
        result.largest.push_back(largest);
        result.total.push_back(total);
    }
    return result;
}

/// rows x columns outputs, out(r, c) = bias(r, c) + sum over i < k of left(r)(i) * right(c)(i), in the order of i,
/// handed to store(r, c, half). `left(r)` and `right(c)` return callables, so that they can work out a row or column
/// once.
template <class Left, class Right, class Bias, class Store>
void contract(const datapath& path, std::int64_t rows, std::int64_t columns, std::int64_t k, const Left& left,
              const Right& right, const Bias& bias, const Store& store) {
    if (rows <= 0 || columns <= 0) {
        return;
    }
    constexpr int rows_at_once = 2;
    const left_rows prepared = prepare_rows(path, rows, k, left);
    std::vector<float> panel(static_cast<std::size_t>(k * panel_lanes));
    for (std::int64_t c0 = 0; c0 < columns; c0 += panel_lanes) {
        const std::int64_t lanes = std::min<std::int64_t>(panel_lanes, columns - c0);
        std::fill(panel.begin(), panel.end(), 0.0F);
        float largest = 0.0F;
        for (std::int64_t l = 0; l < lanes; ++l) {
            const auto column = right(c0 + l);
            for (std::int64_t i = 0; i < k; ++i) {
                const float value = decoded(column(i), path);
                panel[static_cast<std::size_t>(i * panel_lanes + l)] = value;
                largest = std::max(largest, value < 0 ? -value : value);
            }
        }
        for (std::int64_t r0 = 0; r0 < rows; r0 += rows_at_once) {
            const int count = static_cast<int>(std::min<std::int64_t>(rows_at_once, rows - r0));
            std::array<std::int32_t, rows_at_once * panel_lanes> sums{};
            std::array<std::uint32_t, rows_at_once * panel_lanes> marked{};
            bound known = bound::sum;
            for (int r = 0; r < count; ++r) {
                const auto row = static_cast<std::size_t>(r0 + r);
                // Half the limit leaves room for the roundings, of the products and of this bound.
                known = std::min(known, prepared.total[row] * largest < watch_limit / 2 ? bound::sum
                                        : prepared.largest[row] * largest < watch_limit ? bound::product
                                                                                        : bound::none);
                for (std::int64_t l = 0; l < lanes; ++l) {
                    const std::int64_t first = accumulator(path, bias(r0 + r, c0 + l)).raw();
                    const auto lane = static_cast<std::size_t>(std::int64_t{r} * panel_lanes + l);
                    const bool small = first < (1LL << 30) && first >= -(1LL << 30);
                    sums[lane] = small ? static_cast<std::int32_t>(first) : 0;
                    marked[lane] = small ? 0U : 0x80000000U;
                }
            }
            const left_operand* row = prepared.operands.data() + r0 * k;
            if (count == rows_at_once) {
                accumulate_panel<rows_at_once>(known, row, panel.data(), k, sums.data(), marked.data());
            } else {
                accumulate_panel<1>(known, row, panel.data(), k, sums.data(), marked.data());
            }
            for (int r = 0; r < count; ++r) {
                for (std::int64_t l = 0; l < lanes; ++l) {
                    const auto lane = static_cast<std::size_t>(std::int64_t{r} * panel_lanes + l);
                    if ((marked[lane] & 0x80000000U) == 0) {
                        store(r0 + r, c0 + l, round_fixed(sums[lane], accumulator::fraction_bits, path.mac_ties));
                        continue;
                    }
                    accumulator exact(path, bias(r0 + r, c0 + l));
                    const auto left_row = left(r0 + r);
                    const auto column = right(c0 + l);
                    for (std::int64_t i = 0; i < k; ++i) {
                        exact.multiply_add(left_row(i), column(i));
                    }
                    store(r0 + r, c0 + l, exact.result());
                }
            }
        }
    }
}

} // namespace ane::numerics::detail
