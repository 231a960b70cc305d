#pragma once

#include "../../base/way.hpp"
#include "../../passes/layouts.hpp"
#include "../../passes/pool_gradients.hpp"
#include "../../passes/weight_gradients.hpp"
#include "kernels/algorithms.hpp"
#include "step.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>

/// The gradients of max pools, plane by plane (passes/pool_gradients.hpp).
namespace ane::cpu::detail::inline ANEMONE_WAY {

/// A plane with its border in fp32: of each row the columns of each phase of the stride together, so that those below one place
/// of neighbouring windows are neighbours.
class pool_gradient_planes {
public:
    ANEMONE_INLINE pool_gradient_planes(const pool_gradient& g, const extents& x, const extents& out,
                                        const extents& result)
        : planes_(x[0] * x[1]), height_(x[2]), width_(x[3]), out_height_(out[2]), out_width_(out[3]),
          result_height_(result[2]), result_width_(result[3]), kernel_(g.kernel), stride_(g.stride), top_(g.top),
          left_(g.left), border_(static_cast<float>(g.border)),
          rows_((out_height_ - 1) * stride_.height + kernel_.height),
          phase_(in_chunks(out_width_) + (kernel_.width - 1) / stride_.width), row_(phase_ * stride_.width),
          wide_(std::max({height_ * width_, result_height_ * result_width_, 2 * out_height_ * out_width_}) + chunk) {}

    scratch_sizes scratch() const {
        return {0, (2 * rows_ * row_ + in_chunks(out_width_) + wide_) * static_cast<std::int64_t>(sizeof(float))};
    }

    ANEMONE_INLINE void run(const kernel_table& table, const operands& o) const {
        o.workers.share(planes_, std::max<std::int64_t>(1, 8192 / (height_ * width_)),
                        [&](std::int64_t first, std::int64_t last, std::byte* own) {
                            float* const x = reinterpret_cast<float*>(own);
                            float* const sums = x + rows_ * row_;
                            float* const largest = sums + rows_ * row_;
                            float* const wide = largest + in_chunks(out_width_);
                            for (std::int64_t p = first; p < last; ++p) {
                                load(table, o.input(0) + p * height_ * width_, x, wide);
                                give_all(table, o.input(1) + p * out_height_ * out_width_,
                                         o.input(2) + p * out_height_ * out_width_, x, largest, wide, sums);
                                store(table, sums, o.output() + p * result_height_ * result_width_, wide);
                            }
                        });
    }

private:
    static constexpr std::int64_t chunk = 4;
    static constexpr float nothing = std::numeric_limits<float>::quiet_NaN(); ///< is equal to no element
    static constexpr std::int64_t in_chunks(std::int64_t count) { return (count + chunk - 1) / chunk * chunk; }

    /// What all windows of a plane give. Planes are converted at once, here as on the way in and out: their rows may be short.
    ANEMONE_INLINE void give_all(const kernel_table& table, const half* pooled, const half* cotangent, const float* x,
                                 float* largest, float* wide, float* sums) const {
        const std::int64_t windows = out_height_ * out_width_;
        table.to_float(pooled, wide, windows);
        table.to_float(cotangent, wide + windows, windows);
        std::fill_n(wide + 2 * windows, chunk, 0.0F);
        std::fill_n(sums, rows_ * row_, 0.0F);
        for (std::int64_t i = 0; i < out_height_; ++i) {
            std::copy_n(wide + i * out_width_, out_width_, largest);
            std::fill(largest + out_width_, largest + in_chunks(out_width_), nothing);
            const float* const given = wide + windows + i * out_width_;
            for (int k = 0; k < kernel_.height * kernel_.width; ++k) {
                const int column = k % kernel_.width;
                const std::int64_t begin = (i * stride_.height + k / kernel_.width) * row_ +
                                           column % stride_.width * phase_ + column / stride_.width;
                give(x + begin, largest, given, sums + begin, in_chunks(out_width_));
            }
        }
    }

