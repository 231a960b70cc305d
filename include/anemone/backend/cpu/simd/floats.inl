// The vector of each instruction set: `floats<Lanes>`, any power of two of lanes from 4 on. What a register cannot hold
// is two vectors of half the lanes, so a kernel that is written for 16 lanes gives the same bits at every set, only
// slower. Included by each_set.inl; the comments in floats.hpp say what each function is.

namespace ane::cpu::detail::inline ANEMONE_WAY {
namespace ANEMONE_SET {

inline constexpr int register_lanes = ANEMONE_SET_LANES;      // for which kernels are written
inline constexpr int native_lanes = ANEMONE_SET_NATIVE_LANES; // that the machine has: fewer in a test of a wider set

/// Whether the set is but for machines without the other one: then it is compiled from fewer loops, with the same bits.
inline constexpr bool is_fallback =
    isa_level::ANEMONE_SET_LEVEL == isa_level::generic && ANEMONE_SETS == 3; // NOLINT(misc-redundant-expression)

template <int Lanes> struct floats {
    floats<Lanes / 2> low, high;

    ANEMONE_CPU_INLINE static floats load(const float* from) {
        return {floats<Lanes / 2>::load(from), floats<Lanes / 2>::load(from + Lanes / 2)};
    }
    ANEMONE_CPU_INLINE static floats load(const half* from) {
        return {floats<Lanes / 2>::load(from), floats<Lanes / 2>::load(from + Lanes / 2)};
    }
    ANEMONE_CPU_INLINE static floats all(float x) { return {floats<Lanes / 2>::all(x), floats<Lanes / 2>::all(x)}; }
    ANEMONE_CPU_INLINE void store(float* to) const {
        low.store(to);
        high.store(to + Lanes / 2);
    }
    ANEMONE_CPU_INLINE void store(half* to) const {
        low.store(to);
        high.store(to + Lanes / 2);
    }

    ANEMONE_CPU_INLINE friend floats operator+(const floats& a, const floats& b) {
        return {a.low + b.low, a.high + b.high};
    }
    ANEMONE_CPU_INLINE friend floats operator-(const floats& a, const floats& b) {
        return {a.low - b.low, a.high - b.high};
    }
    ANEMONE_CPU_INLINE friend floats operator*(const floats& a, const floats& b) {
        return {a.low * b.low, a.high * b.high};
    }
    ANEMONE_CPU_INLINE friend floats operator/(const floats& a, const floats& b) {
        return {a.low / b.low, a.high / b.high};
    }
    ANEMONE_CPU_INLINE friend floats square_root(const floats& x) { return {square_root(x.low), square_root(x.high)}; }
    ANEMONE_CPU_INLINE friend floats larger(const floats& a, const floats& b) {
        return {larger(a.low, b.low), larger(a.high, b.high)};
    }
    ANEMONE_CPU_INLINE friend floats smaller(const floats& a, const floats& b) {
        return {smaller(a.low, b.low), smaller(a.high, b.high)};
    }
    ANEMONE_CPU_INLINE friend floats fused_multiply_add(const floats& a, const floats& b, const floats& c) {
        return {fused_multiply_add(a.low, b.low, c.low), fused_multiply_add(a.high, b.high, c.high)};
    }
    ANEMONE_CPU_INLINE friend floats multiply_add(const floats& a, const floats& b, const floats& c) {
        return {multiply_add(a.low, b.low, c.low), multiply_add(a.high, b.high, c.high)};
    }
    ANEMONE_CPU_INLINE friend void add_product(floats& sum, const floats& a, const floats& b) {
        add_product(sum.low, a.low, b.low);
        add_product(sum.high, a.high, b.high);
    }
};

// What takes a set without the instruction a function for each lane. In a fallback these are functions of their own, which
// compile in a fraction of the time.
#if ANEMONE_SET_F16C || ANEMONE_SET_NEON || ANEMONE_SETS != 3
#define ANEMONE_LANES_INLINE ANEMONE_CPU_INLINE
#else
#define ANEMONE_LANES_INLINE inline __attribute__((noinline))
#endif
template <class Raw> ANEMONE_LANES_INLINE void widen_lanes(const half* from, Raw& to) {
    for (std::size_t lane = 0; lane < sizeof(Raw) / sizeof(float); ++lane) {
        to[lane] = widened(from[lane].bits);
    }
}
template <class Raw> ANEMONE_LANES_INLINE void round_lanes(const Raw& from, half* to) {
    for (std::size_t lane = 0; lane < sizeof(Raw) / sizeof(float); ++lane) {
        to[lane] = half(static_cast<float>(from[lane]));
    }
}
/// sum = a * b + sum.
template <class Raw> ANEMONE_LANES_INLINE void fuse_lanes(const Raw& a, const Raw& b, Raw& sum) {
    for (std::size_t lane = 0; lane < sizeof(Raw) / sizeof(float); ++lane) {
        sum[lane] = __builtin_fmaf(a[lane], b[lane], sum[lane]);
    }
}
#undef ANEMONE_LANES_INLINE

template <int Lanes>
    requires(Lanes <= native_lanes)
struct floats<Lanes> {
    using raw = typename vector_of<Lanes>::type;
    raw value;

