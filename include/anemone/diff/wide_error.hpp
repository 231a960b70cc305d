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

private:
    std::span<const double> numbers_;
    std::span<const std::byte> memory_;
    dtype type_ = dtype::f16;
    std::int64_t count_;
};

/// The root mean square of what is finite.
ANEMONE_INLINE double magnitude_of(const numbers_view& x) {
    double sum = 0;
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < x.count(); ++i) {
        if (std::isfinite(x[i])) {
            sum += x[i] * x[i];
            ++count;
        }
    }
    return count == 0 ? 0 : std::sqrt(sum / static_cast<double>(count));
}

/// Compares two tensors of one size.
ANEMONE_INLINE wide_error error_of(const numbers_view& expected, const numbers_view& got, const error_bound& bound) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const double magnitude = magnitude_of(expected);
    // The least number of fp16: of a layer of zeros no more can be asked.
    const double of_layer = magnitude == 0 ? 0x1p-24 : bound.relative * magnitude;
    const double absolute = bound.absolute >= 0 ? bound.absolute : of_layer;
    wide_error e;
    e.count = std::min(expected.count(), got.count());
    double distance = 0;
    double size = 0;
    for (std::int64_t i = 0; i < e.count; ++i) {
        const double want = expected[i];
        const double have = got[i];
        double excess = 0;
        if (std::isfinite(want) && std::isfinite(have)) {
            const double apart = std::fabs(have - want);
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
            e.worst = i;
            e.expected = want;
            e.got = have;
        }
    }
    e.relative = distance == 0 ? 0 : std::sqrt(distance / size);
    return e;
}

} // namespace ane::detail::inline ANEMONE_WAY
