#pragma once

#include "../base/way.hpp"
#include "../folding/known_tensor.hpp"
#include "../values/half.hpp"
#include "byte_codes.hpp"
#include "scale_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

/// Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// The codes of a weight, and the numbers scale (q - zero) that they stand for, each rounded once to fp16.
class scaled_codes {
public:
    ANEMONE_INLINE explicit scaled_codes(const folding::known_tensor& data)
        : data_(data), bytes_(data), level_(best_level()) {}

    /// Writes `runs` runs of `length` from code `begin` on; run k has the zero point `zero(first + k)` and the scale
    /// `scale(first + k)`, which must be the same whenever they are asked for.
    template <class Zero, class Scale>
    void write(std::int64_t begin, std::int64_t runs, std::int64_t length, std::int64_t first, const Zero& zero,
               const Scale& scale, std::byte* to) {
        take(first, runs, zero, scale);
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
            const std::int64_t block = first + i / length;
            const half element(scale(block) * (data_.at(begin + i) - zero(block)));
            std::memcpy(to + 2 * i, &element, 2);
        }
    }

private:
    /// Zero points and scales of so many runs, unless they are here from the last time.
    template <class Zero, class Scale>
    void take(std::int64_t first, std::int64_t runs, const Zero& zero, const Scale& scale) {
        if (first == first_ && runs == std::ssize(scales_)) {
            return;
        }
        first_ = first;
        zeros_.resize(static_cast<std::size_t>(runs));
        scales_.resize(static_cast<std::size_t>(runs));
        is_exact_ = true;
        for (std::int64_t k = 0; k < runs; ++k) {
            const double z = zero(first + k);
            const double s = scale(first + k);
            is_exact_ = is_exact_ && std::fabs(z) <= 2048 && z == std::trunc(z) && std::isfinite(s) &&
                        static_cast<double>(half(s)) == s;
            zeros_[static_cast<std::size_t>(k)] = static_cast<float>(z);
            scales_[static_cast<std::size_t>(k)] = static_cast<float>(s);
        }
    }

    const folding::known_tensor& data_;
    byte_codes bytes_;
    isa_level level_;
    std::int64_t first_ = -1; ///< the run that `zeros_` and `scales_` begin with
    std::vector<float> zeros_;
    std::vector<float> scales_;
    bool is_exact_ = false; ///< scale (q - zero) is exact in float for all of them
};

} // namespace ane::readers::inline ANEMONE_WAY
