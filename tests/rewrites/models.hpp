#pragma once

#include <anemone/base/error.hpp>
#include <anemone/dynamic_builder.hpp>
#include <anemone/targets/table.hpp>
#include <anemone/values/contract.hpp>

#include <string>
#include <string_view>
#include <utility>

/// Models that rewrites apply to.
namespace rewriting {

using namespace ane;

/// An M1 whose on-chip memory is small, so that small models leave it.
inline constexpr target_description tiny = derive(describe(h13), [](auto& d) {
    d.memory.working_set_nominal = 512;
    d.memory.working_set_measured = 1024;
});

inline dynamic_graph attention_model() {
    dynamic_builder g;
    const auto q = g.input("q", {1, 2, 16, 8});
    const auto k = g.input("k", {1, 2, 24, 8});
    const auto v = g.input("v", {1, 2, 24, 8});
    g.output("y", g.add(op::attention, {q, k, v, g.input("mask", {1, 1, 16, 24})}, score_scaling{0.3F}));
    return g.finish();
}

/// A transformer block without biases: with channels first its bits stay.
inline dynamic_graph block_model(bool biased) {
    constexpr std::int64_t rows = 12, width = 32, heads = 4;
    dynamic_builder g;
    auto x = g.input("x", {rows, width});
    const auto linear = [&](const std::string& name, const dynamic_tensor& v, std::int64_t out) {
        const auto w = g.weight(name, {out, v.shape().width()});
        return biased ? g.add(op::linear, {v, w, g.weight(name + ".bias", {out})}) : g.add(op::linear, {v, w});
    };
    const auto split = [&](const dynamic_tensor& v) {
        return g.add(op::transpose, {g.reshape(v, {1, rows, heads, width / heads})}, permutation{0, 2, 1, 3});
    };
    const auto n =
        g.add(op::layer_norm, {x, g.weight("gamma", {width}), g.weight("beta", {width})}, stabilizer{1e-5F, -1});
    const auto a =
        g.add(op::attention, {split(linear("q", n, width)), split(linear("k", n, width)), split(linear("v", n, width))},
              score_scaling{0.25F});
    const auto joined = g.reshape(g.add(op::transpose, {a}, permutation{0, 2, 1, 3}), {rows, width});
    x = g.add(op::add, {x, linear("o", joined, width)});
    const auto m = g.add(op::rms_norm, {x, g.weight("gain", {width})}, stabilizer{1e-5F, -1});
    x = g.add(op::add, {x, linear("down", g.add(op::gelu, {linear("up", m, 4 * width)}), width)});
    g.output("y", x);
    return g.finish();
}

/// A transformer block as PyTorch exports it: products with weights at the right, norms of another rank, the division,
/// keys that are split and exchanged at once.
inline dynamic_graph exported_model(std::int64_t rows = 12, std::int64_t width = 32, std::int64_t heads = 4) {
    dynamic_builder g;
    auto x = g.input("x", {1, rows, width});
    const auto layer = [&](const std::string& name, const dynamic_tensor& v, std::int64_t out) {
        const auto w = g.weight(name, {v.shape().width(), out});
        return g.add(op::add, {g.weight(name + ".bias", {out}), g.add(op::matmul, {v, w})});
    };
    const auto norm = [&](const std::string& name, const dynamic_tensor& v) {
        const auto n = g.add(op::layer_norm,
                             {g.reshape(v, {rows, width}), g.weight(name, {width}), g.weight(name + ".bias", {width})},
                             stabilizer{1e-5F, 1});
        return g.reshape(n, {1, rows, width});
    };
    const auto split = [&](const dynamic_tensor& v, const permutation& order) {
        return g.add(op::transpose, {g.reshape(v, {1, rows, heads, width / heads})}, order);
    };
    const auto n = norm("norm1", x);
    const auto q = split(layer("q", n, width), {0, 2, 1, 3});
    const auto k = split(layer("k", n, width), {0, 2, 3, 1});
    const auto v = split(layer("v", n, width), {0, 2, 1, 3});
    const auto scores = g.add(op::div, {g.add(op::matmul, {q, k}), g.constant(2.8284271)});
    const auto a = g.add(op::matmul, {g.add(op::softmax, {scores}, axis{3}), v});
    const auto joined = g.reshape(g.add(op::transpose, {a}, permutation{0, 2, 1, 3}), {1, rows, width});
    x = g.add(op::add, {x, layer("o", joined, width)});
    x = g.add(op::add, {x, layer("down", g.add(op::gelu, {layer("up", norm("norm2", x), 4 * width)}), width)});
    g.output("y", x);
    return g.finish();
}

/// One token of a decoder as PyTorch exports it: heads of one row, a transpose for each product.
inline dynamic_graph token_model() {
    constexpr std::int64_t width = 32, heads = 4, past = 7;
    dynamic_builder g;
    const auto x = g.input("x", {1, 1, width});
    const auto split = [&](const std::string& name) {
        const auto v = g.add(op::matmul, {x, g.weight(name, {width, width})});
        return g.add(op::transpose, {g.reshape(v, {1, 1, heads, width / heads})}, permutation{0, 2, 1, 3});
    };
    const auto k = g.add(op::concat, {g.input("keys", {1, heads, past, width / heads}), split("k")}, axis{2});
    const auto v = g.add(op::concat, {g.input("values", {1, heads, past, width / heads}), split("v")}, axis{2});
    const auto scores = g.add(op::matmul, {split("q"), g.add(op::transpose, {k}, permutation{0, 1, 3, 2})});
    const auto a = g.add(op::matmul, {g.add(op::softmax, {scores}, axis{3}), v});
    g.output("y", g.reshape(g.add(op::transpose, {a}, permutation{0, 2, 1, 3}), {1, 1, width}));
    g.output("new_keys", k);
    g.output("new_values", v);
    return g.finish();
}

inline dynamic_graph transposes_model() {
    dynamic_builder g;
    auto x = g.input("x", {2, 3, 4, 5});
    x = g.add(op::transpose, {x}, permutation{0, 2, 1, 3});
    x = g.add(op::relu, {g.add(op::transpose, {x}, permutation{3, 1, 2, 0})});
    g.output("y", x);
    g.output("z", g.add(op::sigmoid, {g.add(op::transpose, {g.add(op::transpose, {x}, permutation{1, 0, 2, 3})},
                                            permutation{1, 0, 2, 3})}));
    return g.finish();
}

inline dynamic_graph vocabulary_model() {
    dynamic_builder g;
    g.output("y", g.add(op::linear, {g.input("x", {6, 32}), g.weight("w", {96, 32})}));
    return g.finish();
}

inline dynamic_graph pointwise_model() {
    dynamic_builder g;
    g.output("y", g.add(op::conv2d, {g.input("x", {2, 24, 5, 7}), g.weight("w", {40, 24, 1, 1}), g.weight("b", {40})},
                        conv{}));
    return g.finish();
}

inline dynamic_graph factors_model() {
    dynamic_builder g;
    const auto x = g.add(op::mul, {g.input("x", {4, 16}), g.constant(0.3)});
    g.output("y", g.add(op::mul, {x, g.weight("w", {16})}));
    return g.finish();
}

/// Sums that may reach 51,200 by what is promised.
inline dynamic_graph large_sums_model() {
    dynamic_builder g;
    const auto x = g.input("x", {4, 1024}, within(-50, 50));
    g.output("y", g.add(op::linear, {x, g.weight("w", {8, 1024}, bounded(1)), g.weight("b", {8}, bounded(1))}));
    return g.finish();
}

/// A block of MobileNetV2 on images whose widened values do not fit on a small chip: windows overlap, the sum is outside.
inline dynamic_graph separable_model() {
    dynamic_builder g;
    const auto x = g.input("x", {1, 4, 9, 7});
    const auto wide = g.add(
        op::relu6, {g.add(op::conv2d, {x, g.weight("expand", {8, 4, 1, 1}), g.weight("expand.bias", {8})}, conv{})});
    const auto windows = g.add(op::conv2d, {wide, g.weight("windows", {8, 1, 3, 3})}, conv{.padding = 1, .groups = 8});
    const auto y = g.add(op::conv2d, {g.add(op::relu6, {windows}), g.weight("project", {4, 8, 1, 1})}, conv{});
    g.output("y", g.add(op::add, {x, y}));
    return g.finish();
}

/// Sums that were written as products with ones, of which the second may pass 2^15.
inline dynamic_graph ones_model() {
    dynamic_builder g;
    const auto x = g.input("x", {2, 6, 16}, within(-8000, 8000));
    const auto ones = [&](const extents& shape) { return g.constant(shape, 1.0); };
    const auto rows = g.add(op::matmul, {x, ones({16, 1})});
    const auto columns = g.add(op::matmul, {ones({6, 1}), x}, transposed{.a = true});
    g.output("rows", g.add(op::mul, {rows, g.constant(0.5)}));
    g.output("columns", g.add(op::add, {columns, g.constant(0.25)}));
    return g.finish();
}

/// Activations that may reach 30,000 before weights in int8.
inline dynamic_graph int8_model() {
    dynamic_builder g;
    const auto x = g.input("x", {4, 32}, within(-30000, 30000));
    const auto w = g.add(op::compressed, {g.weight("w", {8, 32}, bounded(1))},
                         compression{.form = weight_form::affine, .bits = 8});
    g.output("y", g.add(op::linear, {x, w, g.weight("b", {8})}));
    return g.finish();
}

/// A gated layer whose halves are cut out of the width, and a cut at an odd place.
inline dynamic_graph halves_model() {
    dynamic_builder g;
    const auto x = g.input("x", {3, 2, 16}, within(-10000, 10000));
    const auto value = g.add(op::slice, {x}, window{{0, 0, 0}, {3, 2, 8}});
    const auto gate = g.add(op::slice, {x}, window{{0, 1, 8}, {3, 1, 8}});
    g.output("y", g.add(op::mul, {value, g.add(op::sigmoid, {gate})}));
    g.output("odd", g.add(op::slice, {x}, window{{0, 0, 5}, {3, 2, 3}}));
    g.output("third", g.add(op::strided_slice, {x}, strided_window{{0, 0, 1}, {2, 1, 3}}, extents{2, 2, 5}));
    return g.finish();
}

/// Products near 2^-16, the last bit of the sums.
inline dynamic_graph small_products_model() {
    dynamic_builder g;
    const auto x = g.input("x", {4, 64}, deviating(0.05));
    g.output("y",
             g.add(op::linear, {x, g.weight("w", {8, 64}, deviating(0.004)), g.weight("b", {8}, deviating(0.004))}));
    return g.finish();
}

/// Norms and lengths whose squares may pass 65504, of numbers that seldom do.
inline dynamic_graph norms_model() {
    dynamic_builder g;
    const auto x = g.input("x", {4, 16}, within(-150, 150));
    const auto z = g.input("z", {4, 16}, within(-80, 80));
    const auto rows = [&](const char* name) { return g.weight(name, {16}, within(0.5, 2)); };
    g.output("centred", g.add(op::layer_norm, {x, rows("gamma"), rows("beta")}, stabilizer{1e-5F, 1}));
    g.output("directions", g.add(op::l2_norm, {z}, stabilizer{1e-5F, 1}));
    g.output("lengths", g.add(op::reduce_l2_norm, {z}, axes{1}));
    return g.finish();
}

/// Shares that may be zero in fp16, before their logarithm.
inline dynamic_graph shares_model() {
    dynamic_builder g;
    const auto x = g.input("x", {8, 4}, within(-4.5, 4.5));
    g.output("y", g.add(op::log, {g.add(op::softmax, {x}, axis{1})}, stabilizer{}));
    return g.finish();
}

/// A gated layer with quantized halves, whose product is quantized again.
inline dynamic_graph quantized_model() {
    dynamic_builder g;
    const auto through = [&](const char* name, double scale) {
        const auto s = g.constant(scale);
        const auto q = g.add(op::quantize, {g.input(name, {2, 8}), s}, quantization{.type = dtype::int8});
        return g.add(op::dequantize, {q, s}, quantization{.type = dtype::int8});
    };
    const auto s = g.constant(0.0625);
    const auto y = g.add(op::mul, {through("gate", 0.25), through("up", 0.125)});
    const auto q = g.add(op::quantize, {y, s}, quantization{.type = dtype::int8});
    g.output("y", g.add(op::dequantize, {q, s}, quantization{.type = dtype::int8}));
    return g.finish();
}

/// Values beyond fp16, by their promises, that norms, roots, quotients and factors bring back.
inline dynamic_graph large_values_model() {
    dynamic_builder g;
    const auto x = g.input("x", {4, 16}, within(-4000, 4000));
    const auto z = g.input("z", {4, 16}, within(1, 300));
    const auto rows = [&](const char* name) { return g.weight(name, {16}, within(0.5, 2)); };
    const auto times = [&](const auto& of, double factor) { return g.add(op::mul, {of, g.constant(factor)}); };
    const auto large = times(x, 30);
    g.output("centred", g.add(op::layer_norm, {large, rows("gamma"), rows("beta")}, stabilizer{1e-2F, 1}));
    g.output("factor", times(g.add(op::relu, {large}), 0.1));
    const auto squares = g.add(op::reduce_mean, {g.add(op::square, {z})}, axes{1});
    g.output("root", g.add(op::sqrt, {squares}));
    g.output("quotient", g.add(op::div, {g.add(op::mul, {x, z}), g.add(op::add, {z, g.constant(100)})}));
    return g.finish();
}

/// Layers whose weights are stored in blocks along the features: rows, with and without a bias, and pixels.
inline dynamic_graph blocks_model() {
    dynamic_builder g;
    const auto blocks = [&](const char* name, const extents& shape) {
        return g.add(op::compressed, {g.weight(name, shape, bounded(1))},
                     compression{.form = weight_form::blockwise, .bits = 8, .block = 8});
    };
    const auto x = g.input("x", {4, 24}, within(-2, 2));
    g.output("y", g.add(op::linear, {x, blocks("w", {6, 24}), g.weight("b", {6}, bounded(1))}));
    g.output("z", g.add(op::matmul, {x, blocks("v", {6, 24})}, transposed{.b = true}));
    g.output("p",
             g.add(op::conv2d, {g.input("image", {1, 40, 3, 3}, within(-2, 2)), blocks("k", {6, 40, 1, 1})}, conv{}));
    return g.finish();
}

/// Filters that are refused: a bank over a signal whose stride has no factors, a wide kernel at stride 1, patches of an
/// image, single elements at a stride without factors, which have other arithmetic, a dilated kernel of many groups.
inline dynamic_graph filters_model() {
    dynamic_builder g;
    const auto x = g.input("x", {1, 1, 1, 290});
    g.output("bank", g.add(op::conv2d, {x, g.weight("bank", {6, 1, 1, 64}), g.weight("bank.bias", {6})},
                           conv{.stride = size2{1, 20}, .padding = {0, 0, 5, 9}}));
    g.output("wide", g.add(op::conv2d, {x, g.weight("wide", {3, 1, 1, 40}), g.weight("wide.bias", {3})}, conv{}));
    g.output("patches", g.add(op::conv2d, {g.input("image", {1, 3, 42, 35}), g.weight("patch", {8, 3, 14, 14})},
                              conv{.stride = 14}));
    g.output("points", g.add(op::conv2d, {g.input("line", {1, 1, 1, 203}), g.weight("point", {3, 1, 1, 1})},
                             conv{.stride = size2{1, 5}}));
    g.output("groups", g.add(op::conv2d, {g.input("rows", {2, 8, 3, 40}), g.weight("k", {4, 4, 3, 10})},
                             conv{.dilation = size2{1, 2}, .padding = {1, 1, 2, 0}, .groups = 2}));
    return g.finish();
}

/// Norms as frameworks export them, in their parts: by a root and a quotient, by a reciprocal root, by squares and without.
inline dynamic_graph norm_parts_model() {
    constexpr std::int64_t rows = 4, width = 16;
    dynamic_builder g;
    const auto mean = [&](const dynamic_tensor& v, int along) { return g.add(op::reduce_mean, {v}, axes{along}); };
    const auto stable = [&](const dynamic_tensor& v) { return g.add(op::add, {v, g.constant(1e-3)}); };
    const auto x = g.input("x", {rows, width});
    const auto centred = g.add(op::sub, {x, mean(x, 1)});
    const auto variance = stable(mean(g.add(op::mul, {centred, centred}), -1));
    const auto normal = g.add(op::div, {centred, g.add(op::sqrt, {variance})});
    const auto scaled = g.add(op::mul, {normal, g.weight("gamma", {width})});
    g.output("layer", g.add(op::add, {g.weight("beta", {width}), scaled}));
    const auto z = g.input("z", {1, width, rows});
    const auto root = g.add(op::rsqrt, {stable(mean(g.add(op::square, {z}), 1))}, stabilizer{});
    g.output("rms", g.add(op::mul, {g.weight("gain", {width, 1}), g.add(op::mul, {root, z})}));
    return g.finish();
}

/// Borders of an image and of a signal, which A13 has no unit for.
inline dynamic_graph borders_model() {
    dynamic_builder g;
    const auto image = g.input("image", {1, 3, 6, 8});
    g.output("mirror", g.add(op::reflect_pad, {image}, pads{{0, 0, 2, 3}, {0, 0, 1, 2}}));
    g.output("again", g.add(op::symmetric_pad, {image}, pads{{0, 0, 0, 1}, {0, 2, 3, 0}}));
    g.output("edge", g.add(op::replicate_pad, {image}, pads{{0, 1, 0, 4}, {0, 0, 2, 0}}));
    g.output("signal", g.add(op::reflect_pad, {g.input("x", {20})}, pads{{5}, {7}}));
    return g.finish();
}

/// A convolution and a product of codes whose scale and zero point are computed of the values, as ONNX's dynamic
/// quantization leaves them.
inline dynamic_graph dynamic_codes_model() {
    dynamic_builder g;
    const auto codes = [&](const dynamic_tensor& x, const axes& all) {
        const auto low = g.reshape(g.add(op::minimum, {g.add(op::reduce_min, {x}, all), g.constant(0)}), {});
        const auto high = g.reshape(g.add(op::maximum, {g.add(op::reduce_max, {x}, all), g.constant(0)}), {});
        const auto scale = g.add(op::div, {g.add(op::sub, {high, low}), g.constant(255)});
        const auto middle = g.add(op::round, {g.add(op::div, {g.add(op::mul, {low, g.constant(-1)}), scale})});
        const auto zero = g.add(op::clamp, {middle}, clip_range{0, 255});
        const auto q = g.add(op::quantize, {x, scale, zero}, quantization{.type = dtype::uint8});
        const auto whole = g.add(op::dequantize, {q, g.constant(1), zero}, quantization{.type = dtype::uint8});
        return std::pair{whole, scale};
    };
    const auto [image, of_image] = codes(g.input("image", {1, 4, 5, 5}), axes{0, 1, 2, 3});
    const auto filtered = g.add(op::conv2d, {image, g.weight("k", {6, 4, 3, 3})}, conv{});
    g.output("filtered",
             g.add(op::mul, {g.add(op::identity, {filtered}), g.add(op::mul, {of_image, g.constant(0.0625)})}));
    const auto [rows, of_rows] = codes(g.input("rows", {3, 16}), axes{0, 1});
    const auto product = g.add(op::matmul, {rows, g.weight("w", {16, 4})});
    g.output("product", g.add(op::mul, {g.add(op::mul, {g.weight("channels", {4}), of_rows}), product}));
    return g.finish();
}

inline dynamic_graph model_for(std::string_view rewrite) {
    if (rewrite == "borders_as_parts") {
        return borders_model();
    }
    if (rewrite == "values_for_dynamic_codes") {
        return dynamic_codes_model();
    }
    if (rewrite == "polyphase_filters") {
        return filters_model();
    }
    if (rewrite == "whole_norms") {
        return norm_parts_model();
    }
    if (rewrite == "transformer_for_engine") {
        return exported_model();
    }
    if (rewrite == "scale_values") {
        return large_values_model();
    }
    if (rewrite == "split_blocks") {
        return blocks_model();
    }
    if (rewrite == "clamp_quantized_products") {
        return quantized_model();
    }
    if (rewrite == "scale_norms") {
        return norms_model();
    }
    if (rewrite == "logarithms_of_shares") {
        return shares_model();
    }
    if (rewrite == "tile_layers") {
        return separable_model();
    }
    if (rewrite == "products_as_sums") {
        return ones_model();
    }
    if (rewrite == "scale_int8_inputs") {
        return int8_model();
    }
    if (rewrite == "slices_off_width") {
        return halves_model();
    }
    if (rewrite == "scale_weights") {
        return small_products_model();
    }
    if (rewrite == "attention_as_parts" || rewrite == "tile_queries") {
        return attention_model();
    }
    if (rewrite == "channels_first") {
        return block_model(true);
    }
    if (rewrite == "cancel_transposes") {
        return transposes_model();
    }
    if (rewrite == "split_outputs" || rewrite == "linear_as_convolution") {
        return vocabulary_model();
    }
    if (rewrite == "pointwise_as_product") {
        return pointwise_model();
    }
    if (rewrite == "scale_sums" || rewrite == "split_sums") {
        return large_sums_model();
    }
    if (rewrite == "merge_factors") {
        return factors_model();
    }
    throw error(errc::argument, std::string(rewrite), "is a rewrite without a model");
}

} // namespace rewriting
