// Compressed weights in MIL text: the statements and bytes of the facts, and what the stand-in makes of them.

#include "../standin/test_support.hpp"
#include <anemone/backend/cpu/constants.hpp>
#include <anemone/build.hpp>
#include <anemone/dynamic_builder.hpp>
#include <anemone/formats/mil.hpp>
#include <anemone/forms/weight_faults.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/passes/lowering.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

using namespace ane;

namespace {

struct stored_program {
    mil_program program;
    folded_constants constants;
    int weight; ///< its node in the lowered graph
};

stored_program emit(const dynamic_graph& model, const weight_store& weights, const mil_options& options = {}) {
    const lowered_graph lowered = lower(model);
    folded_constants constants = fold_constants(lowered.graph, weights);
    int weight = -1;
    for (int i = 0; i < lowered.view().size(); ++i) {
        weight = lowered.view()[i].kind == op::compressed ? i : weight;
    }
    return {emit_mil(lowered.view(), constants, options), constants, weight};
}

template <compression Form> dynamic_graph linear_model() {
    return build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 4>);
        g.output("y"_s, linear(x, compressed<Form>(g.weight("w"_s, f16<2, 4>))));
    });
}

weight_store store_of(const std::string& name, const extents& shape, const std::vector<double>& values) {
    weight_store store;
    std::vector<half> all;
    for (const double v : values) {
        all.emplace_back(v);
    }
    store.add(name, shape, std::span<const half>(all));
    return store;
}

/// The bytes of a blob at an offset, as hexadecimal digits.
std::string hex(const mil_program& p, std::size_t at, std::size_t count) {
    std::string text;
    for (std::size_t i = at; i < at + count; ++i) {
        text += fmt::format("{}{:02x}", i == at ? "" : " ", static_cast<unsigned>(p.weights.bytes()[i]));
    }
    return text;
}

bool has_line(const std::string& whole, const std::string& part) { return whole.find(part) != std::string::npos; }

} // namespace

TEST_CASE("int8, palette and sparse weights are written as the facts have them") {
    const std::string at = "(BLOBFILE(path = string(\"@model_path/weights.bin\"), offset = uint64(";
    const stored_program int8 =
        emit(linear_model<affine_int8>(), store_of("w", {2, 4}, {1, -0.5, 0.25, 0, 2, -4, 1, 0.5}));
    CHECK(has_line(int8.program.text, "= constexpr_affine_dequantize()[axis = int32(0), name = string(\"t2\"), "
                                      "quantized_data = tensor<int8, [2, 4]>" +
                                          at + "64))), scale = tensor<fp16, [2]>" + at +
                                          "192))), zero_point = int8(0)];"));
    CHECK(hex(int8.program, 64, 16) == "ef be ad de 04 00 00 00 08 00 00 00 00 00 00 00");
    CHECK(hex(int8.program, 128, 8) == "7f c0 20 00 40 81 20 10");
    CHECK(hex(int8.program, 256, 4) == "08 20 08 28");

    const stored_program nibbles = emit(linear_model<palette<4>>(), store_of("w", {2, 4}, {1, 0, 0, 1, 0, 0, 0, 0}));
    CHECK(has_line(nibbles.program.text, "tensor<uint4, [2, 4]> t2_indices = const()"));
    CHECK(has_line(nibbles.program.text, "tensor<fp16, [1, 1, 16, 1]> t2_lut = const()"));
    CHECK(has_line(nibbles.program.text, "tensor<fp16, [2, 4]> t2 = constexpr_lut_to_dense(indices = t2_indices, "
                                         "lut = t2_lut)[name = string(\"t2\")];"));
    CHECK(hex(nibbles.program, 68, 4) == "0b 00 00 00");
    CHECK(hex(nibbles.program, 128, 4) == "01 10 00 00");

    const auto model = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 4>);
        g.output("y"_s, linear(x, compressed<sparse>(g.weight("w"_s, f16<3, 4>))));
    });
    const stored_program zeros = emit(model, store_of("w", {3, 4}, {0, 1.5, 0, 0, -2, 0, 0, 0, 0.5, 0, 0, 3}));
    CHECK(has_line(zeros.program.text, "constexpr_sparse_to_dense(nonzero_data = t2_kept, mask = t2_mask)"));
    CHECK(hex(zeros.program, 128, 8) == "00 3e 00 c0 00 38 00 42");
    CHECK(hex(zeros.program, 192, 32) == "ef be ad de 09 00 00 00 02 00 00 00 00 00 00 00 00 01 00 00 00 00 00 00 "
                                         "04 00 00 00 00 00 00 00"); // four bits of padding
    CHECK(hex(zeros.program, 256, 2) == "12 09");
}

