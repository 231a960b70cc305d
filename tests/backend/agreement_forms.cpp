// The operations of MIL beside those of agreement.cpp, whose forms are the vocabulary's (forms/mil_vocabulary.hpp).

#include "../differential/graph_maker.hpp"
#include "../from_environment.hpp"
#include "../numbers.hpp"
#include "agreement.hpp"
#include <anemone/backend/cpu/constants.hpp>
#include <anemone/forms/written.hpp>
#include <anemone/rules/evaluate.hpp>

#include <cmath>

using namespace agreement;

TEST_CASE("agreement: the other functions") {
    for (const op kind : {op::gelu_sigmoid, op::softplus, op::softsign, op::erf, op::exp2, op::sign, op::ceil,
                          op::floor, op::round, op::sin, op::cos, op::atan}) {
        alone(kind, no_attributes{}, image);
        alone(kind, no_attributes{}, {1});
    }
    for (const op kind : {op::elu, op::thresholded_relu, op::clamped_relu, op::hard_sigmoid, op::scaled_tanh}) {
        for (const float alpha : {0.25F, -0.5F, 1.0F}) {
            alone(kind, numbers::of(kind, {alpha, 1.5F}), image);
        }
    }
    for (const float epsilon : {0.0F, 1e-3F}) {
        alone(op::inverse, stabilizer{.epsilon = epsilon}, image);
    }
    for (const op kind : {op::pow, op::floor_div}) {
        for (const extents& other : {extents{2, 6, 7, 9}, extents{6, 1, 1}, extents{1}}) {
            alone(kind, no_attributes{}, image, {other});
            agree_everywhere([&](composer& c) {
                const int x = c.input(image);
                c.output(c.add(kind, {x, c.input(other)}));
            });
        }
    }
    for (const extents& shape : {extents{2, 3, 4}, extents{1, 1, 1, 1}, extents{2, 3, 2, 1, 2}}) {
        alone(op::prelu, no_attributes{}, shape, {{shape[1]}});
        alone(op::parametric_softplus, no_attributes{}, shape, {{shape[1]}, {shape[1]}});
    }
}

TEST_CASE("agreement: comparisons, what is selected by them, and booleans as numbers") {
    for (const op kind : {op::equal, op::not_equal, op::greater, op::greater_equal, op::less, op::less_equal}) {
        agree_everywhere([&](composer& c) {
            const int x = c.input({2, 3, 4});
            const int holds = c.add(kind, {x, c.weight({3, 1})});
            c.output(c.add(op::select, {holds, x, c.weight({2, 1, 4})}));
            c.output(c.add(op::select, {c.add(op::logical_not, {holds}), c.constant(1.5F), c.input({4})}));
            c.output(c.add(op::cast, {holds}));
            c.output(c.add(op::cast, {c.add(op::logical_not, {holds})}));
            c.output(c.add(op::cast, {c.add(kind, {c.constant(0.25F), x})}));
        });
    }
    agree_everywhere([](composer& c) { // a condition that is known when the graph is compiled
        const int x = c.input({2, 3});
        const int known = c.add(op::less, {c.weight({2, 3}), c.weight({3})});
        c.output(c.add(op::select, {known, x, c.constant(0.5F)}));
        c.output(c.add(op::select, {known, c.weight({1, 3}), x}));
    });
}

TEST_CASE("agreement: rearrangements") {
    alone(op::tile, repeats{2, 1, 3}, {2, 3, 1});
    alone(op::tile, repeats{1, 2, 1, 2}, image);
    for (const axes& over : {axes(0), axes(3), axes(1, 2), axes(0, 1, 2, 3), axes()}) {
        alone(op::reverse, over, image);
    }
    for (const op kind : {op::pixel_shuffle, op::depth_to_space}) {
        alone(kind, factors{2}, {2, 8, 3, 1});
        alone(kind, factors{3}, {1, 9, 1, 2});
    }
    for (const op kind : {op::pixel_unshuffle, op::space_to_depth}) {
        alone(kind, factors{2}, {2, 3, 4, 6});
        alone(kind, factors{1}, image);
    }
    alone(op::space_to_batch, factors{2, 3}, {1, 2, 4, 6});
    alone(op::batch_to_space, factors{2, 3}, {6, 2, 1, 3});
}

