// Included by simd/each_set.inl through level.inl: the row-wise part of attention (attention_kernels.hpp).

namespace ane::cpu::detail::inline ANEMONE_WAY {
namespace ANEMONE_SET {

inline constexpr float lowest_score = -std::numeric_limits<float>::infinity();

/// 2^x for x <= 0 within 2^-21, relatively; zero from -126.5 on, where fp32 would become subnormal. NaN stays.
template <int Lanes> ANEMONE_CPU_INLINE floats<Lanes> score_power(const floats<Lanes>& x) {
    using vector = floats<Lanes>;
    if constexpr (Lanes > native_lanes) {
        return {score_power(x.low), score_power(x.high)};
    } else {
        using bits = typename score_bits<Lanes>::type;
        const vector bounded = larger(vector::all(-127.0F), x);
        // The sum with `shift` is rounded to an integer n, and its low bits are those of n + 127; 2^-127 has the bits of
        // zero.
        const vector shift = vector::all(0x1.8p23F + 127.0F);
        const vector shifted = bounded + shift;
        const vector f = bounded - (shifted - shift);
        vector p = vector::all(0.00133813021F); // interpolates 2^f for |f| <= 1/2
        p = multiply_add(p, f, vector::all(0.00966636837F));
        p = multiply_add(p, f, vector::all(0.0555038117F));
        p = multiply_add(p, f, vector::all(0.240223497F));
        p = multiply_add(p, f, vector::all(0.693147182F));
        p = multiply_add(p, f, vector::all(1.0F));
        bits exponent;
        std::memcpy(&exponent, &shifted.value, sizeof exponent);
        exponent <<= 23;
        vector power;
        std::memcpy(&power.value, &exponent, sizeof exponent);
        return p * power;
    }
}

/// All lanes combined in pairs.
template <class Combine> ANEMONE_CPU_INLINE float folded(const floats<16>& x, const Combine& combine) {
    float each[16];
    x.store(each);
    combine(floats<8>::load(each), floats<8>::load(each + 8)).store(each);
    combine(floats<4>::load(each), floats<4>::load(each + 4)).store(each);
    const auto last = [&](float a, float b) {
        float one[4];
        combine(floats<4>::all(a), floats<4>::all(b)).store(one);
        return one[0];
    };
    return last(last(each[0], each[2]), last(each[1], each[3]));
}

/// The scores of a row from their products, and the largest. Behind the last are -infinities up to a whole vector.
template <class Added>
ANEMONE_CPU_INLINE floats<16> scored(float* row, std::int64_t keys, float scale, const Added& added) {
    constexpr int lanes = 16; // at every set, so that all sum in one order
    using vector = floats<lanes>;
    vector most = vector::all(lowest_score);
    const vector factor = vector::all(scale);
    std::int64_t j = 0;
    for (; j + lanes <= keys; j += lanes) {
        const vector value = added(vector::load(row + j) * factor, j, lanes);
        value.store(row + j);
        most = larger(value, most);
    }
    if (j < keys) {
        added(vector::load(row + j) * factor, j, keys - j).store(row + j);
        for (std::int64_t lane = keys; lane < j + lanes; ++lane) {
            row[lane] = lowest_score;
        }
        most = larger(vector::load(row + j), most);
    }
    return most;
}

ANEMONE_CPU_INLINE floats<16> scored_and_masked(float* row, std::int64_t keys, const score_terms& terms,
                                                const half* mask) {
    using vector = floats<16>;
    if (mask == nullptr) {
        return scored(row, keys, terms.scale, [](const vector& x, std::int64_t, std::int64_t) { return x; });
    }
    if (terms.key_step == 0) {
        const vector same = vector::all(widened(mask->bits));
        return scored(row, keys, terms.scale, [&](const vector& x, std::int64_t, std::int64_t) { return x + same; });
    }
    return scored(row, keys, terms.scale, [mask](const vector& x, std::int64_t j, std::int64_t count) {
        if (count == 16) {
            return x + vector::load(mask + j);
        }
        half rest[16] = {};
        std::memcpy(static_cast<void*>(rest), mask + j, static_cast<std::size_t>(count) * sizeof(half));
        return x + vector::load(rest);
    });
}

/// The smaller of a vector of scores and of these from 16 - n on: the first n scores, -infinity for the others. NaN is
/// infinity then, which makes as much of a row NaN.
inline constexpr float score_limits[32] = {
    -lowest_score, -lowest_score, -lowest_score, -lowest_score, -lowest_score, -lowest_score, -lowest_score,
    -lowest_score, -lowest_score, -lowest_score, -lowest_score, -lowest_score, -lowest_score, -lowest_score,
    -lowest_score, -lowest_score, lowest_score,  lowest_score,  lowest_score,  lowest_score,  lowest_score,
    lowest_score,  lowest_score,  lowest_score,  lowest_score,  lowest_score,  lowest_score,  lowest_score,
    lowest_score,  lowest_score,  lowest_score,  lowest_score};

/// The largest score of a row, of which `known` holds that of the first `counted`. Behind the last are -infinities up
/// to a whole vector.
ANEMONE_CPU_INLINE floats<16> largest_of(float* row, std::int64_t keys, const float* known, std::int64_t counted) {
    constexpr int lanes = 16;
    using vector = floats<lanes>;
    vector most = vector::load(known);
    std::int64_t j = counted;
    for (; j + lanes <= keys; j += lanes) {
        most = larger(vector::load(row + j), most);
    }
    if (j < keys) {
        const vector last = smaller(vector::load(row + j), vector::load(score_limits + lanes - (keys - j)));
        last.store(row + j);
        most = larger(last, most);
    }
    return most;
}

ANEMONE_INLINE void weigh_scores(std::int64_t rows, std::int64_t keys, const score_terms& terms, float* scores,
                                 const float* known, std::int64_t counted, float* largest, float* total, float* out,
                                 std::int64_t out_step, std::int64_t depth) {
    constexpr int lanes = 16;
    using vector = floats<lanes>;
    const float to_powers_of_two = known == nullptr ? 1.44269504F : 1.44269504F * terms.scale;
    const vector factor = vector::all(to_powers_of_two);
    float now[most_tile_rows];
    float sums[most_tile_rows][lanes];
    for (std::int64_t r = 0; r < rows; ++r) {
        float* const row = scores + r * product_step;
        const half* const mask = terms.mask == nullptr ? nullptr : terms.mask + r * terms.row_step;
        const vector most = known == nullptr ? scored_and_masked(row, keys, terms, mask)
                                             : largest_of(row, keys, known + r * lanes, counted);
        const float highest = folded(most, [](const auto& a, const auto& b) { return larger(a, b); });
        now[r] = highest > largest[r] ? highest : largest[r];
    }
    for (std::int64_t r = 0; r < rows; ++r) {
        float* const row = scores + r * product_step;
        // Where all keys up to here are masked by -infinity, they count nothing, unless the whole row is.
        const float base = now[r] == lowest_score ? 0.0F : now[r];
        const vector offset = vector::all(-(base * to_powers_of_two));
        vector sum = vector::all(0.0F);
        for (std::int64_t j = 0; j < keys; j += lanes) {
            const vector share = score_power(multiply_add(vector::load(row + j), factor, offset));
            share.store(row + j);
            sum = sum + share;
        }
        sum.store(sums[r]);
        if (largest[r] == now[r] || largest[r] == lowest_score) {
            continue;
        }
        float each[lanes];
        score_power(multiply_add(vector::all(largest[r]), factor, offset)).store(each);
        total[r] = total[r] * each[0];
        const vector kept = vector::all(each[0]);
        for (std::int64_t j = 0; j < depth; j += lanes) {
            (vector::load(out + r * out_step + j) * kept).store(out + r * out_step + j);
        }
    }
    for (std::int64_t r = 0; r < rows; ++r) {
        total[r] = total[r] + folded(vector::load(sums[r]), [](const auto& a, const auto& b) { return a + b; });
        largest[r] = now[r];
    }
}

ANEMONE_INLINE void divide_row(float* row, float by, std::int64_t count) {
    constexpr int lanes = 16;
    const auto factor = floats<lanes>::all(1.0F / by);
    for (std::int64_t j = 0; j < count; j += lanes) {
        (floats<lanes>::load(row + j) * factor).store(row + j);
    }
}

} // namespace ANEMONE_SET
} // namespace ane::cpu::detail::inline ANEMONE_WAY
