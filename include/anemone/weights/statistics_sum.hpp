#pragma once

#include "../base/in_blocks.hpp"
#include "../base/isa.hpp"
#include "../base/way.hpp"
#include "../values/contract.hpp"
#include "../values/half.hpp"
#include "../values/shape.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

/// Only bodies include this header.
namespace ane::detail::inline ANEMONE_WAY {

/// |value| of a finite one, by an exact product instead of a branch for subnormals, so that loops become vector code.
constexpr float finite_magnitude(half value) noexcept {
    return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits & 0x7FFFU) << 13U) * 0x1p112F;
}

/// Sums of magnitudes for each index of an axis, of elements that come one after the other in the order of the tensor.
/// Exact in any order (statistics.hpp).
class axis_sums {
public:
    ANEMONE_INLINE axis_sums(const extents& shape, int axis)
        : sums_(static_cast<std::size_t>(axis < shape.rank ? shape[axis] : 1), 0.0) {
        for (int i = axis + 1; i < shape.rank; ++i) {
            block_ *= static_cast<std::size_t>(shape[i]);
        }
        if (sums_.size() == 1) { // all of the tensor
            block_ = std::numeric_limits<std::size_t>::max();
        }
    }
    /// Magnitudes of the elements that follow.
    ANEMONE_CPU_INLINE void add(std::span<const float> magnitudes) {
        while (!magnitudes.empty()) {
            const std::size_t index = at_ / block_ % sums_.size();
            const std::size_t left = block_ - at_ % block_;
            // Of single elements, a run of indices.
            const std::size_t count = std::min(magnitudes.size(), block_ == 1 ? sums_.size() - index : left);
            if (block_ == 1) {
                add_each(magnitudes.first(count), sums_.data() + index);
            } else {
                sums_[index] += sum_of(magnitudes.first(count));
            }
            at_ += count;
            magnitudes = magnitudes.subspan(count);
        }
    }
    const std::vector<double>& sums() const { return sums_; }
    double largest() const { return *std::max_element(sums_.begin(), sums_.end()); }

private:
    static constexpr std::size_t lanes = 8; ///< loops of a constant count become vector code at -O2

    ANEMONE_CPU_INLINE static void add_each(std::span<const float> values, double* to) {
        in_blocks(values.size(), [&](std::size_t i) { to[i] += static_cast<double>(values[i]); });
    }
    ANEMONE_CPU_INLINE static double sum_of(std::span<const float> values) {
        double part[lanes]{};
        const std::size_t whole = values.size() / lanes * lanes;
        for (std::size_t i = 0; i < whole; i += lanes) {
            for (std::size_t k = 0; k < lanes; ++k) {
                part[k] += static_cast<double>(values[i + k]);
            }
        }
        double sum = 0;
        for (const double each : part) {
            sum += each;
        }
        for (std::size_t i = whole; i < values.size(); ++i) {
            sum += static_cast<double>(values[i]);
        }
        return sum;
    }

    std::vector<double> sums_;
    std::size_t block_ = 1; ///< consecutive elements of one index
    std::size_t at_ = 0;    ///< elements so far
};

/// A sum of squares in double, in eight lanes by the number of the element, so that it does not depend on how the elements
/// are cut into pieces.
class square_sum {
public:
    ANEMONE_CPU_INLINE void add(std::span<const float> values) {
        std::size_t i = 0;
        for (; at_ != 0 && i < values.size(); ++i) {
            one(values[i]);
        }
        for (; i + lanes <= values.size(); i += lanes) {
            for (std::size_t k = 0; k < lanes; ++k) {
                const auto value = static_cast<double>(values[i + k]);
                part_[k] += value * value;
            }
        }
        for (; i < values.size(); ++i) {
            one(values[i]);
        }
    }
    ANEMONE_INLINE double sum() const {
        double all = 0;
        for (const double each : part_) {
            all += each;
        }
        return all;
    }

private:
    static constexpr std::size_t lanes = 8;

    ANEMONE_CPU_INLINE void one(float value) {
        part_[at_] += static_cast<double>(value) * static_cast<double>(value);
        at_ = (at_ + 1) % lanes;
    }

    double part_[lanes]{};
    std::size_t at_ = 0; ///< the lane of the next element
};

