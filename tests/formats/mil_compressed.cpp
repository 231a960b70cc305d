// Compressed weights in MIL text: the statements and bytes of the facts, and what the stand-in makes of them.

#include "../standin/test_support.hpp"
#include <anemone/backend/cpu/constants.hpp>
#include <anemone/build.hpp>
#include <anemone/formats/mil.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/passes/lowering.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

using namespace ane;

namespace {

struct emitted {
    mil_program program;
    materialized constants;
    int weight; ///< its node in the lowered graph
};

emitted emit(const dynamic_graph& model, const weight_store& weights) {
    const lowered_graph lowered = lower(model);
    materialized constants = materialize(lowered.graph, weights);
    int weight = -1;
    for (int i = 0; i < lowered.view().size(); ++i) {
        weight = lowered.view()[i].kind == op::compressed ? i : weight;
    }
    return {emit_mil(lowered.view(), constants), constants, weight};
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
    const emitted int8 = emit(linear_model<affine_int8>(), store_of("w", {2, 4}, {1, -0.5, 0.25, 0, 2, -4, 1, 0.5}));
    CHECK(has_line(int8.program.text, "= constexpr_affine_dequantize()[axis = int32(0), name = string(\"t2\"), "
                                      "quantized_data = tensor<int8, [2, 4]>" +
                                          at + "64))), scale = tensor<fp16, [2]>" + at +
                                          "192))), zero_point = int8(0)];"));
    CHECK(hex(int8.program, 64, 16) == "ef be ad de 04 00 00 00 08 00 00 00 00 00 00 00");
    CHECK(hex(int8.program, 128, 8) == "7f c0 20 00 40 81 20 10");
    CHECK(hex(int8.program, 256, 4) == "08 20 08 28");

    const emitted nibbles = emit(linear_model<palette<4>>(), store_of("w", {2, 4}, {1, 0, 0, 1, 0, 0, 0, 0}));
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
    const emitted zeros = emit(model, store_of("w", {3, 4}, {0, 1.5, 0, 0, -2, 0, 0, 0, 0.5, 0, 0, 3}));
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

template <compression Form> void hold() {
    std::mt19937 random(17);
    std::normal_distribution<double> draw(0, 0.3);
    std::vector<double> w;
    for (int i = 0; i < 5 * 24; ++i) {
        w.push_back(i % 3 == 0 ? 0.0 : draw(random));
    }
    const auto model = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<24, 24>);
        g.output("y"_s, linear(x, compressed<Form>(g.weight("w"_s, f16<5, 24>))));
    });
    const emitted e = emit(model, store_of("w", {5, 24}, w));
    const standin_test::scratch folder;
    const auto bytes = e.program.weights.bytes();
    folder.write("weights.bin", std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    std::vector<double> identity(24 * 24, 0.0);
    for (std::size_t i = 0; i < 24; ++i) {
        identity[i * 25] = 1;
    }
    const auto y = standin_test::run(e.program.text, {identity}, folder.directory())[0];
    const auto& decoded = e.constants.values[static_cast<std::size_t>(e.weight)];
    for (std::size_t row = 0; row < 24; ++row) {
        for (std::size_t o = 0; o < 5; ++o) {
            // A product of one is a multiple of 2^-16 in the engine's sums.
            CHECK(std::fabs(y[row * 5 + o] - static_cast<double>(decoded[o * 24 + row])) <= 0x1p-17);
        }
    }
}

} // namespace

TEST_CASE("the stand-in expands what is written to the values that both backends run") {
    hold<affine_int8>();
    hold<palette<4>>();
    hold<palette<8>>();
    hold<sparse>();
    hold<blockwise<8>>();
}
