#include "models.hpp"
#include <anemone/onnx/onnx.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <string>

using models::has;
using models::list;
using models::model;
using models::numbers;
using models::set;

namespace {

std::string refusal_of(const std::string& bytes) {
    try {
        ane::read_onnx(std::as_bytes(std::span(bytes)));
    } catch (const ane::unreadable& refused) {
        return refused.what();
    }
    return {};
}

} // namespace

TEST_CASE("all that is not read is listed, with node, operator and reason") {
    model m;
    m.input("x", {4}).output("y");
    m.node("NonZero", {"x"}, {"a"});
    m.node("Loop", {"a"}, {"b"});
    m.node("Relu", {"b"}, {"c"}); // reads what is refused: not mentioned
    m.node("Frobnicate", {"c"}, {"d"});
    m.node("Relu", {"d"}, {"e"}).set_domain("com.vendor");
    m.node("Neg", {"x"}, {"y"});
    const std::vector<ane::read_fault> faults = m.faults();
    REQUIRE(faults.size() == 4);
    CHECK(ane::text(faults[0]) == "model.onnx:1: the_NonZero (NonZero): gives a shape that depends on data");
    CHECK(ane::text(faults[1]) == "model.onnx:2: the_Loop (Loop): loops: a model here writes its steps out");
    CHECK(faults[2].line == 4);
    CHECK(has(faults[2].reason, "no composition here computes"));
    CHECK(has(faults[3].operation, "com.vendor.Relu"));
    CHECK(has(faults[3].reason, "domain \"com.vendor\""));
}

TEST_CASE("what is no model, or not all of one, is refused") {
    model m;
    m.input("x", {2}).output("y").floats("w", {2}, {1, 2});
    m.node("Mul", {"x", "w"}, {"y"});
    const std::string whole = m.bytes();
    CHECK(refusal_of(whole).empty());
    for (std::size_t size = 0; size < whole.size(); ++size) { // none of them crashes, none is read
        CHECK_FALSE(refusal_of(whole.substr(0, size)).empty());
    }
    CHECK(has(refusal_of(std::string(4096, '\xFF')), "is no ONNX model"));
    CHECK(has(refusal_of("#!/bin/sh\n"), "is no ONNX model"));
    CHECK_THROWS_AS(ane::read_onnx_file("/no/such/model.onnx"), ane::error);
    model newer(22);
    newer.input("x", {2}).output("x");
    CHECK(has(newer.refusal(), "version 22 of ONNX's operators; up to 21"));
}

TEST_CASE("cycles, missing weights and names that are given twice are refused") {
    model m;
    m.input("x", {2}).output("y").output("z");
    m.node("Add", {"x", "b"}, {"a"});
    m.node("Add", {"a", "x"}, {"b"}); // a cycle
    m.node("Mul", {"x", "w"}, {"y"}); // no such weight
    m.node("Neg", {"x"}, {"x"});
    const std::string text = m.refusal();
    CHECK(has(text, "has a cycle, each node reading the one before it: the_Add -> the_Add -> the_Add"));
    CHECK(has(text, "the_Mul (Mul): reads \"w\", which nothing gives"));
    CHECK(has(text, "gives \"x\", which has a value already"));
    CHECK(has(text, "output \"z\": is given by no node"));
}

TEST_CASE("tensors that are not what they declare are refused") {
    model m;
    m.input("x", {2}).output("y");
    m.floats("short", {3}, {1, 2});
    m.tensor("raw", {2}, ::onnx::TensorProto::FLOAT).set_raw_data("12345");
    m.tensor("huge", {1 << 30, 1 << 30, 1 << 30}, ::onnx::TensorProto::FLOAT).set_raw_data("1234");
    m.tensor("negative", {-1}, ::onnx::TensorProto::FLOAT);
    m.tensor("text", {1}, ::onnx::TensorProto::STRING).add_string_data("a");
    m.tensor("odd", {1}, 99).add_int32_data(0);
    m.tensor("deep", list(9, 1), ::onnx::TensorProto::FLOAT).add_float_data(0);
    m.node("Neg", {"x"}, {"y"});
    const std::string text = m.refusal();
    CHECK(has(text, "initializer \"short\": is float [3] and has 2 elements instead of 3"));
    CHECK(has(text, "initializer \"raw\": is float [2] and has 5 bytes instead of 8"));
    CHECK(has(text, "initializer \"huge\""));
    CHECK(has(text, "initializer \"negative\""));
    CHECK(has(text, "elements of string"));
    CHECK(has(text, "the element type 99"));
    CHECK(has(text, "has 9 axes"));
}

