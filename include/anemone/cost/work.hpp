#pragma once

#include "../graph/constants.hpp"
#include "../graph/op_facet.hpp"

#include <cstdint>

namespace ane {

/// Arithmetic of one node. FLOP = 2 * multiply_adds + other.
struct work {
    std::int64_t multiply_adds = 0; ///< of contractions
    std::int64_t other = 0;         ///< everything else

    constexpr std::int64_t flops() const { return 2 * multiply_adds + other; }
    friend constexpr bool operator==(const work&, const work&) = default;
};

namespace detail {

using work_rule = work (*)(const graph_view& g, const node& n);

/// `Each` FLOP for each element of the result.
template <int Each> constexpr work per_result(const graph_view&, const node& n) { return {0, Each * n.shape.count()}; }
/// `Each` FLOP for each element of the first operand.
template <int Each> constexpr work per_operand(const graph_view& g, const node& n) {
    return {0, Each * g.operand(n, 0).shape.count()};
}
constexpr work work_of_pool(const graph_view&, const node& n) {
    const size2 kernel = n.get<pool>().kernel;
    return {0, n.shape.count() * kernel.height * kernel.width};
}
/// A product of each result with a vector as long as the templates.
constexpr work work_of_correlation(const graph_view& g, const node& n) {
    const extents& t = g.operand(n, 1).shape;
    return {n.shape.count() * t.height() * t.width(), 0};
}
/// A sorting network compares each element once in each of ceil(log2 n) passes.
constexpr work work_of_order(const graph_view& g, const node& n) {
    const extents& x = g.operand(n, 0).shape;
    const std::int64_t along = x[normalized_axis(n.get<selection>().axis, x.rank)];
    std::int64_t passes = 1;
    while ((std::int64_t{1} << passes) < along) {
        ++passes;
    }
    return {0, x.count() * passes};
}
/// The distance of every point to the last one chosen, for each choice: 8 for three coordinates.
constexpr work work_of_points(const graph_view& g, const node& n) {
    return {0, 8 * g.operand(n, 0).shape.width() * n.get<item_count>().count};
}

inline constexpr op_facet<work_rule> work_rules{
    {op::conv2d,
     [](const graph_view& g, const node& n) {
         const extents& w = g.operand(n, 1).shape;
         return work{n.shape.count() * w[1] * w[2] * w[3], 0};
     }},
    {op::conv_transpose2d,
     [](const graph_view& g, const node& n) {
         const extents& w = g.operand(n, 1).shape;
         return work{g.operand(n, 0).shape.count() * w[1] * w[2] * w[3], 0};
     }},
    {op::linear,
     [](const graph_view& g, const node& n) {
         const std::int64_t results = n.shape.count();
         return work{results * g.operand(n, 0).shape.width(), n.operands.count > 2 ? results : 0};
     }},
    {op::matmul,
     [](const graph_view& g, const node& n) {
         const extents& a = g.operand(n, 0).shape;
         return work{n.shape.count() * (n.get<transposed>().a ? a.height() : a.width()), 0};
     }},
    {op::attention,
     [](const graph_view& g, const node& n) {
         const std::int64_t depth = g.operand(n, 0).shape.width();
         const std::int64_t scores = n.shape.count() / depth * g.operand(n, 1).shape.height();
         return work{2 * scores * depth, 6 * scores};
     }},
    {op::max_pool, work_of_pool},
    {op::avg_pool, work_of_pool},
    {op::l2_pool, work_of_pool},
    {op::softmax, per_result<5>},
    {op::layer_norm, per_result<8>},
    {op::instance_norm, per_result<8>},
    {op::group_norm, per_result<8>},
    {op::batch_norm, per_result<2>},
    {op::rms_norm, per_result<4>},
    {op::l2_norm, per_result<3>},
    {op::minmax_norm, per_result<4>},
    {op::local_response_norm,
     [](const graph_view&, const node& n) {
         return work{0, n.shape.count() * (n.get<response_norm_shape>().size + 3)};
     }},
    {op::reduce_mean,
     [](const graph_view& g, const node& n) {
         return work{0, g.operand(n, 0).shape.count() + n.shape.count()};
     }},
    {op::reduce_sum, per_operand<1>},
    {op::reduce_max, per_operand<1>},
    {op::reduce_min, per_operand<1>},
    {op::reduce_sum_square, per_operand<2>},
    {op::reduce_l1_norm, per_operand<2>},
    {op::reduce_l2_norm, per_operand<2>},
    {op::reduce_log_sum, per_operand<1>},
    {op::reduce_log_sum_exp, per_operand<3>},
    {op::arg_max, per_operand<1>},
    {op::arg_min, per_operand<1>},
    {op::global_arg_max, per_operand<1>},
    {op::global_arg_min, per_operand<1>},
    {op::cumsum, per_operand<1>},
    {op::equal, per_result<1>},
    {op::not_equal, per_result<1>},
    {op::greater, per_result<1>},
    {op::greater_equal, per_result<1>},
    {op::less, per_result<1>},
    {op::less_equal, per_result<1>},
    {op::logical_not, per_result<1>},
    {op::logical_and, per_result<1>},
    {op::logical_or, per_result<1>},
    {op::logical_xor, per_result<1>},
    {op::select, per_result<1>},
    {op::prelu, per_result<2>},
    {op::parametric_softplus, per_result<4>},
    {op::resize, per_result<7>}, // two interpolations along the width, one along the height
    {op::crop_resize, per_result<7>},
    {op::resample, per_result<7>},
    {op::affine, per_result<7 + 4>}, // and the coordinates of two
    {op::quantize, per_result<3>},
    {op::dequantize, per_result<2>},
    {op::top_k, work_of_order},
    {op::top_k_indices, work_of_order},
    {op::sort, work_of_order},
    {op::arg_sort, work_of_order},
    {op::random_uniform, per_result<2>},
    {op::scaled_elementwise, per_result<2>},
    {op::cross_correlation, work_of_correlation},
    {op::cross_product, per_result<3>},
    {op::cost_volume, per_result<2>},
    {op::furthest_point_sampling, work_of_points},
    {op::radius_search, per_result<9>}};

} // namespace detail

/// What a node computes, by its shapes alone (cost facts, `flops`, for contractions; the rest are conventions):
///   conv2d             N O H' W' (C / groups) kH kW multiply-adds
///   conv_transpose2d   N C H W (O / groups) kH kW: each input element meets a whole kernel
///   matmul, linear     batch M N K
///   attention          2 batch Sq Skv D, and 6 FLOP for each score: scale and softmax
///   cross_correlation  h w multiply-adds for each element of the result
///   elementwise        1 FLOP for each element of the result, functions included: the engine looks them up in a table
///   pools              kH kW for each element of the result
///   softmax            5 for each element: maximum, difference, exponential, sum, quotient
///   norms              layer, instance, group 8: the parts of their lowering; rms, minmax 4; l2 3; batch 2
///   reductions         1 for each element read, 2 with a function of each; a mean 1 more for each result
///   resize and the like 7 for each result: a bilinear interpolation
///   top_k, sort        ceil(log2 n) for each element
///   movement, cast     0
constexpr work work_of(const graph_view& g, const node& n) {
    const detail::work_rule rule = detail::work_rules[n.kind];
    return rule != nullptr ? rule(g, n) : work{0, is_unary(n.kind) || is_binary(n.kind) ? n.shape.count() : 0};
}

} // namespace ane
