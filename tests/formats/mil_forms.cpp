// The forms of the rarer operations: texts kept in the repository, and argument lists of the published facts (mil-ops
// sections 6 and 7), written down here once more.

#include "../differential/graph_maker.hpp"
#include "../standin/mil_parser.hpp"
#include "mil_files.hpp"
#include "written_operations.hpp"
#include <anemone/build.hpp>
#include <anemone/formats/mil_names.hpp>
#include <anemone/forms/written.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/readers/mil.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

using namespace composing;
using namespace mil_files;

namespace {

/// What each operation must be given, and what it may be given.
struct argument_list {
    std::set<std::string> must;
    std::set<std::string> may{};
};
const std::map<std::string, argument_list>& argument_lists() {
    static const std::set<std::string> x{"x"};
    static const std::set<std::string> of_two{"x", "y"};
    static const std::set<std::string> alpha_beta{"x", "alpha", "beta"};
    static const std::set<std::string> convolution{"x", "weight", "strides", "dilations", "pad", "pad_type", "groups"};
    static const std::set<std::string> pool{"x", "kernel_sizes", "strides", "pad", "pad_type", "ceil_mode"};
    static const std::set<std::string> reduction{"x", "axes", "keep_dims"};
    static const std::map<std::string, argument_list> table = {
        {"relu", {x}},
        {"relu6", {x}},
        {"silu", {x}},
        {"sigmoid", {x}},
        {"tanh", {x}},
        {"exp", {x}},
        {"sqrt", {x}},
        {"abs", {x}},
        {"erf", {x}},
        {"softsign", {x}},
        {"softplus", {x}},
        {"atan", {x}},
        {"exp2", {x}},
        {"floor", {x}},
        {"ceil", {x}},
        {"round", {x}},
        {"sign", {x}},
        {"sin", {x}},
        {"cos", {x}},
        {"logical_not", {x}},
        {"log", {{"x", "epsilon"}}},
        {"rsqrt", {{"x", "epsilon"}}},
        {"inverse", {{"x", "epsilon"}}},
        {"elu", {{"x", "alpha"}}},
        {"leaky_relu", {{"x", "alpha"}}},
        {"thresholded_relu", {{"x", "alpha"}}},
        {"scaled_tanh", {alpha_beta}},
        {"clamped_relu", {alpha_beta}},
        {"sigmoid_hard", {alpha_beta}},
        {"clip", {alpha_beta}},
        {"prelu", {{"x", "alpha"}}},
        {"softplus_parametric", {alpha_beta}},
        {"gelu", {{"x", "mode"}}},
        {"add", {of_two}},
        {"sub", {of_two}},
        {"mul", {of_two}},
        {"real_div", {of_two}},
        {"maximum", {of_two}},
        {"minimum", {of_two}},
        {"pow", {of_two}},
        {"floor_div", {of_two}},
        {"less", {of_two}},
        {"equal", {of_two}},
        {"not_equal", {of_two}},
        {"less_equal", {of_two}},
        {"greater_equal", {of_two}},
        {"greater", {of_two}},
        {"select", {{"cond", "a", "b"}}},
        {"cast", {{"x", "dtype"}}},
        {"matmul", {{"x", "y", "transpose_x", "transpose_y"}}},
        {"conv", {convolution}},
        {"conv_transpose", {convolution}},
        {"max_pool", {pool}},
        {"l2_pool", {pool}},
        {"avg_pool",
         {{"x", "kernel_sizes", "strides", "pad", "pad_type", "ceil_mode", "exclude_padding_from_average"}}},
        {"local_response_norm", {{"x", "size", "alpha", "beta", "k"}}},
        {"softmax", {{"x", "axis"}}},
        {"batch_norm", {{"x", "mean", "variance", "gamma", "beta", "epsilon"}}},
        {"instance_norm", {{"x", "gamma", "beta", "epsilon"}}},
        {"layer_norm", {{"x", "axes", "gamma", "beta", "epsilon"}}},
        {"scaled_dot_product_attention", {{"query", "key", "value"}, {"attn_mask"}}},
        {"reduce_sum", {reduction}},
        {"reduce_mean", {reduction}},
        {"reduce_max", {reduction}},
        {"reduce_min", {reduction}},
        {"reduce_sum_square", {reduction}},
        {"reduce_l1_norm", {reduction}},
        {"reduce_l2_norm", {reduction}},
        {"reduce_log_sum", {reduction}},
        {"reduce_log_sum_exp", {reduction}},
        {"reshape", {{"x", "shape"}}},
        {"transpose", {{"x", "perm"}}},
        {"concat", {{"values", "axis", "interleave"}}},
        {"slice_by_size", {{"x", "begin", "size"}}},
        {"slice_by_index", {{"x", "begin", "end", "stride", "begin_mask", "end_mask", "squeeze_mask"}}},
        {"pad", {{"x", "pad", "mode", "constant_val"}}},
        {"tile", {{"x", "reps"}}},
        {"reverse", {{"x", "axes"}}},
        {"pixel_shuffle", {{"x", "upscale_factor"}}},
        {"pixel_unshuffle", {{"x", "downscale_factor"}}},
        {"depth_to_space", {{"x", "block_size"}}},
        {"space_to_depth", {{"x", "block_size"}}},
        {"space_to_batch", {{"x", "block_shape", "paddings"}}},
        {"batch_to_space", {{"x", "block_shape", "crops"}}},
        {"upsample_nearest_neighbor", {{"x", "scale_factor_height", "scale_factor_width"}}},
        {"resize_nearest_neighbor", {{"x", "target_size_height", "target_size_width"}}},
        {"resize_bilinear", {{"x", "target_size_height", "target_size_width", "sampling_mode"}}},
        {"affine",
         {{"x", "transform_matrix", "output_height", "output_width", "sampling_mode", "padding_mode", "padding_value",
           "coordinates_mode", "align_corners"}}},
        {"quantize", {{"input", "scale", "output_dtype"}, {"zero_point", "axis"}}},
        {"dequantize", {{"input", "scale"}, {"zero_point", "axis"}}},
        {"topk", {{"x", "k", "axis", "ascending", "sort", "return_indices", "output_indices_dtype"}}},
    };
    return table;
}

/// Holds the arguments of every operation of a text against the table; returns the operations.
std::set<std::string> check_arguments(const std::string& text) {
    std::set<std::string> operations;
    for (const standin::statement& s : standin::parse_mil(text).statements) {
        if (s.operation == "const" || s.operation.rfind("constexpr_", 0) == 0) {
            continue;
        }
        operations.insert(s.operation);
        const auto found = argument_lists().find(s.operation);
        REQUIRE_MESSAGE(found != argument_lists().end(), s.operation);
        std::set<std::string> left = found->second.must;
        for (const standin::argument& a : s.arguments) {
            const bool known = left.erase(a.name) + found->second.may.count(a.name) == 1;
            CHECK_MESSAGE(known, s.operation, " is given ", a.name);
        }
        CHECK_MESSAGE(left.empty(), s.operation, " lacks an argument");
    }
    return operations;
}

/// A graph of one operation that can be written.
std::optional<dynamic_graph> written_graph(op kind) {
    const std::vector<op> kinds{kind};
    for (unsigned seed = 0; seed < 200; ++seed) {
        random_engine random(seed);
        dynamic_graph g = differential::graph_maker(random, kinds).make(kind);
        if (operations_of(g).contains(kind) && find_form_faults(g).mil_count == 0) {
            return g;
        }
    }
    return std::nullopt;
}

/// Reads a text, writes it with these options, and again, until nothing changes; returns how often something did. Names
/// follow the numbers of nodes, of which the reader may make others than the model had.
int writings_until_fixed(mil_program program, const op_set& kept = {}, const mil_options& options = {}) {
    for (int written = 0; written < 4; ++written) {
        const auto blob = [&](const std::string&) { return program.weights.bytes(); };
        const read_model read = read_mil(program.text, blob);
        const lowered_graph lowered = lower(read.graph, kept);
        mil_program again = emit_mil(lowered.graph, fold_constants(lowered.graph, read.weights), options);
        if (again.text == program.text && std::ranges::equal(again.weights.bytes(), program.weights.bytes())) {
            return written;
        }
        program = std::move(again);
    }
    return 4;
}

} // namespace

