// Included by simd/each_set.inl through level.inl: the loops of products (product_kernels.hpp says what each computes).

namespace ane::cpu::detail::inline ANEMONE_WAY {
namespace ANEMONE_SET {

// The accumulators of a tile fill the registers but for the vectors of a term and one broadcast value.
#if ANEMONE_SET_LANES == 16 || ANEMONE_SET_NEON
inline constexpr int product_rows = 12;
inline constexpr int product_unit = 4;
inline constexpr int product_block_rows = 264;
inline constexpr int product_wide_rows = 528;
inline constexpr int product_least_rows = 120;
#elif ANEMONE_SET_LANES == 8
inline constexpr int product_rows = 6;
inline constexpr int product_unit = 2;
inline constexpr int product_block_rows = 192;
inline constexpr int product_wide_rows = 192;
inline constexpr int product_least_rows = 48;
#else
inline constexpr int product_rows = 4;
inline constexpr int product_unit = 4;
inline constexpr int product_block_rows = 96;
inline constexpr int product_wide_rows = 96;
inline constexpr int product_least_rows = 24;
#endif
inline constexpr int panel_vectors = 2;
inline constexpr int panel_columns = panel_vectors * register_lanes;
static_assert(product_rows <= most_tile_rows && panel_columns <= most_panel_columns);
static_assert(product_block_rows <= most_block_rows && product_block_rows % product_rows == 0);
static_assert(product_block_rows <= product_wide_rows && product_wide_rows <= most_wide_rows);

ANEMONE_INLINE void product_widen(const half* from, std::int64_t from_step, std::int64_t rows, std::int64_t count,
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
/// The same, and while a tile reads it another panel is fetched, term by term.
struct wide_panel_before {
    const float* values;
    const half* next;
    ANEMONE_CPU_INLINE floats<register_lanes> load(std::int64_t t, int v) const {
        if (v == 0) {
            __builtin_prefetch(next + t * panel_columns);
        }
        return wide_panel{values}.load(t, v);
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

/// Sums [row][panel_columns] of a tile that reaches beyond the results, from `row` on, to them.
ANEMONE_INLINE void finish_edge [[gnu::noinline]] (const float* sums, std::int64_t rows, std::int64_t columns,
                                                   const product_results& to, std::int64_t row) {
    using vector = floats<register_lanes>;
    const auto finish = finisher<register_lanes>::of(to.finish);
    for (std::int64_t c = 0; c < columns; c += register_lanes) {
        const std::int64_t there = columns - c;
        float bias[register_lanes];
        for (std::int64_t i = 0; i < register_lanes; ++i) {
            bias[i] = to.bias != nullptr && i < there ? to.bias[c + i] : -0.0F;
        }
        const vector added = vector::load(bias);
        for (std::int64_t r = 0; r < rows; ++r) {
            vector value = vector::load(sums + r * panel_columns + c) + added;
            if (to.row_bias != nullptr) {
                value = value + vector::all(to.row_bias[row + r]);
            }
            finish.store_up_to(value, (row + r) * to.out_step + c, there);
        }
    }
}

/// The rows of `a` and of the results from `row` on.
template <int Rows, int Vectors, class Panel>
ANEMONE_CPU_INLINE void product_tile(std::int64_t terms, const float* a, const Panel& panel, const product_results& to,
                                     std::int64_t row) {
    using vector = floats<register_lanes>;
    a += row * product_step;
    float* const sums = to.sums + row * to.step;
    vector sum[Rows][Vectors];
    if (to.fresh) {
#pragma GCC unroll 16
        for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 2
            for (int v = 0; v < Vectors; ++v) {
                sum[r][v] = vector::all(0.0F);
            }
        }
    } else {
#pragma GCC unroll 16
        for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 2
            for (int v = 0; v < Vectors; ++v) {
                sum[r][v] = vector::load(sums + r * to.step + v * register_lanes);
            }
        }
    }
#pragma GCC unroll 4
    for (std::int64_t t = 0; t < terms; ++t) {
        vector value[Vectors];
#pragma GCC unroll 2
        for (int v = 0; v < Vectors; ++v) {
            value[v] = panel.load(t, v);
        }
#pragma GCC unroll 16
        for (int r = 0; r < Rows; ++r) {
            const vector weight = vector::all(a[r * product_step + t]);
#pragma GCC unroll 2
            for (int v = 0; v < Vectors; ++v) {
                add_product(sum[r][v], weight, value[v]);
            }
        }
    }
    if (to.finish.out == nullptr) {
#pragma GCC unroll 16
        for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 2
            for (int v = 0; v < Vectors; ++v) {
                sum[r][v].store(sums + r * to.step + v * register_lanes);
            }
        }
        if (to.largest != nullptr) {
#pragma GCC unroll 16
            for (int r = 0; r < Rows; ++r) {
                vector most = vector::load(to.largest + (row + r) * 16);
#pragma GCC unroll 2
                for (int v = 0; v < Vectors; ++v) {
                    most = larger(sum[r][v], most);
                }
                most.store(to.largest + (row + r) * 16);
            }
        }
        return;
    }
    const std::int64_t rows = to.rows - row;
    if (rows < Rows || to.columns < Vectors * register_lanes) {
        alignas(64) float rest[Rows * panel_columns];
#pragma GCC unroll 16
        for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 2
            for (int v = 0; v < Vectors; ++v) {
                sum[r][v].store(rest + r * panel_columns + v * register_lanes);
            }
        }
        constexpr std::int64_t all = Vectors * register_lanes;
        return finish_edge(rest, rows < Rows ? rows : Rows, to.columns < all ? to.columns : all, to, row);
    }
    if (to.bias != nullptr) {
#pragma GCC unroll 2
        for (int v = 0; v < Vectors; ++v) {
            const vector added = vector::load(to.bias + v * register_lanes);
#pragma GCC unroll 16
            for (int r = 0; r < Rows; ++r) {
                sum[r][v] = sum[r][v] + added;
            }
        }
    }
    if (to.row_bias != nullptr) {
#pragma GCC unroll 16
        for (int r = 0; r < Rows; ++r) {
            const vector added = vector::all(to.row_bias[row + r]);
#pragma GCC unroll 2
            for (int v = 0; v < Vectors; ++v) {
                sum[r][v] = sum[r][v] + added;
            }
        }
    }
    if (to.finish.added != nullptr) {
        const half* const added = to.finish.added + row * to.out_step;
#pragma GCC unroll 16
        for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 2
            for (int v = 0; v < Vectors; ++v) {
                sum[r][v] = sum[r][v] + vector::load(added + r * to.out_step + v * register_lanes);
            }
        }
    }
    if (is_bounded(to.finish)) {
        const vector low = vector::all(to.finish.low);
        const vector high = vector::all(to.finish.high);
#pragma GCC unroll 16
        for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 2
            for (int v = 0; v < Vectors; ++v) {
                sum[r][v] = smaller(high, larger(low, sum[r][v]));
            }
        }
    }
    half* const out = to.finish.out + row * to.out_step;
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 2
        for (int v = 0; v < Vectors; ++v) {
            sum[r][v].store(out + r * to.out_step + v * register_lanes);
        }
    }
}

