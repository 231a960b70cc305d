#pragma once

#include "../../base/way.hpp"
#include "../../numerics/kernel_shapes.hpp"
#include "sums.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

/// A convolution of unit stride as sums of shifted rows: where planes are padded in memory, a kernel's element reads all
/// positions of a result, which has the pitch of the padded planes, at one distance.
namespace ane::wide_reference::inline ANEMONE_WAY {

/// How many planes of a result are made at once, and how many positions of each: their sums stay in registers.
inline constexpr std::int64_t planes_at_once = 4;
inline constexpr std::int64_t positions_at_once = 8;

/// What the elements of a kernel read, one behind the other over all channels, from where a position of the result is.
struct shifted_rows {
    std::vector<double> padded{};
    std::vector<std::int64_t> shifts{};
    std::int64_t pitch = 0;     ///< of a row of the result, and of x
    std::int64_t positions = 0; ///< of the result, with those between its rows
};

/// Whether the machine has the vectors that this is written for.
ANEMONE_INLINE bool has_shifted_sums() {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") != 0;
#else
    return true;
#endif
}

/// Whether a convolution is done so: zeros around x change no sum of finite weights, which begins at 0 and is never -0.
ANEMONE_INLINE bool has_shifted_rows(const numerics::convolution_shape& s, const double* w) {
    const std::int64_t count = s.out_channels * (s.in_channels / s.groups) * s.kernel_height * s.kernel_width;
    return has_shifted_sums() && s.stride_height == 1 && s.stride_width == 1 &&
           s.out_channels / s.groups >= planes_at_once &&
           std::all_of(w, w + count, [](double x) { return std::isfinite(x); });
}

/// Pads planes of x for all that a kernel reads.
ANEMONE_INLINE shifted_rows shift_rows(const numerics::convolution_shape& s, const double* x, std::int64_t channels) {
    shifted_rows made;
    const std::int64_t reach = (s.kernel_width - 1) * s.dilation_width;
    const std::int64_t height = s.out_height + (s.kernel_height - 1) * s.dilation_height;
    made.pitch = s.out_width + reach;
    made.positions = (s.out_height - 1) * made.pitch + s.out_width;
    const std::int64_t plane = height * made.pitch;
    made.padded.resize(static_cast<std::size_t>(channels * plane + positions_at_once)); // a tile may end behind it
    const std::int64_t left = std::max<std::int64_t>(s.pad_left, 0);
    const std::int64_t cut = std::max<std::int64_t>(-s.pad_left, 0);
    const std::int64_t width = std::min(s.in_width - cut, made.pitch - left);
    for (std::int64_t c = 0; c < channels; ++c) {
        for (std::int64_t y = 0; y < height && width > 0; ++y) {
            const std::int64_t row = y - s.pad_top;
            if (row >= 0 && row < s.in_height) {
                std::copy_n(x + (c * s.in_height + row) * s.in_width + cut, width,
                            made.padded.data() + c * plane + y * made.pitch + left);
            }
        }
        for (std::int64_t i = 0; i < s.kernel_height; ++i) {
            for (std::int64_t j = 0; j < s.kernel_width; ++j) {
                made.shifts.push_back(c * plane + i * s.dilation_height * made.pitch + j * s.dilation_width);
            }
        }
    }
    return made;
}

/// Four numbers that are added at once.
typedef double four_numbers __attribute__((vector_size(32))); // NOLINT(modernize-use-using): GCC 12 drops it there

#if defined(__x86_64__)
// Without fused products, so that the bits are those of any other machine.
#define ANEMONE_SHIFTED_SUMS __attribute__((target("avx2")))
#else
#define ANEMONE_SHIFTED_SUMS
#endif

/// Sums of `planes_at_once` planes of the result, whose kernels are one behind the other, at the positions from `first`
/// on. The terms come in the order of the kernel and in blocks of `block_of_terms`, as everywhere. Each sum is a variable
/// of its own: what is in an array a compiler may leave in memory.
ANEMONE_INLINE ANEMONE_SHIFTED_SUMS void shifted_tile(const shifted_rows& rows, const double* w, std::int64_t first,
                                                      double (&to)[planes_at_once][positions_at_once]) {
    const std::int64_t* const shifts = rows.shifts.data();
    const auto terms = static_cast<std::int64_t>(rows.shifts.size());
    const double* const x = rows.padded.data() + first;
    four_numbers total[8]{};
    for (std::int64_t begin = 0; begin < terms; begin += block_of_terms) {
        const std::int64_t end = std::min(terms, begin + block_of_terms);
        four_numbers a0{};
        four_numbers a1{};
        four_numbers b0{};
        four_numbers b1{};
        four_numbers c0{};
        four_numbers c1{};
        four_numbers d0{};
        four_numbers d1{};
        for (std::int64_t t = begin; t < end; ++t) {
            four_numbers x0;
            four_numbers x1;
            std::memcpy(&x0, x + shifts[t], sizeof x0);
            std::memcpy(&x1, x + shifts[t] + 4, sizeof x1);
            a0 += w[t] * x0;
            a1 += w[t] * x1;
            b0 += w[terms + t] * x0;
            b1 += w[terms + t] * x1;
            c0 += w[2 * terms + t] * x0;
            c1 += w[2 * terms + t] * x1;
            d0 += w[3 * terms + t] * x0;
            d1 += w[3 * terms + t] * x1;
        }
        total[0] += a0;
        total[1] += a1;
        total[2] += b0;
        total[3] += b1;
        total[4] += c0;
        total[5] += c1;
        total[6] += d0;
        total[7] += d1;
    }
    static_assert(sizeof to == sizeof total);
    std::memcpy(to, total, sizeof to);
}
#undef ANEMONE_SHIFTED_SUMS

/// `planes_at_once` planes of the result, one behind the other.
ANEMONE_INLINE void shifted_planes(const numerics::convolution_shape& s, const shifted_rows& rows, const double* w,
                                   double* out) {
    const std::int64_t size = s.out_height * s.out_width;
    double tile[planes_at_once][positions_at_once];
    for (std::int64_t first = 0; first < rows.positions; first += positions_at_once) {
        shifted_tile(rows, w, first, tile);
        std::int64_t y = first / rows.pitch;
        std::int64_t column = first % rows.pitch;
        const std::int64_t count = std::min(positions_at_once, rows.positions - first);
        for (std::int64_t k = 0; k < count; ++k) {
            for (std::int64_t p = 0; p < planes_at_once && column < s.out_width; ++p) {
                out[p * size + y * s.out_width + column] = tile[p][k];
            }
            ++column;
            y += column == rows.pitch ? 1 : 0;
            column = column == rows.pitch ? 0 : column;
        }
    }
}

} // namespace ane::wide_reference::inline ANEMONE_WAY