/// The statistics of a tensor of finite values that come piece by piece, in order.
class statistics_sum {
public:
    /// Of a shape with elements.
    ANEMONE_INLINE explicit statistics_sum(const extents& shape) : rows_(shape, 0), columns_(shape, 1) {}

    ANEMONE_INLINE void add(std::span<const half> values) {
        while (!values.empty()) {
            const std::span<const half> some = values.first(std::min(piece, values.size()));
#if defined(__x86_64__)
            has_avx2_ ? add_piece_avx2(some) : add_piece(some);
#else
            add_piece(some);
#endif
            values = values.subspan(some.size());
        }
    }
    ANEMONE_INLINE tensor_statistics result() const {
        return {.low = static_cast<double>(in_order(low_)),
                .high = static_cast<double>(in_order(high_)),
                .row_l1 = rows_.largest(),
                .column_l1 = columns_.largest(),
                .deviation = count_ == 0 ? 0.0 : std::sqrt(squares_.sum() / static_cast<double>(count_)),
                .zeros = static_cast<double>(zeros_) / static_cast<double>(count_)};
    }
    /// Elements that are zero, and those below 2^-14 that are not.
    std::int64_t zeros() const { return zeros_; }
    std::int64_t subnormal() const { return small_ - zeros_; }

private:
    /// The value whose position on the line of all values this is (`ordinal`).
    static constexpr half in_order(std::int16_t position) noexcept {
        return half::from_bits(static_cast<std::uint16_t>(position < 0 ? 0x8000 - position : position));
    }
#if defined(__x86_64__)
    __attribute__((target("avx2"))) inline void add_piece_avx2(std::span<const half> values) { add_piece(values); }
#endif
    /// The same bits for every instruction set: nothing is fused, and no sum depends on the width of registers.
    ANEMONE_CPU_INLINE void add_piece(std::span<const half> values) {
        const std::size_t whole = values.size() / block * block;
        for (std::size_t i = 0; i < whole; i += block) {
            add_block<block>(values.data() + i, magnitudes_ + i);
        }
        for (std::size_t i = whole; i < values.size(); ++i) {
            add_block<1>(values.data() + i, magnitudes_ + i);
        }
        count_ += static_cast<std::int64_t>(values.size());
        const std::span<const float> all(magnitudes_, values.size());
        squares_.add(all);
        rows_.add(all);
        columns_.add(all);
    }

    /// The extremes, the counts and the magnitudes of so many elements: loops of a constant count over 16 bits each, which
    /// become vector code at -O2.
    template <std::size_t Count> ANEMONE_CPU_INLINE void add_block(const half* values, float* magnitudes) {
        std::int16_t low = low_;
        std::int16_t high = high_;
        std::uint16_t zeros = 0;
        std::uint16_t small = 0;
        for (std::size_t i = 0; i < Count; ++i) {
            const auto bits = values[i].bits;
            const auto size = static_cast<std::int16_t>(bits & 0x7FFFU);
            const auto sign = static_cast<std::int16_t>(static_cast<std::int16_t>(bits) >> 15); // 0 or -1
            const auto place = static_cast<std::int16_t>((size ^ sign) - sign);
            low = std::min(low, place);
            high = std::max(high, place);
            zeros = static_cast<std::uint16_t>(zeros + (size == 0 ? 1U : 0U));
            small = static_cast<std::uint16_t>(small + (size < 0x400 ? 1U : 0U));
        }
        for (std::size_t i = 0; i < Count; ++i) {
            magnitudes[i] = finite_magnitude(values[i]);
        }
        low_ = low;
        high_ = high;
        zeros_ += zeros;
        small_ += small;
    }

    axis_sums rows_;
    axis_sums columns_;
    square_sum squares_;
    static constexpr std::size_t piece = 4096; ///< stays in the nearest cache for all sums
    static constexpr std::size_t block = 128;
    float magnitudes_[piece];
    bool has_avx2_ = is_available(isa_level::avx2);
    std::int16_t low_ = 0x7FFF;
    std::int16_t high_ = -0x7FFF;
    std::int64_t zeros_ = 0;
    std::int64_t small_ = 0;
    std::int64_t count_ = 0;
};

} // namespace ane::detail::inline ANEMONE_WAY
