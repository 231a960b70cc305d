// Included by simd/each_set.inl through level.inl: the loops of products (product_kernels.hpp says what each computes).

namespace ane::cpu::detail::inline ANEMONE_WAY {
namespace ANEMONE_SET {

// The accumulators of a tile fill the registers but for the vectors of a term and one broadcast value.
#if ANEMONE_SET_LANES == 16 || ANEMONE_SET_NEON
inline constexpr int product_rows = 12;
inline constexpr int product_unit = 4;
inline constexpr int product_block_rows = 264;
#elif ANEMONE_SET_LANES == 8
inline constexpr int product_rows = 6;
inline constexpr int product_unit = 2;
inline constexpr int product_block_rows = 192;
#else
inline constexpr int product_rows = 4;
inline constexpr int product_unit = 4;
inline constexpr int product_block_rows = 96;
#endif
inline constexpr int panel_vectors = 2;
inline constexpr int panel_columns = panel_vectors * register_lanes;
static_assert(product_rows <= most_tile_rows && panel_columns <= most_panel_columns);
static_assert(product_block_rows <= most_block_rows && product_block_rows % product_rows == 0);

ANEMONE_INLINE void widen_rows(const half* from, std::int64_t from_step, std::int64_t rows, std::int64_t count,
                               float* to, std::int64_t to_step, std::int64_t filled) {
#if ANEMONE_SET_F16C || ANEMONE_SET_NEON
    using vector = floats<register_lanes>;
#endif
    for (std::int64_t i = 0; i < rows; ++i) {
        const half* const row = from + i * from_step;
        float* const result = to + i * to_step;
#if ANEMONE_SET_F16C || ANEMONE_SET_NEON
        std::int64_t j = 0;
        for (; j + register_lanes <= count; j += register_lanes) {
            vector::load(row + j).store(result + j);
        }
        for (; j < count; ++j) {
            result[j] = widened(row[j].bits);
        }
#else
        widen(row, result, count);
        std::int64_t j = count;
#endif
        for (; j < filled; ++j) {
            result[j] = 0.0F;
        }
    }
}

/// A panel in fp32, or in fp16 (rows `term_step` apart) whose fp32 values are left in `widened` for the tiles below.
struct wide_panel {
    const float* values;
    ANEMONE_CPU_INLINE floats<register_lanes> load(std::int64_t t, int v) const {
        return floats<register_lanes>::load(values + t * panel_columns + v * register_lanes);
    }
};
struct half_panel {
    const half* values;
    std::int64_t term_step;
    float* widened;
    ANEMONE_CPU_INLINE floats<register_lanes> load(std::int64_t t, int v) const {
        const auto value = floats<register_lanes>::load(values + t * term_step + v * register_lanes);
        value.store(widened + t * panel_columns + v * register_lanes);
        return value;
    }
};

template <int Rows, class Panel>
ANEMONE_CPU_INLINE void product_tile(std::int64_t terms, const float* a, const Panel& panel, float* sums,
                                     std::int64_t step, bool fresh) {
    using vector = floats<register_lanes>;
    vector sum[Rows][panel_vectors];
    if (fresh) {
#pragma GCC unroll 16
        for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 2
            for (int v = 0; v < panel_vectors; ++v) {
                sum[r][v] = vector::all(0.0F);
            }
        }
    } else {
#pragma GCC unroll 16
        for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 2
            for (int v = 0; v < panel_vectors; ++v) {
                sum[r][v] = vector::load(sums + r * step + v * register_lanes);
            }
        }
    }
    for (std::int64_t t = 0; t < terms; ++t) {
        vector value[panel_vectors];
#pragma GCC unroll 2
        for (int v = 0; v < panel_vectors; ++v) {
            value[v] = panel.load(t, v);
        }
#pragma GCC unroll 16
        for (int r = 0; r < Rows; ++r) {
            const vector weight = vector::all(a[r * product_step + t]);
#pragma GCC unroll 2
            for (int v = 0; v < panel_vectors; ++v) {
                sum[r][v] = multiply_add(weight, value[v], sum[r][v]);
            }
        }
    }
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 2
        for (int v = 0; v < panel_vectors; ++v) {
            sum[r][v].store(sums + r * step + v * register_lanes);
        }
    }
}

template <int Rows>
ANEMONE_CPU_INLINE void stripe_of(std::int64_t terms, const float* a, const float* panels, std::int64_t count,
                                  float* sums, std::int64_t step, bool fresh) {
    for (std::int64_t p = 0; p < count; ++p) {
        product_tile<Rows>(terms, a, wide_panel{panels + p * terms * panel_columns}, sums + p * panel_columns, step,
                           fresh);
    }
}

ANEMONE_INLINE void product_stripe(std::int64_t rows, std::int64_t terms, const float* a, const float* panels,
                                   std::int64_t count, float* sums, std::int64_t step, bool fresh) {
    if (rows == product_rows) {
        return stripe_of<product_rows>(terms, a, panels, count, sums, step, fresh);
    }
    if constexpr (product_rows > 2 * product_unit) {
        if (rows == 2 * product_unit) {
            return stripe_of<2 * product_unit>(terms, a, panels, count, sums, step, fresh);
        }
    }
    stripe_of<product_unit>(terms, a, panels, count, sums, step, fresh);
}

