#pragma once

#include "../base/way.hpp"
#include "../folding/known_tensor.hpp"
#include "../values/half.hpp"
#include "../weights/formats/packing.hpp"
#include "scale_kernels.hpp"

#include <algorithm>
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
        : data_(data), all_(data.elements()), level_(best_level()) {}

    /// Writes `runs` runs of `length` from code `begin` on; run k has the zero point `zero(first + k)` and the scale
    /// `scale(first + k)`, which must be the same whenever they are asked for.
    template <class Zero, class Scale>
    void write(std::int64_t begin, std::int64_t runs, std::int64_t length, std::int64_t first, const Zero& zero,
               const Scale& scale, std::byte* to) {
        take(first, runs, zero, scale);
        const std::int64_t count = runs * length;
        const std::byte* codes = is_exact_ ? bytes(begin, count) : nullptr;
        if (codes != nullptr) {
            const code_runs r{codes, runs, length, zeros_.data(), scales_.data()};
            if (facts_of(data_.type).kind == number_kind::with_sign) {
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

    /// Codes as bytes: those of the file, or unpacked; null where they are wider, or no integers.
    ANEMONE_INLINE const std::byte* bytes(std::int64_t begin, std::int64_t count) {
        const element_facts& facts = facts_of(data_.type);
        if (!is_integer(data_.type) || facts.bits > 8) {
            return nullptr;
        }
        if (facts.bits == 8) {
            return all_.data() + begin;
        }
        unpacked_.resize(static_cast<std::size_t>(count));
        const bool is_signed = facts.kind == number_kind::with_sign;
        std::int64_t i = 0;
        if (facts.bits == 4 && begin % 2 == 0) { // two to a byte, the low one first
            const std::byte* const from = all_.data() + begin / 2;
            for (; i + 2 <= count; i += 2) {
                const auto both = static_cast<unsigned>(from[i / 2]);
                const unsigned sign = is_signed ? 8 : 0; // (q ^ 8) - 8 has the sign of four bits
                unpacked_[static_cast<std::size_t>(i)] = static_cast<std::byte>(((both & 15U) ^ sign) - sign);
                unpacked_[static_cast<std::size_t>(i) + 1] = static_cast<std::byte>(((both >> 4U) ^ sign) - sign);
            }
        }
        for (; i < count; ++i) {
            unpacked_[static_cast<std::size_t>(i)] = static_cast<std::byte>(
                is_signed ? static_cast<unsigned>(weight_formats::packed_signed_at(all_, begin + i, facts.bits))
                          : weight_formats::packed_at(all_, begin + i, facts.bits));
        }
        return unpacked_.data();
    }

    const folding::known_tensor& data_;
    std::span<const std::byte> all_;
    isa_level level_;
    std::int64_t first_ = -1; ///< the run that `zeros_` and `scales_` begin with
    std::vector<float> zeros_;
    std::vector<float> scales_;
    bool is_exact_ = false; ///< scale (q - zero) is exact in float for all of them
    std::vector<std::byte> unpacked_;
};

} // namespace ane::readers::inline ANEMONE_WAY
