#pragma once

#include "../base/way.hpp"
#include "../values/dtype.hpp"
#include "../values/half.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
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
ANEMONE_INLINE value_sizes sizes_of(const numbers_view& x) {
    value_sizes sizes;
    double sum = 0;
    std::int64_t count = 0;
    x.for_each_block([&](std::int64_t, const double* numbers, std::int64_t of_block) {
        for (std::int64_t i = 0; i < of_block; ++i) {
            const double value = std::fabs(numbers[i]);
            if (value <= std::numeric_limits<double>::max()) {
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

/// Compares two tensors of one size; `sizes` are of what is expected.
ANEMONE_INLINE wide_error error_of(const numbers_view& expected, const numbers_view& got, const value_sizes& sizes,
                                   const error_bound& bound) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const double absolute = absolute_bound(sizes, bound);
    wide_error e;
    e.count = std::min(expected.count(), got.count());
    double distance = 0;
    double size = 0;
    double memory[numbers_view::most_of_block];
    got.for_each_block([&](std::int64_t first, const double* have_numbers, std::int64_t of_block) {
        const double* const want_numbers = expected.block(first, of_block, memory);
        for (std::int64_t i = 0; i < of_block; ++i) {
            const double want = want_numbers[i];
            const double have = have_numbers[i];
            const double apart = std::fabs(have - want);
            double excess = 0;
            if (apart <= std::numeric_limits<double>::max()) { // both are finite
                const double allowed = bound.relative * std::fabs(want) + absolute;
                excess = apart == 0 ? 0 : apart / allowed; // infinite where nothing is allowed
                e.max_abs = std::max(e.max_abs, apart);
                distance += apart * apart;
                size += want * want;
            } else if (want != have && !(std::isnan(want) && std::isnan(have))) {
                excess = infinity;
                ++e.not_finite;
            }
            e.beyond += excess > 1 ? 1 : 0;
            if (excess > e.excess) {
                e.excess = excess;
                e.worst = first + i;
                e.expected = want;
                e.got = have;
            }
        }
    });
    e.relative = distance == 0 ? 0 : std::sqrt(distance / size);
    return e;
}
ANEMONE_INLINE wide_error error_of(const numbers_view& expected, const numbers_view& got, const error_bound& bound) {
    return error_of(expected, got, sizes_of(expected), bound);
}

} // namespace ane::detail::inline ANEMONE_WAY
