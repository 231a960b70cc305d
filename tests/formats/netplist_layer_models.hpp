#pragma once

#include <anemone/dynamic_builder.hpp>

#include <initializer_list>
#include <string>
#include <vector>

/// Models that together have every unit of the vocabulary that netplist_models.hpp has not.
namespace netplist_models {

using namespace ane;

/// A graph under construction whose values are returned as they come: y0, y1, ...
class listed_outputs {
public:
    dynamic_tensor input(const std::string& name, const extents& shape) { return graph_.input(name, shape); }
    dynamic_tensor weight(const std::string& name, const extents& shape) { return graph_.weight(name, shape); }
    dynamic_tensor number(double value) { return graph_.constant(value); }
    dynamic_tensor constant(const extents& shape, const std::vector<float>& values) {
        return graph_.constant(shape, values);
    }
    dynamic_tensor add(op kind, std::initializer_list<dynamic_tensor> operands, const attributes& values = {}) {
        return graph_.add(kind, operands, values);
    }
    dynamic_tensor add(op kind, std::initializer_list<dynamic_tensor> operands, const attributes& values,
                       const extents& result) {
        return graph_.add(kind, operands, values, result);
    }
    void output(const dynamic_tensor& value) {
        graph_.output("y" + std::to_string(graph_.graph().outputs.size()), value);
    }
    dynamic_graph finish() const { return graph_.finish(); }

private:
    dynamic_builder graph_;
};

inline dynamic_graph functions() {
    listed_outputs g;
    const dynamic_tensor x = g.input("x", {1, 2, 3, 4});
    const dynamic_tensor wide = g.add(op::mul, {x, g.number(2.9)});
    const dynamic_tensor above = g.add(op::add, {g.add(op::abs, {x}), g.number(0.5)});
    for (const op kind : {op::sin, op::cos, op::ceil, op::floor, op::sign, op::erf, op::exp2, op::gelu_sigmoid,
                          op::softplus, op::softsign}) {
        g.output(g.add(kind, {wide}));
    }
    g.output(g.add(op::log2, {above}));
    g.output(g.add(op::inverse, {above}, stabilizer{}));
    g.output(g.add(op::inverse, {above}, stabilizer{.epsilon = 0.25F}));
    g.output(g.add(op::elu, {wide}, saturation{0.5F}));
    g.output(g.add(op::thresholded_relu, {x}, relu_threshold{0.25F}));
    g.output(g.add(op::clamped_relu, {wide}, clamped_leakage{.alpha = 0.125F, .beta = 1.5F}));
    g.output(g.add(op::hard_sigmoid, {wide}, clamped_line{.alpha = 0.25F, .beta = 0.5F}));
    g.output(g.add(op::scaled_tanh, {x}, tanh_scaling{.alpha = 1.5F, .beta = 0.5F}));
    g.output(g.add(op::prelu, {x, g.weight("slope", {2})}));
    const dynamic_tensor alpha = g.weight("alpha", {2});
    g.output(g.add(op::parametric_softplus, {x, alpha, g.weight("beta", {2})}));
    for (const double power : {2.0, 3.0, -1.0}) {
        g.output(g.add(op::pow, {above, g.number(power)}));
    }
    g.output(g.add(op::floor_div, {wide, above}));
    return g.finish();
}

/// Lowering leaves numbers that have no fraction as they are, and rounds the others.
inline dynamic_graph rounding() {
    listed_outputs g;
    g.output(g.add(op::round, {g.add(op::mul, {g.input("x", {1, 2, 3, 4}), g.number(2.9)})}));
    return g.finish();
}

inline dynamic_graph logic() {
    listed_outputs g;
    const dynamic_tensor a = g.input("a", {1, 2, 3, 4});
    const dynamic_tensor b = g.add(op::maximum, {a, g.number(-0.25)});
    const dynamic_tensor half = g.number(0.5);
    for (const op kind : {op::equal, op::not_equal, op::greater, op::greater_equal, op::less, op::less_equal}) {
        g.output(g.add(op::cast, {g.add(kind, {a, b})}));
    }
    const dynamic_tensor above = g.add(op::greater, {a, g.number(0.1)});
    g.output(g.add(op::cast, {g.add(op::logical_not, {above})}));
    g.output(g.add(op::select, {above, a, half}));
    return g.finish();
}

inline dynamic_graph layers() {
    listed_outputs g;
    const dynamic_tensor x = g.input("x", {1, 4, 4, 6});
    const dynamic_tensor line = g.input("line", {1, 1, 1, 9});
    const dynamic_tensor points = g.input("points", {1, 3, 1, 8});
    const dynamic_tensor reference = g.input("reference", {1, 1, 3, 9});
    const dynamic_tensor left = g.input("left", {2, 3, 1, 1});
    const factors blocks(2, 2);
    for (const op kind :
         {op::pixel_shuffle, op::pixel_unshuffle, op::depth_to_space, op::space_to_depth, op::space_to_batch}) {
        g.output(g.add(kind, {x}, blocks));
    }
    g.output(g.add(op::batch_to_space, {g.add(op::space_to_batch, {x}, blocks)}, blocks));
    g.output(g.add(op::l2_pool, {x}, pool{.kernel = 2, .padding = padding2(1, 0, 0, 1)}));
    g.output(g.add(op::local_response_norm, {x}, response_norm_shape{.size = 4, .alpha = 0.5F}));
    g.output(g.add(op::global_arg_max, {x}, axis{3}));
    g.output(g.add(op::global_arg_min, {x}, axis{1}));
    for (const bool ascending : {false, true}) {
        g.output(g.add(op::top_k, {line}, selection{.k = 2, .ascending = ascending}));
        g.output(g.add(op::sort, {line}, selection{.k = 9, .ascending = ascending}));
    }
    g.output(g.add(op::top_k_indices, {line}, selection{.k = 5}));
    g.output(g.add(op::arg_sort, {line}, selection{.k = 9, .ascending = true}));
    g.output(g.add(op::resize, {x}, sampling{.extent = {8, 12}, .method = sampling_method::nearest}));
    g.output(g.add(op::resize, {x}, sampling{.extent = {4, 18}, .method = sampling_method::nearest}));
    g.output(g.add(op::dropout, {x}, drop_ratio{}));
    const dynamic_tensor other = g.weight("other", {1, 4, 4, 6});
    for (const scaled_function f :
         {scaled_function::add, scaled_function::mul, scaled_function::maximum, scaled_function::minimum}) {
        g.output(g.add(op::scaled_elementwise, {x, other}, scaling{f, f == scaled_function::mul ? 1.0F : 0.5F}));
    }
    const dynamic_tensor image = g.input("image", {1, 1, 3, 6});
    g.output(g.add(op::cross_correlation, {image, g.weight("template", {1, 1, 2, 3})}));
    g.output(g.add(op::cost_volume, {image, reference}, item_count{4}));
    g.output(g.add(op::cross_product, {left, g.input("right", {2, 3, 1, 1})}));
    g.output(g.add(op::furthest_point_sampling, {points}, item_count{3}));
    return g.finish();
}

inline dynamic_graph views() {
    listed_outputs g;
    const dynamic_tensor x = g.input("x", {1, 2, 3, 4});
    const pads border{.before = {0, 1, 1, 2}, .after = {0, 0, 1, 1}};
    const pads inner{.before = {0, 0, 1, 2}, .after = {0, 0, 1, 1}};
    g.output(
        g.add(op::strided_slice, {x}, strided_window{.begin = {0, 0, 0, 1}, .stride = {1, 1, 2, 2}}, {1, 2, 2, 2}));
    const dynamic_tensor part = g.input("part", {1, 1, 2, 2});
    g.output(g.add(op::slice_update, {x, part}, strided_window{.begin = {0, 1, 0, 1}, .stride = {1, 1, 1, 1}}));
    g.output(g.add(op::reflect_pad, {x}, inner));
    g.output(g.add(op::symmetric_pad, {x}, border));
    g.output(g.add(op::replicate_pad, {x}, border));
    g.output(g.add(op::tile, {x}, repeats(2, 1, 2, 3)));
    g.output(g.add(op::reverse, {x}, axes(1, 3)));
    g.output(g.add(op::gather, {x, g.constant({3}, {2, 0, -1})}, axis{2}));
    std::vector<float> many(300);
    for (std::size_t i = 0; i < many.size(); ++i) {
        many[i] = static_cast<float>(i * 7 % 4);
    }
    g.output(g.add(op::gather, {x, g.constant({300}, many)}, axis{3}));
    g.output(g.add(op::dynamic_slice, {x, g.number(1)}, window{.begin = {0, 0, 0, 0}, .size = {1, 2, 3, 2}}));
    g.output(g.add(op::dynamic_slice, {x, g.number(2)}, window{.begin = {0, 0, 0, 1}, .size = {1, 2, 3, 2}}));
    return g.finish();
}

/// What lowering keeps where it is asked to.
inline dynamic_graph whole() {
    listed_outputs g;
    const dynamic_tensor q = g.input("q", {1, 2, 3, 4});
    const dynamic_tensor k = g.input("k", {1, 2, 5, 4});
    const dynamic_tensor v = g.input("v", {1, 2, 5, 4});
    g.output(g.add(op::attention, {q, k, v}, score_scaling{0.5F}));
    g.output(g.add(op::attention, {q, k, v, g.weight("mask", {3, 5})}, score_scaling{0.25F}));
    g.output(g.add(op::minmax_norm, {q}, stabilizer{.epsilon = 0.5F}));
    g.output(g.add(op::minmax_norm, {k}, stabilizer{.epsilon = 0.125F, .axis = 2}));
    return g.finish();
}

/// Scales and offsets after each other, in both orders: `one_goc` joins some of them.
inline dynamic_graph lines() {
    listed_outputs g;
    const dynamic_tensor x = g.input("x", {1, 2, 3, 4});
    const dynamic_tensor twos = g.constant({2, 1, 1}, {2, -4});
    const dynamic_tensor biases = g.constant({2, 1, 1}, {3, 0.5});
    const auto line = [&](op first, const dynamic_tensor& a, op second, const dynamic_tensor& b) {
        return g.add(second, {g.add(first, {x, a}), b});
    };
    g.output(line(op::add, g.number(1.5), op::mul, g.number(0.3)));    // 0.3 (x + 1.5)
    g.output(line(op::mul, g.number(4), op::add, g.number(3)));        // 4 (x + 0.75)
    g.output(line(op::mul, g.number(3), op::sub, g.number(1)));        // 1 / 3 is no fp16 number: two units
    g.output(line(op::add, biases, op::mul, twos));                    // a vector of each
    g.output(line(op::mul, twos, op::add, g.number(3)));               // 2 (x + 1.5) and -4 (x - 0.75)
    g.output(line(op::add, g.number(0.5), op::mul, twos));             // the one bias for both channels
    g.output(g.add(op::sub, {biases, x}));                             // -1 (x - b)
    g.output(line(op::mul, g.number(0), op::add, g.number(1)));        // nothing divided by 0
    g.output(line(op::add, g.number(1), op::add, g.number(2)));        // two offsets
    g.output(g.add(op::hard_sigmoid, {x}, clamped_line{0.25F, 0.5F})); // 0.25 (x + 2), clamped
    const dynamic_tensor shared = g.add(op::add, {x, g.number(0.75)});
    g.output(g.add(op::mul, {shared, g.number(2)})); // the sum is read twice: two units
    g.output(g.add(op::relu, {shared}));
    g.output(g.add(op::arg_max, {x}, axis{3}));
    g.output(g.add(op::arg_max, {g.input("row", {1, 5})}, axis{1}));
    return g.finish();
}

/// Where the extremes are along each axis, with and without a depth and a height.
inline dynamic_graph places() {
    listed_outputs g;
    const std::pair<const char*, extents> inputs[] = {{"x", {2, 3, 4, 5}},       {"row", {2, 3, 1, 5}},
                                                      {"column", {3, 2, 4, 1}},  {"deep", {2, 3, 2, 3, 4}},
                                                      {"flat", {3, 2, 4, 1, 2}}, {"single", {1, 4, 1, 3, 2}}};
    for (const auto& [name, shape] : inputs) {
        const dynamic_tensor x = g.input(name, shape);
        for (int along = 0; along < shape.rank; ++along) {
            g.output(g.add(along % 2 == 0 ? op::arg_max : op::arg_min, {x}, axis{along}));
        }
    }
    const dynamic_tensor deep = g.input("other", {2, 3, 2, 3, 4});
    for (int along = 0; along < 5; ++along) {
        g.output(g.add(along % 2 == 0 ? op::global_arg_min : op::global_arg_max, {deep}, axis{along}));
    }
    return g.finish();
}

} // namespace netplist_models