TEST_CASE("agreement: slices with strides") {
    agree_everywhere([](composer& c) {
        const int x = c.input({2, 5, 7});
        const auto sliced = [&](const strided_window& w, const extents& to) {
            c.output(c.add(op::strided_slice, w, {x}, to));
        };
        sliced({{0, 1, 0}, {1, 2, 3}}, {2, 2, 3});
        sliced({{1, 0, 2}, {1, 1, 2}}, {1, 5, 3}); // a width offset
        sliced({{0, 4, 6}, {2, 9, 1}}, {1, 1, 1});
    });
}

TEST_CASE("agreement: borders that mirror, blocks that are sampled") {
    alone(op::reflect_pad, pads{{0, 0, 2, 1}, {0, 0, 0, 3}}, {2, 1, 3, 4});
    alone(op::reflect_pad, pads{{1, 0}, {0, 2}}, {2, 3});
    using enum sampling_grid;
    for (const sampling_grid grid : {half_pixel, align_corners, asymmetric}) {
        for (const size2 to : {size2{7, 9}, size2{14, 9}, size2{5, 20}, size2{1, 1}, size2{2, 3}}) {
            alone(op::resize, sampling{to, sampling_method::bilinear, grid}, image);
            alone(op::resize, sampling{to, sampling_method::bilinear, grid}, {1, 2, 1, 1});
        }
    }
    alone(op::resize, sampling{{14, 27}, sampling_method::nearest, half_pixel}, image);
    alone(op::resize, sampling{{14, 9}, sampling_method::nearest, asymmetric}, image);
    alone(op::resize, sampling{{5, 13}, sampling_method::nearest, asymmetric}, image);
    for (const sampling_grid grid : {half_pixel, align_corners}) {
        for (const std::int64_t matrices : {1, 2}) {
            alone(op::affine, sampling{.extent = {5, 4}, .grid = grid}, image, {{matrices, 6}});
            alone(op::affine, sampling{.extent = {1, 3}, .grid = grid}, image, {{matrices, 6}});
        }
    }
}

TEST_CASE("agreement: other layers") {
    for (const pool& p : {pool{.kernel = 2, .stride = 2}, pool{.kernel = {3, 2}, .stride = 1, .padding = 1},
                          pool{.kernel = 3, .stride = 2, .ceil_mode = true}}) {
        alone(op::l2_pool, p, image);
    }
    for (const int size : {1, 2, 5, 9}) {
        alone(op::local_response_norm, response_norm_shape{.size = size, .alpha = 0.5F, .beta = 0.75F, .k = 1.5F},
              image);
    }
    for (const bool ascending : {false, true}) {
        for (int along = 0; along < 4; ++along) {
            for (const int k : {1, 2}) {
                alone(op::top_k, selection{k, along, ascending}, image);
                alone(op::top_k_indices, selection{k, along, ascending}, image);
            }
        }
    }
    for (const dtype type : {dtype::int8, dtype::uint8}) {
        agree_everywhere([&](composer& c) {
            const int x = c.input({2, 3, 4});
            const quantization q{.type = type, .axis = 1};
            const int scale = c.constant(0.125F);
            const int zero = c.constant(type == dtype::uint8 ? 128.0F : -3.0F);
            const int scales = c.constant({3}, {0.5F, 0.25F, 0.125F});
            const int zeros = c.constant({3}, {3, 4, 5});
            const auto both_ways = [&](std::initializer_list<int> parameters) {
                std::vector<int> operands{x};
                operands.insert(operands.end(), parameters);
                operands.front() = c.add(op::quantize, q, operands);
                c.output(c.add(op::dequantize, q, operands));
            };
            both_ways({scale});
            both_ways({scale, zero});
            both_ways({scales});
            both_ways({scales, zeros});
            both_ways({scales, zero});
            both_ways({scale, zeros});
        });
    }
    agree_everywhere([](composer& c) { // bytes that arrive as such
        const int x = c.input({2, 3}, dtype::uint8);
        c.output(c.add(op::dequantize, quantization{.type = dtype::uint8}, {x, c.constant(0.5F), c.constant(7)}));
    });
}

