// Included by simd/each_set.inl through level.inl: softmax and norms of rows that lie one behind the other. A row is
// read once into fp32 and stays in the first cache until it is written; several rows are on their way at once, because
// a sum is one chain of additions. Sums are grouped into 16 lanes, then the lanes in order, at every instruction set.

namespace ane::cpu::detail::inline ANEMONE_WAY {
namespace ANEMONE_SET {

ANEMONE_CPU_INLINE float sum_of_lanes(const row_block& x) {
    float lanes[block_lanes];
    x.store(lanes);
    float sum = 0.0F;
    for (const float lane : lanes) {
        sum = sum + lane;
    }
    return sum;
}

/// Rows of x as fp32, `padded` apart in `wide`; what is missing in the last block is `padding`. each(row, block) sees
/// the blocks of a row in order.
template <int Rows, class Each>
ANEMONE_CPU_INLINE void widen_rows(const half* x, std::int64_t count, std::int64_t padded, float padding, float* wide,
                                   const Each& each) {
    std::int64_t i = 0;
    for (; i + block_lanes <= count; i += block_lanes) {
#pragma GCC unroll 4
        for (int r = 0; r < Rows; ++r) {
            const row_block value = row_block::load(x + r * count + i);
            value.store(wide + r * padded + i);
            each(r, value);
        }
    }
    if (i < count) {
        for (int r = 0; r < Rows; ++r) {
            float* const last = wide + r * padded + i;
            load_some(x + r * count + i, count - i).store(last);
            for (std::int64_t lane = count - i; lane < block_lanes; ++lane) {
                last[lane] = padding;
            }
            each(r, row_block::load(last));
        }
    }
}

/// out[r, i] = one(row r, i, the block of `wide` there).
template <int Rows, class One>
ANEMONE_CPU_INLINE void narrow_rows(const float* wide, std::int64_t count, std::int64_t padded, half* out,
                                    const One& one) {
    std::int64_t i = 0;
    for (; i + block_lanes <= count; i += block_lanes) {
#pragma GCC unroll 4
        for (int r = 0; r < Rows; ++r) {
            one(r, i, row_block::load(wide + r * padded + i)).store(out + r * count + i);
        }
    }
    if (i < count) {
        for (int r = 0; r < Rows; ++r) {
            store_some(one(r, i, row_block::load(wide + r * padded + i)), out + r * count + i, count - i);
        }
    }
}

template <int Rows> struct softmax_of_rows {
    ANEMONE_CPU_INLINE void operator()(const half* x, half* out, std::int64_t count, std::int64_t padded,
                                       float* wide) const {
        const float infinity = std::numeric_limits<float>::infinity();
        row_block most[Rows];
        for (row_block& m : most) {
            m = row_block::all(-infinity);
        }
        widen_rows<Rows>(x, count, padded, -infinity, wide, [&most](int r, const row_block& value) {
            most[r] = larger(value, most[r]);
        }); // NaN shows in the sum
        row_block total[Rows];
        for (int r = 0; r < Rows; ++r) {
            float lanes[block_lanes];
            most[r].store(lanes);
            float largest = lanes[0];
            for (const float lane : lanes) {
                largest = lane > largest ? lane : largest;
            }
            most[r] = row_block::all(largest);
            total[r] = row_block::all(0.0F);
        }
        for (std::int64_t i = 0; i < padded; i += block_lanes) {
#pragma GCC unroll 4
            for (int r = 0; r < Rows; ++r) {
                float* const at = wide + r * padded + i;
                const row_block power = exponential_below_one(row_block::load(at) - most[r]);
                power.store(at);
                total[r] = total[r] + power;
            }
        }
        float inverse[Rows];
        for (int r = 0; r < Rows; ++r) {
            inverse[r] = 1.0F / sum_of_lanes(total[r]);
        }
        narrow_rows<Rows>(wide, count, padded, out, [&inverse](int r, std::int64_t, const row_block& power) {
            return power * row_block::all(inverse[r]);
        });
    }
};

template <int Rows> struct layer_norm_of_rows {
    const float* gamma; ///< `padded` numbers each
    const float* beta;
    float epsilon;

    ANEMONE_CPU_INLINE void operator()(const half* x, half* out, std::int64_t count, std::int64_t padded,
                                       float* wide) const {
        row_block sum[Rows];
        for (row_block& s : sum) {
            s = row_block::all(0.0F);
        }
        widen_rows<Rows>(x, count, padded, 0.0F, wide,
                         [&sum](int r, const row_block& value) { sum[r] = sum[r] + value; });
        row_block mean[Rows];
        for (int r = 0; r < Rows; ++r) {
            const float of_row = sum_of_lanes(sum[r]) / static_cast<float>(count);
            for (std::int64_t i = count; i < padded; ++i) {
                wide[r * padded + i] = of_row; // deviates by nothing
            }
            mean[r] = row_block::all(of_row);
            sum[r] = row_block::all(0.0F);
        }
        for (std::int64_t i = 0; i < padded; i += block_lanes) {
#pragma GCC unroll 4
            for (int r = 0; r < Rows; ++r) {
                const row_block deviation = row_block::load(wide + r * padded + i) - mean[r];
                sum[r] = sum[r] + deviation * deviation;
            }
        }
        row_block scale[Rows];
        for (int r = 0; r < Rows; ++r) {
            const float variance = sum_of_lanes(sum[r]) / static_cast<float>(count);
            scale[r] = row_block::all(1.0F / std::sqrt(variance + epsilon));
        }
        narrow_rows<Rows>(wide, count, padded, out, [&](int r, std::int64_t i, const row_block& value) {
            return (value - mean[r]) * scale[r] * row_block::load(gamma + i) + row_block::load(beta + i);
        });
    }
};

template <int Rows> struct rms_norm_of_rows {
    const float* gamma; ///< `padded` numbers
    float epsilon;

    ANEMONE_CPU_INLINE void operator()(const half* x, half* out, std::int64_t count, std::int64_t padded,
                                       float* wide) const {
        row_block sum[Rows];
        for (row_block& s : sum) {
            s = row_block::all(0.0F);
        }
        widen_rows<Rows>(x, count, padded, 0.0F, wide,
                         [&sum](int r, const row_block& value) { sum[r] = sum[r] + value * value; });
        row_block scale[Rows];
        for (int r = 0; r < Rows; ++r) {
            const float mean = sum_of_lanes(sum[r]) / static_cast<float>(count);
            scale[r] = row_block::all(1.0F / std::sqrt(mean + epsilon));
        }
        narrow_rows<Rows>(wide, count, padded, out, [&](int r, std::int64_t i, const row_block& value) {
            return value * scale[r] * row_block::load(gamma + i);
        });
    }
};

template <int Rows> struct l2_norm_of_rows {
    float epsilon;

    ANEMONE_CPU_INLINE void operator()(const half* x, half* out, std::int64_t count, std::int64_t padded,
                                       float* wide) const {
        row_block sum[Rows];
        for (row_block& s : sum) {
            s = row_block::all(0.0F);
        }
        widen_rows<Rows>(x, count, padded, 0.0F, wide,
                         [&sum](int r, const row_block& value) { sum[r] = sum[r] + value * value; });
        row_block norm[Rows];
        for (int r = 0; r < Rows; ++r) {
            const float length = std::sqrt(sum_of_lanes(sum[r]));
            const float least = std::sqrt(epsilon);
            norm[r] = row_block::all(length < least ? least : length); // NaN stays
        }
        narrow_rows<Rows>(wide, count, padded, out,
                          [&norm](int r, std::int64_t, const row_block& value) { return value / norm[r]; });
    }
};

template <int Rows> struct minmax_norm_of_rows {
    float epsilon;

    ANEMONE_CPU_INLINE void operator()(const half* x, half* out, std::int64_t count, std::int64_t padded,
                                       float* wide) const {
        const binary_function<op::maximum> largest{};
        const binary_function<op::minimum> smallest{};
        row_block most[Rows];
        row_block least[Rows];
        for (int r = 0; r < Rows; ++r) {
            most[r] = row_block::all(static_cast<float>(x[r * count]));
            least[r] = most[r];
        }
        // What is missing in the last block must not count, so it is the row's first element.
        for (int r = 0; r < Rows; ++r) {
            widen_rows<1>(x + r * count, count, padded, static_cast<float>(x[r * count]), wide + r * padded,
                          [&](int, const row_block& value) {
                              most[r] = largest(most[r], value);
                              least[r] = smallest(least[r], value);
                          });
        }
        row_block span[Rows];
        for (int r = 0; r < Rows; ++r) {
            float high[block_lanes];
            float low[block_lanes];
            most[r].store(high);
            least[r].store(low);
            for (int lane = 1; lane < block_lanes; ++lane) {
                high[0] = high[0] != high[0] || high[0] > high[lane] ? high[0] : high[lane];
                low[0] = low[0] != low[0] || low[0] < low[lane] ? low[0] : low[lane];
            }
            least[r] = row_block::all(low[0]);
            span[r] = row_block::all(high[0] - low[0] + epsilon);
        }
        narrow_rows<Rows>(wide, count, padded, out,
                          [&](int r, std::int64_t, const row_block& value) { return (value - least[r]) / span[r]; });
    }
};

/// A norm of `rows` rows, as many at once as row_group(count) says.
template <class Several, class Single>
ANEMONE_CPU_INLINE void for_rows(const Several& several, const Single& single, const half* x, half* out,
                                 std::int64_t rows, std::int64_t count, float* wide) {
    if (count <= 0) {
        return;
    }
    const std::int64_t padded = padded_row(count);
    std::int64_t r = 0;
    if (row_group(count) == rows_at_once) {
        for (; r + rows_at_once <= rows; r += rows_at_once) {
            several(x + r * count, out + r * count, count, padded, wide);
        }
    }
    for (; r < rows; ++r) {
        single(x + r * count, out + r * count, count, padded, wide);
    }
}

template <op_set Operations> struct norm_loops {
    static void softmax(const half* x, half* out, std::int64_t rows, std::int64_t count, float* wide) {
        if constexpr (Operations.contains(op::softmax)) {
            for_rows(softmax_of_rows<rows_at_once>{}, softmax_of_rows<1>{}, x, out, rows, count, wide);
        } else {
            no_loop(op::softmax);
        }
    }
    static void layer_norm(const half* x, half* out, std::int64_t rows, std::int64_t count, const float* gamma,
                           const float* beta, float epsilon, float* wide) {
        if constexpr (Operations.contains(op::layer_norm)) {
            for_rows(layer_norm_of_rows<rows_at_once>{gamma, beta, epsilon},
                     layer_norm_of_rows<1>{gamma, beta, epsilon}, x, out, rows, count, wide);
        } else {
            no_loop(op::layer_norm);
        }
    }
    static void rms_norm(const half* x, half* out, std::int64_t rows, std::int64_t count, const float* gamma,
                         float epsilon, float* wide) {
        if constexpr (Operations.contains(op::rms_norm)) {
            for_rows(rms_norm_of_rows<rows_at_once>{gamma, epsilon}, rms_norm_of_rows<1>{gamma, epsilon}, x, out, rows,
                     count, wide);
        } else {
            no_loop(op::rms_norm);
        }
    }
    static void l2_norm(const half* x, half* out, std::int64_t rows, std::int64_t count, float epsilon, float* wide) {
        if constexpr (Operations.contains(op::l2_norm)) {
            for_rows(l2_norm_of_rows<rows_at_once>{epsilon}, l2_norm_of_rows<1>{epsilon}, x, out, rows, count, wide);
        } else {
            no_loop(op::l2_norm);
        }
    }
    static void minmax_norm(const half* x, half* out, std::int64_t rows, std::int64_t count, float epsilon,
                            float* wide) {
        if constexpr (Operations.contains(op::minmax_norm)) {
            for_rows(minmax_norm_of_rows<rows_at_once>{epsilon}, minmax_norm_of_rows<1>{epsilon}, x, out, rows, count,
                     wide);
        } else {
            no_loop(op::minmax_norm);
        }
    }

    static constexpr norm_kernels table{softmax, layer_norm, rms_norm, l2_norm, minmax_norm};
};

} // namespace ANEMONE_SET
} // namespace ane::cpu::detail::inline ANEMONE_WAY
