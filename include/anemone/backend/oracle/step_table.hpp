#pragma once

#include "../../base/way.hpp"
#include "../../passes/lowering.hpp"
#include "../op_table.hpp"
#include "contraction_steps.hpp"
#include "movement_steps.hpp"
#include "native_steps.hpp"
#include "order_steps.hpp"
#include "quantization_steps.hpp"
#include "reduction_steps.hpp"
#include "texture_steps.hpp"
#include "value_steps.hpp"

namespace ane::oracle_steps::inline ANEMONE_WAY {

/// How an operation of a lowered graph is evaluated; null where there is nothing to do (sources, and stored weights,
/// which weights/materialize.hpp expands before the program runs) and where lowering leaves none. A new operation gets
/// its row here and in numerics/path.hpp.
template <op Kind, op_set Operations> constexpr evaluator evaluator_of() {
    constexpr bool stored = Operations.contains(op::compressed); // weights that may be int8
    if constexpr (Kind == op::conv2d) {
        return conv2d<stored>;
    } else if constexpr (Kind == op::conv_transpose2d) {
        return conv_transpose2d<stored>;
    } else if constexpr (Kind == op::matmul) {
        return matmul<stored>;
    } else if constexpr (is_one_of<Kind>({op::max_pool, op::avg_pool, op::l2_pool})) {
        return pool;
    } else if constexpr (Kind == op::local_response_norm) {
        return local_response_norm;
    } else if constexpr (Kind == op::resize) {
        return resize;
    } else if constexpr (Kind == op::crop_resize) {
        return crop_resize;
    } else if constexpr (Kind == op::resample) {
        return resample;
    } else if constexpr (Kind == op::affine) {
        return affine;
    } else if constexpr (Kind == op::gather_hw) {
        return gather_hw;
    } else if constexpr (Kind == op::scaled_elementwise) {
        return scaled_elementwise;
    } else if constexpr (Kind == op::cross_correlation) {
        return cross_correlation;
    } else if constexpr (Kind == op::cross_product) {
        return cross_product;
    } else if constexpr (Kind == op::cost_volume) {
        return cost_volume;
    } else if constexpr (Kind == op::furthest_point_sampling) {
        return furthest_point_sampling;
    } else if constexpr (Kind == op::radius_search) {
        return radius_search;
    } else if constexpr (Kind == op::softmax) {
        return softmax;
    } else if constexpr (is_one_of<Kind>({op::reduce_sum, op::reduce_mean, op::reduce_max, op::reduce_min})) {
        return reduce;
    } else if constexpr (is_one_of<Kind>({op::arg_max, op::arg_min, op::global_arg_max, op::global_arg_min})) {
        return arg_reduce;
    } else if constexpr (Kind == op::reshape) {
        return reshape;
    } else if constexpr (is_one_of<Kind>({op::identity, op::transpose, op::concat, op::slice_update, op::pad,
                                          op::reflect_pad, op::symmetric_pad, op::tile, op::reverse, op::pixel_shuffle,
                                          op::pixel_unshuffle, op::depth_to_space, op::space_to_depth,
                                          op::space_to_batch, op::batch_to_space})) {
        return move;
    } else if constexpr (is_one_of<Kind>({op::slice, op::strided_slice})) {
        return slice;
    } else if constexpr (Kind == op::dynamic_slice) {
        return dynamic_slice;
    } else if constexpr (is_one_of<Kind>({op::gather, op::gather_along_axis, op::gather_nd})) {
        return gather;
    } else if constexpr (Kind == op::cast) {
        return cast;
    } else if constexpr (is_one_of<Kind>({op::top_k, op::top_k_indices, op::sort, op::arg_sort})) {
        return rank;
    } else if constexpr (Kind == op::random_uniform) {
        return random_uniform;
    } else if constexpr (Kind == op::mul) {
        return mul;
    } else if constexpr (is_binary(Kind)) {
        return binary<Kind>;
    } else if constexpr (is_comparison(Kind)) {
        return compare<Kind>;
    } else if constexpr (Kind == op::logical_not) {
        return logical_not;
    } else if constexpr (Kind == op::select) {
        return select;
    } else if constexpr (is_one_of<Kind>({op::prelu, op::parametric_softplus})) {
        return parametric;
    } else if constexpr (Kind == op::dropout) {
        return dropout;
    } else if constexpr (is_unary(Kind) && !is_composed(Kind)) {
        return unary<Kind>;
    } else if constexpr (Kind == op::quantize) {
        return quantize;
    } else if constexpr (Kind == op::dequantize) {
        return dequantize;
    } else {
        static_assert(is_source(Kind) || Kind == op::compressed || is_composed(Kind),
                      "an operation of the engine has no evaluator in the oracle");
        return nullptr;
    }
}

/// For each of some operations how it is evaluated.
template <op_set Operations>
inline constexpr step_table step_table_of = op_table<evaluator, Operations>([]<op Kind>() {
    return evaluator_of<Kind, Operations>();
});

} // namespace ane::oracle_steps::inline ANEMONE_WAY
