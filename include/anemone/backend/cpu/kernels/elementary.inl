// Included by simd/each_set.inl through level.inl: elementary functions in fp32 over vectors, without branches. They
// stay within 2^-20 of the exact value, relatively, or within what their comments say, far inside half an ulp of fp16
// (2^-12). NaN in, NaN out, but where a comment says otherwise. Products and sums that are fused are rounded once at every instruction set, so all sets give the same bits.

namespace ane::cpu::detail::inline ANEMONE_WAY {
namespace ANEMONE_SET {

template <int N> ANEMONE_CPU_INLINE floats<N> magnitude(const floats<N>& x) {
    return floats_of(bits_of(x) & integers<N>::all(0x7FFFFFFFU));
}

template <int N> ANEMONE_CPU_INLINE floats<N> with_sign_of(const floats<N>& x, const floats<N>& sign) {
    return floats_of((bits_of(x) & integers<N>::all(0x7FFFFFFFU)) | (bits_of(sign) & integers<N>::all(0x80000000U)));
}

template <int N> ANEMONE_CPU_INLINE floats<N> negated(const floats<N>& x) {
    return floats_of(bits_of(x) ^ integers<N>::all(0x80000000U));
}

/// x, or the limit that it exceeds. NaN stays.
template <int N> ANEMONE_CPU_INLINE floats<N> at_least(const floats<N>& x, float low) {
    return larger(floats<N>::all(low), x);
}
template <int N> ANEMONE_CPU_INLINE floats<N> at_most(const floats<N>& x, float high) {
    return smaller(floats<N>::all(high), x);
}

/// A polynomial of x by Horner's rule, the coefficient of the highest power first.
template <int N> ANEMONE_CPU_INLINE floats<N> horner(const floats<N>&, const floats<N>& p) { return p; }
template <int N, class... Rest>
ANEMONE_CPU_INLINE floats<N> horner(const floats<N>& x, const floats<N>& p, float next, Rest... rest) {
    return horner(x, fused_multiply_add(p, x, floats<N>::all(next)), rest...);
}
template <int N, class... Rest>
ANEMONE_CPU_INLINE floats<N> polynomial(const floats<N>& x, float highest, Rest... rest) {
    return horner(x, floats<N>::all(highest), rest...);
}

// e^x = 2^n e^r with n = round(x / ln 2) and |r| <= ln 2 / 2.

/// Adding this rounds a number below 2^22 to an integer; the low bits of the sum hold that integer and Bias.
template <int Bias> inline constexpr float rounding_shift_of = 0x1.8p23F + static_cast<float>(Bias);

template <int Bias, int N> ANEMONE_CPU_INLINE floats<N> shifted_exponent(const floats<N>& x) {
    return fused_multiply_add(x, floats<N>::all(1.44269504F), floats<N>::all(rounding_shift_of<Bias>));
}
/// e^r for |r| <= ln 2 / 2, a minimax polynomial within 2^-22.
template <int N> ANEMONE_CPU_INLINE floats<N> reduced_exponential(const floats<N>& r) {
    return polynomial(r, 0.00831252057F, 0.0418901555F, 0.166671142F, 0.499992311F, 1.0F, 1.0F);
}
template <int Bias, int N>
ANEMONE_CPU_INLINE floats<N> reduced_exponential(const floats<N>& x, const floats<N>& shifted) {
    const floats<N> n = shifted - floats<N>::all(rounding_shift_of<Bias>);
    return reduced_exponential(fused_multiply_add(n, floats<N>::all(-0.693147182F), x));
}

/// 2^(k / 2^23) within 2^-18.4 for k from -125 2^23 to 127 2^23; of NaN it is a number below zero. The integer part of
/// k / 2^23 are the high bits of k as an integer, and the low ones are the significand of 1 + the rest.
template <int N> ANEMONE_CPU_INLINE floats<N> power_of_units(const floats<N>& k) {
    const integers<N> whole = signed_integers(k);
    const floats<N> one_and_rest = floats_of((whole & integers<N>::all(0x7FFFFFU)) | integers<N>::all(0x3F800000U));
    const floats<N> power =
        polynomial(one_and_rest, 0.0135341678F, -0.0021252078F, 0.16661337F, 0.31201604F, 0.509964228F);
    return floats_of(bits_of(power) + (whole & integers<N>::all(0xFF800000U)));
}

/// e^x for x between -87 and 89, 2^n by its bits.
template <int N> ANEMONE_CPU_INLINE floats<N> plain_exponential(const floats<N>& x) {
    const floats<N> shifted = shifted_exponent<127>(x);
    return reduced_exponential<127>(x, shifted) * floats_of(bits_of(shifted) << 23);
}

/// e^x for x >= -87, e^-87 below; infinite from 88.4 on. For sums with numbers of the size of one.
template <int N> ANEMONE_CPU_INLINE floats<N> bounded_exponential(const floats<N>& x) {
    return plain_exponential(at_most(at_least(x, -87.0F), 89.0F));
}

/// The same for x <= 0, or a little above it.
template <int N> ANEMONE_CPU_INLINE floats<N> exponential_below_one(const floats<N>& x) {
    return plain_exponential(at_least(x, -87.0F));
}

/// e^x for x <= 0, zero from -104 on.
template <int N> ANEMONE_CPU_INLINE floats<N> vanishing_exponential(const floats<N>& x) {
    constexpr int bias = 127 + 64; // 2^(n + 64) is in range
    const floats<N> held = at_least(x, -104.0F);
    const floats<N> shifted = shifted_exponent<bias>(held);
    return reduced_exponential<bias>(held, shifted) * floats_of(bits_of(shifted) << 23) * floats<N>::all(0x1p-64F);
}

/// power 2^n, where shifted = n + 0x1.8p23 and |n| <= 151.
template <int N> ANEMONE_CPU_INLINE floats<N> times_power_of_two(const floats<N>& power, const floats<N>& shifted) {
    // Two factors, because 2^n alone leaves the range of fp32 at both ends.
    const integers<N> whole = bits_of(shifted) - integers<N>::all(0x4B400000U);
    const integers<N> first = signed_shift(whole, 1);
    const floats<N> scale_first = floats_of((first + integers<N>::all(127U)) << 23);
    const floats<N> scale_rest = floats_of((whole - first + integers<N>::all(127U)) << 23);
    return (power * scale_first) * scale_rest;
}

/// e^x over the whole range of fp32.
template <int N> ANEMONE_CPU_INLINE floats<N> exponential(const floats<N>& x) {
    const floats<N> held = at_most(at_least(x, -104.0F), 89.0F);
    const floats<N> shifted = shifted_exponent<0>(held);
    return times_power_of_two(reduced_exponential<0>(held, shifted), shifted);
}

/// 2^x = 2^n e^(r ln 2) with n = round(x).
template <int N> ANEMONE_CPU_INLINE floats<N> binary_exponential(const floats<N>& x) {
    const floats<N> held = at_most(at_least(x, -150.0F), 129.0F);
    const floats<N> shifted = held + floats<N>::all(0x1.8p23F);
    const floats<N> r = (held - (shifted - floats<N>::all(0x1.8p23F))) * floats<N>::all(0.693147181F);
    return times_power_of_two(reduced_exponential(r), shifted);
}

/// e^x - 1 for x <= 0, without the cancellation near zero.
template <int N> ANEMONE_CPU_INLINE floats<N> exponential_less_one(const floats<N>& x) {
    const floats<N> p = polynomial(x, 1.9875691500e-4F, 1.3981999507e-3F, 8.3334519073e-3F, 4.1665795894e-2F,
                                   1.6666665459e-1F, 5.0000001201e-1F); // Cephes' expf
    const floats<N> near = fused_multiply_add(p * x, x, x);
    return select(magnitude(x) < floats<N>::all(0.34F), near, exponential_below_one(x) - floats<N>::all(1.0F));
}

/// 2 artanh(s) = ln((1 + s) / (1 - s)) for |s| <= 1/3, as its series.
template <int N> ANEMONE_CPU_INLINE floats<N> twice_artanh(const floats<N>& s) {
    const floats<N> z = s * s;
    const floats<N> p = polynomial(z, 1.0F / 13.0F, 1.0F / 11.0F, 1.0F / 9.0F, 1.0F / 7.0F, 1.0F / 5.0F, 1.0F / 3.0F);
    const floats<N> twice = s + s;
    return fused_multiply_add(p * z, twice, twice);
}

/// ln x = n ln 2 + ln m with m from sqrt(1/2) to sqrt 2; -infinity at zero, NaN below.
template <int N> ANEMONE_CPU_INLINE floats<N> logarithm(const floats<N>& x) {
    using vector = floats<N>;
    constexpr std::uint32_t root_of_half = 0x3F3504F3U;
    const vector zero = vector::all(0.0F);
    const auto tiny = x < vector::all(0x1p-126F); // a subnormal of fp32
    const vector normal = x * select(tiny, vector::all(0x1p23F), vector::all(1.0F));
    const integers<N> shifted = bits_of(normal) - integers<N>::all(root_of_half);
    const vector n = signed_floats(signed_shift(shifted, 23)) - select(tiny, vector::all(23.0F), zero);
    const vector m = floats_of((shifted & integers<N>::all(0x7FFFFFU)) + integers<N>::all(root_of_half));
    const vector of_m = twice_artanh((m - vector::all(1.0F)) / (m + vector::all(1.0F)));
    const vector finite =
        fused_multiply_add(n, vector::all(0.693359375F), fused_multiply_add(n, vector::all(-2.12194440e-4F), of_m));
    const vector infinity = vector::all(std::numeric_limits<float>::infinity());
    const vector special = select(x == zero, zero - infinity, vector::all(std::numeric_limits<float>::quiet_NaN()));
    return select(x > zero, select(x < infinity, finite, x), special);
}

/// ln(1 + e^x) = max(x, 0) + ln(1 + t), t = e^-|x| <= 1.
template <int N> ANEMONE_CPU_INLINE floats<N> softened_relu(const floats<N>& x) {
    const floats<N> zero = floats<N>::all(0.0F);
    const floats<N> t = vanishing_exponential(negated(magnitude(x)));
    return select(x > zero, x, zero) + twice_artanh(t / (floats<N>::all(2.0F) + t));
}

/// 1 / (1 + e^-x)
template <int N> ANEMONE_CPU_INLINE floats<N> logistic(const floats<N>& x) {
    const floats<N> one = floats<N>::all(1.0F);
    return one / (one + bounded_exponential(negated(x)));
}

/// tanh: an odd polynomial (Cephes' tanhf) near zero, where 1 - 2 / (e^2x + 1) cancels.
template <int N> ANEMONE_CPU_INLINE floats<N> hyperbolic_tangent(const floats<N>& x) {
    using vector = floats<N>;
    const vector a = magnitude(x);
    const vector one = vector::all(1.0F);
    const vector far = one - vector::all(2.0F) / (bounded_exponential(a + a) + one);
    const vector z = a * a;
    const vector p =
        polynomial(z, -5.70498872745e-3F, 2.06390887954e-2F, -5.37397155531e-2F, 1.33314422036e-1F, -3.33332819422e-1F);
    const vector near = fused_multiply_add(p * z, a, a);
    return with_sign_of(select(a < vector::all(0.625F), near, far), x);
}

/// x Phi(x) within 2^-16, or 2^-27 absolutely. The 32nd root of Phi(-a), a >= 0, is so smooth that a polynomial has it
/// within 2^-22 up to 5, beyond which x Phi(x) is a small subnormal of fp16. At the limit the polynomial is 1/8 exactly:
/// what is left of its 32nd power there is taken off, so that Phi(-infinity) is zero, and none is subnormal in fp32.
template <int N> ANEMONE_CPU_INLINE floats<N> gaussian_error_linear(const floats<N>& x) {
    const floats<N> root = polynomial(smaller_magnitude(x, 10.8441439F), 2.78927558e-07F, -1.56911756e-05F,
                                      0.000258808461F, -0.000911249837F, -0.00940855686F, -0.0244040377F, 0.97857219F);
    const floats<N> second = root * root;
    const floats<N> fourth = second * second;
    const floats<N> eighth = fourth * fourth;
    const floats<N> sixteenth = eighth * eighth;
    const floats<N> tail = fused_multiply_add(sixteenth, sixteenth, floats<N>::all(-0x1p-96F));
    return x * part_by_sign(x, tail, floats<N>::all(1.0F));
}

/// e^(z^2) erfc(z) of z >= 0 is t P(t), t = 1 / (1 + z / 2); P interpolates at Chebyshev nodes over 0 <= z <= 9 within
/// 5e-8.
template <int N> ANEMONE_CPU_INLINE floats<N> scaled_error_complement(const floats<N>& half_z) {
    const floats<N> one = floats<N>::all(1.0F);
    const floats<N> t = one / (one + half_z);
    return t * polynomial(t, -0.0588653445F, 0.283710352F, -0.485665277F, 0.276581441F, -0.0257642138F, 0.202376684F,
                          0.243173114F, 0.282366254F, 0.282086953F);
}

/// erf: its series near zero, where 1 - erfc cancels.
template <int N> ANEMONE_CPU_INLINE floats<N> error_function(const floats<N>& x) {
    using vector = floats<N>;
    const vector a = magnitude(x);
    const vector z = a * a;
    const vector far =
        vector::all(1.0F) - exponential_below_one(negated(z)) * scaled_error_complement(vector::all(0.5F) * a);
    const vector p =
        polynomial(z, 1.0F / 9360.0F, -1.0F / 1320.0F, 1.0F / 216.0F, -1.0F / 42.0F, 1.0F / 10.0F, -1.0F / 3.0F);
    const vector near = vector::all(1.12837917F) * fused_multiply_add(p * z, a, a);
    return with_sign_of(select(a < vector::all(0.5F), near, far), x);
}

/// atan x = pi / 2 - atan(1 / x) = pi / 4 + atan((x - 1) / (x + 1)); the polynomial is Cephes' atanf.
template <int N> ANEMONE_CPU_INLINE floats<N> arc_tangent(const floats<N>& x) {
    using vector = floats<N>;
    const vector a = magnitude(x);
    const vector one = vector::all(1.0F);
    const auto middle = a > vector::all(0.414213562F);
    const auto far = a > vector::all(2.41421356F);
    const vector above = select(far, vector::all(-1.0F), select(middle, a - one, a));
    const vector r = above / select(far, a, select(middle, a + one, one));
    const vector base =
        select(far, vector::all(1.57079633F), select(middle, vector::all(0.785398163F), vector::all(0.0F)));
    const vector z = r * r;
    const vector p = polynomial(z, 8.05374449538e-2F, -1.38776856032e-1F, 1.99777106478e-1F, -3.33329491539e-1F);
    return with_sign_of(base + fused_multiply_add(p * z, r, r), x);
}

/// The nearest integer, half to even; the sign stays, also of a zero.
template <int N> ANEMONE_CPU_INLINE floats<N> rounded(const floats<N>& x) {
    const floats<N> a = magnitude(x);
    const floats<N> whole = floats<N>::all(0x1p23F);
    return with_sign_of(select(a < whole, (a + whole) - whole, a), x);
}
template <int N> ANEMONE_CPU_INLINE floats<N> rounded_down(const floats<N>& x) {
    const floats<N> nearest = rounded(x);
    return with_sign_of(select(nearest > x, nearest - floats<N>::all(1.0F), nearest), x);
}
template <int N> ANEMONE_CPU_INLINE floats<N> rounded_up(const floats<N>& x) {
    const floats<N> nearest = rounded(x);
    return with_sign_of(select(nearest < x, nearest + floats<N>::all(1.0F), nearest), x);
}

} // namespace ANEMONE_SET
} // namespace ane::cpu::detail::inline ANEMONE_WAY