TEST_CASE("agreement: composed operations that are written whole, which the oracle takes apart") {
    const ane::backend::engine_options whole{.whole = {op::attention, op::instance_norm, op::layer_norm,
                                                       op::reduce_sum_square, op::reduce_l1_norm, op::reduce_l2_norm,
                                                       op::reduce_log_sum, op::reduce_log_sum_exp}};
    for (const extents& mask : {extents{}, extents{4, 5}, extents{2, 1, 4, 5}}) {
        agree_everywhere(
            [&](composer& c) {
                std::vector<int> operands{c.input({2, 3, 4, 16}), c.input({2, 3, 5, 16}), c.input({2, 3, 5, 16})};
                if (mask.rank > 0) {
                    operands.push_back(c.weight(mask));
                }
                c.output(c.add(op::attention, score_scaling{0.25F}, operands));
            },
            whole);
    }
    agree_everywhere(
        [](composer& c) {
            const int x = c.input(image);
            c.output(c.add(op::instance_norm, stabilizer{1e-3F, 1}, {x, c.weight({6}), c.weight({6})}));
            c.output(c.add(op::layer_norm, stabilizer{1e-3F, 2}, {x, c.weight({7}), c.weight({7})}));
            for (const op kind :
                 {op::reduce_sum_square, op::reduce_l1_norm, op::reduce_l2_norm, op::reduce_log_sum_exp}) {
                c.output(c.add(kind, axes(1, 3), {x}));
            }
            c.output(c.add(op::reduce_log_sum, axes(2), {c.add(op::abs, {x})}));
        },
        whole);
}

TEST_CASE("agreement: attention with another scale than the form's is refused whole, and runs in parts") {
    composer c;
    const int q = c.input({2, 4, 16});
    c.output(c.add(op::attention, score_scaling{0.5F}, {q, q, q}));
    const dynamic_graph g = c.finish();
    const standin::host here(h16);
    CHECK_THROWS_WITH_AS(compile(g, standin::engine(h16, {.whole = {op::attention}}), weight_store{}),
                         doctest::Contains("1 / sqrt(16)"), error);
    agree(g, h16, 1);
}

namespace {

/// Whether what is computed of constants is finite, with the weights that `agree` takes.
bool folds(const graph_view& g, unsigned seed) {
    random_engine random(seed);
    try {
        fold_constants(lower(g).graph, random_weights(g, random));
    } catch (const error&) {
        return false;
    }
    return true;
}

bool breaks_a_rule(const graph_view& g, target machine) {
    const std::vector<violation> all = violations(g, describe(machine), on_route(compile_route::mil));
    return std::any_of(all.begin(), all.end(), [](const violation& v) { return v.is_error; });
}

} // namespace

TEST_CASE("agreement: random graphs of everything that can be written") {
    const unsigned first = from_environment::seed();
    const unsigned graphs = from_environment::number("ANEMONE_TEST_GRAPHS", 300);
    std::vector<op> kinds;
    for (std::size_t k = 0; k < op_count; ++k) {
        const auto kind = static_cast<op>(k);
        if (!is_source(kind) && (find_mil_form(kind) != nullptr || is_composed(kind))) {
            kinds.push_back(kind);
        }
    }
    int compared = 0;
    for (unsigned seed = first; seed != first + graphs; ++seed) {
        random_engine random(seed);
        const dynamic_graph g = differential::graph_maker(random, kinds).make(kinds[seed % kinds.size()]);
        if (find_form_faults(g).mil_count == 0 && folds(g, seed) && !breaks_a_rule(g, machines[seed % 4])) {
            agree(g, machines[seed % 4], seed);
            ++compared;
        }
    }
    CHECK(compared > static_cast<int>(graphs / 6));
}

TEST_CASE("agreement: weights of 8-bit integers, whose scales follow the sum from A14 on") {
    const compression int8{.form = weight_form::affine, .bits = 8};
    agree_everywhere([&](composer& c) {
        const int x = c.input({5, 24});
        const int w = c.add(op::compressed, int8, {c.weight({6, 24})});
        c.output(c.add(op::linear, {x, w}));
        c.output(c.add(op::add, {c.add(op::linear, {x, w}), c.weight({6})}));
        c.output(c.add(op::relu, {c.add(op::mul, {c.add(op::linear, {x, w}), c.constant(0.5F)})}));
    });
    agree_everywhere([&](composer& c) { // channels of an image, in groups
        const int x = c.input(image);
        const int w = c.add(op::compressed, int8, {c.weight({4, 3, 3, 2})});
        c.output(c.add(op::conv2d, conv{.stride = {2, 1}, .padding = 1, .groups = 2}, {x, w}));
        c.output(c.add(op::conv2d, conv{.groups = 2}, {x, w, c.weight({4})}));
    });
    agree_everywhere([&](composer& c) { // scales along the features: expanded
        c.output(c.add(op::matmul, transposed{}, {c.input({5, 24}), c.add(op::compressed, int8, {c.weight({24, 6})})}));
    });
}