    /// clang compares numbers that it knows to be widened as fp16, lane by lane: it must not know.
    ANEMONE_CPU_INLINE static floats opaque(raw widened) {
#if defined(__clang__) && ANEMONE_SET_F16C
        __asm__("" : "+v"(widened));
#endif
        return {widened};
    }
    ANEMONE_CPU_INLINE static floats load(const float* from) {
        floats result;
        std::memcpy(&result.value, from, sizeof(raw));
        return result;
    }
#if ANEMONE_SET_F16C
    ANEMONE_CPU_INLINE static floats of_halves(eight_halves bits) { return opaque(__builtin_ia32_vcvtph2ps256(bits)); }
#endif
    ANEMONE_CPU_INLINE static floats load(const half* from) {
#if ANEMONE_SET_F16C
        if constexpr (Lanes == 8) {
            eight_halves bits;
            std::memcpy(&bits, from, sizeof bits);
            return of_halves(bits);
        }
#if ANEMONE_SET_NATIVE_LANES == 16
        if constexpr (Lanes == 16) {
            sixteen_halves bits;
            std::memcpy(&bits, from, sizeof bits);
            return opaque(__builtin_ia32_vcvtph2ps512_mask(bits, raw{}, every_lane, current_rounding));
        }
#endif
#endif
        floats result;
#if ANEMONE_SET_NEON
        four_halves bits;
        std::memcpy(&bits, from, sizeof bits);
        asm("fcvtl %0.4s, %1.4h" : "=w"(result.value) : "w"(bits));
        return result;
#endif
        widen_lanes(from, result.value);
        return result;
    }
    /// x - 0 is x with every sign; 0 + x is not.
    ANEMONE_CPU_INLINE static floats all(float x) { return {x - raw{}}; }
    ANEMONE_CPU_INLINE void store(float* to) const { std::memcpy(to, &value, sizeof(raw)); }
    ANEMONE_CPU_INLINE void store(half* to) const {
#if ANEMONE_SET_F16C
        if constexpr (Lanes == 8) {
            eight_halves bits = __builtin_ia32_vcvtps2ph256(value, half_to_even);
            __asm__("" : "+x"(bits)); // into a register, then to memory: at once takes twice as long on Zen
            std::memcpy(static_cast<void*>(to), &bits, sizeof bits);
            return;
        }
#if ANEMONE_SET_NATIVE_LANES == 16
        if constexpr (Lanes == 16) {
            sixteen_halves bits = __builtin_ia32_vcvtps2ph512_mask(value, half_to_even, sixteen_halves{}, every_lane);
            __asm__("" : "+v"(bits)); // as above
            std::memcpy(static_cast<void*>(to), &bits, sizeof bits);
            return;
        }
#endif
#elif ANEMONE_SET_NEON
        four_halves bits;
        asm("fcvtn %0.4h, %1.4s" : "=w"(bits) : "w"(value));
        std::memcpy(static_cast<void*>(to), &bits, sizeof bits);
        return;
#endif
        round_lanes(value, to);
    }

