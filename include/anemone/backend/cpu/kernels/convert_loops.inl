// Included by simd/each_set.hpp through level.inl: rows of fp16 to fp32 and back, where the set has instructions for it.

#if ANEMONE_SET_F16C || ANEMONE_SET_NEON

namespace ane::cpu::detail::inline ANEMONE_WAY {
namespace ANEMONE_SET {

template <class From, class To> ANEMONE_CPU_INLINE void convert_row(const From* from, To* to, std::int64_t count) {
    constexpr std::int64_t block = 16;
    std::int64_t i = 0;
    for (; i + block <= count; i += block) {
        floats<block>::load(from + i).store(to + i);
    }
    if (const auto rest = static_cast<std::size_t>(count - i); rest != 0) {
        From last[block] = {};
        To converted[block];
        std::memcpy(static_cast<void*>(last), from + i, rest * sizeof(From));
        floats<block>::load(last).store(converted);
        std::memcpy(static_cast<void*>(to + i), converted, rest * sizeof(To));
    }
}

} // namespace ANEMONE_SET
} // namespace ane::cpu::detail::inline ANEMONE_WAY

#endif
