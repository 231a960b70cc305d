#pragma once

#include "../base/way.hpp"
#include "../values/dtype.hpp"
#include "../values/half.hpp"
#include "wide_halves.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>

namespace ane::inline ANEMONE_WAY {

/// How far a value may be from what it should be: |got - expected| <= relative |expected| + absolute.
struct error_bound {
    double relative = 0.05;
    double absolute = -1; ///< below zero: `relative` times the root mean square of what the layer should give; 2^-24
                          ///< where that is zero
};

/// How far the values of a layer are from those in double precision.
struct wide_error {
    std::int64_t count = 0;  ///< elements
    std::int64_t beyond = 0; ///< of them beyond the bound
    std::int64_t not_finite =
        0;                   ///< of these, those of which only one is finite, or only one a NaN, or infinities differ
    double max_abs = 0;      ///< the largest |got - expected| of the others
    double relative = 0;     ///< |got - expected| / |expected| of the others (Frobenius norms)
    double excess = 0;       ///< the largest error in units of what is allowed; infinite where one is not finite
    std::int64_t worst = -1; ///< the element that has it, -1 where all are equal
    double expected = 0;     ///< its value in double precision
    double got = 0;          ///< and in the arithmetic that is judged
};

} // namespace ane::inline ANEMONE_WAY

namespace ane::detail::inline ANEMONE_WAY {

/// The elements of a tensor as numbers, whatever holds them.
class numbers_view {
public:
    explicit numbers_view(std::span<const double> numbers)
        : numbers_(numbers), count_(static_cast<std::int64_t>(numbers.size())) {}
    numbers_view(dtype type, std::span<const std::byte> memory)
        : memory_(memory), type_(type),
          count_(static_cast<std::int64_t>(memory.size()) / (type == dtype::f16 ? std::int64_t{2} : 1)) {}

    std::int64_t count() const { return count_; }
    double operator[](std::int64_t i) const {
        const auto at = static_cast<std::size_t>(i);
        if (memory_.empty()) {
            return numbers_[at];
        }
        if (type_ == dtype::f16) {
            return static_cast<double>(reinterpret_cast<const half*>(memory_.data())[at]);
        }
        const auto byte = std::to_integer<unsigned char>(memory_[at]);
        return type_ == dtype::int8 ? static_cast<double>(static_cast<signed char>(byte)) : static_cast<double>(byte);
    }

    static constexpr std::int64_t most_of_block = 512;
    /// Elements from `first` on, `count` of them, which `memory` holds if nothing else does.
    const double* block(std::int64_t first, std::int64_t count, double* memory) const {
        if (memory_.empty()) {
            return numbers_.data() + first;
        }
        if (type_ == dtype::f16) {
            widen(reinterpret_cast<const half*>(memory_.data()) + first, count, memory);
            return memory;
        }
        for (std::int64_t i = 0; i < count; ++i) {
            memory[i] = (*this)[first + i];
        }
        return memory;
    }
    /// Calls visit(first, numbers, count) for up to `most_of_block` elements at a time.
    template <class Visit> void for_each_block(const Visit& visit) const {
        double memory[most_of_block];
        for (std::int64_t first = 0; first < count_; first += most_of_block) {
            const std::int64_t count = std::min(most_of_block, count_ - first);
            visit(first, block(first, count, memory), count);
        }
    }

private:
    std::span<const double> numbers_;
    std::span<const std::byte> memory_;
    dtype type_ = dtype::f16;
    std::int64_t count_;
};

/// How large the values of a layer are.
struct value_sizes {
    double largest = 0;   ///< the largest magnitude of what is finite
    double magnitude = 0; ///< the root mean square of it
    bool is_finite = true;
};

/// Sums of a block in four parts, which do not wait for each other.
struct four_sums {
    static constexpr int parts = 4;
    double of[parts] = {};
    double total() const { return (of[0] + of[1]) + (of[2] + of[3]); }
};

ANEMONE_INLINE value_sizes sizes_of(const numbers_view& x) {
    constexpr double most = std::numeric_limits<double>::max();
    value_sizes sizes;
    double sum = 0;
    std::int64_t count = 0;
    x.for_each_block([&](std::int64_t, const double* numbers, std::int64_t of_block) {
        four_sums squares;
        double largest[four_sums::parts] = {};
        const std::int64_t whole = of_block / four_sums::parts * four_sums::parts;
        for (std::int64_t i = 0; i < whole; i += four_sums::parts) {
            for (int k = 0; k < four_sums::parts; ++k) {
                const double value = std::fabs(numbers[i + k]);
                squares.of[k] += value * value;
                largest[k] = value > largest[k] ? value : largest[k];
            }
        }
        const double square = squares.total();
        const bool is_plain = square <= most; // no infinity, no NaN, no square that overflows
        if (is_plain) {
            sum += square;
            count += whole;
            for (const double each : largest) {
                sizes.largest = std::max(sizes.largest, each);
            }
        }
        for (std::int64_t i = is_plain ? whole : 0; i < of_block; ++i) {
            const double value = std::fabs(numbers[i]);
            if (value <= most) {
                sizes.largest = std::max(sizes.largest, value);
                sum += value * value;
                ++count;
            }
        }
    });
    sizes.magnitude = count == 0 ? 0 : std::sqrt(sum / static_cast<double>(count));
    sizes.is_finite = count == x.count();
    return sizes;
}

/// What is allowed in addition to a share of a value. Of a layer of zeros no more can be asked than the least number of
/// fp16.
ANEMONE_INLINE double absolute_bound(const value_sizes& sizes, const error_bound& bound) {
    const double of_layer = sizes.magnitude == 0 ? 0x1p-24 : bound.relative * sizes.magnitude;
    return bound.absolute >= 0 ? bound.absolute : of_layer;
}

/// The comparison of two tensors of one size, block by block.
class error_meter {
public:
    error_meter(const error_bound& bound, double absolute) : relative_(bound.relative), absolute_(absolute) {}