    ANEMONE_CPU_INLINE friend floats operator+(const floats& a, const floats& b) { return {a.value + b.value}; }
    ANEMONE_CPU_INLINE friend floats operator-(const floats& a, const floats& b) { return {a.value - b.value}; }
    ANEMONE_CPU_INLINE friend floats operator*(const floats& a, const floats& b) { return {a.value * b.value}; }
    ANEMONE_CPU_INLINE friend floats operator/(const floats& a, const floats& b) { return {a.value / b.value}; }
    ANEMONE_CPU_INLINE friend floats square_root(const floats& x) {
#if defined(__x86_64__)
        if constexpr (Lanes == 4) {
            return {__builtin_ia32_sqrtps(x.value)};
        }
#if ANEMONE_SET_NATIVE_LANES >= 8
        if constexpr (Lanes == 8) {
            return {__builtin_ia32_sqrtps256(x.value)};
        }
#endif
#if ANEMONE_SET_NATIVE_LANES == 16
        if constexpr (Lanes == 16) {
#if defined(__clang__)
            return {__builtin_ia32_sqrtps512(x.value, current_rounding)};
#else
            return {__builtin_ia32_sqrtps512_mask(x.value, raw{}, every_lane, current_rounding)};
#endif
        }
#endif
#else
        floats result;
        for (int lane = 0; lane < Lanes; ++lane) {
            result.value[lane] = __builtin_sqrtf(x.value[lane]);
        }
        return result;
#endif
    }
    ANEMONE_CPU_INLINE friend floats larger(const floats& a, const floats& b) {
#if defined(__x86_64__)
        if constexpr (Lanes == 4) {
            return {__builtin_ia32_maxps(a.value, b.value)};
        }
#if ANEMONE_SET_NATIVE_LANES >= 8
        if constexpr (Lanes == 8) {
            return {__builtin_ia32_maxps256(a.value, b.value)};
        }
#endif
#if ANEMONE_SET_NATIVE_LANES == 16
        if constexpr (Lanes == 16) {
#if defined(__clang__)
            return {__builtin_ia32_maxps512(a.value, b.value, current_rounding)};
#else
            return {__builtin_ia32_maxps512_mask(a.value, b.value, raw{}, every_lane, current_rounding)};
#endif
        }
#endif
#else
        return select(a > b, a, b);
#endif
    }
    ANEMONE_CPU_INLINE friend floats smaller(const floats& a, const floats& b) {
#if defined(__x86_64__)
        if constexpr (Lanes == 4) {
            return {__builtin_ia32_minps(a.value, b.value)};
        }
#if ANEMONE_SET_NATIVE_LANES >= 8
        if constexpr (Lanes == 8) {
            return {__builtin_ia32_minps256(a.value, b.value)};
        }
#endif
#if ANEMONE_SET_NATIVE_LANES == 16
        if constexpr (Lanes == 16) {
#if defined(__clang__)
            return {__builtin_ia32_minps512(a.value, b.value, current_rounding)};
#else
            return {__builtin_ia32_minps512_mask(a.value, b.value, raw{}, every_lane, current_rounding)};
#endif
        }
#endif
#else
        return select(a < b, a, b);
#endif
    }
    ANEMONE_CPU_INLINE friend floats fused_multiply_add(const floats& a, const floats& b, const floats& c) {
#if ANEMONE_SET_F16C || ANEMONE_SET_NEON
        return multiply_add(a, b, c);
#else
        floats result = c;
        fuse_lanes(a.value, b.value, result.value);
        return result;
#endif
    }
    ANEMONE_CPU_INLINE friend floats multiply_add(const floats& a, const floats& b, const floats& c) {
#if ANEMONE_SET_F16C
        if constexpr (Lanes == 4) {
            return {__builtin_ia32_vfmaddps(a.value, b.value, c.value)};
        } else if constexpr (Lanes == 8) {
            return {__builtin_ia32_vfmaddps256(a.value, b.value, c.value)};
        }
#if ANEMONE_SET_NATIVE_LANES == 16
        else {
            return {__builtin_ia32_vfmaddps512_mask(a.value, b.value, c.value, every_lane, current_rounding)};
        }
#endif
#elif ANEMONE_SET_NEON
        floats result = c;
        add_product(result, a, b);
        return result;
#else
        return {a.value * b.value + c.value};
#endif
    }
    /// In assembly, for a compiler that chooses the registers of a large tile moves and spills sums.
    ANEMONE_CPU_INLINE friend void add_product(floats& sum, const floats& a, const floats& b) {
#if ANEMONE_SET_F16C
        asm("vfmadd231ps %2, %1, %0" : "+v"(sum.value) : "v"(a.value), "v"(b.value));
#elif ANEMONE_SET_NEON
        asm("fmla %0.4s, %1.4s, %2.4s" : "+w"(sum.value) : "w"(a.value), "w"(b.value));
#else
        sum = multiply_add(a, b, sum);
#endif
    }
};

} // namespace ANEMONE_SET
} // namespace ane::cpu::detail::inline ANEMONE_WAY
