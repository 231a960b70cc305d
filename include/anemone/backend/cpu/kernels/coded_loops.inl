// Included by simd/each_set.inl through level.inl: products with right operands that stay compressed
// (product_kernels.hpp says what each computes), and the table of all loops of products.

namespace ane::cpu::detail::inline ANEMONE_WAY {
namespace ANEMONE_SET {

#if ANEMONE_SET_F16C

using code_numbers = typename code_vector<native_lanes>::numbers;

/// So many bytes as 32-bit numbers. (g++ 12 makes a long detour of the conversion of vectors.)
template <bool Signed> ANEMONE_CPU_INLINE code_numbers numbers_of(const std::uint8_t* from) {
#if defined(__clang__)
    using types = code_vector<native_lanes>;
    std::conditional_t<Signed, typename types::signed_bytes, typename types::bytes> bytes;
    std::memcpy(&bytes, from, sizeof bytes);
    return __builtin_convertvector(bytes, code_numbers);
#else
#if ANEMONE_SET_NATIVE_LANES == 16
    sixteen_bytes bytes;
    std::memcpy(&bytes, from, sizeof bytes);
    return Signed ? __builtin_ia32_pmovsxbd512_mask(bytes, code_numbers{}, every_lane)
                  : __builtin_ia32_pmovzxbd512_mask(bytes, code_numbers{}, every_lane);
#else
    std::int64_t word = 0;
    std::memcpy(&word, from, sizeof word);
    const auto bytes = reinterpret_cast<sixteen_bytes>(two_words{word, 0});
    return Signed ? __builtin_ia32_pmovsxbd256(bytes) : __builtin_ia32_pmovzxbd256(bytes);
#endif
#endif
}

/// Signed bytes as fp32.
template <int Lanes> ANEMONE_CPU_INLINE floats<Lanes> floats_of_bytes(const std::uint8_t* from) {
    if constexpr (Lanes > native_lanes) {
        return {floats_of_bytes<Lanes / 2>(from), floats_of_bytes<Lanes / 2>(from + Lanes / 2)};
    } else {
        return {__builtin_convertvector(numbers_of<true>(from), typename floats<Lanes>::raw)};
    }
}

/// The values of a table of 16 at four bits of each byte, from bit `place` on.
template <int Lanes>
ANEMONE_CPU_INLINE floats<Lanes> looked_up(const float* table, const std::uint8_t* from, int place) {
    if constexpr (Lanes > native_lanes) {
        return {looked_up<Lanes / 2>(table, from, place), looked_up<Lanes / 2>(table, from + Lanes / 2, place)};
    } else {
        const code_numbers index = numbers_of<false>(from) >> place;
#if ANEMONE_SET_NATIVE_LANES == 16
        const auto all = floats<16>::load(table).value;
#if defined(__clang__)
        return {__builtin_ia32_permvarsf512(all, index)};
#else
        return {__builtin_ia32_permvarsf512_mask(all, index, all, every_lane)};
#endif
#else
        const auto low = __builtin_ia32_permvarsf256(floats<8>::load(table).value, index);
        const auto high = __builtin_ia32_permvarsf256(floats<8>::load(table + 8).value, index);
        return {(index << 28) < 0 ? high : low};
#endif
    }
}

/// Bytes q, and a scale for each column: q * scale, rounded to the 11 digits of fp16 by adding and taking away a large
/// multiple (Veltkamp); the weights are known to come out as fp16 does.
struct integer_source {
    const std::uint8_t* codes;
    std::int64_t panel_bytes;
    const float* scales;
    const float* splitters; ///< scale * (2^13 + 1)

    template <int> ANEMONE_CPU_INLINE integer_source at(std::int64_t first) const {
        return {codes + first / panel_vectors * panel_bytes + first % panel_vectors * register_lanes, panel_bytes,
                scales + first * register_lanes, splitters + first * register_lanes};
    }
    ANEMONE_CPU_INLINE floats<register_lanes> load(int v) const {
        using vector = floats<register_lanes>;
        const vector q = floats_of_bytes<register_lanes>(codes + v / panel_vectors * panel_bytes +
                                                         v % panel_vectors * register_lanes);
        const vector above = q * vector::load(splitters + v * register_lanes);
        return above - multiply_add(vector::all(0.0F) - q, vector::load(scales + v * register_lanes), above);
    }
    ANEMONE_CPU_INLINE void advance() { codes += panel_columns; }
};

/// Four bits for each column, of which byte i has those of columns i and i + register_lanes, and a table of 16 values.
struct nibble_source {
    const std::uint8_t* codes;
    std::int64_t panel_bytes;
    const float* table;
    int odd = 0; ///< 1 where it begins with the second vector of a panel

    template <int Vectors> ANEMONE_CPU_INLINE nibble_source at(std::int64_t first) const {
        return {codes + first / panel_vectors * panel_bytes, panel_bytes, table,
                Vectors < panel_vectors ? static_cast<int>(first % panel_vectors) : 0};
    }
    ANEMONE_CPU_INLINE floats<register_lanes> load(int v) const {
        return looked_up<register_lanes>(table, codes + v / panel_vectors * panel_bytes,
                                         4 * ((v + odd) % panel_vectors));
    }
    ANEMONE_CPU_INLINE void advance() { codes += panel_columns / 2; }
};

ANEMONE_INLINE void product_few_coded(std::int64_t rows, std::int64_t terms, const float* a, std::int64_t a_step,
                                      const coded_panels& b, std::int64_t panels, float* sums, std::int64_t step) {
    if (b.nibbles) {
        few_rows_of<true>(rows, terms, a, a_step, nibble_source{b.codes, b.panel_bytes, b.table}, panels, sums, step, true);
    } else {
        few_rows_of<true>(rows, terms, a, a_step, integer_source{b.codes, b.panel_bytes, b.scales, b.splitters}, panels, sums,
                    step, true);
    }
}

template <class Source> ANEMONE_CPU_INLINE void widen_panel(Source source, std::int64_t terms, float* to) {
    for (std::int64_t t = 0; t < terms; ++t) {
#pragma GCC unroll 2
        for (int v = 0; v < panel_vectors; ++v) {
            source.load(v).store(to + t * panel_columns + v * register_lanes);
        }
        source.advance();
    }
}

ANEMONE_INLINE void widen_coded(const coded_panels& b, std::int64_t terms, float* to) {
    if (b.nibbles) {
        widen_panel(nibble_source{b.codes, b.panel_bytes, b.table}, terms, to);
    } else {
        widen_panel(integer_source{b.codes, b.panel_bytes, b.scales, b.splitters}, terms, to);
    }
}

#endif

} // namespace ANEMONE_SET
} // namespace ane::cpu::detail::inline ANEMONE_WAY
