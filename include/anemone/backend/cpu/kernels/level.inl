// Included by simd/each_set.inl: the table of kernels of one instruction set.

#include "../simd/turn.inl"
#include "elementary.inl"
#include "functions.inl"
// after functions.inl
#include "elementwise_loops.inl"
// after elementwise_loops.inl
#include "chain_loops.inl"
#include "norm_loops.inl"
#include "reduce_loops.inl"
#include "finishing.inl"
// after finishing.inl
#include "product_loops.inl"
// after product_loops.inl
#include "few_loops.inl"
#include "coded_loops.inl"
#include "attention_loops.inl"
#include "channel_planes.inl"
#include "fetching.inl"
// after channel_planes.inl
#include "channel_tiles.inl"
#include "position_tiles.inl"
#include "depthwise_loops.inl"
#include "depthwise_places.inl"
#include "winograd_loops.inl"
#include "tile_loops.inl"

namespace ane::cpu::detail::inline ANEMONE_WAY {
namespace ANEMONE_SET {

template <op_set Operations> struct kernels {
    static void to_float(const half* from, float* to, std::int64_t n) { map(same_block{}, from, to, n); }
    static void to_half(const float* from, half* to, std::int64_t n) { map(same_block{}, from, to, n); }
    static float sum(const float* x, std::int64_t n) {
        return fold(binary_function<op::add>{}, same_block{}, 0.0F, x, n);
    }
    static float squared_deviation(const float* x, std::int64_t n, float center) {
        return fold(binary_function<op::add>{}, squared_difference{center}, 0.0F, x, n);
    }
    static float sum_of_halves(const half* x, std::int64_t n) {
        return fold(binary_function<op::add>{}, same_block{}, 0.0F, x, n);
    }
    static float squared_deviation_of_halves(const half* x, std::int64_t n, float center) {
        return fold(binary_function<op::add>{}, squared_difference{center}, 0.0F, x, n);
    }
    static float largest(const float* x, std::int64_t n) {
        return fold(binary_function<op::maximum>{}, same_block{}, -std::numeric_limits<float>::infinity(), x, n);
    }
    static float smallest(const float* x, std::int64_t n) {
        return fold(binary_function<op::minimum>{}, same_block{}, std::numeric_limits<float>::infinity(), x, n);
    }
    static void affine(const float* x, float* out, std::int64_t n, float center, float scale, float offset) {
        map(affine_function{center, scale, offset}, x, out, n);
    }
    static void affine_of_halves(const half* x, half* out, std::int64_t n, float center, float scale, float offset) {
        map(affine_function{center, scale, offset}, x, out, n);
    }

    static constexpr convolution_kernels convolutions() {
        if constexpr (!Operations.contains(op::conv2d) && !Operations.contains(op::conv_transpose2d) &&
                      !Operations.contains(op::cross_correlation)) {
            return {};
        } else {
            return {channel_lanes,
                    position_lanes,
                    widen_row,
                    widen_rows,
                    widen_pairs,
                    depthwise,
                    gather_channels,
                    widen_places,
                    depthwise_places,
                    split_fours,
                    tiles_widen,
                    channel_tile_positions,
                    channel_tile_units,
                    {winograd_input, winograd_output, winograd_filter, magnitudes}};
        }
    }

    static constexpr kernel_table table{isa_level::ANEMONE_SET_LEVEL,
                                        to_float,
                                        to_half,
                                        tile,
                                        unary_loop<Operations, float>,
                                        binary_loop<Operations, float>,
                                        sum,
                                        squared_deviation,
                                        largest,
                                        smallest,
                                        affine,
                                        products_of<has_products<Operations>, has_few_rows<Operations>>(),
                                        attention_of<Operations.contains(op::attention)>(),
                                        convolutions(),
                                        {unary_loop<Operations, half>, binary_loop<Operations, half>,
                                         comparison_loop<Operations>, affine_of_halves, sum_of_halves,
                                         squared_deviation_of_halves},
                                        norm_loops<Operations>::table,
                                        reduce_loops<Operations>::table,
                                        {chain_loop<float>, chain_loop<half>}};
};

} // namespace ANEMONE_SET
} // namespace ane::cpu::detail::inline ANEMONE_WAY