    /// Adds what windows give to the elements that are equal to their largest; those windows are over then.
    ANEMONE_INLINE static void give(const float* __restrict x, float* __restrict largest, const float* __restrict given,
                                    float* __restrict sums, std::int64_t count) {
        for (std::int64_t j = 0; j < count; j += 4) {
            const four of_windows = loaded(largest + j);
            const four_bits hit = loaded(x + j) == of_windows; // ones, which are a NaN as an element
            store_four(sums + j,
                       loaded(sums + j) + reinterpret_cast<four>(hit & reinterpret_cast<four_bits>(loaded(given + j))));
            store_four(largest + j, reinterpret_cast<four>(hit | reinterpret_cast<four_bits>(of_windows)));
        }
    }

    // NOLINTBEGIN(modernize-use-using): g++ takes the attribute on a typedef
    typedef float four __attribute__((vector_size(16)));
    typedef std::int32_t four_bits __attribute__((vector_size(16)));
    // NOLINTEND(modernize-use-using)
    ANEMONE_INLINE static four loaded(const float* from) {
        four value;
        std::memcpy(&value, from, sizeof value);
        return value;
    }
    ANEMONE_INLINE static void store_four(float* to, const four& value) { std::memcpy(to, &value, sizeof value); }

    /// The columns of a phase that lie on the first `width` of x.
    std::int64_t first_of(std::int64_t phase) const {
        return phase < left_ ? (left_ - phase + stride_.width - 1) / stride_.width : 0;
    }
    std::int64_t end_of(std::int64_t phase, std::int64_t width) const {
        return std::min(phase_, (left_ + width - phase + stride_.width - 1) / stride_.width);
    }

    /// Two phases taken from a row, or put into one, eight columns at a time: `first` has its columns 0, 2, 4 and so on.
    ANEMONE_INLINE static void part(const float* __restrict row, float* __restrict first, float* __restrict second,
                                    std::int64_t pairs) {
        for (std::int64_t k = 0; k < pairs; k += 4) {
            const four a = loaded(row + 2 * k);
            const four b = loaded(row + 2 * k + 4);
            store_four(first + k, __builtin_shufflevector(a, b, 0, 2, 4, 6));
            store_four(second + k, __builtin_shufflevector(a, b, 1, 3, 5, 7));
        }
    }
    ANEMONE_INLINE static void join(const float* __restrict first, const float* __restrict second,
                                    float* __restrict row, std::int64_t pairs) {
        for (std::int64_t k = 0; k < pairs; k += 4) {
            const four a = loaded(first + k);
            const four b = loaded(second + k);
            store_four(row + 2 * k, __builtin_shufflevector(a, b, 0, 4, 1, 5));
            store_four(row + 2 * k + 4, __builtin_shufflevector(a, b, 2, 6, 3, 7));
        }
    }

    /// The columns of each phase that `part` and `join` do of a row of x, where the stride is 2.
    std::int64_t pairs_of(std::int64_t width) const {
        if (stride_.width != 2) {
            return 0;
        }
        const std::int64_t room = phase_ - std::max(first_of(0), first_of(1));
        return std::max<std::int64_t>(0, std::min(width / 2, room) / 4 * 4);
    }
    /// Where the phase begins in which the columns 0, 2, 4 of x are, or the one of 1, 3, 5.
    std::int64_t start_of(std::int64_t column) const {
        const std::int64_t phase = (column + left_) % 2;
        return phase * phase_ + first_of(phase);
    }

    ANEMONE_INLINE void load(const kernel_table& table, const half* from, float* to, float* wide) const {
        table.to_float(from, wide, height_ * width_);
        std::fill_n(to, rows_ * row_, border_);
        const std::int64_t pairs = pairs_of(width_);
        for (std::int64_t r = top_; r < std::min(rows_, top_ + height_); ++r) {
            const float* const line = wide + (r - top_) * width_;
            if (pairs > 0) {
                part(line, to + r * row_ + start_of(0), to + r * row_ + start_of(1), pairs);
            }
            for (std::int64_t phase = 0; phase < stride_.width; ++phase) {
                float* const row = to + r * row_ + phase * phase_;
                const std::int64_t first = first_of(phase) + pairs;
                const std::int64_t end = end_of(phase, width_);
                const float* source = line + first * stride_.width + phase - left_;
                for (std::int64_t k = first; k < end; ++k, source += stride_.width) {
                    row[k] = *source;
                }
            }
        }
    }