ANEMONE_INLINE void product_half_stripe(std::int64_t rows, std::int64_t terms, const float* a, const half* panels,
                                        std::int64_t term_step, std::int64_t panel_step, std::int64_t count,
                                        float* wide, float* sums, std::int64_t step, bool fresh) {
    for (std::int64_t p = 0; p < count; ++p) {
        const half* const from = panels + p * panel_step;
        float* const to = wide + p * terms * panel_columns;
        float* const results = sums + p * panel_columns;
        if (rows == product_rows) {
            product_tile<product_rows>(terms, a, half_panel{from, term_step, to}, results, step, fresh);
        } else {
            widen_rows(from, term_step, terms, panel_columns, to, panel_columns, panel_columns);
            product_stripe(rows, terms, a, to, 1, results, step, fresh);
        }
    }
}

/// fp16 panels as `few` reads them, term by term.
struct half_source {
    const half* b;
    std::int64_t term_step;
    std::int64_t panel_step;

    template <int> ANEMONE_CPU_INLINE half_source at(std::int64_t first) const {
        return {b + first / panel_vectors * panel_step + first % panel_vectors * register_lanes, term_step, panel_step};
    }
    ANEMONE_CPU_INLINE floats<register_lanes> load(int v) const {
        return floats<register_lanes>::load(b + v / panel_vectors * panel_step + v % panel_vectors * register_lanes);
    }
    ANEMONE_CPU_INLINE void advance() { b += term_step; }
};

/// `Vectors` neighbouring vectors of columns: they may be of several panels, so that there are enough independent sums.
template <int Rows, int Vectors, class Source>
ANEMONE_CPU_INLINE void few_tile(std::int64_t terms, const float* a, std::int64_t a_step, Source source, float* sums,
                                 std::int64_t step) {
    using vector = floats<register_lanes>;
    vector sum[Rows][Vectors];
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 8
        for (int v = 0; v < Vectors; ++v) {
            sum[r][v] = vector::all(0.0F);
        }
    }
    for (std::int64_t t = 0; t < terms; ++t) {
        vector value[Vectors];
#pragma GCC unroll 8
        for (int v = 0; v < Vectors; ++v) {
            value[v] = source.load(v);
        }
        source.advance();
#pragma GCC unroll 8
        for (int r = 0; r < Rows; ++r) {
            const vector weight = vector::all(a[r * a_step + t]);
#pragma GCC unroll 8
            for (int v = 0; v < Vectors; ++v) {
                sum[r][v] = multiply_add(weight, value[v], sum[r][v]);
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
                                   std::int64_t panels, float* sums, std::int64_t step) {
    constexpr int rest = Vectors < panel_vectors ? Vectors : panel_vectors;
    const std::int64_t vectors = panels * panel_vectors;
    std::int64_t first = 0;
    for (; first + Vectors <= vectors; first += Vectors) {
        few_tile<Rows, Vectors>(terms, a, a_step, source.template at<Vectors>(first), sums + first * register_lanes,
                                step);
    }
    for (; first < vectors; first += rest) {
        few_tile<Rows, rest>(terms, a, a_step, source.template at<rest>(first), sums + first * register_lanes, step);
    }
}

template <class Source>
ANEMONE_CPU_INLINE void few_rows_of(std::int64_t rows, std::int64_t terms, const float* a, std::int64_t a_step,
                                    const Source& source, std::int64_t panels, float* sums, std::int64_t step) {
    constexpr int sums_at_once = product_rows == 12 ? 16 : 8; // as many as registers hold beside the operands
    switch (rows) {
    case 1: return few_panels<1, 8>(terms, a, a_step, source, panels, sums, step);
    case 2: return few_panels<2, sums_at_once / 2>(terms, a, a_step, source, panels, sums, step);
    case 4: return few_panels<4, sums_at_once / 4>(terms, a, a_step, source, panels, sums, step);
    default: return few_panels<8, sums_at_once / 8>(terms, a, a_step, source, panels, sums, step);
    }
}

ANEMONE_INLINE void product_few(std::int64_t rows, std::int64_t terms, const float* a, std::int64_t a_step,
                                const half* b, std::int64_t term_step, std::int64_t panel_step, std::int64_t panels,
                                float* sums, std::int64_t step) {
    few_rows_of(rows, terms, a, a_step, half_source{b, term_step, panel_step}, panels, sums, step);
}

ANEMONE_INLINE void widen_turned(const half* from, std::int64_t from_step, std::int64_t rows, std::int64_t count,
                                 float* to, std::int64_t to_step, std::int64_t filled) {
    std::int64_t i = 0;
    for (; i + turned_block <= rows; i += turned_block) {
        std::int64_t j = 0;
        for (; j + turned_block <= count; j += turned_block) {
            turn(from + j * from_step + i, from_step, to + i * to_step + j, to_step);
        }
        for (; j < filled; ++j) {
            for (std::int64_t r = i; r < i + turned_block; ++r) {
                to[r * to_step + j] = j < count ? widened(from[j * from_step + r].bits) : 0.0F;
            }
        }
    }
    for (; i < rows; ++i) {
        for (std::int64_t j = 0; j < filled; ++j) {
            to[i * to_step + j] = j < count ? widened(from[j * from_step + i].bits) : 0.0F;
        }
    }
}

} // namespace ANEMONE_SET
} // namespace ane::cpu::detail::inline ANEMONE_WAY
