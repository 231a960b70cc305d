// Included by simd/each_set.inl through level.inl, after elementary.inl: sums to results, in registers.

namespace ane::cpu::detail::inline ANEMONE_WAY {
namespace ANEMONE_SET {

/// Fewer than `Lanes` numbers, without a call of memcpy, which would take longer.
template <int Lanes> ANEMONE_CPU_INLINE void store_some(const half* from, half* to, std::int64_t count) {
#pragma GCC unroll 4
    for (int size = Lanes / 2; size > 0; size /= 2) {
        if ((count & size) != 0) {
            std::memcpy(static_cast<void*>(to), from, static_cast<std::size_t>(size) * sizeof(half));
            from += size;
            to += size;
        }
    }
}

ANEMONE_CPU_INLINE bool is_bounded(const finishing& f) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    return f.low > -infinity || f.high < infinity;
}

/// What finishing needs of a layer, in registers.
template <int Lanes> struct finisher {
    half* out;
    const half* added;
    floats<Lanes> low;
    floats<Lanes> high;
    bool bounded;

    ANEMONE_CPU_INLINE static finisher of(const finishing& f) {
        return {f.out, f.added, floats<Lanes>::all(f.low), floats<Lanes>::all(f.high), is_bounded(f)};
    }
    /// Elements i <= k < i + Lanes.
    ANEMONE_CPU_INLINE void store(const floats<Lanes>& sum, std::int64_t i) const {
        const floats<Lanes> value = added == nullptr ? sum : sum + floats<Lanes>::load(added + i);
        (bounded ? smaller(high, larger(low, value)) : value).store(out + i);
    }
    /// The same for fewer of them.
    ANEMONE_CPU_INLINE void store_some(const floats<Lanes>& sum, std::int64_t i, std::int64_t count) const {
        half some[Lanes] = {};
        floats<Lanes> value = sum;
        if (added != nullptr) {
            std::memcpy(static_cast<void*>(some), added + i, static_cast<std::size_t>(count) * sizeof(half));
            value = sum + floats<Lanes>::load(some);
        }
        smaller(high, larger(low, value)).store(some);
        ANEMONE_SET::store_some<Lanes>(some, out + i, count);
    }
    /// As many as there are, `Lanes` at most.
    ANEMONE_CPU_INLINE void store_up_to(const floats<Lanes>& sum, std::int64_t i, std::int64_t there) const {
        if (there >= Lanes) {
            store(sum, i);
        } else {
            store_some(sum, i, there);
        }
    }
};

} // namespace ANEMONE_SET
} // namespace ane::cpu::detail::inline ANEMONE_WAY