TEST_CASE("forms and places without a statement of their own are written as fp16") {
    const auto w = store_of("w", {2, 4}, {1, -0.5, 0.25, 0, 2, -4, 1, 0.5});
    const auto dense = [&](const dynamic_graph& model) {
        const std::string text = emit(model, w).program.text;
        return !has_line(text, "constexpr_") && has_line(text, "tensor<fp16, [2, 4]> t2 = const()");
    };
    CHECK(dense(linear_model<blockwise<2>>()));
    CHECK(dense(linear_model<palette<2>>()));
    CHECK_FALSE(has_line(emit(linear_model<sparse>(), store_of("w", {2, 4}, std::vector<double>(8))).program.text,
                         "constexpr_")); // nothing is left
    CHECK(dense(linear_model<palette<4, 2>>()));
    CHECK(dense(linear_model<compression{.form = weight_form::affine, .bits = 8, .zero_point = true}>()));
    CHECK(dense(build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<2, 4>);
        g.output("y"_s, x + compressed<affine_int8>(g.weight("w"_s, f16<2, 4>)));
    })));
}

namespace {

constexpr compression with_zero_point(compression form) {
    form.zero_point = true;
    return form;
}
constexpr compression sparse_palette(int bits) { return {.form = weight_form::sparse_palette, .bits = bits}; }
constexpr compression sparse_blockwise(int bits, int block) {
    return {.form = weight_form::sparse_blockwise, .bits = bits, .block = block};
}

/// Holds what the stand-in makes of a weight in a form against the values of the library's decoder.
void hold(const compression& form, bool every_form, const extents& shape = {6, 24}) {
    CAPTURE(name(form.form));
    CAPTURE(form.bits);
    CAPTURE(form.vector);
    CAPTURE(form.block);
    CAPTURE(form.zero_point);
    std::mt19937 random(17);
    std::normal_distribution<double> draw(0, 0.3);
    std::vector<double> w;
    for (std::int64_t i = 0; i < shape.count(); ++i) {
        w.push_back(i % 3 == 0 ? 0.0 : draw(random));
    }
    const std::int64_t rows = shape[0];
    const std::int64_t columns = shape.count() / rows;
    dynamic_builder g;
    const dynamic_tensor stored = g.add(op::compressed, {g.weight("w", shape)}, form);
    if (shape.rank == 2) {
        const dynamic_tensor x = g.input("x", {columns, columns});
        g.output("y", g.add(op::matmul, {x, stored}, transposed{.b = true}));
    } else { // one pixel at a time: [columns, I, kH, kW] under a kernel as large as the image
        const dynamic_tensor x = g.input("x", {columns, shape[1], shape[2], shape[3]});
        g.output("y", g.add(op::conv2d, {x, stored}, conv{}));
    }
    const stored_program e = emit(g.finish(), store_of("w", shape, w), {.every_stored_form = every_form});
    CHECK(has_line(e.program.text, "constexpr_") ==
          (every_form || form == affine_int8 || form == palette<4> || form == palette<8> || form == sparse));
    const standin_test::scratch folder;
    const auto bytes = e.program.weights.bytes();
    folder.write("weights.bin", std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    const auto n = static_cast<std::size_t>(columns);
    std::vector<double> identity(n * n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        identity[i * (n + 1)] = 1;
    }
    const auto y = standin_test::run(e.program.text, {identity}, folder.directory(), "h14")[0];
    const auto& decoded = e.constants.values[static_cast<std::size_t>(e.weight)];
    // A product of one is a multiple of 2^-16 in the engine's sums. Behind a sum of codes comes the product of a code and its
    // scale, rounded once as the decoder's is, but with ties away from zero: to the odd neighbour of the decoder's even one.
    const bool adds_codes = is_int8_by_channel(form);
    double worst = 0;
    for (std::size_t row = 0; row < n; ++row) {
        for (std::size_t o = 0; o < static_cast<std::size_t>(rows); ++o) {
            const half even = decoded[o * n + row];
            const half found(y[row * static_cast<std::size_t>(rows) + o]);
            const bool is_tie = adds_codes && even.bits % 2 == 0 && found.bits == even.bits + 1;
            const double difference = std::fabs(static_cast<double>(found) - static_cast<double>(even));
            worst = is_tie ? worst : std::max(worst, difference);
        }
    }
    CHECK(worst <= 0x1p-17);
}

} // namespace

TEST_CASE("the stand-in expands what is written to the values that both backends run") {
    for (const compression& form : {affine_int8, palette<4>, palette<8>, sparse, blockwise<8>}) {
        hold(form, false);
    }
}

TEST_CASE("the stand-in expands every form that MIL has to the values of the library's decoder") {
    std::vector<compression> forms{sparse, affine_int8, with_zero_point(affine_int8), sparse_palette(4),
                                   sparse_palette(2)};
    for (const int bits : {1, 2, 3, 4, 6, 8}) {
        for (const int vector : {1, 2}) {
            forms.push_back({.form = weight_form::palette, .bits = bits, .vector = vector});
        }
    }
    for (const int bits : {4, 8}) {
        for (const int block : {0, 2, 4, 8, 24}) {
            const compression blocks{.form = weight_form::blockwise, .bits = bits, .block = block};
            for (const compression& form : {blocks, sparse_blockwise(bits, block),
                                            compression{.form = weight_form::affine, .bits = bits, .block = block}}) {
                forms.push_back(form);
                forms.push_back(with_zero_point(form));
            }
        }
    }
    for (const compression& form : forms) {
        hold(form, true);
        hold(form, true, {4, 3, 4, 2});
    }
}

TEST_CASE("the statements of the forms that are written on request") {
    const auto text = [](const compression& form, const extents& shape) {
        dynamic_builder g;
        const dynamic_tensor stored = g.add(op::compressed, {g.weight("w", shape)}, form);
        g.output("y", g.add(op::mul, {g.input("x", shape), stored}));
        std::vector<double> w;
        for (std::int64_t i = 0; i < shape.count(); ++i) {
            w.push_back(static_cast<double>(i % 4));
        }
        return emit(g.finish(), store_of("w", shape, w), {.every_stored_form = true}).program.text;
    };
    // weights, section 2: names of arguments, and the shapes of the parts.
    const std::string blocks = text(with_zero_point(blockwise<2, 4>), {4, 6});
    CHECK(has_line(blocks, "tensor<int4, [4, 6]> t2_data = const()"));
    CHECK(has_line(blocks, "tensor<fp16, [4, 3]> t2_scale = const()"));
    CHECK(has_line(blocks, "tensor<int4, [4, 3]> t2_offset = const()"));
    CHECK(has_line(blocks, "constexpr_blockwise_shift_scale(data = t2_data, scale = t2_scale, offset = t2_offset)"));
    CHECK_FALSE(has_line(blocks, " add(")); // an elementwise operand is taken as it is
    const std::string vectors = text(palette<2, 2>, {4, 6});
    CHECK(has_line(vectors, "tensor<uint2, [2, 6]> t2_indices = const()"));
    CHECK(has_line(vectors, "tensor<fp16, [1, 1, 4, 2]> t2_lut = const()"));
    CHECK(has_line(vectors, "constexpr_lut_to_dense(indices = t2_indices, lut = t2_lut, vector_axis = "));
    const std::string kept = text(sparse_palette(2), {4, 6});
    CHECK(has_line(kept, "tensor<uint1, [4, 6]> t2_mask, tensor<fp16, [18]> t2_kept = constexpr_lut_to_sparse("
                         "indices_mask = t2_indices_mask, indices_nonzero_data = t2_indices, lut = t2_lut)"));
    CHECK(has_line(kept, "constexpr_sparse_to_dense(nonzero_data = t2_kept, mask = t2_mask)"));
    const std::string both = text(sparse_blockwise(8, 3), {4, 6});
    CHECK(has_line(both, "tensor<uint1, [4, 6]> t2_mask, tensor<fp16, [18]> t2_kept = "
                         "constexpr_sparse_blockwise_shift_scale(data_mask = t2_data_mask, nonzero_data = t2_data, "
                         "scale = t2_scale)"));
    // Vectors need whole groups of rows, scales whole blocks of each axis: else the values are written.
    CHECK_FALSE(has_line(text(palette<2, 2>, {3, 6}), "constexpr_"));
    CHECK_FALSE(has_line(text(blockwise<3>, {2, 3, 4}), "constexpr_"));
}

TEST_CASE("what is priced and warned of as stored, and no other weight, is written so") {
    const weight_store weights = [] {
        std::vector<double> values;
        for (int i = 0; i < 64 * 64; ++i) {
            values.push_back(i % 3 == 0 ? 0 : 0.01 * (i % 101) - 0.5);
        }
        return store_of("w", {64, 64}, values);
    }();
    const auto stored = [](const compression& form, bool is_added) {
        dynamic_builder b;
        const dynamic_tensor x = b.input("x", {64, 64});
        const dynamic_tensor w = b.add(op::compressed, {b.weight("w", {64, 64})}, form);
        const dynamic_tensor y = b.add(op::linear, {x, w});
        b.output("y", is_added ? b.add(op::add, {y, w}) : y);
        return b.finish();
    };
    for (const compression& form :
         {affine_int8, blockwise<32>, blockwise<32, 4>, palette<2>, palette<3>, palette<4>, palette<6>, palette<8>,
          palette<4, 2>, compression{.form = weight_form::affine, .bits = 4},
          compression{.form = weight_form::affine, .bits = 8, .zero_point = true},
          compression{.form = weight_form::sparse, .bits = 16, .zeros = 0.33F},
          compression{.form = weight_form::sparse_palette, .bits = 8, .zeros = 0.33F}}) {
        for (const bool is_added : {false, true}) {
            const dynamic_graph model = stored(form, is_added);
            const stored_program written = emit(model, weights);
            const dynamic_graph lowered = lower(model).graph;
            CAPTURE(written.program.text);
            const bool as_stored = is_held_as_stored(lowered, written.weight, held_forms::run);
            CHECK(as_stored == has_line(written.program.text, "constexpr_"));
            CHECK(as_stored == !weight_fault(lowered, written.weight, held_forms::run));
            CHECK((!as_stored || !is_added));
        }
    }
}
