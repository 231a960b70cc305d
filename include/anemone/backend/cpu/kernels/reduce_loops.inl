// Included by simd/each_set.inl through level.inl: folds of rows.

namespace ane::cpu::detail::inline ANEMONE_WAY {
namespace ANEMONE_SET {

/// Folds function(x[i]) into 16 lanes, then the lanes in order: the same grouping at every set.
template <class Combine, class Function, class Number>
ANEMONE_CPU_INLINE float fold(const Combine& combine, const Function& function, float start, const Number* x,
                              std::int64_t count) {
    row_block sum = row_block::all(start);
    std::int64_t i = 0;
    for (; i + block_lanes <= count; i += block_lanes) {
        sum = combine(sum, function(row_block::load(x + i)));
    }
    float lanes[block_lanes];
    sum.store(lanes);
    if (i < count) {
        float last[block_lanes];
        combine(sum, function(load_some(x + i, count - i))).store(last);
        for (std::int64_t lane = 0; lane < count - i; ++lane) {
            lanes[lane] = last[lane];
        }
    }
    float result[block_lanes] = {start};
    for (const float lane : lanes) {
        // A vector of which one lane counts: the function is written once.
        combine(row_block::load(result), row_block::all(lane)).store(result);
    }
    return result[0];
}

struct same_block {
    template <int N> ANEMONE_CPU_INLINE floats<N> operator()(const floats<N>& x) const { return x; }
};

struct squared_difference {
    float center;
    ANEMONE_CPU_INLINE row_block operator()(const row_block& x) const {
        const row_block deviation = x - row_block::all(center);
        return deviation * deviation;
    }
};

/// (x - center) * scale + offset.
struct affine_function {
    float center;
    float scale;
    float offset;
    template <int N> ANEMONE_CPU_INLINE floats<N> operator()(const floats<N>& x) const {
        return (x - floats<N>::all(center)) * floats<N>::all(scale) + floats<N>::all(offset);
    }
};

/// What a reduction does to an element before it is folded.
template <op Kind> ANEMONE_CPU_INLINE row_block prepared(const row_block& x, const row_block& center) {
    constexpr op before = parts_of(Kind).before;
    if constexpr (before == op::identity) {
        return x;
    } else {
        const unary_function<before> function{};
        return function(Kind == op::reduce_log_sum_exp ? x - center : x);
    }
}

template <class Combine>
ANEMONE_CPU_INLINE void fold_windows(const Combine& combine, const float* x, const std::int64_t* offsets,
                                     std::int64_t taps, float start, float* out, std::int64_t count) {
    for (std::int64_t i = 0; i < count; i += block_lanes) {
        row_block sum = row_block::all(start);
        for (std::int64_t t = 0; t < taps; ++t) {
            sum = combine(sum, row_block::load(x + offsets[t] + i));
        }
        sum.store(out + i);
    }
}

template <op_set Operations> struct reduce_loops {
    /// Whether a reduction has a loop of its own: others that fold the same take it.
    static constexpr bool has_loop(op kind) { return is_reduction(kind) && fold_of(kind) == kind && Operations.contains(kind); }

    // clang-format takes the directives that follow these macros for part of their bodies.
    // clang-format off
    static float row(op kind, const half* x, std::int64_t count, float start, float center) {
        switch (kind) {
#define ANEMONE_OPERATION(KIND, ...)                                                                                   \
    case op::KIND:                                                                                                     \
        if constexpr (has_loop(op::KIND)) {                                                                            \
            return fold(                                                                                               \
                binary_function<parts_of(op::KIND).fold>{},                                                            \
                [center](const row_block& value) { return prepared<op::KIND>(value, row_block::all(center)); }, start, \
                x, count);                                                                                             \
        }                                                                                                              \
        break;
#include "../../../graph/operations.def"
        }
        no_loop(kind);
    }
    static void into(op kind, const half* x, const float* centers, float* sums, std::int64_t count) {
        switch (kind) {
#define ANEMONE_OPERATION(KIND, ...)                                                                                   \
    case op::KIND:                                                                                                     \
        if constexpr (has_loop(op::KIND)) {                                                                            \
            return fold_into<op::KIND>(x, centers, sums, count);                                                       \
        }                                                                                                              \
        break;
#include "../../../graph/operations.def"
        }
        no_loop(kind);
    }
    // clang-format on

    template <op Kind>
    ANEMONE_CPU_INLINE static void fold_into(const half* x, const float* centers, float* sums, std::int64_t count) {
        const binary_function<parts_of(Kind).fold> combine{};
        constexpr bool centered = Kind == op::reduce_log_sum_exp;
        std::int64_t i = 0;
        for (; i + block_lanes <= count; i += block_lanes) {
            const row_block center = centered ? row_block::load(centers + i) : row_block::all(0.0F);
            combine(row_block::load(sums + i), prepared<Kind>(row_block::load(x + i), center)).store(sums + i);
        }
        if (const std::int64_t left = count - i; left > 0) {
            const row_block center = centered ? load_some(centers + i, left) : row_block::all(0.0F);
            store_some(combine(load_some(sums + i, left), prepared<Kind>(load_some(x + i, left), center)), sums + i,
                       left);
        }
    }

    static void windows(op combine, const float* x, const std::int64_t* offsets, std::int64_t taps, float start,
                        float* out, std::int64_t count) {
        if constexpr (Operations.contains(op::max_pool)) {
            if (combine == op::maximum) {
                return fold_windows(binary_function<op::maximum>{}, x, offsets, taps, start, out, count);
            }
        }
        if constexpr (Operations.contains(op::avg_pool) || Operations.contains(op::l2_pool)) {
            if (combine == op::add) {
                return fold_windows(binary_function<op::add>{}, x, offsets, taps, start, out, count);
            }
        }
        no_loop(combine);
    }

    static constexpr reduce_kernels table{row, into, windows};
};

} // namespace ANEMONE_SET
} // namespace ane::cpu::detail::inline ANEMONE_WAY
