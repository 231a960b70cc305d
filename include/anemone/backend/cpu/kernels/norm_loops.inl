// Included by simd/each_set.inl through level.inl: softmax and norms of rows that lie one behind the other. A row is
// converted anew in each pass, which costs less than to keep it in fp32; several rows are on their way at once, because
// a sum is one chain of additions. Sums are grouped into 16 lanes at every instruction set.

namespace ane::cpu::detail::inline ANEMONE_WAY {
namespace ANEMONE_SET {

/// A number for each row of a group.
using row_numbers = floats<4>;
static_assert(rows_at_once == 4);

/// The block from `from` on, of which `left` elements are there, and `padding` behind them.
ANEMONE_CPU_INLINE row_block load_padded(const half* from, std::int64_t left, float padding) {
    float lanes[block_lanes];
    load_some(from, left).store(lanes);
    for (std::int64_t lane = left; lane < block_lanes; ++lane) {
        lanes[lane] = padding;
    }
    return row_block::load(lanes);
}

/// each(r, i, the block of row r at i) in the order of i; behind the end of row r stands padding(r).
template <int Rows, class Padding, class Each>
ANEMONE_CPU_INLINE void read_rows(const half* x, std::int64_t count, const Padding& padding, const Each& each) {
    std::int64_t i = 0;
    for (; i + block_lanes <= count; i += block_lanes) {
#pragma GCC unroll 4
        for (int r = 0; r < Rows; ++r) {
            each(r, i, row_block::load(x + r * count + i));
        }
    }
    if (i < count) {
        for (int r = 0; r < Rows; ++r) {
            each(r, i, load_padded(x + r * count + i, count - i, padding(r)));
        }
    }
}

/// out[r, i] = of(i)(row r, the block of row r there).
template <int Rows, class Of>
ANEMONE_CPU_INLINE void write_rows(const half* x, std::int64_t count, half* out, const Of& of) {
    std::int64_t i = 0;
    for (; i + block_lanes <= count; i += block_lanes) {
        const auto function = of(i);
#pragma GCC unroll 4
        for (int r = 0; r < Rows; ++r) {
            function(r, row_block::load(x + r * count + i)).store(out + r * count + i);
        }
    }
    if (i < count) {
        const auto function = of(i);
        for (int r = 0; r < Rows; ++r) {
            store_some(function(r, load_some(x + r * count + i, count - i)), out + r * count + i, count - i);
        }
    }
}

/// Brings the lines of a group's results into the first cache while their sums are on the way; worth it for a softmax,
/// which leaves them no other time.
ANEMONE_CPU_INLINE void expect_stores(const half* out, std::int64_t count) {
    constexpr std::int64_t line = 32;
    const std::int64_t most = count < 4096 ? count : 4096;
    for (std::int64_t i = 0; i < most; i += line) {
        __builtin_prefetch(out + i, 1);
    }
}

/// The sums over rows: add(r, block, sum so far) for each block.
template <int Rows, class Padding, class Add>
ANEMONE_CPU_INLINE row_numbers sum_rows(const half* x, std::int64_t count, const Padding& padding, const Add& add) {
    row_block sum[Rows];
    for (row_block& s : sum) {
        s = row_block::all(0.0F);
    }
    read_rows<Rows>(x, count, padding,
                    [&](int r, std::int64_t, const row_block& value) { sum[r] = add(r, value, sum[r]); });
    float sums[rows_at_once] = {};
    for (int r = 0; r < Rows; ++r) {
        sums[r] = sum_of_lanes(sum[r]);
    }
    return row_numbers::load(sums);
}

template <int Rows> ANEMONE_CPU_INLINE row_numbers sum_squares(const half* x, std::int64_t count) {
    return sum_rows<Rows>(
        x, count, [](int) { return 0.0F; },
        [](int, const row_block& value, const row_block& sum) { return fused_multiply_add(value, value, sum); });
}

/// The number of each row in all lanes.
template <int Rows> struct row_factors {
    row_block of[Rows];

    ANEMONE_CPU_INLINE explicit row_factors(const row_numbers& numbers) {
        float lanes[rows_at_once];
        numbers.store(lanes);
        for (int r = 0; r < Rows; ++r) {
            of[r] = row_block::all(lanes[r]);
        }
    }
};

template <int Rows> struct softmax_of_rows {
    ANEMONE_CPU_INLINE void operator()(const half* x, half* out, std::int64_t count, std::int64_t padded,
                                       float* wide) const {
        constexpr float unit = 0x1p23F * 1.44269504F; // of power_of_units
        const float infinity = std::numeric_limits<float>::infinity();
        row_block most[Rows];
        for (row_block& m : most) {
            m = row_block::all(-infinity);
        }
        read_rows<Rows>(
            x, count, [infinity](int) { return -infinity; },
            [&most](int r, std::int64_t, const row_block& value) { most[r] = larger(value, most[r]); });
        row_block total[Rows];
        integers<block_lanes> signs[Rows];
        for (int r = 0; r < Rows; ++r) {
            float lanes[block_lanes];
            most[r].store(lanes);
            float largest = lanes[0];
            for (const float lane : lanes) {
                largest = lane > largest ? lane : largest;
            }
            most[r] = row_block::all(-largest * unit);
            total[r] = row_block::all(0.0F);
            signs[r] = integers<block_lanes>::all(0);
        }
        // The product with the largest element is rounded, by a factor that all powers of a row share. Below 2^-100
        // nothing is left in fp16, and what comes of it stays far from the subnormal numbers of fp32.
        const auto powers = [&](int r, std::int64_t i, const row_block& value) {
            const row_block power =
                power_of_units(at_least(fused_multiply_add(value, row_block::all(unit), most[r]), -100.0F * 0x1p23F));
            power.store(wide + r * padded + i);
            total[r] = total[r] + power;
            signs[r] = signs[r] | bits_of(power);
        };
        expect_stores(out, Rows * count);
        for (int r = 0; r < Rows; ++r) { // one after the other, for the functions need the registers
            read_rows<1>(
                x + r * count, count, [infinity](int) { return -infinity; },
                [&powers, r](int, std::int64_t i, const row_block& value) { powers(r, i, value); });
        }
        float sums[rows_at_once] = {};
        for (int r = 0; r < Rows; ++r) {
            const row_block one_or_nan =
                select(signed_shift(signs[r], 31) == integers<block_lanes>::all(0), row_block::all(1.0F),
                       row_block::all(std::numeric_limits<float>::quiet_NaN())); // a power below zero comes of NaN
            sums[r] = sum_of_lanes(total[r] * one_or_nan);
        }
        const row_factors<Rows> inverse(row_numbers::all(1.0F) / row_numbers::load(sums));
        std::int64_t i = 0;
        for (; i + block_lanes <= count; i += block_lanes) {
#pragma GCC unroll 4
            for (int r = 0; r < Rows; ++r) {
                (row_block::load(wide + r * padded + i) * inverse.of[r]).store(out + r * count + i);
            }
        }
        if (i < count) {
            for (int r = 0; r < Rows; ++r) {
                store_some(row_block::load(wide + r * padded + i) * inverse.of[r], out + r * count + i, count - i);
            }
        }
    }
};

template <int Rows> struct layer_norm_of_rows {
    const float* gamma; ///< padded_row(count) numbers each
    const float* beta;
    float epsilon;

    ANEMONE_CPU_INLINE void operator()(const half* x, half* out, std::int64_t count, std::int64_t, float*) const {
        const row_numbers number = row_numbers::all(static_cast<float>(count));
        const row_numbers means = sum_rows<Rows>(
                                      x, count, [](int) { return 0.0F; },
                                      [](int, const row_block& value, const row_block& sum) { return sum + value; }) /
                                  number;
        float paddings[rows_at_once];
        means.store(paddings); // which deviate by nothing
        const row_factors<Rows> mean(means);
        const row_numbers variance = sum_rows<Rows>(
                                         x, count, [&paddings](int r) { return paddings[r]; },
                                         [&mean](int r, const row_block& value, const row_block& sum) {
                                             const row_block deviation = value - mean.of[r];
                                             return fused_multiply_add(deviation, deviation, sum);
                                         }) /
                                     number;
        const row_factors<Rows> scale(row_numbers::all(1.0F) / square_root(variance + row_numbers::all(epsilon)));
        write_rows<Rows>(x, count, out, [&](std::int64_t i) {
            return [&mean, &scale, g = row_block::load(gamma + i),
                    b = row_block::load(beta + i)](int r, const row_block& value) {
                return fused_multiply_add((value - mean.of[r]) * scale.of[r], g, b);
            };
        });
    }
};

template <int Rows> struct rms_norm_of_rows {
    const float* gamma; ///< padded_row(count) numbers
    float epsilon;

    ANEMONE_CPU_INLINE void operator()(const half* x, half* out, std::int64_t count, std::int64_t, float*) const {
        const row_numbers mean = sum_squares<Rows>(x, count) / row_numbers::all(static_cast<float>(count));
        const row_factors<Rows> scale(row_numbers::all(1.0F) / square_root(mean + row_numbers::all(epsilon)));
        write_rows<Rows>(x, count, out, [&](std::int64_t i) {
            return [&scale, g = row_block::load(gamma + i)](int r, const row_block& value) {
                return value * scale.of[r] * g;
            };
        });
    }
};

template <int Rows> struct l2_norm_of_rows {
    float epsilon;

    ANEMONE_CPU_INLINE void operator()(const half* x, half* out, std::int64_t count, std::int64_t, float*) const {
        const row_numbers length = square_root(sum_squares<Rows>(x, count));
        const row_numbers least = square_root(row_numbers::all(epsilon));
        const row_factors<Rows> scale(row_numbers::all(1.0F) / larger(least, length)); // NaN stays
        write_rows<Rows>(x, count, out, [&](std::int64_t) {
            return [&scale](int r, const row_block& value) { return value * scale.of[r]; };
        });
    }
};

template <int Rows> struct minmax_norm_of_rows {
    float epsilon;

    ANEMONE_CPU_INLINE void operator()(const half* x, half* out, std::int64_t count, std::int64_t, float*) const {
        const binary_function<op::maximum> largest{};
        const binary_function<op::minimum> smallest{};
        row_block most[Rows];
        row_block least[Rows];
        for (int r = 0; r < Rows; ++r) {
            most[r] = row_block::all(static_cast<float>(x[r * count]));
            least[r] = most[r];
        }
        // What is missing in the last block must not count, so it is the row's first element.
        read_rows<Rows>(
            x, count, [&](int r) { return static_cast<float>(x[r * count]); },
            [&](int r, std::int64_t, const row_block& value) {
                most[r] = largest(most[r], value);
                least[r] = smallest(least[r], value);
            });
        float low[Rows];
        float scale[Rows];
        for (int r = 0; r < Rows; ++r) {
            float high_lanes[block_lanes];
            float low_lanes[block_lanes];
            most[r].store(high_lanes);
            least[r].store(low_lanes);
            float high = high_lanes[0];
            low[r] = low_lanes[0];
            for (int lane = 1; lane < block_lanes; ++lane) {
                high = high != high || high > high_lanes[lane] ? high : high_lanes[lane];
                low[r] = low[r] != low[r] || low[r] < low_lanes[lane] ? low[r] : low_lanes[lane];
            }
            scale[r] = 1.0F / (high - low[r] + epsilon);
        }
        write_rows<Rows>(x, count, out, [&](std::int64_t) {
            return [&](int r, const row_block& value) {
                return (value - row_block::all(low[r])) * row_block::all(scale[r]);
            };
        });
    }
};

/// A norm of `rows` rows, as many at once as row_group(count) says.
template <bool AtOnce, class Several, class Single>
ANEMONE_CPU_INLINE void for_rows([[maybe_unused]] const Several& several, const Single& single, const half* x, half* out,
                                 std::int64_t rows, std::int64_t count, float* wide) {
    if (count <= 0) {
        return;
    }
    const std::int64_t padded = padded_row(count);
    std::int64_t r = 0;
    if constexpr (AtOnce) {
        for (; row_group(count) == rows_at_once && r + rows_at_once <= rows; r += rows_at_once) {
            several(x + r * count, out + r * count, count, padded, wide);
        }
    }
    for (; r < rows; ++r) {
        single(x + r * count, out + r * count, count, padded, wide);
    }
}

template <bool AtOnce> void softmax_rows(const half* x, half* out, std::int64_t rows, std::int64_t count, float* wide) {
    for_rows<AtOnce>(softmax_of_rows<rows_at_once>{}, softmax_of_rows<1>{}, x, out, rows, count, wide);
}
template <bool AtOnce> void layer_norm_rows(const half* x, half* out, std::int64_t rows, std::int64_t count,
                                    const float* gamma, const float* beta, float epsilon, float* wide) {
    for_rows<AtOnce>(layer_norm_of_rows<rows_at_once>{gamma, beta, epsilon}, layer_norm_of_rows<1>{gamma, beta, epsilon}, x, out,
             rows, count, wide);
}
template <bool AtOnce> void rms_norm_rows(const half* x, half* out, std::int64_t rows, std::int64_t count, const float* gamma,
                                  float epsilon, float* wide) {
    for_rows<AtOnce>(rms_norm_of_rows<rows_at_once>{gamma, epsilon}, rms_norm_of_rows<1>{gamma, epsilon}, x, out, rows, count,
             wide);
}
template <bool AtOnce> void l2_norm_rows(const half* x, half* out, std::int64_t rows, std::int64_t count, float epsilon,
                                 float* wide) {
    for_rows<AtOnce>(l2_norm_of_rows<rows_at_once>{epsilon}, l2_norm_of_rows<1>{epsilon}, x, out, rows, count, wide);
}
template <bool AtOnce> void minmax_norm_rows(const half* x, half* out, std::int64_t rows, std::int64_t count, float epsilon,
                                     float* wide) {
    for_rows<AtOnce>(minmax_norm_of_rows<rows_at_once>{epsilon}, minmax_norm_of_rows<1>{epsilon}, x, out, rows, count, wide);
}

} // namespace ANEMONE_SET
} // namespace ane::cpu::detail::inline ANEMONE_WAY
