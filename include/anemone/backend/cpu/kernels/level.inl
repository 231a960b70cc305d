// Included by simd/each_set.hpp: the table of kernels of one instruction set.

#include "convert_loops.inl"
#include "../simd/turn.inl"
#include "product_loops.inl"
#include "attention_loops.inl"
#include "convolution_loops.inl"
#include "depthwise_loops.inl"
#include "winograd_loops.inl"
#include "tile_loops.inl"

namespace ane::cpu::detail::inline ANEMONE_WAY {
namespace ANEMONE_SET {

template <op_set Operations> struct kernels {
#if ANEMONE_SET_F16C || ANEMONE_SET_NEON
    static void to_float(const half* from, float* to, std::int64_t n) { convert_row(from, to, n); }
    static void to_half(const float* from, half* to, std::int64_t n) { convert_row(from, to, n); }
#else
    static void to_float(const half* from, float* to, std::int64_t n) { widen(from, to, n); }
    static void to_half(const float* from, half* to, std::int64_t n) { narrow(from, to, n); }
#endif
    static void unary(op kind, const float* x, float* out, std::int64_t n, float p0, float p1) {
        unary_body<Operations>(kind, x, out, n, p0, p1);
    }
    static void binary(op kind, const float* a, std::int64_t a_stride, const float* b, std::int64_t b_stride,
                       float* out, std::int64_t n) {
        binary_body<Operations>(kind, a, a_stride, b, b_stride, out, n);
    }
    static float sum(const float* x, std::int64_t n) {
        return fold(binary_function<op::add>{}, identity{}, 0.0F, x, n);
    }
    static float squared_deviation(const float* x, std::int64_t n, float center) {
        return fold(binary_function<op::add>{}, squared_difference{center}, 0.0F, x, n);
    }
    static float largest(const float* x, std::int64_t n) {
        return fold(binary_function<op::maximum>{}, identity{}, -std::numeric_limits<float>::infinity(), x, n);
    }
    static float smallest(const float* x, std::int64_t n) {
        return fold(binary_function<op::minimum>{}, identity{}, std::numeric_limits<float>::infinity(), x, n);
    }
    static void affine_row(const float* x, float* out, std::int64_t n, float center, float scale, float offset) {
        map(affine{center, scale, offset}, x, out, n);
    }

    static constexpr convolution_kernels convolutions() {
        if constexpr (!Operations.contains(op::conv2d) && !Operations.contains(op::conv_transpose2d) &&
                      !Operations.contains(op::cross_correlation)) {
            return {};
        } else {
            return {channel_lanes, position_lanes, widen_row, widen_rows, widen_pairs, depthwise, winograd_input, winograd_output, split_fours, channel_tile_positions, channel_tile_units};
        }
    }

    static constexpr kernel_table table{isa_level::ANEMONE_SET,
                                        to_float,
                                        to_half,
                                        tile,
                                        unary,
                                        binary,
                                        sum,
                                        squared_deviation,
                                        largest,
                                        smallest,
                                        affine_row,
                                        products_of<has_products<Operations>>(),
                                        attention_of<Operations.contains(op::attention)>(),
                                        convolutions()};
};

} // namespace ANEMONE_SET
} // namespace ane::cpu::detail::inline ANEMONE_WAY
