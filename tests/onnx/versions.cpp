// What changed in versions 18 to 21, for which ONNX's packaged cases are too old: results worked out by hand.
#include "models.hpp"
#include <anemone/onnx/onnx.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

using models::has;
using models::model;
using models::numbers;
using models::set;

TEST_CASE("18: reductions take their axes as an input, Split a number of parts, Pad the axes that it pads") {
    model m(18);
    m.input("x", {1, 5}).output("most").output("a").output("b").output("padded");
    m.integers("last", {1}, {-1}).integers("amounts", {2}, {1, 0});
    set(m.node("ReduceMax", {"x", "last"}, {"most"}), "keepdims", 0);
    ::onnx::NodeProto& split = m.node("Split", {"x"}, {"a", "b"}); // 3 and 2: the last one is smaller
    set(split, "num_outputs", 2);
    set(split, "axis", 1);
    m.node("Pad", {"x", "amounts", "", "last"}, {"padded"});
    CHECK(m.run({{1, 5, 2, 4, 3}}) == std::vector<numbers>{{5}, {1, 5, 2}, {4, 3}, {0, 1, 5, 2, 4, 3}});
}

TEST_CASE("18: Resize names its axes; smoothing is refused") {
    model m(18);
    m.input("x", {1, 1, 1, 2}).output("y").integers("sizes", {1}, {4});
    ::onnx::NodeProto& n = m.node("Resize", {"x", "", "", "sizes"}, {"y"});
    set(n, "axes", models::list{3});
    CHECK(m.run({{1, 3}}) == std::vector<numbers>{{1, 1, 3, 3}});
    set(n, "antialias", 1);
    CHECK(has(m.refusal(), "antialias"));
}

TEST_CASE("18 and 21: GroupNormalization has factors for each group, then for each channel") {
    for (const int version : {18, 21}) {
        model m(version);
        m.input("x", {1, 4, 2}).output("y");
        if (version == 18) {
            m.floats("s", {2}, {1, 2}).floats("b", {2}, {0, 1});
        } else {
            m.floats("s", {4}, {1, 1, 2, 2}).floats("b", {4}, {0, 0, 1, 1});
        }
        ::onnx::NodeProto& n = m.node("GroupNormalization", {"x", "s", "b"}, {"y"});
        set(n, "num_groups", 2);
        models::attribute(n, "epsilon", ::onnx::AttributeProto::FLOAT).set_f(0);
        // both groups are two pairs a distance of 2 apart: deviation 1
        CHECK(m.run({{0, 0, 2, 2, 5, 7, 5, 7}}) == std::vector<numbers>{{-1, -1, 1, 1, -1, 3, -1, 3}});
    }
}

TEST_CASE("20: Gelu; 18: Mish") {
    model m(20);
    m.input("x", {1}).output("g").output("m");
    m.node("Gelu", {"x"}, {"g"});
    m.node("Mish", {"x"}, {"m"});
    const std::vector<numbers> y = m.run({{1}});
    CHECK(y[0][0] == doctest::Approx(0.5 * (1 + std::erf(1 / std::sqrt(2.0)))).epsilon(1e-3));
    CHECK(y[1][0] == doctest::Approx(std::tanh(std::log1p(std::exp(1.0)))).epsilon(1e-3));
}

TEST_CASE("21: weights of four bits, with a scale for each block of an axis") {
    model m(21);
    m.input("x", {1, 4}).output("y").floats("scale", {1, 2}, {1, 0.5F});
    m.tensor("w", {1, 4}, 22).set_raw_data("\x21\xF8"); // 1 2 -8 -1, the lower half first
    ::onnx::NodeProto& n = m.node("DequantizeLinear", {"w", "scale"}, {"real"});
    set(n, "axis", 1);
    set(n, "block_size", 2);
    m.node("Mul", {"x", "real"}, {"y"});
    CHECK(m.run({{1, 1, 1, 1}}) == std::vector<numbers>{{1, 2, -4, -0.5}});
    CHECK(m.read().expanded.empty()); // a few numbers
}

TEST_CASE("weights that the file stores smaller are fp16 in the graph, and a note says so once for each form") {
    model m(21);
    m.input("x", {1, 64}).output("y").floats("step", {}, {0.5F});
    const auto weight = [&](const std::string& name, int type, std::int64_t block) {
        m.tensor(name, {64, 64}, type).set_raw_data(std::string(type == 22 ? 2048 : 4096, '\x11'));
        ::onnx::NodeProto& n = m.node("DequantizeLinear", {name, block == 0 ? "step" : "scales"}, {name + "_real"});
        if (block > 0) {
            set(n, "axis", 1);
            set(n, "block_size", block);
        }
    };
    m.floats("scales", {64, 2}, std::vector<float>(128, 0.25F));
    weight("a", 22, 32);
    weight("b", 22, 32);
    weight("c", ::onnx::TensorProto::INT8, 0);
    m.node("MatMul", {"x", "a_real"}, {"s"});
    m.node("MatMul", {"s", "b_real"}, {"t"});
    m.node("MatMul", {"t", "c_real"}, {"y"});
    const ane::read_model read = m.read();
    CHECK(read.expanded == std::vector<std::string>{
                               "2 weights are int4 with scales for blocks of 32 in the file and fp16 here, and written "
                               "so (the first: \"a\")",
                               "the weight \"c\" is int8 in the file and fp16 here, and written so"});
    for (const std::string& each : read.expanded) {
        CHECK(std::find(read.notes.begin(), read.notes.end(), each) != read.notes.end());
    }
}
