// Included by simd/each_set.inl through level.inl: products of few rows, whose right operand is read once as it is
// (product_kernels.hpp says what each computes).

namespace ane::cpu::detail::inline ANEMONE_WAY {
namespace ANEMONE_SET {

/// How far ahead of the terms that are multiplied a right operand is fetched: it comes from memory, and what fetches by
/// itself stops at each page.
inline constexpr std::int64_t fetched_bytes = 1024;

/// Asks for memory that may be behind the end of an operand: nothing happens there.
ANEMONE_CPU_INLINE void fetch_behind(const void* from, std::int64_t bytes) {
    // A pointer so far behind an array may not be computed as one.
    const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(from) + static_cast<std::uintptr_t>(bytes);
    __builtin_prefetch(reinterpret_cast<const void*>(at)); // NOLINT(performance-no-int-to-ptr)
}

/// fp16 panels as `few` reads them, term by term.
struct half_source {
    const half* b;
    std::int64_t term_step;
    std::int64_t panel_step;

    template <int> ANEMONE_CPU_INLINE half_source at(std::int64_t first) const {
        return {b + first / panel_vectors * panel_step + first % panel_vectors * register_lanes, term_step, panel_step};
    }
    /// How many of so many terms are read at once.
    ANEMONE_CPU_INLINE std::int64_t stretch(std::int64_t terms) const { return terms; }
    template <int> ANEMONE_CPU_INLINE half_source opened() const { return *this; }
    ANEMONE_CPU_INLINE void pass(std::int64_t terms) { b += terms * term_step; }

    ANEMONE_CPU_INLINE floats<register_lanes> load(int v) const {
        const half* const from = b + v / panel_vectors * panel_step + v % panel_vectors * register_lanes;
        if (v % panel_vectors == 0) {
            constexpr std::int64_t ahead = fetched_bytes / (panel_columns * std::int64_t{sizeof(half)});
            fetch_behind(from, ahead * term_step * std::int64_t{sizeof(half)});
        }
        return floats<register_lanes>::load(from);
    }
    ANEMONE_CPU_INLINE void advance() { b += term_step; }
};

/// `Vectors` neighbouring vectors of columns: they may be of several panels, so that there are enough independent sums.
template <int Rows, int Vectors, class Source>
ANEMONE_CPU_INLINE void few_tile(std::int64_t terms, const float* a, std::int64_t a_step, Source source, float* sums,
                                 std::int64_t step, bool fresh) {
    using vector = floats<register_lanes>;
    vector sum[Rows][Vectors];
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 8
        for (int v = 0; v < Vectors; ++v) {
            sum[r][v] = fresh ? vector::all(0.0F) : vector::load(sums + r * step + v * register_lanes);
        }
    }
    for (std::int64_t t = 0; t < terms;) {
        const std::int64_t end = t + source.stretch(terms - t);
        auto open = source.template opened<Vectors>();
        source.pass(end - t);
        for (; t < end; ++t) {
            vector value[Vectors];
#pragma GCC unroll 8
            for (int v = 0; v < Vectors; ++v) {
                value[v] = open.load(v);
            }
            open.advance();
#pragma GCC unroll 8
            for (int r = 0; r < Rows; ++r) {
                const vector weight = vector::all(a[r * a_step + t]);
#pragma GCC unroll 8
                for (int v = 0; v < Vectors; ++v) {
                    sum[r][v] = multiply_add(weight, value[v], sum[r][v]);
                }
            }
        }
    }
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 8
        for (int v = 0; v < Vectors; ++v) {
            sum[r][v].store(sums + r * step + v * register_lanes);
        }
    }
}

template <int Rows, int Vectors, class Source>
ANEMONE_CPU_INLINE void few_panels(std::int64_t terms, const float* a, std::int64_t a_step, const Source& source,
                                   std::int64_t panels, float* sums, std::int64_t step, bool fresh) {
    constexpr int rest = Vectors < panel_vectors ? Vectors : panel_vectors;
    const std::int64_t vectors = panels * panel_vectors;
    std::int64_t first = 0;
    for (; first + Vectors <= vectors; first += Vectors) {
        few_tile<Rows, Vectors>(terms, a, a_step, source.template at<Vectors>(first), sums + first * register_lanes,
                                step, fresh);
    }
    for (; first < vectors; first += rest) {
        few_tile<Rows, rest>(terms, a, a_step, source.template at<rest>(first), sums + first * register_lanes, step,
                             fresh);
    }
}

/// With `AtOnce` all rows together, else one after the other.
template <bool AtOnce, class Source>
ANEMONE_CPU_INLINE void few_rows_of(std::int64_t rows, std::int64_t terms, const float* a, std::int64_t a_step,
                                    const Source& source, std::int64_t panels, float* sums, std::int64_t step,
                                    bool fresh) {
    if (terms == 0) { // then the source may be nowhere
        for (std::int64_t r = 0; r < (fresh ? rows : 0); ++r) {
            for (std::int64_t c = 0; c < panels * panel_columns; c += register_lanes) {
                floats<register_lanes>::all(0.0F).store(sums + r * step + c);
            }
        }
        return;
    }
    if constexpr (!AtOnce) {
        for (std::int64_t r = 0; r < rows; ++r) {
            few_panels<1, 8>(terms, a + r * a_step, a_step, source, panels, sums + r * step, step, fresh);
        }
    } else {
        constexpr int sums_at_once = product_rows == 12 ? 16 : 8; // as many as registers hold beside the operands
        switch (rows) {
        case 1: return few_panels<1, 8>(terms, a, a_step, source, panels, sums, step, fresh);
        case 2: return few_panels<2, sums_at_once / 2>(terms, a, a_step, source, panels, sums, step, fresh);
        case 4: return few_panels<4, sums_at_once / 4>(terms, a, a_step, source, panels, sums, step, fresh);
        default: return few_panels<8, sums_at_once / 8>(terms, a, a_step, source, panels, sums, step, fresh);
        }
    }
}