    ANEMONE_INLINE void store(const kernel_table& table, const float* sums, half* to, float* wide) const {
        const std::int64_t pairs = pairs_of(result_width_);
        for (std::int64_t r = 0; r < result_height_; ++r) {
            float* const line = wide + r * result_width_;
            std::fill_n(line, result_width_, 0.0F);
            if (r + top_ >= rows_) {
                continue;
            }
            const float* const sum = sums + (r + top_) * row_;
            if (pairs > 0) {
                join(sum + start_of(0), sum + start_of(1), line, pairs);
            }
            for (std::int64_t phase = 0; phase < stride_.width; ++phase) {
                const float* const row = sum + phase * phase_;
                const std::int64_t first = first_of(phase) + pairs;
                const std::int64_t end = end_of(phase, result_width_);
                float* to_column = line + first * stride_.width + phase - left_;
                for (std::int64_t k = first; k < end; ++k, to_column += stride_.width) {
                    *to_column = row[k];
                }
            }
        }
        table.to_half(wide, to, result_height_ * result_width_);
    }

    std::int64_t planes_;
    std::int64_t height_;
    std::int64_t width_;
    std::int64_t out_height_;
    std::int64_t out_width_;
    std::int64_t result_height_;
    std::int64_t result_width_;
    size2 kernel_;
    size2 stride_;
    std::int64_t top_;
    std::int64_t left_;
    float border_;
    std::int64_t rows_;  ///< that windows reach
    std::int64_t phase_; ///< columns of a phase, and those that chunks reach beyond
    std::int64_t row_;
    std::int64_t wide_; ///< elements of planes in fp32, in their own order
};

/// The step of a gradient of a max pool: reads x, the pool's result and its cotangent.
ANEMONE_INLINE bound_step bind_pool_gradient(const binding_context& c, const pool_gradient& g) {
    const pool_gradient_planes planes(g, c.shape(g.x), c.shape(g.cotangent), c.shape(g.result));
    const kernel_table& kernels = c.kernels;
    return {[&kernels, planes](const operands& o) { planes.run(kernels, o); }, planes.scratch()};
}

/// Finds those of a model that can be computed at once, of values that are row-major, and not followed by others in their layer;
/// makes each a layer.
ANEMONE_INLINE sequence<pool_gradient> join_pool_gradients(const graph_view& model, const value_layouts& layouts,
                                                           fused_layers& layers) {
    sequence<pool_gradient> all;
    for (const pool_gradient& each : find_pool_gradients(model)) {
        const bool row_major = layouts.of(each.result) == layout::nchw && layouts.of(each.cotangent) == layout::nchw &&
                               layouts.of(each.largest) == layout::nchw && layouts.of(each.x) == layout::nchw;
        if (row_major && layers.end_of(each.result) == each.result) {
            all.push_back(each);
        }
    }
    join_derivatives(all, layers);
    return all;
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

namespace ane::cpu::inline ANEMONE_WAY {

/// What a program does with the gradients of max pools: null where it has not the operations that they are written in.
struct pool_gradient_steps {
    sequence<pool_gradient> (*join)(const graph_view&, const value_layouts&, fused_layers&) = nullptr;
    bound_step (*bind)(const binding_context&, const pool_gradient&) = nullptr;
};

template <kernel_needs Needs> constexpr pool_gradient_steps pool_gradient_steps_of() {
    if constexpr (Needs.contains(op::conv_transpose2d) && Needs.contains(op::concat) && Needs.contains(op::reshape)) {
        return {detail::join_pool_gradients, detail::bind_pool_gradient};
    } else {
        return {};
    }
}

} // namespace ane::cpu::inline ANEMONE_WAY