TEST_CASE("mil: every operation of the vocabulary is written, with all of its arguments") {
    std::set<std::string> written;
    for (const mil_form& form : mil_vocabulary) {
        CAPTURE(name(form.kind));
        if (is_composed(form.kind) || form.kind == op::floor_div) {
            continue;
        }
        const std::optional<dynamic_graph> g = written_graph(form.kind);
        REQUIRE(g.has_value());
        written.merge(check_arguments(emitted(*g).text));
    }
    composer quotient; // which lowering takes apart, but for whoever keeps it
    quotient.output(quotient.add(op::floor_div, {quotient.input({2, 3}), quotient.input({2, 3})}));
    written.merge(check_arguments(emitted(quotient.finish(), {op::floor_div}).text));
    composer c; // what is written whole, and the choices that a graph of random numbers may not take
    const int x = c.input({1, 4, 6, 6});
    c.output(c.add(op::attention, score_scaling{0.5F}, {c.input({1, 3, 4}), c.input({1, 5, 4}), c.input({1, 5, 4})}));
    c.output(
        c.add(op::batch_norm, stabilizer{1e-3F, 1}, {x, c.weight({4}), c.positive({4}), c.weight({4}), c.weight({4})}));
    c.output(c.add(op::instance_norm, stabilizer{1e-3F, 1}, {x, c.weight({4}), c.weight({4})}));
    c.output(c.add(op::layer_norm, stabilizer{1e-3F, 1}, {x, c.weight({4}), c.weight({4})}));
    for (const op kind :
         {op::reduce_sum_square, op::reduce_l1_norm, op::reduce_l2_norm, op::reduce_log_sum, op::reduce_log_sum_exp}) {
        c.output(c.add(kind, axes(1, 2), {x}));
    }
    for (const sampling_grid grid : {sampling_grid::half_pixel, sampling_grid::asymmetric}) {
        const size2 to = grid == sampling_grid::asymmetric ? size2{7, 3} : size2{12, 18};
        c.output(c.add(op::resize, sampling{to, sampling_method::nearest, grid}, {x}));
    }
    c.output(c.add(op::resize, sampling{size2{7, 3}, sampling_method::bilinear, sampling_grid::align_corners}, {x}));
    written.merge(check_arguments(emitted(c.finish(), mil_whole).text));
    for (const auto& row : argument_lists()) {
        CHECK_MESSAGE(written.count(row.first) == 1, row.first, " is never written");
    }
}

