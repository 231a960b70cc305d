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
    requires(Lanes <= register_lanes)
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
    requires(Lanes <= register_lanes)
struct integers<Lanes> {
    using raw = typename vector_of<Lanes>::naturals;
    raw value;

    ANEMONE_CPU_INLINE static integers all(std::uint32_t x) { return {x - raw{}}; }
};

#define ANEMONE_LANE_OPERATOR(OPERAND, RESULT, SYMBOL)                                                                 \
    template <int Lanes>                                                                                               \
    ANEMONE_CPU_INLINE RESULT<Lanes> operator SYMBOL(const OPERAND<Lanes>& a, const OPERAND<Lanes>& b) {               \
        if constexpr (Lanes > register_lanes) {                                                                        \
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
    if constexpr (Lanes > register_lanes) {
        return {x.low << places, x.high << places};
    } else {
        return {x.value << static_cast<std::uint32_t>(places)};
    }
}
template <int Lanes> ANEMONE_CPU_INLINE integers<Lanes> operator>>(const integers<Lanes>& x, int places) {
    if constexpr (Lanes > register_lanes) {
        return {x.low >> places, x.high >> places};
    } else {
        return {x.value >> static_cast<std::uint32_t>(places)};
    }
}

/// x / 2^places of signed numbers, rounded down.
template <int Lanes> ANEMONE_CPU_INLINE integers<Lanes> signed_shift(const integers<Lanes>& x, int places) {
    if constexpr (Lanes > register_lanes) {
        return {signed_shift(x.low, places), signed_shift(x.high, places)};
    } else {
        using signs = typename vector_of<Lanes>::integers;
        return {reinterpret_cast<typename integers<Lanes>::raw>(reinterpret_cast<signs>(x.value) >> places)};
    }
}

template <int Lanes> ANEMONE_CPU_INLINE floats<Lanes> signed_floats(const integers<Lanes>& x) {
    if constexpr (Lanes > register_lanes) {
        return {signed_floats(x.low), signed_floats(x.high)};
    } else {
        using signs = typename vector_of<Lanes>::integers;
        return {__builtin_convertvector(reinterpret_cast<signs>(x.value), typename floats<Lanes>::raw)};
    }
}

template <int Lanes> ANEMONE_CPU_INLINE integers<Lanes> bits_of(const floats<Lanes>& x) {
    if constexpr (Lanes > register_lanes) {
        return {bits_of(x.low), bits_of(x.high)};
    } else {
        return {reinterpret_cast<typename integers<Lanes>::raw>(x.value)};
    }
}
template <int Lanes> ANEMONE_CPU_INLINE floats<Lanes> floats_of(const integers<Lanes>& x) {
    if constexpr (Lanes > register_lanes) {
        return {floats_of(x.low), floats_of(x.high)};
    } else {
        return {reinterpret_cast<typename floats<Lanes>::raw>(x.value)};
    }
}

template <int Lanes>
ANEMONE_CPU_INLINE floats<Lanes> select(const lane_mask<Lanes>& m, const floats<Lanes>& a, const floats<Lanes>& b) {
    if constexpr (Lanes > register_lanes) {
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

} // namespace ANEMONE_SET
} // namespace ane::cpu::detail::inline ANEMONE_WAY
