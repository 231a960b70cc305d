#pragma once

#include "../graph/attributes.hpp"
#include "binary.hpp"
#include "stored_form.hpp"

/// Ranges of what is sampled, quantised or scaled.
namespace ane::detail {

/// Interpolation: weighted means of neighbouring elements. The fp16 weights add up to one only nearly, and neighbours
/// beyond the border may count as zero.
constexpr interval sampled(const sampling& a, bool has_border, const interval& from) {
    const interval x = has_border && a.border == sampling_border::zero ? with_zero(from) : from;
    if (a.method == sampling_method::nearest) {
        return of_elements(x);
    }
    // Generations without a sampling unit resize by a convolution, whose accumulator has its ceiling at 2^15 and drops
    // the smallest products.
    const interval r = widened(x, x.magnitude() / 128 + 0x1p-12);
    return r.magnitude() < 32768 ? stored(r) : anything(x.declared);
}

constexpr interval range_of_integer(dtype type) {
    switch (type) {
    case dtype::int4: return {-8, 7, true};
    case dtype::uint8: return {0, 255, true};
    default: return {-128, 127, true};
    }
}

/// A quotient by the scale as the nearest whole number, plus the zero point, within an integer type.
constexpr interval range_of_quantized(dtype type, const interval& quotient, const interval& zero) {
    const interval all = range_of_integer(type);
    const interval near = sum(widened(quotient, 1), zero);
    const interval r = clipped(near, all.low, all.high);
    return quotient.bounded() ? interval{floor_of(r.low), ceil_of(r.high), true} : all;
}

constexpr interval scaled_element(scaled_function f, const interval& a, const interval& b) {
    switch (f) {
    case scaled_function::add: return sum(a, b);
    case scaled_function::mul: return product(a, b);
    case scaled_function::maximum: return larger(a, b);
    case scaled_function::minimum: break;
    }
    return smaller(a, b);
}

} // namespace ane::detail
