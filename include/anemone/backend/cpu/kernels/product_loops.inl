// Included by simd/each_set.hpp through level.inl: the loops of products (product_kernels.hpp says what each computes).

namespace ane::cpu::detail::inline ANEMONE_WAY {
namespace ANEMONE_SET {

// The accumulators of a tile fill the registers but for the vectors of a term and one broadcast value.
#if ANEMONE_SET_LANES == 16
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

ANEMONE_INLINE void widen_rows(const half* from, std::int64_t from_step, std::int64_t rows, std::int64_t count,
                               float* to, std::int64_t to_step, std::int64_t filled) {
#if ANEMONE_SET_F16C
    using vector = floats<register_lanes>;
#endif
    for (std::int64_t i = 0; i < rows; ++i) {
        const half* const row = from + i * from_step;
        float* const result = to + i * to_step;
#if ANEMONE_SET_F16C
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

ANEMONE_CPU_INLINE void rows_of_panel(std::int64_t first, std::int64_t rows, std::int64_t terms, const float* a,
                                      const float* panel, float* sums, std::int64_t step, bool fresh) {
    std::int64_t r = first;
    for (; r + product_rows <= rows; r += product_rows) {
        product_tile<product_rows>(terms, a + r * product_step, wide_panel{panel}, sums + r * step, step, fresh);
    }
    if constexpr (product_rows > 2 * product_unit) {
        if (r + 2 * product_unit <= rows) {
            product_tile<2 * product_unit>(terms, a + r * product_step, wide_panel{panel}, sums + r * step, step, fresh);
            r += 2 * product_unit;
        }
    }
    if (r < rows) {
        product_tile<product_unit>(terms, a + r * product_step, wide_panel{panel}, sums + r * step, step, fresh);
    }
}

ANEMONE_INLINE void product_panel(std::int64_t rows, std::int64_t terms, const float* a, const float* panel, float* sums,
                                  std::int64_t step, bool fresh) {
    rows_of_panel(0, rows, terms, a, panel, sums, step, fresh);
}

/// The first tile widens the panel beside its multiplications, which hides most of that.
ANEMONE_INLINE void product_half_panel(std::int64_t rows, std::int64_t terms, const float* a, const half* panel,
                                       std::int64_t term_step, float* wide, float* sums, std::int64_t step, bool fresh) {
    std::int64_t first = 0;
    if (rows >= product_rows) {
        product_tile<product_rows>(terms, a, half_panel{panel, term_step, wide}, sums, step, fresh);
        first = product_rows;
    } else {
        widen_rows(panel, term_step, terms, panel_columns, wide, panel_columns, panel_columns);
    }
    rows_of_panel(first, rows, terms, a, wide, sums, step, fresh);
}

/// `Vectors` neighbouring vectors of columns from vector `first` on, for each stretch of them: they may be of several
/// panels, so that there are enough independent sums.
template <int Rows, int Vectors>
ANEMONE_CPU_INLINE void few_tile(std::int64_t terms, const float* a, std::int64_t a_step, const half* b,
                                 std::int64_t term_step, std::int64_t panel_step, std::int64_t first, float* sums,
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
    const half* from = b + first / panel_vectors * panel_step + first % panel_vectors * register_lanes;
    for (std::int64_t t = 0; t < terms; ++t) {
        vector value[Vectors];
#pragma GCC unroll 8
        for (int v = 0; v < Vectors; ++v) {
            value[v] = vector::load(from + v / panel_vectors * panel_step + v % panel_vectors * register_lanes);
        }
        from += term_step;
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
            sum[r][v].store(sums + r * step + (first + v) * register_lanes);
        }
    }
}

template <int Rows, int Vectors>
ANEMONE_CPU_INLINE void few_panels(std::int64_t terms, const float* a, std::int64_t a_step, const half* b,
                                   std::int64_t term_step, std::int64_t panel_step, std::int64_t panels, float* sums,
                                   std::int64_t step) {
    constexpr int rest = Vectors < panel_vectors ? Vectors : panel_vectors;
    const std::int64_t vectors = panels * panel_vectors;
    std::int64_t first = 0;
    for (; first + Vectors <= vectors; first += Vectors) {
        few_tile<Rows, Vectors>(terms, a, a_step, b, term_step, panel_step, first, sums, step);
    }
    for (; first < vectors; first += rest) {
        few_tile<Rows, rest>(terms, a, a_step, b, term_step, panel_step, first, sums, step);
    }
}

ANEMONE_INLINE void product_few(std::int64_t rows, std::int64_t terms, const float* a, std::int64_t a_step,
                                const half* b, std::int64_t term_step, std::int64_t panel_step, std::int64_t panels,
                                float* sums, std::int64_t step) {
    constexpr int sums_at_once = register_lanes == 16 ? 16 : 8; // as many as registers hold beside the operands
    switch (rows) {
    case 1: return few_panels<1, 8>(terms, a, a_step, b, term_step, panel_step, panels, sums, step);
    case 2: return few_panels<2, sums_at_once / 2>(terms, a, a_step, b, term_step, panel_step, panels, sums, step);
    case 4: return few_panels<4, sums_at_once / 4>(terms, a, a_step, b, term_step, panel_step, panels, sums, step);
    default: return few_panels<8, sums_at_once / 8>(terms, a, a_step, b, term_step, panel_step, panels, sums, step);
    }
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

/// Nothing of them is compiled for a program without products.
template <bool Wanted> constexpr product_kernels products_of() {
    if constexpr (Wanted) {
        return {.rows = product_rows,
                .unit = product_unit,
                .columns = panel_columns,
                .block_rows = product_block_rows,
                .panel = product_panel,
                .half_panel = product_half_panel,
#if ANEMONE_SET_F16C
                .few = product_few,
#endif
                .widen = widen_rows,
                .widen_turned = widen_turned};
    }
    return {};
}

} // namespace ANEMONE_SET
} // namespace ane::cpu::detail::inline ANEMONE_WAY