TEST_CASE("mil: the text of the rarer forms is the kept text") {
    constexpr auto layers = graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 4, 6, 6>);
        auto close = less(x, g.constant(f16<>, 0.5));
        auto bent = select(logical_not(close), elu(x, 0.75), scaled_tanh(x, 1.5, 0.5));
        auto steep = prelu(hard_sigmoid(bent), g.weight("slope", f16<4>));
        auto normal = local_response_norm<3>(steep, 1e-3, 0.75, 2);
        auto small = pixel_shuffle<2>(normal);
        auto bytes =
            quantize<quantization{.type = dtype::uint8}>(small, g.constant(f16<>, 0.125), g.constant(f16<>, 128));
        g.output("bytes"_s, dequantize(bytes, g.constant(f16<>, 0.125), g.constant(f16<>, 128)));
        g.output("odd"_s, strided_slice<index_range{{0, 1, 0, 0}, {1, 4, 6, 6}, {1, 1, 2, 3}}>(x));
        g.output("wide"_s, resize_bilinear<size2{9, 12}, sampling_grid::align_corners>(x));
        g.output("tall"_s, upsample_nearest_neighbor<factors{3, 1}>(reflect_pad<pads{{0, 0, 1, 2}, {0, 0, 0, 1}}>(x)));
        g.output("turned"_s, affine<sampling{.extent = {3, 3}}>(x, g.weight("map", f16<1, 6>)));
        const auto best = top_k<2, axis{1}>(x);
        g.output("best"_s, best.values);
        g.output("where"_s, best.indices);
        g.output("same"_s, to_f16(equal(x, tile<repeats{1, 4, 1, 1}>(slice<window{{0, 0, 0, 0}, {1, 1, 6, 6}}>(x)))));
    });
    check_golden("layers", emitted(layers).text);
    CHECK(writings_until_fixed(emitted(layers)) <= 1);

    dynamic_builder g;
    const dynamic_tensor x = g.input("x", {2, 3, 8});
    const dynamic_tensor attended = g.add(op::attention, {x, x, x, g.weight("mask", {3, 3})}, score_scaling{});
    compression blocks = blockwise<2, 4>;
    blocks.zero_point = true;
    const dynamic_tensor w = g.add(op::compressed, {g.weight("w", {5, 8})}, blocks);
    const dynamic_tensor v = g.add(op::compressed, {g.weight("v", {4, 5})}, palette<2, 2>);
    g.output("y", g.add(op::linear, {g.add(op::linear, {attended, w}), v}));
    const mil_program whole = emitted(g.finish(), mil_whole, {.every_stored_form = true});
    check_golden("whole", whole.text);
    // These weights are no longer compressed once they are read: the library would store their values in other bytes.
    CHECK(writings_until_fixed(whole, mil_whole, {.every_stored_form = true}) <= 2);
}

