#pragma once

#include "../../base/way.hpp"
#include "../../values/dtype.hpp"
#include "../../values/shape.hpp"
#include "../../weights/formats/scaled_integers.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>

/// The walks of quantize and dequantize, and the values of stored integers; the arithmetic is each backend's own.
namespace ane::kernels::inline ANEMONE_WAY {

/// Which of several scales (or zero points) an element has: one for all, or one for each index of an axis.
struct scale_places {
    std::int64_t inner = 1; ///< consecutive elements with the same index
    std::int64_t count = 1; ///< of scales

    constexpr std::int64_t of(std::int64_t element) const { return element / inner % count; }
};

/// One scale serves all elements, whatever the axis (ONNX).
constexpr scale_places scale_places_of(const extents& x, int axis, const extents& scale) {
    scale_places p;
    p.count = scale.count();
    for (int i = p.count > 1 ? normalized_axis(axis, x.rank) + 1 : x.rank; i < x.rank; ++i) {
        p.inner *= x[i];
    }
    return p;
}

/// The ends of the integers that quantize makes.
constexpr int lowest_integer(dtype type) noexcept { return type == dtype::uint8 ? 0 : -128; }
constexpr int highest_integer(dtype type) noexcept { return type == dtype::uint8 ? 255 : 127; }

/// A number as an integer of the type: the nearest, halves to even, the ends for what lies beyond; NaN counts as 0.
ANEMONE_INLINE int saturated(double value, dtype type) {
    if (std::isnan(value)) {
        value = 0;
    }
    const double low = lowest_integer(type);
    const double high = highest_integer(type);
    return weight_formats::nearest_even(value < low ? low : (value > high ? high : value));
}

/// Element `index` of a tensor of integers. An int4 has half a byte, the first the low one.
ANEMONE_INLINE int integer_at(dtype type, const std::byte* values, std::int64_t index) {
    switch (type) {
    case dtype::int8: return static_cast<std::int8_t>(values[index]);
    case dtype::int4:
        return weight_formats::packed_signed_at({values, static_cast<std::size_t>(index / 2) + 1}, index, 4);
    default: return static_cast<std::uint8_t>(values[index]);
    }
}

/// The scale and the zero point of an element; 0 if there is no zero point.
struct scale_of_element {
    half scale;
    half zero;
};

struct scale_operands {
    const half* scale;
    scale_places scale_at;
    const half* zero; ///< may be null
    scale_places zero_at;

    scale_of_element of(std::int64_t element) const {
        return {scale[scale_at.of(element)], zero == nullptr ? half{} : zero[zero_at.of(element)]};
    }
};

/// Writes `one(x, scale and zero)`, an integer in the range of its type, for each element.
template <class One>
void quantize(const half* x, const scale_operands& by, std::int64_t count, std::byte* out, const One& one) {
    for (std::int64_t i = 0; i < count; ++i) {
        out[i] = static_cast<std::byte>(one(x[i], by.of(i)));
    }
}

/// Writes `one(q, scale and zero)` for each element; q is an integer, as fp16 holds it.
template <class One>
void dequantize(dtype type, const std::byte* q, const scale_operands& by, std::int64_t count, half* out,
                const One& one) {
    for (std::int64_t i = 0; i < count; ++i) {
        const half value = type == dtype::f16 ? reinterpret_cast<const half*>(q)[i] : half(integer_at(type, q, i));
        out[i] = one(value, by.of(i));
    }
}

} // namespace ane::kernels::inline ANEMONE_WAY