    /// Elements from `first` on.
    ANEMONE_INLINE void add(std::int64_t first, const double* want, const double* have, std::int64_t count) {
        if (count % four_sums::parts != 0 || !add_small(want, have, count)) {
            for (std::int64_t i = 0; i < count; ++i) {
                add_one(first + i, want[i], have[i]);
            }
        }
    }
    ANEMONE_INLINE wide_error result(std::int64_t count) const {
        wide_error e = error_;
        e.count = count;
        e.relative = distance_ == 0 ? 0 : std::sqrt(distance_ / size_);
        return e;
    }

private:
    /// Adds a block if none of its errors is beyond the bound, or larger than the largest so far: without a quotient, which
    /// the factor makes up for, being rounded.
    ANEMONE_INLINE bool add_small(const double* want, const double* have, std::int64_t count) {
        const double least = std::min(1.0, error_.excess) * (1 - 0x1p-50);
        four_sums distance;
        four_sums size;
        double largest[four_sums::parts] = {};
        double over[four_sums::parts] = {};
        for (std::int64_t i = 0; i < count; i += four_sums::parts) {
            for (int k = 0; k < four_sums::parts; ++k) {
                const double w = want[i + k];
                const double apart = std::fabs(have[i + k] - w);
                const double above = apart - least * (relative_ * std::fabs(w) + absolute_);
                over[k] = above > over[k] ? above : over[k];
                distance.of[k] += apart * apart;
                size.of[k] += w * w;
                largest[k] = apart > largest[k] ? apart : largest[k];
            }
        }
        const double most = *std::max_element(std::begin(largest), std::end(largest));
        const bool is_small = *std::max_element(std::begin(over), std::end(over)) == 0;
        if (!is_small || !(distance.total() <= std::numeric_limits<double>::max())) { // of a NaN the sum is one
            return false;
        }
        error_.max_abs = std::max(error_.max_abs, most);
        distance_ += distance.total();
        size_ += size.total();
        return true;
    }

    ANEMONE_INLINE void add_one(std::int64_t element, double want, double have) {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        const double apart = std::fabs(have - want);
        double excess = 0;
        if (apart <= std::numeric_limits<double>::max()) { // both are finite
            const double allowed = relative_ * std::fabs(want) + absolute_;
            excess = apart == 0 ? 0 : apart / allowed; // infinite where nothing is allowed
            error_.max_abs = std::max(error_.max_abs, apart);
            distance_ += apart * apart;
            size_ += want * want;
        } else if (want != have && !(std::isnan(want) && std::isnan(have))) {
            excess = infinity;
            ++error_.not_finite;
        }
        error_.beyond += excess > 1 ? 1 : 0;
        if (excess > error_.excess) {
            error_.excess = excess;
            error_.worst = element;
            error_.expected = want;
            error_.got = have;
        }
    }

    double relative_;
    double absolute_;
    double distance_ = 0;
    double size_ = 0;
    wide_error error_;
};

/// Compares two tensors of one size; `sizes` are of what is expected.
ANEMONE_INLINE wide_error error_of(const numbers_view& expected, const numbers_view& got, const value_sizes& sizes,
                                   const error_bound& bound) {
    error_meter meter(bound, absolute_bound(sizes, bound));
    double memory[numbers_view::most_of_block];
    got.for_each_block([&](std::int64_t first, const double* have, std::int64_t of_block) {
        meter.add(first, expected.block(first, of_block, memory), have, of_block);
    });
    return meter.result(std::min(expected.count(), got.count()));
}
ANEMONE_INLINE wide_error error_of(const numbers_view& expected, const numbers_view& got, const error_bound& bound) {
    return error_of(expected, got, sizes_of(expected), bound);
}

} // namespace ane::detail::inline ANEMONE_WAY
