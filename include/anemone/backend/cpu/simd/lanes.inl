// Conditions and bits of the lanes of `floats`, for each instruction set. Included by each_set.inl; the comments in
// floats.hpp say what each function is.

namespace ane::cpu::detail::inline ANEMONE_WAY {
namespace ANEMONE_SET {

/// A condition for each lane.
template <int Lanes> struct lane_mask {
    lane_mask<Lanes / 2> low, high;

    ANEMONE_CPU_INLINE friend lane_mask operator&(const lane_mask& a, const lane_mask& b) {
        return {a.low & b.low, a.high & b.high};
    }
    ANEMONE_CPU_INLINE friend lane_mask operator|(const lane_mask& a, const lane_mask& b) {
        return {a.low | b.low, a.high | b.high};
    }
};
template <int Lanes>
    requires(Lanes <= native_lanes)
struct lane_mask<Lanes> {
    typename vector_of<Lanes>::integers value; ///< all bits, or none

    ANEMONE_CPU_INLINE friend lane_mask operator&(const lane_mask& a, const lane_mask& b) {
        return {a.value & b.value};
    }
    ANEMONE_CPU_INLINE friend lane_mask operator|(const lane_mask& a, const lane_mask& b) {
        return {a.value | b.value};
    }
};

/// Unsigned numbers of 32 bits.
template <int Lanes> struct integers {
    integers<Lanes / 2> low, high;

    ANEMONE_CPU_INLINE static integers all(std::uint32_t x) {
        return {integers<Lanes / 2>::all(x), integers<Lanes / 2>::all(x)};
    }
};
template <int Lanes>
    requires(Lanes <= native_lanes)
struct integers<Lanes> {
    using raw = typename vector_of<Lanes>::naturals;
    raw value;

