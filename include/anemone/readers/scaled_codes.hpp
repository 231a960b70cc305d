#pragma once

#include "../base/way.hpp"
#include "../folding/known_tensor.hpp"
#include "../values/half.hpp"
#include "byte_codes.hpp"
#include "scale_kernels.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

/// Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// The codes of a weight, and the numbers scale (q - zero) that they stand for, each rounded once to fp16.
class scaled_codes {
public:
    ANEMONE_INLINE explicit scaled_codes(const folding::known_tensor& data)
        : data_(data), bytes_(data), level_(best_level()) {}

    /// Writes `runs` runs of `length` from code `begin` on. `zeros(k, to)` and `scales(k, to)` give the zero points and the
    /// scales of as many runs from k on as there is room for; the first one has the number `first`.
    template <class Zeros, class Scales>
    void write(std::int64_t begin, std::int64_t runs, std::int64_t length, std::int64_t first, const Zeros& zeros,
               const Scales& scales, std::byte* to) {
        take(first, runs, zeros, scales);
        const std::int64_t count = runs * length;
        const std::byte* codes = is_exact_ ? bytes_(begin, count) : nullptr;
        if (codes != nullptr) {
            const code_runs r{codes, runs, length, zeros_.data(), scales_.data()};
            if (bytes_.are_signed()) {
                scale_runs<std::int8_t>(r, level_, to);
            } else {
                scale_runs<std::uint8_t>(r, level_, to);
            }
            return;
        }
        for (std::int64_t i = 0; i < count; ++i) {
            const auto k = static_cast<std::size_t>(i / length);
            const half element(wide_scales_[k] * (data_.at(begin + i) - wide_zeros_[k]));
            std::memcpy(to + 2 * i, &element, 2);
        }
    }

private:
    /// Zero points and scales of so many runs, unless they are here from the last time.
    template <class Zeros, class Scales>
    void take(std::int64_t first, std::int64_t runs, const Zeros& zeros, const Scales& scales) {
        if (first == first_ && runs == std::ssize(scales_)) {
            return;
        }
        first_ = first;
        const auto count = static_cast<std::size_t>(runs);
        wide_zeros_.resize(count);
        wide_scales_.resize(count);
        zeros(first, std::span(wide_zeros_));
        scales(first, std::span(wide_scales_));
        zeros_.assign(wide_zeros_.begin(), wide_zeros_.end());
        scales_.assign(wide_scales_.begin(), wide_scales_.end());
        is_exact_ = true;
        for (std::size_t k = 0; k < count && is_exact_; ++k) {
            const double z = wide_zeros_[k];
            const double s = wide_scales_[k];
            is_exact_ = std::fabs(z) <= 2048 && z == std::trunc(z) && std::isfinite(s) && is_half(s);
        }
    }
    /// Whether fp16 holds a number: it rounds to itself. Of normal ones that is a question of the last bits.
    ANEMONE_INLINE static bool is_half(double x) {
        const auto bits = std::bit_cast<std::uint64_t>(x);
        const double magnitude = std::fabs(x);
        return magnitude >= 0x1p-14 && magnitude <= 65504 ? (bits & ((std::uint64_t{1} << 42U) - 1)) == 0
                                                          : static_cast<double>(half(x)) == x;
    }

    const folding::known_tensor& data_;
    byte_codes bytes_;
    isa_level level_;
    std::int64_t first_ = -1; ///< the run that `zeros_` and `scales_` begin with
    std::vector<double> wide_zeros_;
    std::vector<double> wide_scales_;
    std::vector<float> zeros_;
    std::vector<float> scales_;
    bool is_exact_ = false; ///< scale (q - zero) is exact in float for all of them
};

} // namespace ane::readers::inline ANEMONE_WAY
