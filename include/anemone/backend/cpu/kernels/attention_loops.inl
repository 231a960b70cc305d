// Included by simd/each_set.hpp through level.inl: the row-wise part of attention (attention_kernels.hpp).

namespace ane::cpu::detail::inline ANEMONE_WAY {
namespace ANEMONE_SET {

/// e^x for x <= 0 within 2^-21, zero below -87, where fp32 would become subnormal, which is slow; NaN stays.
template <int Lanes> ANEMONE_CPU_INLINE floats<Lanes> score_exponential(const floats<Lanes>& x) {
    using vector = floats<Lanes>;
    if constexpr (Lanes > register_lanes) {
        return {score_exponential(x.low), score_exponential(x.high)};
    } else {
        using bits = typename score_bits<Lanes>::type;
        const vector least = vector::all(-87.0F);
        const vector bounded = {x.value < least.value ? least.value : x.value};
        // The sum with `shift` is rounded to an integer n, and its low bits are those of n + 127.
        const vector shift = vector::all(0x1.8p23F + 127.0F);
        const vector shifted = multiply_add(bounded, vector::all(1.44269504F), shift);
        const vector n = shifted - shift;
        const vector r = multiply_add(n, vector::all(2.12194440e-4F), multiply_add(n, vector::all(-0.693359375F), bounded));
        vector p = vector::all(1.3981999507e-3F);
        p = multiply_add(p, r, vector::all(8.3334519073e-3F));
        p = multiply_add(p, r, vector::all(4.1665795894e-2F));
        p = multiply_add(p, r, vector::all(1.6666665459e-1F));
        p = multiply_add(p, r, vector::all(5.0000001201e-1F));
        p = multiply_add(p, r, vector::all(1.0F));
        p = multiply_add(p, r, vector::all(1.0F));
        bits exponent;
        std::memcpy(&exponent, &shifted.value, sizeof exponent);
        exponent <<= 23;
        vector power;
        std::memcpy(&power.value, &exponent, sizeof exponent);
        const vector result = p * power;
        return {x.value < least.value ? vector::all(0.0F).value : result.value};
    }
}

/// The larger of each lane; a NaN in `a` is passed over.
template <int Lanes> ANEMONE_CPU_INLINE floats<Lanes> larger(const floats<Lanes>& a, const floats<Lanes>& b) {
    if constexpr (Lanes > register_lanes) {
        return {larger(a.low, b.low), larger(a.high, b.high)};
    } else {
        return {a.value > b.value ? a.value : b.value};
    }
}

ANEMONE_INLINE void weigh_scores(std::int64_t rows, std::int64_t keys, const score_terms& terms, float* scores,
                                 float* largest, float* total, float* out, std::int64_t out_step, std::int64_t depth) {
    constexpr int lanes = 16; // at every set, so that all sum in one order
    using vector = floats<lanes>;
    constexpr float lowest = -std::numeric_limits<float>::infinity();
    const vector scale = vector::all(terms.scale);
    for (std::int64_t r = 0; r < rows; ++r) {
        float* const row = scores + r * product_step;
        const half* const mask = terms.mask == nullptr ? nullptr : terms.mask + r * terms.row_step;
        const vector same = vector::all(mask == nullptr ? 0.0F : widened(mask->bits));
        vector most = vector::all(lowest);
        for (std::int64_t j = 0; j < keys; j += lanes) {
            vector value = vector::load(row + j) * scale;
            if (mask != nullptr && terms.key_step == 0) {
                value = value + same;
            } else if (mask != nullptr && j + lanes <= keys) {
                value = value + vector::load(mask + j);
            } else if (mask != nullptr) {
                half rest[lanes] = {};
                std::memcpy(static_cast<void*>(rest), mask + j, static_cast<std::size_t>(keys - j) * sizeof(half));
                value = value + vector::load(rest);
            }
            value.store(row + j);
            if (j + lanes > keys) {
                for (std::int64_t lane = keys; lane < j + lanes; ++lane) {
                    row[lane] = lowest;
                }
                value = vector::load(row + j);
            }
            most = larger(value, most);
        }
        float each[lanes];
        most.store(each);
        float now = largest[r];
        for (const float lane : each) {
            now = lane > now ? lane : now;
        }
        // Where all keys up to here are masked by -infinity, they count nothing, unless the whole row is.
        const vector base = vector::all(now == lowest ? 0.0F : now);
        vector sum = vector::all(0.0F);
        for (std::int64_t j = 0; j < keys; j += lanes) {
            const vector share = score_exponential(vector::load(row + j) - base);
            share.store(row + j);
            sum = sum + share;
        }
        (score_exponential(vector::all(largest[r]) - base)).store(each);
        const float kept = each[0];
        sum.store(each);
        float added = 0.0F;
        for (int width = lanes / 2; width > 0; width /= 2) {
            for (int lane = 0; lane < width; ++lane) {
                each[lane] = each[lane] + each[lane + width];
            }
        }
        added = each[0];
        largest[r] = now;
        total[r] = total[r] * kept + added;
        if (kept != 1.0F) {
            const vector factor = vector::all(kept);
            for (std::int64_t j = 0; j < depth; j += lanes) {
                (vector::load(out + r * out_step + j) * factor).store(out + r * out_step + j);
            }
        }
    }
}

ANEMONE_INLINE void divide_row(float* row, float by, std::int64_t count) {
    constexpr int lanes = 16;
    const auto divisor = floats<lanes>::all(by);
    for (std::int64_t j = 0; j < count; j += lanes) {
        (floats<lanes>::load(row + j) / divisor).store(row + j);
    }
}

template <bool Wanted> constexpr attention_kernels attention_of() {
    if constexpr (Wanted) {
        return {.weigh = weigh_scores, .divide = divide_row};
    }
    return {};
}

} // namespace ANEMONE_SET
} // namespace ane::cpu::detail::inline ANEMONE_WAY