    ANEMONE_CPU_INLINE static integers all(std::uint32_t x) { return {x - raw{}}; }
};

#define ANEMONE_LANE_OPERATOR(OPERAND, RESULT, SYMBOL)                                                                 \
    template <int Lanes>                                                                                               \
    ANEMONE_CPU_INLINE RESULT<Lanes> operator SYMBOL(const OPERAND<Lanes>& a, const OPERAND<Lanes>& b) {               \
        if constexpr (Lanes > native_lanes) {                                                                          \
            return {a.low SYMBOL b.low, a.high SYMBOL b.high};                                                         \
        } else {                                                                                                       \
            return {a.value SYMBOL b.value};                                                                           \
        }                                                                                                              \
    }
ANEMONE_LANE_OPERATOR(floats, lane_mask, <)
ANEMONE_LANE_OPERATOR(floats, lane_mask, <=)
ANEMONE_LANE_OPERATOR(floats, lane_mask, >)
ANEMONE_LANE_OPERATOR(floats, lane_mask, >=)
ANEMONE_LANE_OPERATOR(floats, lane_mask, ==)
ANEMONE_LANE_OPERATOR(floats, lane_mask, !=)
ANEMONE_LANE_OPERATOR(integers, lane_mask, ==)
ANEMONE_LANE_OPERATOR(integers, lane_mask, !=)
ANEMONE_LANE_OPERATOR(integers, integers, +)
ANEMONE_LANE_OPERATOR(integers, integers, -)
ANEMONE_LANE_OPERATOR(integers, integers, &)
ANEMONE_LANE_OPERATOR(integers, integers, |)
ANEMONE_LANE_OPERATOR(integers, integers, ^)
#undef ANEMONE_LANE_OPERATOR

template <int Lanes> ANEMONE_CPU_INLINE integers<Lanes> operator<<(const integers<Lanes>& x, int places) {
    if constexpr (Lanes > native_lanes) {
        return {x.low << places, x.high << places};
    } else {
        return {x.value << static_cast<std::uint32_t>(places)};
    }
}
template <int Lanes> ANEMONE_CPU_INLINE integers<Lanes> operator>>(const integers<Lanes>& x, int places) {
    if constexpr (Lanes > native_lanes) {
        return {x.low >> places, x.high >> places};
    } else {
        return {x.value >> static_cast<std::uint32_t>(places)};
    }
}

/// x / 2^places of signed numbers, rounded down.
template <int Lanes> ANEMONE_CPU_INLINE integers<Lanes> signed_shift(const integers<Lanes>& x, int places) {
    if constexpr (Lanes > native_lanes) {
        return {signed_shift(x.low, places), signed_shift(x.high, places)};
    } else {
        using signs = typename vector_of<Lanes>::integers;
        return {reinterpret_cast<typename integers<Lanes>::raw>(reinterpret_cast<signs>(x.value) >> places)};
    }
}

template <int Lanes> ANEMONE_CPU_INLINE floats<Lanes> signed_floats(const integers<Lanes>& x) {
    if constexpr (Lanes > native_lanes) {
        return {signed_floats(x.low), signed_floats(x.high)};
    } else {
        using signs = typename vector_of<Lanes>::integers;
        return {__builtin_convertvector(reinterpret_cast<signs>(x.value), typename floats<Lanes>::raw)};
    }
}

/// Rounded to zero; 2^31 for NaN and for what does not fit.
template <int Lanes> ANEMONE_CPU_INLINE integers<Lanes> signed_integers(const floats<Lanes>& x) {
    if constexpr (Lanes > native_lanes) {
        return {signed_integers(x.low), signed_integers(x.high)};
    } else {
#if ANEMONE_SET_NATIVE_LANES == 16
        if constexpr (Lanes == 16) {
            using signs = typename vector_of<Lanes>::integers;
            return {reinterpret_cast<typename integers<Lanes>::raw>(
                __builtin_ia32_cvttps2dq512_mask(x.value, signs{}, every_lane, current_rounding))};
        }
#endif
#if ANEMONE_SET_NATIVE_LANES >= 8
        if constexpr (Lanes == 8) {
            return {reinterpret_cast<typename integers<Lanes>::raw>(__builtin_ia32_cvttps2dq256(x.value))};
        }
#endif
#if defined(__x86_64__)
        if constexpr (Lanes == 4) {
            return {reinterpret_cast<typename integers<Lanes>::raw>(__builtin_ia32_cvttps2dq(x.value))};
        }
#else
        integers<Lanes> result;
        for (int lane = 0; lane < Lanes; ++lane) { // NaN would be undefined, and zero in AArch64's instruction
            const float value = x.value[lane];
            result.value[lane] = value >= -0x1p31F && value < 0x1p31F
                                     ? static_cast<std::uint32_t>(static_cast<std::int32_t>(value))
                                     : 0x80000000U;
        }
        return result;
#endif
    }
}

template <int Lanes> ANEMONE_CPU_INLINE integers<Lanes> bits_of(const floats<Lanes>& x) {
    if constexpr (Lanes > native_lanes) {
        return {bits_of(x.low), bits_of(x.high)};
    } else {
        return {reinterpret_cast<typename integers<Lanes>::raw>(x.value)};
    }
}
template <int Lanes> ANEMONE_CPU_INLINE floats<Lanes> floats_of(const integers<Lanes>& x) {
    if constexpr (Lanes > native_lanes) {
        return {floats_of(x.low), floats_of(x.high)};
    } else {
        return {reinterpret_cast<typename floats<Lanes>::raw>(x.value)};
    }
}

template <int Lanes>
ANEMONE_CPU_INLINE floats<Lanes> select(const lane_mask<Lanes>& m, const floats<Lanes>& a, const floats<Lanes>& b) {
    if constexpr (Lanes > native_lanes) {
        return {select(m.low, a.low, b.low), select(m.high, a.high, b.high)};
    } else {
#if defined(__clang__)
        // clang 14 takes a vector's ?: apart lane by lane, and makes a blend of this.
        const auto chosen = reinterpret_cast<typename vector_of<Lanes>::integers>(a.value) & m.value;
        const auto others = reinterpret_cast<typename vector_of<Lanes>::integers>(b.value) & ~m.value;
        return {reinterpret_cast<typename floats<Lanes>::raw>(chosen | others)};
#else
        return {m.value ? a.value : b.value};
#endif
    }
}

/// The sum of all lanes: of the two halves, then of theirs. The last lanes are 0 + 2 and 1 + 3.
template <int Lanes> ANEMONE_CPU_INLINE float sum_of_lanes(const floats<Lanes>& x) {
    if constexpr (Lanes > native_lanes) {
        return sum_of_lanes(x.low + x.high);
    } else if constexpr (Lanes == 16) {
        using halves = floats<8>;
        return sum_of_lanes(halves{__builtin_shufflevector(x.value, x.value, 0, 1, 2, 3, 4, 5, 6, 7)} +
                            halves{__builtin_shufflevector(x.value, x.value, 8, 9, 10, 11, 12, 13, 14, 15)});
    } else if constexpr (Lanes == 8) {
        using halves = floats<4>;
        return sum_of_lanes(halves{__builtin_shufflevector(x.value, x.value, 0, 1, 2, 3)} +
                            halves{__builtin_shufflevector(x.value, x.value, 4, 5, 6, 7)});
    } else {
        return (x.value[0] + x.value[2]) + (x.value[1] + x.value[3]);
    }
}

/// min(|x|, limit) for a limit above zero; of NaN it is NaN or the limit.
template <int Lanes> ANEMONE_CPU_INLINE floats<Lanes> smaller_magnitude(const floats<Lanes>& x, float limit) {
    if constexpr (Lanes > native_lanes) {
        return {smaller_magnitude(x.low, limit), smaller_magnitude(x.high, limit)};
    } else {
#if ANEMONE_SET_NATIVE_LANES == 16
        if constexpr (Lanes == 16) {
            constexpr int smaller_magnitude_without_sign = 10;
            const floats<Lanes> most = floats<Lanes>::all(limit);
            return {__builtin_ia32_rangeps512_mask(x.value, most.value, smaller_magnitude_without_sign, x.value,
                                                   every_lane, current_rounding)};
        }
#endif
        return smaller(floats<Lanes>::all(limit), floats_of(bits_of(x) & integers<Lanes>::all(0x7FFFFFFFU)));
    }
}

/// a where x has the sign of negative numbers, b - a elsewhere.
template <int Lanes>
ANEMONE_CPU_INLINE floats<Lanes> part_by_sign(const floats<Lanes>& x, const floats<Lanes>& a, const floats<Lanes>& b) {
    if constexpr (Lanes > native_lanes) {
        return {part_by_sign(x.low, a.low, b.low), part_by_sign(x.high, a.high, b.high)};
    } else {
#if ANEMONE_SET_NATIVE_LANES == 16
        if constexpr (Lanes == 16) {
            using signs = typename vector_of<Lanes>::integers;
            constexpr int not_below = 5;
            const auto positive =
                __builtin_ia32_cmpd512_mask(reinterpret_cast<signs>(x.value), signs{}, not_below, every_lane);
#if defined(__clang__)
            return {__builtin_ia32_selectps_512(positive, b.value - a.value, a.value)};
#else
            return {__builtin_ia32_subps512_mask(b.value, a.value, a.value, static_cast<short>(positive),
                                                 current_rounding)};
#endif
        }
#endif
#if ANEMONE_SET_NATIVE_LANES >= 8
        if constexpr (Lanes == 8) {
            return {__builtin_ia32_blendvps256(b.value - a.value, a.value, x.value)};
        }
#endif
        const integers<Lanes> negative = signed_shift(bits_of(x), 31);
        const integers<Lanes> rest = bits_of(b - a);
        return floats_of(rest ^ ((bits_of(a) ^ rest) & negative));
    }
}

} // namespace ANEMONE_SET
} // namespace ane::cpu::detail::inline ANEMONE_WAY