TEST_CASE("mil: what a form cannot say is refused with the reason, and its neighbour is written") {
    const auto refusal = [](const auto& describe) -> std::string {
        composer c;
        describe(c);
        const dynamic_graph g = c.finish();
        const bool clean = find_form_faults(g).mil_count == 0;
        try {
            emitted(g);
            CHECK(clean);
            return "";
        } catch (const error& e) {
            CHECK_FALSE(clean);
            CHECK(e.code() == errc::lowering);
            return e.what();
        }
    };
    const auto says = [&](const auto& describe, const char* part) {
        const std::string said = refusal(describe);
        CHECK_MESSAGE(said.find(part) != std::string::npos, said);
    };
    says([](composer& c) { c.output(c.add(op::prelu, {c.input({2, 3, 4}), c.input({3})})); }, "computes operand 1");
    says([](composer& c) { c.output(c.add(op::reflect_pad, pads{{1}, {0}}, {c.input({3})})); }, "takes 2 and more");
    says(
        [](composer& c) {
            c.output(c.add(op::local_response_norm, response_norm_shape{}, {c.input({2, 3, 4})}));
        },
        "takes 4 and more");
    CHECK(refusal([](composer& c) { c.output(c.add(op::prelu, {c.input({2, 3, 1}), c.weight({3})})); }).empty());
    says(
        [](composer& c) {
            c.output(c.add(op::pixel_shuffle, factors{2, 1}, {c.input({1, 2, 3, 3})}));
        },
        "blocks of 2 by 1");
    says([](composer& c) { c.output(c.add(op::space_to_batch, factors{2}, {c.input({2, 1, 2, 2})})); }, "of 2 images");
    CHECK(refusal([](composer& c) {
              c.output(c.add(op::space_to_batch, factors{2, 1}, {c.input({1, 1, 2, 2})}));
          }).empty());
    says(
        [](composer& c) {
            c.output(c.add(op::reflect_pad, pads{{0, 1, 0, 0}, {0, 0, 0, 0}}, {c.input({1, 2, 3, 3})}));
        },
        "pads by 1");
    says(
        [](composer& c) {
            const sampling s{{5, 5}, sampling_method::nearest, sampling_grid::half_pixel};
            c.output(c.add(op::resize, s, {c.input({1, 1, 3, 3})}));
        },
        "that no form has");
    says(
        [](composer& c) {
            const sampling s{.extent = {2, 2}, .border = sampling_border::edge};
            c.output(c.add(op::affine, s, {c.input({1, 1, 3, 3}), c.weight({1, 6})}));
        },
        "that no form has");
    const auto shifted = [](float zero) {
        return [zero](composer& c) {
            const quantization q{.type = dtype::uint8};
            const int bytes = c.input({2, 3}, dtype::uint8);
            c.output(c.add(op::dequantize, q, {bytes, c.constant(0.5F), c.constant(zero)}));
        };
    };
    says(shifted(0.5F), "not an integer from 0 to 255");
    says(shifted(-1), "not an integer from 0 to 255");
    CHECK(refusal(shifted(255)).empty());
    says(
        [](composer& c) {
            const int bytes = c.reshape(c.input({2, 3}, dtype::uint8), {3, 2});
            c.output(c.add(op::dequantize, quantization{.type = dtype::uint8}, {bytes, c.constant(0.5F)}));
        },
        "moves integers or booleans");
    CHECK(refusal([](composer& c) { // cast before it is moved
              c.output(c.add(op::cast, {c.reshape(c.input({2, 3}, dtype::uint8), {3, 2})}));
          })
              .empty());
    for (const op kind : {op::gather, op::arg_max, op::sort, op::symmetric_pad}) {
        const std::vector<op> kinds{kind};
        random_engine random(3);
        dynamic_graph g = differential::graph_maker(random, kinds).make(kind);
        CAPTURE(name(kind));
        CHECK((!operations_of(g).contains(kind) || find_form_faults(g).mil_count > 0));
    }
}

TEST_CASE("mil: a zero point of a weight that is no integer is an error of the weights") {
    dynamic_builder g;
    const dynamic_tensor bytes = g.input("x", {2, 3}, {}, dtype::int8);
    const dynamic_tensor zero = g.weight("zero", {1});
    g.output("y", g.add(op::dequantize, {bytes, g.weight("scale", {1}), zero}, quantization{}));
    const lowered_graph lowered = lower(g.finish());
    for (const double value : {3.0, 3.5, 200.0}) {
        weight_store weights;
        const half scale(0.5);
        const half stored(value);
        weights.add("scale", {1}, std::span(&scale, 1));
        weights.add("zero", {1}, std::span(&stored, 1));
        const folded_constants constants = fold_constants(lowered.graph, weights);
        if (value == 3.0) {
            CHECK(emit_mil(lowered.graph, constants).text.find("zero_point = int8(3)") != std::string::npos);
        } else {
            CHECK_THROWS_WITH_AS(emit_mil(lowered.graph, constants), doctest::Contains("-128 to 127"), error);
        }
    }
}

TEST_CASE("mil: ports of any name become identifiers that differ") {
    // A graph's ports are identifiers today (a_port_name_is_letters_digits_and_underscores): asked directly.
    const std::vector<std::string_view> given{"x.1", "x-1", "x_1", "1x", "true", "true_", "", "\xC3\xA4", "_"};
    const std::vector<std::string> names = formats::mil_port_names(given);
    CHECK(names == std::vector<std::string>{"x_1_", "x_1__", "x_1", "_1x", "true__", "true_", "__", "___", "_"});
}
