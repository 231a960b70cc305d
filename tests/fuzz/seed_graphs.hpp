#pragma once

#include <anemone/dynamic_builder.hpp>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

/// A small graph around each operation, made by the builder: what mutations start from.
namespace seeds {

using namespace ane;

inline const extents image{1, 4, 6, 6};

/// The shapes that an operation reads.
inline std::vector<extents> operands_of(op kind) {
    switch (kind) {
    case op::conv2d: return {image, {8, 4, 3, 3}, {8}};
    case op::conv_transpose2d: return {image, {4, 2, 3, 3}};
    case op::linear: return {{3, 8}, {5, 8}, {5}};
    case op::matmul: return {{2, 3, 8}, {8, 5}};
    case op::prelu: return {image, {4}};
    case op::parametric_softplus: return {image, {4}, {4}};
    case op::layer_norm: return {{2, 8}, {8}, {8}};
    case op::rms_norm: return {{2, 8}, {8}};
    case op::batch_norm: return {image, {4}, {4}, {4}, {4}};
    case op::instance_norm:
    case op::group_norm: return {image, {4}, {4}};
    case op::concat: return {image, {1, 2, 6, 6}, image};
    case op::slice_update: return {image, {1, 4, 6, 2}};
    case op::dynamic_slice: return {image, {1}};
    case op::pad: return {image, {}};
    case op::gather: return {image, {2}};
    case op::gather_along_axis: return {image, {1, 2, 6, 6}};
    case op::gather_nd: return {{4, 5}, {3, 2}};
    case op::batch_to_space: return {{4, 1, 3, 3}};
    case op::crop_resize: return {image, {1, 4}};
    case op::resample:
    case op::gather_hw: return {image, {1, 2, 3, 3}};
    case op::affine: return {image, {1, 6}};
    case op::quantize: return {image, {4}, {}};
    case op::attention: return {{2, 4, 8}, {2, 4, 8}, {2, 4, 8}, {4, 4}};
    case op::random_uniform: return {};
    case op::scaled_elementwise: return {image, image};
    case op::cross_correlation: return {{1, 1, 6, 6}, {1, 1, 3, 3}};
    case op::cross_product: return {{2, 3, 1, 1}, {2, 3, 1, 1}};
    case op::cost_volume: return {{1, 1, 4, 4}, {1, 1, 4, 6}};
    case op::furthest_point_sampling: return {{1, 3, 1, 16}};
    case op::radius_search: return {{1, 3, 1, 4}, {1, 3, 1, 8}};
    default:
        return signature(kind).most_operands == 2 ? std::vector<extents>{image, {4, 1, 1}}
                                                  : std::vector<extents>{image};
    }
}

inline attributes attributes_of(op kind) {
    switch (kind) {
    case op::conv2d: return conv{.padding = same};
    case op::conv_transpose2d: return conv_transpose{.stride = 2};
    case op::clamp: return clip_range{-1, 1};
    case op::leaky_relu: return leakage{0.5F};
    case op::thresholded_relu: return relu_threshold{0.5F};
    case op::clamped_relu: return clamped_leakage{0.5F, 0.5F};
    case op::elu: return saturation{0.5F};
    case op::hard_sigmoid: return clamped_line{0.5F, 0.5F};
    case op::scaled_tanh: return tanh_scaling{0.5F, 0.5F};
    case op::max_pool:
    case op::avg_pool:
    case op::l2_pool: return pool{.kernel = 2, .padding = 1};
    case op::group_norm: return grouping{2, 1e-5F};
    case op::local_response_norm: return response_norm_shape{3};
    case op::transpose: return permutation{0, 2, 3, 1};
    case op::slice: return window{{0, 1, 2, 3}, {1, 2, 3, 3}};
    case op::strided_slice:
    case op::slice_update: return strided_window{{0, 0, 0, 1}, {1, 1, 1, 2}};
    case op::dynamic_slice: return window{{0, 0, 0, 0}, {1, 4, 3, 6}};
    case op::pad:
    case op::reflect_pad:
    case op::symmetric_pad:
    case op::replicate_pad: return pads{{0, 0, 1, 2}, {0, 0, 2, 1}};
    case op::tile: return repeats{1, 1, 2, 2};
    case op::reverse: return axes{3};
    case op::gather:
    case op::gather_along_axis: return axis{1};
    case op::pixel_shuffle:
    case op::pixel_unshuffle:
    case op::depth_to_space:
    case op::space_to_depth:
    case op::space_to_batch:
    case op::batch_to_space: return factors{2};
    case op::resize:
    case op::crop_resize:
    case op::resample:
    case op::affine: return sampling{.extent = 3};
    case op::quantize:
    case op::dequantize: return quantization{.axis = 1};
    case op::compressed: return compression{};
    case op::top_k:
    case op::top_k_indices: return selection{.k = 2, .axis = 3};
    case op::sort:
    case op::arg_sort: return selection{.k = 6, .axis = 3};
    case op::random_uniform: return uniform_range{0, 1};
    case op::scaled_elementwise: return scaling{.scale = 0.5F};
    case op::cost_volume: return item_count{3};
    case op::furthest_point_sampling: return item_count{4};
    case op::attention: return score_scaling{};
    case op::dropout: return drop_ratio{};
    case op::radius_search: return search_radius{0.5F};
    default:
        switch (signature(kind).attributes) {
        case attribute_kind::stabilizer: return stabilizer{1e-5F, -1};
        case attribute_kind::axis: return axis{1};
        case attribute_kind::axes: return axes{2, 3};
        default: return {};
        }
    }
}

/// The operation on inputs alone, or on an input and what is known when it is compiled: weights, and a constant.
inline dynamic_graph around(op kind, bool constant_operands) {
    dynamic_builder g;
    std::vector<dynamic_tensor> operands;
    for (const extents& shape : operands_of(kind)) {
        const std::string name = "p" + std::to_string(operands.size());
        operands.push_back(shape.rank == 0                          ? g.constant(shape, 0.5)
                           : constant_operands && !operands.empty() ? g.weight(name, shape, bounded(1))
                                                                    : g.input(name, shape, within(-1, 1)));
    }
    const auto made = [&]() -> dynamic_tensor {
        switch (kind) {
        case op::reshape: return g.reshape(operands[0], {4, -1});
        case op::strided_slice: return g.add(kind, operands, attributes_of(kind), {1, 4, 6, 3});
        case op::random_uniform: return g.add(kind, operands, attributes_of(kind), {2, 3});
        case op::cast: return g.add(kind, {g.input("bytes", image, {}, dtype::uint8)});
        case op::logical_not: return g.add(kind, {g.add(op::less, {operands[0], operands[0]})});
        case op::logical_and:
        case op::logical_or:
        case op::logical_xor:
            return g.add(kind,
                         {g.add(op::less, {operands[0], operands[1]}), g.add(op::less, {operands[1], operands[0]})});
        case op::select:
            return g.add(kind, {g.add(op::less, {operands[0], operands[0]}), operands[0], g.constant(image, 0.25)});
        case op::dequantize:
            return g.add(kind, {g.input("bytes", image, {}, dtype::int8), g.weight("scale", {4})}, attributes_of(kind));
        case op::compressed:
            return g.add(op::linear, {g.reshape(operands[0], {4, 36}),
                                      g.add(kind, {g.weight("stored", {8, 36})}, attributes_of(kind))});
        default: return g.add(kind, operands, attributes_of(kind));
        }
    }();
    const bool halves = made.type() == dtype::f16;
    const bool casts = made.type() == dtype::uint8 || made.type() == dtype::boolean;
    g.output("y", halves ? g.add(op::relu, {made}) : casts ? g.add(op::cast, {made}) : made);
    g.output("z", g.add(op::add, {g.input("x", {2, 2}), g.constant({2, 2}, std::vector<float>{1, 2, 3, 4})}));
    return g.finish();
}

/// Two graphs for each operation but the sources, which all of them have.
inline const std::vector<dynamic_graph>& all() {
    static const std::vector<dynamic_graph> graphs = [] {
        std::vector<dynamic_graph> made;
        for (std::size_t i = 0; i < op_count; ++i) {
            const op kind = static_cast<op>(i);
            if (!is_source(kind)) {
                made.push_back(around(kind, false));
                made.push_back(around(kind, true));
            }
        }
        return made;
    }();
    return graphs;
}

} // namespace seeds
