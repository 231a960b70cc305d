// Included by simd/each_set.inl through level.inl: products with right operands that stay compressed
// (product_kernels.hpp says what each computes), and the table of all loops of products.

namespace ane::cpu::detail::inline ANEMONE_WAY {
namespace ANEMONE_SET {

#if ANEMONE_SET_F16C

using code_numbers = typename code_vector<native_lanes>::numbers;

/// So many bytes as 32-bit numbers. (g++ 12 makes a long detour of the conversion of vectors.)
ANEMONE_CPU_INLINE code_numbers numbers_of(const std::uint8_t* from) {
#if defined(__clang__)
    typename code_vector<native_lanes>::bytes bytes;
    std::memcpy(&bytes, from, sizeof bytes);
    return __builtin_convertvector(bytes, code_numbers);
#else
#if ANEMONE_SET_NATIVE_LANES == 16
    sixteen_bytes bytes;
    std::memcpy(&bytes, from, sizeof bytes);
    return __builtin_ia32_pmovzxbd512_mask(bytes, code_numbers{}, every_lane);
#else
    std::int64_t word = 0;
    std::memcpy(&word, from, sizeof word);
    return __builtin_ia32_pmovzxbd256(reinterpret_cast<sixteen_bytes>(two_words{word, 0}));
#endif
#endif
}

/// Bytes b as the fp32 numbers 2^15 + b: each becomes the second byte of a number, by one shuffle.
template <int Lanes> ANEMONE_CPU_INLINE floats<Lanes> beside_32768(const std::uint8_t* from) {
    if constexpr (Lanes > native_lanes) {
        return {beside_32768<Lanes / 2>(from), beside_32768<Lanes / 2>(from + Lanes / 2)};
    } else {
        using raw = typename floats<Lanes>::raw;
        raw places;
        std::memcpy(&places, second_bytes.places, sizeof places);
        raw all; // what is read of the memory, in each part of the register
        raw result = floats<Lanes>::all(0x1P15F).value;
#if ANEMONE_SET_NATIVE_LANES == 16
        asm("vbroadcasti32x4 %1, %0" : "=v"(all) : "m"(*reinterpret_cast<const std::uint8_t(*)[16]>(from)));
        asm("vpshufb %2, %1, %0 %{%3%}" : "+v"(result) : "v"(all), "v"(places), "Yk"(std::uint64_t{0x2222222222222222}));
#else
        asm("vbroadcastsd %1, %0" : "=x"(all) : "m"(*reinterpret_cast<const std::uint8_t(*)[8]>(from)));
        asm("vpshufb %1, %0, %0" : "+x"(all) : "x"(places));
        asm("vorps %1, %0, %0" : "+x"(result) : "x"(all));
#endif
        return {result};
    }
}

/// The values of a table of 16 at four bits of each byte, from bit `place` on.
template <int Lanes>
ANEMONE_CPU_INLINE floats<Lanes> looked_up(const float* table, const std::uint8_t* from, int place) {
    if constexpr (Lanes > native_lanes) {
        return {looked_up<Lanes / 2>(table, from, place), looked_up<Lanes / 2>(table, from + Lanes / 2, place)};
    } else {
        const code_numbers index = numbers_of(from) >> place;
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

/// The codes of a block of terms and the scales of `Vectors` vectors of columns. A code times its scale has 18 digits at
/// most. It is rounded to the 11 of fp16 beside its 2^13-fold, halves to even (after Veltkamp). Below fp16's normal range
/// nothing is rounded: there a scale is a multiple of fp16's smallest number.
template <int Vectors> struct integer_block {
    using vector = floats<register_lanes>;
    const std::uint8_t* codes;
    std::int64_t panel_bytes;
    vector scale[Vectors]; ///< times 2^13
    vector zero[Vectors];  ///< -scale times what `beside_32768` makes of a zero

    ANEMONE_CPU_INLINE vector load(int v) const {
        const std::uint8_t* const from =
            codes + v / panel_vectors * panel_bytes + v % panel_vectors * register_lanes;
        if (v % panel_vectors == 0) {
            fetch_behind(from, fetched_bytes);
        }
        const vector above = multiply_add(beside_32768<register_lanes>(from), scale[v], zero[v]);
        return above - multiply_add(above, vector::all(-0x1P-13F), above);
    }
    ANEMONE_CPU_INLINE void advance() { codes += panel_columns; }
};

/// Bytes q, and a scale for each block of terms of a column.
struct integer_source {
    const std::uint8_t* codes;
    std::int64_t panel_bytes;
    const half* scales;
    std::int64_t panel_scales;
    std::int64_t block;
    std::int64_t first;

    ANEMONE_CPU_INLINE static integer_source of(const coded_panels& b) {
        return {b.codes, b.panel_bytes, b.scales, b.panel_scales, b.block, b.first};
    }
    template <int> ANEMONE_CPU_INLINE integer_source at(std::int64_t vector) const {
        const std::int64_t panel = vector / panel_vectors;
        const std::int64_t inside = vector % panel_vectors * register_lanes;
        return {codes + panel * panel_bytes + inside, panel_bytes, scales + panel * panel_scales + inside, panel_scales,
                block, first};
    }
    ANEMONE_CPU_INLINE std::int64_t stretch(std::int64_t terms) const { return first < terms ? first : terms; }
    template <int Vectors> ANEMONE_CPU_INLINE integer_block<Vectors> opened() const {
        integer_block<Vectors> open;
        open.codes = codes;
        open.panel_bytes = panel_bytes;
#pragma GCC unroll 8
        for (int v = 0; v < Vectors; ++v) {
            const half* const from = scales + v / panel_vectors * panel_scales + v % panel_vectors * register_lanes;
            open.scale[v] = floats<register_lanes>::load(from) * floats<register_lanes>::all(0x1P13F);
            open.zero[v] = open.scale[v] * floats<register_lanes>::all(-(0x1P15F + coded_zero));
        }
        return open;
    }
    /// To the next block.
    ANEMONE_CPU_INLINE void pass(std::int64_t terms) {
        codes += terms * panel_columns;
        scales += panel_columns;
        first = block;
    }
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
    ANEMONE_CPU_INLINE std::int64_t stretch(std::int64_t terms) const { return terms; }
    template <int> ANEMONE_CPU_INLINE nibble_source opened() const { return *this; }
    ANEMONE_CPU_INLINE void pass(std::int64_t terms) { codes += terms * (panel_columns / 2); }

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
        few_rows_of<true>(rows, terms, a, a_step, integer_source::of(b), panels, sums, step, true);
    }
}

template <class Source> ANEMONE_CPU_INLINE void widen_panel(Source source, std::int64_t terms, float* to) {
    for (std::int64_t t = 0; t < terms;) {
        const std::int64_t end = t + source.stretch(terms - t);
        auto open = source.template opened<panel_vectors>();
        source.pass(end - t);
        for (; t < end; ++t) {
#pragma GCC unroll 2
            for (int v = 0; v < panel_vectors; ++v) {
                open.load(v).store(to + t * panel_columns + v * register_lanes);
            }
            open.advance();
        }
    }
}

ANEMONE_INLINE void widen_coded(const coded_panels& b, std::int64_t terms, float* to) {
    if (b.nibbles) {
        widen_panel(nibble_source{b.codes, b.panel_bytes, b.table}, terms, to);
    } else {
        widen_panel(integer_source::of(b), terms, to);
    }
}

#endif

} // namespace ANEMONE_SET
} // namespace ane::cpu::detail::inline ANEMONE_WAY