/// The same results from a column on.
ANEMONE_CPU_INLINE product_results from_column(const product_results& to, std::int64_t column) {
    product_results part = to;
    part.sums = to.sums == nullptr ? nullptr : to.sums + column;
    part.finish = to.finish.out == nullptr ? to.finish : to.finish.from(column);
    part.columns = to.columns - column;
    part.bias = to.bias == nullptr ? nullptr : to.bias + column;
    return part;
}

/// Rows first <= r < rows of one panel, of which `Vectors` are wanted.
template <int Vectors>
ANEMONE_CPU_INLINE void product_column(std::int64_t first, std::int64_t rows, std::int64_t terms, const float* a,
                                       const wide_panel& panel, const product_results& to) {
    std::int64_t r = first;
    for (; r + product_rows <= rows; r += product_rows) {
        product_tile<product_rows, Vectors>(terms, a, panel, to, r);
    }
    if constexpr (product_rows > 2 * product_unit) {
        for (; r + 2 * product_unit <= rows; r += 2 * product_unit) {
            product_tile<2 * product_unit, Vectors>(terms, a, panel, to, r);
        }
    }
    if constexpr (product_rows > product_unit) {
        for (; r < rows; r += product_unit) {
            product_tile<product_unit, Vectors>(terms, a, panel, to, r);
        }
    }
}

ANEMONE_INLINE void product_stripe(std::int64_t rows, std::int64_t terms, const float* a, const float* panels,
                                   std::int64_t count, const product_results& to) {
    for (std::int64_t c = 0; c < count; c += panel_columns) {
        const wide_panel panel{panels + c * terms};
        if (count - c > register_lanes) {
            product_column<panel_vectors>(0, rows, terms, a, panel, from_column(to, c));
        } else {
            product_column<1>(0, rows, terms, a, panel, from_column(to, c));
        }
    }
}

template <int Vectors>
ANEMONE_CPU_INLINE void product_half_column(std::int64_t rows, std::int64_t terms, const float* a,
                                            const half_panel& panel, const half* next, const product_results& to) {
    std::int64_t first = 0;
    if (rows < product_rows) {
        product_widen(panel.values, panel.term_step, terms, panel_columns, panel.widened, panel_columns, panel_columns);
    } else {
        product_tile<product_rows, Vectors>(terms, a, panel, to, 0);
        first = product_rows;
        if (next != nullptr && rows >= 2 * product_rows) {
            product_tile<product_rows, Vectors>(terms, a, wide_panel_before{panel.widened, next}, to, first);
            first += product_rows;
        }
    }
    product_column<Vectors>(first, rows, terms, a, {panel.widened}, to);
}

ANEMONE_INLINE void product_half_stripe(std::int64_t rows, std::int64_t terms, const float* a, const half* panel,
                                        std::int64_t term_step, std::int64_t count, float* wide,
                                        const product_results& to, const half* next) {
    const half_panel from{panel, term_step, wide};
    if (count > register_lanes) {
        product_half_column<panel_vectors>(rows, terms, a, from, next, to);
    } else {
        product_half_column<1>(rows, terms, a, from, next, to);
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

} // namespace ANEMONE_SET
} // namespace ane::cpu::detail::inline ANEMONE_WAY
