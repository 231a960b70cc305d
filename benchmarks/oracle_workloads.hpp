#pragma once

#include <anemone/dynamic_builder.hpp>

#include <fmt/format.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// What benchmark_oracle_ratio measures: a graph of one operation, or of a few, for every family of operations.
namespace oracle_workloads {

using namespace ane;
using tensors = std::vector<dynamic_tensor>;

/// One row of the table: what is built, and the standard deviation of its inputs.
struct workload {
    std::string name;
    std::function<dynamic_tensor(dynamic_builder&)> build;
    double deviation = 1;
};

inline const extents image{1, 64, 56, 56};
inline const extents matrix{512, 768};

inline workload unary(op kind, const attributes& values = {}, double deviation = 2) {
    return {std::string(name(kind)), [=](dynamic_builder& b) { return b.add(kind, {b.input("x", image)}, values); },
            deviation};
}

inline workload two(op kind, const extents& second, std::string_view how) {
    return {fmt::format("{}{}", name(kind), how), [=](dynamic_builder& b) {
                const auto x = b.input("positive_x", image);
                const auto y = b.add(kind, {x, b.input("y", second)});
                return is_comparison(kind) ? b.add(op::cast, {y}) : y;
            }};
}

inline workload one_of(op kind, const extents& shape, const attributes& values, std::string_view how = "",
                       double deviation = 1) {
    return {fmt::format("{}{}", name(kind), how),
            [=](dynamic_builder& b) { return b.add(kind, {b.input("x", shape)}, values); }, deviation};
}

/// An operation with weights behind its first operand.
inline workload weighted(op kind, const extents& shape, const std::vector<extents>& weights, const attributes& values,
                         std::string_view how = "", double deviation = 1) {
    return {fmt::format("{}{}", name(kind), how),
            [=](dynamic_builder& b) {
                tensors operands{b.input("x", shape)};
                for (const extents& w : weights) {
                    operands.push_back(b.weight(fmt::format("w{}", operands.size()), w));
                }
                return b.add(kind, operands, values);
            },
            deviation};
}

/// The same with inputs.
inline workload joined(op kind, const std::vector<extents>& shapes, const attributes& values, std::string_view how = "",
                       double deviation = 1) {
    return {fmt::format("{}{}", name(kind), how),
            [=](dynamic_builder& b) {
                tensors operands;
                for (const extents& s : shapes) {
                    operands.push_back(b.input(fmt::format("x{}", operands.size()), s));
                }
                return b.add(kind, operands, values);
            },
            deviation};
}

inline workload layer(int in, int size, int out, int kernel, int stride) {
    return weighted(op::conv2d, {1, in, size, size}, {{out, in, kernel, kernel}},
                    conv{.stride = stride, .padding = kernel / 2},
                    fmt::format(" {0}x{0}/{1} {2} to {3} at {4}", kernel, stride, in, out, size));
}

inline void add_elementwise(std::vector<workload>& all) {
    for (const op kind :
         {op::relu,     op::relu6, op::sigmoid, op::tanh,  op::gelu, op::gelu_sigmoid, op::silu,   op::softplus,
          op::softsign, op::erf,   op::exp,     op::exp2,  op::log2, op::sqrt,         op::square, op::abs,
          op::sign,     op::ceil,  op::floor,   op::round, op::sin,  op::cos,          op::atan}) {
        all.push_back(unary(kind));
    }
    all.push_back(unary(op::leaky_relu, leakage{0.1F}));
    all.push_back(unary(op::clamp, clip_range{-1, 1}));
    all.push_back(unary(op::thresholded_relu, relu_threshold{0.5F}));
    all.push_back(unary(op::clamped_relu, clamped_leakage{0.1F, 2}));
    all.push_back(unary(op::elu, saturation{1}));
    all.push_back(unary(op::hard_sigmoid, clamped_line{}));
    all.push_back(unary(op::scaled_tanh, tanh_scaling{1.5F, 0.5F}));
    for (const op kind : {op::log, op::rsqrt, op::inverse}) {
        all.push_back(unary(kind, stabilizer{.epsilon = 1e-3F}));
    }
    for (const op kind : {op::add, op::sub, op::mul, op::div, op::minimum, op::maximum, op::pow, op::floor_div,
                          op::equal, op::not_equal, op::greater, op::greater_equal, op::less, op::less_equal}) {
        all.push_back(two(kind, image, ""));
    }
    for (const op kind : {op::add, op::mul, op::div, op::greater}) {
        all.push_back(two(kind, {1, 64, 1, 1}, " by channel"));
        all.push_back(two(kind, {56}, " by column"));
    }
    all.push_back({"pow of a number", [](dynamic_builder& b) {
                       return b.add(op::pow, {b.input("positive_x", image), b.constant(0.3)});
                   }});
    all.push_back(
        {"gain and offset by channel", [](dynamic_builder& b) {
             const auto x = b.input("x", image);
             return b.add(op::add, {b.add(op::mul, {x, b.weight("g", {64, 1, 1})}), b.weight("o", {64, 1, 1})});
         }});
    all.push_back({"select", [](dynamic_builder& b) {
                       const auto x = b.input("x", image);
                       const auto y = b.input("y", image);
                       return b.add(op::select, {b.add(op::greater, {x, y}), x, y});
                   }});
    all.push_back({"logical_and, logical_not", [](dynamic_builder& b) {
                       const auto x = b.input("x", image);
                       const auto y = b.input("y", image);
                       const auto both = b.add(op::logical_and, {b.add(op::greater, {x, y}), b.add(op::less, {x, y})});
                       return b.add(op::cast, {b.add(op::logical_not, {both})});
                   }});
    all.push_back(weighted(op::prelu, image, {{64}}, {}));
    all.push_back(weighted(op::parametric_softplus, image, {{64}, {64}}, {}));
    all.push_back(
        {"cast of bytes", [](dynamic_builder& b) { return b.add(op::cast, {b.input("x", image, {}, dtype::uint8)}); }});
}

inline void add_reductions(std::vector<workload>& all) {
    for (const op kind : {op::reduce_sum, op::reduce_mean, op::reduce_max, op::reduce_min, op::reduce_sum_square,
                          op::reduce_l1_norm, op::reduce_l2_norm, op::reduce_log_sum_exp}) {
        all.push_back(one_of(kind, matrix, axes{1}, " of rows"));
    }
    for (const op kind : {op::reduce_sum, op::reduce_max}) {
        all.push_back(one_of(kind, image, axes{1}, " of channels"));
        all.push_back(one_of(kind, image, axes{2, 3}, " of planes"));
        all.push_back(one_of(kind, image, axes{0, 2}, " of two axes apart"));
    }
    all.push_back(one_of(op::reduce_sum, matrix, axes{1}, " of rows, infinite", 40000));
    for (const op kind : {op::arg_max, op::arg_min, op::global_arg_max}) {
        all.push_back(one_of(kind, matrix, axis{1}, " of rows"));
    }
    all.push_back(one_of(op::arg_max, image, axis{1}, " of channels"));
    all.push_back(one_of(op::cumsum, {64, 256}, cumulation{}));
    for (const op kind : {op::max_pool, op::avg_pool, op::l2_pool}) {
        all.push_back(one_of(kind, image, pool{.kernel = 3, .stride = 2, .padding = 1}, " 3x3/2"));
        all.push_back(one_of(kind, image, pool{.kernel = 2}, " 2x2"));
    }
    all.push_back(one_of(op::avg_pool, image, pool{.kernel = 3, .stride = 1, .padding = 1}, " 3x3/1"));
    all.push_back(one_of(op::avg_pool, {1, 512, 7, 7}, pool{.kernel = 7}, " 7x7 global"));
    all.push_back(one_of(op::softmax, matrix, axis{1}, " of rows", 2));
    all.push_back(one_of(op::softmax, image, axis{1}, " of channels", 2));
    all.push_back(weighted(op::layer_norm, matrix, {{768}, {768}}, stabilizer{1e-5F, 1}));
    all.push_back(weighted(op::layer_norm, matrix, {{768}, {768}}, stabilizer{1e-5F, 1}, ", large values", 300));
    all.push_back(weighted(op::rms_norm, matrix, {{768}}, stabilizer{1e-5F, 1}));
    all.push_back(one_of(op::l2_norm, matrix, stabilizer{1e-5F, 1}));
    all.push_back(one_of(op::minmax_norm, matrix, stabilizer{1e-5F, 1}));
    all.push_back(weighted(op::instance_norm, image, {{64}, {64}}, stabilizer{1e-5F, 1}));
    all.push_back(weighted(op::group_norm, image, {{64}, {64}}, grouping{8, 1e-5F}));
    all.push_back({"batch_norm", [](dynamic_builder& b) {
                       const auto x = b.input("x", image);
                       return b.add(
                           op::batch_norm,
                           {x, b.weight("m", {64}), b.constant({64}, 0.7), b.weight("g", {64}), b.weight("s", {64})},
                           stabilizer{1e-5F, 1});
                   }});
    all.push_back(one_of(op::local_response_norm, image, response_norm_shape{}));
}

inline void add_contractions(std::vector<workload>& all) {
    all.push_back(weighted(op::conv2d, image, {{64, 1, 3, 3}}, conv{.padding = 1, .groups = 64}, " depthwise 3x3"));
    all.push_back(weighted(op::conv2d, image, {{64, 1, 3, 3}}, conv{.stride = 2, .padding = 1, .groups = 64},
                           " depthwise 3x3/2"));
    all.push_back(weighted(op::conv2d, image, {{64, 1, 5, 5}}, conv{.dilation = 2, .padding = 4, .groups = 64},
                           " depthwise 5x5 dilated"));
    all.push_back(weighted(op::conv2d, {1, 512, 7, 7}, {{512, 1, 3, 3}}, conv{.padding = 1, .groups = 512},
                           " depthwise 3x3 at 7"));
    all.push_back(weighted(op::conv2d, image, {{64, 8, 3, 3}}, conv{.padding = 1, .groups = 8}, " 8 groups 3x3"));
    all.push_back(weighted(op::conv2d, image, {{64, 2, 3, 3}}, conv{.padding = 1, .groups = 32}, " 32 groups 3x3"));
    all.push_back(weighted(op::conv2d, image, {{64, 64, 1, 1}}, conv{}, " 1x1"));
    all.push_back(
        weighted(op::conv_transpose2d, {1, 64, 28, 28}, {{64, 32, 2, 2}}, conv_transpose{.stride = 2}, " 2x2/2"));
    all.push_back(weighted(op::conv_transpose2d, {1, 64, 28, 28}, {{64, 32, 4, 4}},
                           conv_transpose{.stride = 2, .padding = 1}, " 4x4/2"));
    all.push_back(weighted(op::conv_transpose2d, image, {{64, 1, 3, 3}}, conv_transpose{.padding = 1, .groups = 64},
                           " depthwise 3x3"));
    all.push_back(weighted(op::linear, {1, 768}, {{3072, 768}, {3072}}, {}, " one row"));
    all.push_back(weighted(op::linear, {8, 768}, {{768, 768}, {768}}, {}, " 8 rows"));
    all.push_back(weighted(op::linear, {128, 768}, {{768, 768}, {768}}, {}, " 128 rows"));
    all.push_back(joined(op::matmul, {{256, 256}, {256, 256}}, {}, " 256"));
    all.push_back(joined(op::matmul, {{12, 128, 64}, {12, 64, 128}}, {}, " 12 of 128x64x128"));
    all.push_back(joined(op::matmul, {{4096, 16}, {16, 16}}, {}, " 4096x16x16"));
    all.push_back(joined(op::attention, {{1, 12, 197, 64}, {1, 12, 197, 64}, {1, 12, 197, 64}}, score_scaling{}));
    // Sums of 256 products of deviation d have deviation 16 d^2; the ceiling is 32768.
    for (const auto& [deviation, what] :
         std::vector<std::pair<double, std::string_view>>{{20, ", sums of 6,000"},
                                                          {36, ", sums of 20,000"},
                                                          {50, ", sums of 40,000"},
                                                          {200, ", sums of 640,000"},
                                                          {20000, ", products over the ceiling"}}) {
        all.push_back(joined(op::matmul, {{256, 256}, {256, 256}}, {}, fmt::format(" 256{}", what), deviation));
    }
    all.push_back({"matmul 256, positive, sums of 30,000",
                   [](dynamic_builder& b) {
                       return b.add(op::matmul, {b.input("positive_x", {256, 256}), b.input("positive_y", {256, 256})});
                   },
                   13.6});
    all.push_back({"matmul 256, positive, sums of 60,000",
                   [](dynamic_builder& b) {
                       return b.add(op::matmul, {b.input("positive_x", {256, 256}), b.input("positive_y", {256, 256})});
                   },
                   20});
    all.push_back({"matmul 256, positive, sums of 20,000",
                   [](dynamic_builder& b) {
                       return b.add(op::matmul, {b.input("positive_x", {256, 256}), b.input("positive_y", {256, 256})});
                   },
                   11});
    all.push_back(weighted(op::conv2d, image, {{64, 64, 3, 3}}, conv{.padding = 1}, " 3x3, sums of 20,000", 14000));
    all.push_back(weighted(op::conv2d, image, {{64, 64, 3, 3}}, conv{.padding = 1}, " 3x3, sums of 60,000", 42000));
    all.push_back(weighted(op::conv2d, image, {{64, 1, 3, 3}}, conv{.padding = 1, .groups = 64},
                           " depthwise 3x3, sums of 20,000", 14000));
    all.push_back(weighted(op::linear, {1, 768}, {{3072, 768}, {3072}}, {}, " one row, sums of 20,000", 14000));
}

inline void add_rest(std::vector<workload>& all) {
    all.push_back({"reshape", [](dynamic_builder& b) { return b.reshape(b.input("x", image), {64, 56 * 56}); }});
    all.push_back(one_of(op::transpose, matrix, permutation{1, 0}, " of a matrix"));
    all.push_back(one_of(op::transpose, image, permutation{0, 2, 3, 1}, " of an image"));
    all.push_back(joined(op::concat, {image, image}, axis{1}, " of channels"));
    all.push_back(joined(op::concat, {image, image}, axis{3}, " of columns"));
    all.push_back(one_of(op::slice, image, window{{0, 8, 4, 4}, {1, 48, 48, 48}}));
    all.push_back({"strided_slice", [](dynamic_builder& b) {
                       return b.add(op::strided_slice, {b.input("x", image)},
                                    strided_window{{0, 0, 0, 0}, {1, 1, 2, 2}}, {1, 64, 28, 28});
                   }});
    all.push_back({"pad", [](dynamic_builder& b) {
                       return b.add(op::pad, {b.input("x", image), b.constant(0)}, pads{{0, 0, 1, 1}, {0, 0, 1, 1}});
                   }});
    for (const op kind : {op::reflect_pad, op::symmetric_pad, op::replicate_pad}) {
        all.push_back(one_of(kind, image, pads{{0, 0, 1, 1}, {0, 0, 1, 1}}));
    }
    all.push_back(one_of(op::tile, image, repeats{1, 1, 2, 2}));
    all.push_back(one_of(op::reverse, image, axes{3}));
    for (const op kind :
         {op::pixel_shuffle, op::depth_to_space, op::pixel_unshuffle, op::space_to_depth, op::space_to_batch}) {
        all.push_back(one_of(kind, image, factors{2}));
    }
    all.push_back({"gather of rows", [](dynamic_builder& b) {
                       return b.add(op::gather, {b.input("x", matrix), b.input("index", {512})}, axis{0});
                   }});
    all.push_back({"gather of columns", [](dynamic_builder& b) {
                       return b.add(op::gather, {b.input("x", matrix), b.input("index", {768})}, axis{1});
                   }});
    all.push_back({"gather_along_axis", [](dynamic_builder& b) {
                       return b.add(op::gather_along_axis, {b.input("x", matrix), b.input("index", matrix)}, axis{1});
                   }});
    for (const auto& [method, what] :
         {std::pair{sampling_method::bilinear, " bilinear"}, std::pair{sampling_method::nearest, " nearest"}}) {
        all.push_back(one_of(op::resize, image, sampling{.extent = 112, .method = method}, what));
    }
    all.push_back(one_of(op::resize, image, sampling{.extent = 83}, " to 83"));
    all.push_back(
        {"crop_resize", [](dynamic_builder& b) {
             return b.add(op::crop_resize, {b.input("x", image), b.input("index", {4, 4})}, sampling{.extent = 28});
         }});
    all.push_back({"resample",
                   [](dynamic_builder& b) {
                       return b.add(op::resample, {b.input("x", image), b.input("index", {1, 2, 56, 56})},
                                    sampling{.extent = 56});
                   },
                   1});
    all.push_back({"affine", [](dynamic_builder& b) {
                       return b.add(op::affine, {b.input("x", image), b.input("m", {1, 6})}, sampling{.extent = 56});
                   }});
    all.push_back({"gather_hw", [](dynamic_builder& b) {
                       return b.add(op::gather_hw, {b.input("x", image), b.input("index", {1, 2, 56, 56})});
                   }});
    all.push_back({"quantize, dequantize", [](dynamic_builder& b) {
                       const auto q = b.add(op::quantize, {b.input("x", image), b.constant(0.05)}, quantization{});
                       return b.add(op::dequantize, {q, b.constant(0.05)}, quantization{});
                   }});
    all.push_back(
        {"quantize by channel, dequantize", [](dynamic_builder& b) {
             const auto q = b.add(op::quantize, {b.input("x", image), b.constant({64}, 0.05)}, quantization{.axis = 1});
             return b.add(op::dequantize, {q, b.constant(0.05)}, quantization{});
         }});
    all.push_back(
        {"dequantize", [](dynamic_builder& b) {
             return b.add(op::dequantize, {b.input("x", image, {}, dtype::int8), b.constant(0.05)}, quantization{});
         }});
    all.push_back({"dequantize by channel", [](dynamic_builder& b) {
                       return b.add(op::dequantize, {b.input("x", image, {}, dtype::int8), b.constant({64}, 0.05)},
                                    quantization{.axis = 1});
                   }});
    all.push_back(
        {"linear of int8 by int8", [](dynamic_builder& b) {
             const auto x =
                 b.add(op::dequantize, {b.input("x", {128, 512}, {}, dtype::int8), b.constant(0.05)}, quantization{});
             const auto w = b.add(op::compressed, {b.weight("w", {512, 512})}, compression{weight_form::affine, 8});
             return b.add(op::linear, {x, w});
         }});
    all.push_back(
        {"conv2d of int8 by int8", [](dynamic_builder& b) {
             const auto x = b.add(op::dequantize, {b.input("x", {1, 64, 28, 28}, {}, dtype::int8), b.constant(0.05)},
                                  quantization{});
             const auto w = b.add(op::compressed, {b.weight("w", {64, 64, 3, 3})}, compression{weight_form::affine, 8});
             return b.add(op::conv2d, {x, w}, conv{.padding = 1});
         }});
    for (const op kind : {op::top_k, op::top_k_indices}) {
        all.push_back(one_of(kind, {128, 1000}, selection{.k = 5}));
    }
    all.push_back(one_of(op::sort, {128, 1000}, selection{.k = 1000}));
    all.push_back(one_of(op::arg_sort, {128, 1000}, selection{.k = 1000}));
    all.push_back(one_of(op::dropout, image, drop_ratio{0.1F}));
    all.push_back({"random_uniform", [](dynamic_builder& b) {
                       const auto r = b.add(op::random_uniform, {}, uniform_range{0, 1}, matrix);
                       return b.add(op::maximum, {r, b.input("x", {1})});
                   }});
    for (const auto& [f, what] :
         {std::pair{scaled_function::add, " add"}, std::pair{scaled_function::maximum, " maximum"}}) {
        all.push_back(joined(op::scaled_elementwise, {image, image}, scaling{f, 0.3F}, what));
    }
    all.push_back(joined(op::cross_correlation, {{8, 1, 56, 56}, {1, 1, 5, 5}}, {}));
    all.push_back(joined(op::cross_product, {{4096, 3, 1, 1}, {4096, 3, 1, 1}}, {}));
    all.push_back(joined(op::cost_volume, {{1, 1, 32, 48}, {1, 1, 32, 64}}, item_count{16}));
    all.push_back(one_of(op::furthest_point_sampling, {1, 3, 1, 1024}, item_count{64}));
    all.push_back({"radius_search", [](dynamic_builder& b) {
                       return b.add(op::cast, {b.add(op::radius_search,
                                                     {b.input("x", {1, 3, 1, 512}), b.input("y", {1, 3, 1, 256})},
                                                     search_radius{1})});
                   }});
}

inline void add_network(std::vector<workload>& all) {
    for (const workload& w :
         {layer(3, 224, 64, 7, 2), layer(64, 56, 64, 3, 1), layer(64, 56, 128, 3, 2), layer(64, 56, 128, 1, 2),
          layer(128, 28, 128, 3, 1), layer(128, 28, 256, 3, 2), layer(128, 28, 256, 1, 2), layer(256, 14, 256, 3, 1),
          layer(256, 14, 512, 3, 2), layer(256, 14, 512, 1, 2), layer(512, 7, 512, 3, 1),
          weighted(op::linear, {1, 512}, {{1000, 512}}, {}, " 512 to 1000")}) {
        all.push_back(w);
    }
}

} // namespace oracle_workloads