TEST_CASE("memory is checked before it is taken") {
    model m;
    m.input("x", {1}).output("y").integers("shape", {3}, {1 << 12, 1 << 12, 1 << 12}).floats("one", {1}, {1});
    m.node("ConstantOfShape", {"shape"}, {"c"});
    m.node("Expand", {"one", "shape"}, {"e"});
    m.integers("stop", {}, {list::value_type(1) << 39}).integers("start", {}, {0}).integers("step", {}, {1});
    m.node("Range", {"start", "stop", "step"}, {"r"});
    m.node("Tile", {"one", "many"}, {"t"});
    m.integers("many", {1}, {list::value_type(1) << 62});
    m.node("Neg", {"x"}, {"y"});
    const std::vector<ane::read_fault> faults = m.faults({.max_bytes = 1 << 20});
    REQUIRE(faults.size() == 4);
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(has(faults[i].reason, "takes more memory than the reader may use (max_bytes 1048576)"));
    }
    CHECK(has(faults[3].reason, "repeats an axis"));

    model weights;
    weights.input("x", {64}).output("y").floats("w", {64}, std::vector<float>(64, 1));
    weights.node("Mul", {"x", "w"}, {"y"});
    CHECK(has(weights.refusal({.max_bytes = 100}), "max_bytes 100"));
    CHECK(weights.refusal({.max_bytes = 256}).empty());
}

TEST_CASE("names may be any bytes") {
    model m;
    m.input("x\n\x1B[31m/0", {2}).output("y z").floats("w\x01", {2}, {1, 2});
    m.node("Mul", {"x\n\x1B[31m/0", "w\x01"}, {"y z"}).set_name("\xFF\n");
    const ane::read_model read = m.read();
    const ane::graph_view g = read.graph;
    CHECK(g.find(ane::op::input, "x___31m_0") >= 0);
    CHECK(g.find_output("y_z") == 0);
    CHECK(read.weights.contains("w_"));
    for (const std::string& note : read.notes) {
        CHECK(note.find('\n') == std::string::npos);
        CHECK(note.find('\x1B') == std::string::npos);
    }
    m.node("No\nsuch", {"x\n\x1B[31m/0"}, {"b"});
    CHECK(has(m.refusal(), "(No\\u000asuch)"));
    CHECK(refusal_of(std::string("\xFF")).find('\xFF') == std::string::npos);
}

TEST_CASE("constants beyond fp16 are refused, or saturated where that is wanted") {
    model m;
    m.input("x", {2}).output("y").floats("mask", {2}, {0, -3.4e38F});
    m.node("Add", {"x", "mask"}, {"y"});
    CHECK(has(m.refusal(), "element 1 of a constant is -3"));
    CHECK(m.run({{1, 1}}, {.saturates_infinities = true})[0] == numbers{1, -65504});
    CHECK(!has(m.refusal(), "saturates"));
    model masked; // of float, which no reader is to refuse
    masked.input("x", {1, 3}).output("y").floats("least", {}, {-std::numeric_limits<float>::max()});
    masked.floats("never", {3}, {0, -std::numeric_limits<float>::infinity(), 0});
    masked.node("Add", {"x", "never"}, {"s"});
    masked.node("Softmax", {"s"}, {"p"});
    masked.node("Equal", {"p", "nothing"}, {"c"});
    masked.floats("nothing", {}, {0});
    masked.node("Where", {"c", "least", "x"}, {"t"});
    masked.node("Softmax", {"t"}, {"y"});
    const numbers shares = masked.run({{0, 5, 0}})[0];
    CHECK(shares == numbers{0.5, 0, 0.5});
    CHECK(masked.read().changes.size() == 1);
    model integers;
    integers.input("x", {2}).output("y").integers("n", {1}, {2049});
    integers.node("Add", {"x", "n"}, {"y"});
    CHECK(has(integers.refusal(), "2049, which fp16 does not hold exactly"));
}

TEST_CASE("attributes and axes out of range are refused") {
    const auto told = [](const std::string& type, const std::string& key, std::int64_t value) {
        model m;
        m.input("x", {2, 3}).output("y");
        set(m.node(type, {"x"}, {"y"}), key, value);
        return m.refusal();
    };
    CHECK(has(told("Softmax", "axis", 5), "names axis 5 of a tensor of rank 2"));
    CHECK(has(told("Softmax", "axis", INT64_MIN), "of a tensor of rank 2"));
    CHECK(has(told("Flatten", "axis", -9), "names axis -9"));
    CHECK(has(told("DepthToSpace", "blocksize", std::int64_t{1} << 40), "has a size of"));
    CHECK(has(told("ArgMax", "axis", 2), "names axis 2"));
    model words;
    words.input("x", {2}).output("y");
    models::attribute(words.node("Softmax", {"x"}, {"y"}), "axis", ::onnx::AttributeProto::STRING).set_s("last");
    CHECK(has(words.refusal(), "an attribute axis of another type"));
    model bare;
    bare.input("x", {2}).output("y");
    bare.node("Add", {"x"}, {"y"});
    CHECK(has(bare.refusal(), "has no input 1"));
}
