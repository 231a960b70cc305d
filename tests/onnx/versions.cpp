// What changed in versions 18 to 21, for which ONNX's packaged cases are too old: results worked out by hand.
#include "models.hpp"
#include <anemone/onnx/onnx.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

using models::has;
using models::list;
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

TEST_CASE(
    "21: codes are scaled along each axis and in blocks of it, the last of which may be shorter, rounded as in double") {
    const list shape{3, 5, 7};
    constexpr std::int64_t count = 3 * 5 * 7;
    std::mt19937 random(7);
    const auto number = [&](int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); };
    for (const int type : {int{::onnx::TensorProto::INT8}, int{::onnx::TensorProto::UINT8}, 21, 22}) { // uint4, int4
        const bool four = type == 21 || type == 22;
        const bool is_signed = type == ::onnx::TensorProto::INT8 || type == 22;
        const int least = is_signed ? (four ? -8 : -128) : 0;
        const auto packed = [&](const std::vector<int>& codes) {
            std::string bytes;
            for (std::size_t i = 0; i < codes.size(); i += four ? 2 : 1) {
                const int high = four && i + 1 < codes.size() ? codes[i + 1] : 0;
                bytes += static_cast<char>(four ? (codes[i] & 15) | (high & 15) << 4 : codes[i]);
            }
            return bytes;
        };
        const auto codes_of = [&](std::int64_t n) {
            std::vector<int> codes(static_cast<std::size_t>(n));
            std::generate(codes.begin(), codes.end(), [&] { return least + number(four ? 16 : 256); });
            return codes;
        };
        for (const int axis : {0, 1, 2}) {
            for (const std::int64_t block : {-1, 0, 1, 2, 7}) { // one scale, one for each index, blocks
                for (const bool halves : {false, true}) {
                    CAPTURE(type);
                    CAPTURE(axis);
                    CAPTURE(block);
                    CAPTURE(halves);
                    const std::int64_t extent = shape[static_cast<std::size_t>(axis)];
                    list of_scale = block > 0 ? shape : block == 0 ? list{extent} : list{};
                    if (block > 0) {
                        of_scale[static_cast<std::size_t>(axis)] = (extent + block - 1) / block;
                    }
                    const std::int64_t scales =
                        std::accumulate(of_scale.begin(), of_scale.end(), std::int64_t{1}, std::multiplies<>());
                    std::vector<float> scale;
                    for (std::int64_t i = 0; i < scales; ++i) {
                        const float some = 0.001F * static_cast<float>(number(1000) - 500);
                        scale.push_back(halves ? static_cast<float>(ane::half(some)) : some);
                    }
                    const std::vector<int> q = codes_of(count);
                    const std::vector<int> zero = codes_of(scales);
                    model m(21);
                    m.input("x", shape).output("y");
                    m.tensor("q", shape, type).set_raw_data(packed(q));
                    m.tensor("zero", of_scale, type).set_raw_data(packed(zero));
                    if (halves) {
                        std::string bytes;
                        for (const float v : scale) {
                            const std::uint16_t bits = ane::half(v).bits;
                            bytes += static_cast<char>(bits & 255);
                            bytes += static_cast<char>(bits >> 8);
                        }
                        m.tensor("scale", of_scale, ::onnx::TensorProto::FLOAT16).set_raw_data(bytes);
                    } else {
                        m.floats("scale", of_scale, scale);
                    }
                    ::onnx::NodeProto& n = m.node("DequantizeLinear", {"q", "scale", "zero"}, {"w"});
                    set(n, "axis", axis);
                    set(n, "block_size", std::max<std::int64_t>(block, 0));
                    m.node("Add", {"x", "w"}, {"y"});
                    numbers wanted;
                    const std::int64_t inner = axis == 0 ? 35 : axis == 1 ? 7 : 1;
                    for (std::int64_t i = 0; i < count; ++i) {
                        const std::int64_t k = i / inner % extent;
                        const std::int64_t rows = block > 0 ? (extent + block - 1) / block : extent;
                        const auto at = static_cast<std::size_t>(
                            block < 0    ? 0
                            : block == 0 ? k
                                         : (i / inner / extent * rows + k / block) * inner + i % inner);
                        const double exact = static_cast<double>(q[static_cast<std::size_t>(i)] - zero[at]) * scale[at];
                        wanted.push_back(static_cast<double>(ane::half(static_cast<float>(exact))));
                    }
                    CHECK(m.run({numbers(static_cast<std::size_t>(count))}) == std::vector<numbers>{wanted});
                }
            }
        }
    }
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