template <bool AtOnce>
void product_few(std::int64_t rows, std::int64_t terms, const float* a, std::int64_t a_step,
                                const half* b, std::int64_t term_step, std::int64_t panel_step, std::int64_t panels,
                                float* sums, std::int64_t step, bool fresh) {
    few_rows_of<AtOnce>(rows, terms, a, a_step, half_source{b, term_step, panel_step}, panels, sums, step, fresh);
}

#if ANEMONE_SET_F16C

/// Eight columns of eight terms each become eight terms of eight columns, in three rounds of perfect shuffles.
ANEMONE_CPU_INLINE void turn_halves(eight_halves (&x)[8]) {
#pragma GCC unroll 3
    for (int round = 0; round < 3; ++round) {
        eight_halves y[8];
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i) {
            y[2 * i] = __builtin_shufflevector(x[i], x[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
            y[2 * i + 1] = __builtin_shufflevector(x[i], x[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
        }
#pragma GCC unroll 8
        for (int i = 0; i < 8; ++i) {
            x[i] = y[i];
        }
    }
}

/// The next eight terms of `Rows` with 8 `Groups` columns; `terms` of them, where they are fewer.
template <int Rows, int Groups, bool Whole>
ANEMONE_CPU_INLINE void add_turned(const float* a, std::int64_t a_step, const half* const (&columns)[8 * Groups],
                                   std::int64_t first, int terms, floats<8> (&sum)[Rows][Groups]) {
#pragma GCC unroll 4
    for (int g = 0; g < Groups; ++g) {
        eight_halves x[8] = {};
#pragma GCC unroll 8
        for (int c = 0; c < 8; ++c) {
            const auto bytes = Whole ? sizeof(eight_halves) : static_cast<std::size_t>(terms) * sizeof(half);
            std::memcpy(&x[c], columns[8 * g + c] + first, bytes);
        }
        turn_halves(x);
        const int count = Whole ? 8 : terms;
#pragma GCC unroll 8
        for (int t = 0; t < count; ++t) {
            const auto value = floats<8>::opaque(__builtin_ia32_vcvtph2ps256(x[t]));
#pragma GCC unroll 8
            for (int r = 0; r < Rows; ++r) {
                sum[r][g] = multiply_add(floats<8>::all(a[r * a_step + first + t]), value, sum[r][g]);
            }
        }
    }
}

template <int Rows, int Groups>
ANEMONE_CPU_INLINE void few_turned_of(std::int64_t terms, const float* a, std::int64_t a_step, const half* b,
                                      std::int64_t b_step, std::int64_t columns, float* sums, std::int64_t step) {
    constexpr int at_once = 8 * Groups;
    for (std::int64_t c = 0; c < columns; c += at_once) {
        const half* from[at_once]; // behind the last column is the last one again
        for (int i = 0; i < at_once; ++i) {
            from[i] = b + (c + i < columns ? c + i : columns - 1) * b_step;
        }
        floats<8> sum[Rows][Groups];
#pragma GCC unroll 8
        for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 4
            for (int g = 0; g < Groups; ++g) {
                sum[r][g] = floats<8>::all(0.0F);
            }
        }
        std::int64_t t = 0;
        for (; t + 8 <= terms; t += 8) {
            add_turned<Rows, Groups, true>(a, a_step, from, t, 8, sum);
        }
        if (t < terms) {
            add_turned<Rows, Groups, false>(a, a_step, from, t, static_cast<int>(terms - t), sum);
        }
        const std::int64_t count = columns - c < at_once ? columns - c : at_once;
        for (int r = 0; r < Rows; ++r) {
            float results[at_once];
#pragma GCC unroll 4
            for (int g = 0; g < Groups; ++g) {
                sum[r][g].store(results + 8 * g);
            }
            std::memcpy(sums + r * step + c, results, static_cast<std::size_t>(count) * sizeof(float));
        }
    }
}

ANEMONE_INLINE void product_few_turned(std::int64_t rows, std::int64_t terms, const float* a, std::int64_t a_step,
                                       const half* b, std::int64_t b_step, std::int64_t columns, float* sums,
                                       std::int64_t step) {
    switch (rows) {
    case 1: return few_turned_of<1, 4>(terms, a, a_step, b, b_step, columns, sums, step);
    case 2: return few_turned_of<2, 2>(terms, a, a_step, b, b_step, columns, sums, step);
    case 4: return few_turned_of<4, 1>(terms, a, a_step, b, b_step, columns, sums, step);
    default: return few_turned_of<8, 1>(terms, a, a_step, b, b_step, columns, sums, step);
    }
}

#endif

} // namespace ANEMONE_SET
} // namespace ane::cpu::detail::inline ANEMONE_WAY
