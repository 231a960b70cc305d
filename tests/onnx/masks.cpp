// Masks beyond fp16 in the forms that exporters write, in front of a softmax.

#include "models.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>

using models::model;
using models::numbers;
using models::set;

namespace {

constexpr float least = -std::numeric_limits<float>::max();

/// Two rows of three scores and what counts, 1 or 0, for each column.
model scores() {
    model m(14);
    m.input("x", {2, 3}).input("counts", {1, 3}, ::onnx::TensorProto::INT64).output("y");
    m.floats("one", {}, {1}).floats("zero", {}, {0}).floats("least", {}, {least});
    m.floats("endless", {}, {-std::numeric_limits<float>::infinity()});
    return m;
}

/// The shares where the last column does not count.
void check_masked(model& m, const std::string& masked) {
    m.node("Softmax", {masked}, {"y"});
    const ane::read_model read = m.read();
    REQUIRE(read.changes.size() == 1);
    CHECK(read.changes[0].find("masks before a softmax") == 0);
    CHECK(reading::run(read, {{2, 2, 5, -40, -40, 60}, {1, 1, 0}})[0] == numbers{0.5, 0.5, 0, 0.5, 0.5, 0});
}

} // namespace

TEST_CASE("a mask is made of what counts: (1 - counts) least, for each head by Unsqueeze and Expand") {
    model m = scores();
    set(m.node("Cast", {"counts"}, {"floats"}), "to", ::onnx::TensorProto::FLOAT);
    m.node("Sub", {"one", "floats"}, {"others"});
    m.node("Mul", {"others", "least"}, {"mask"});
    m.integers("shape", {2}, {2, 3});
    m.node("Expand", {"mask", "shape"}, {"wide"});
    m.node("Add", {"x", "wide"}, {"s"});
    check_masked(m, "s");
}

TEST_CASE("a mask is chosen by a condition, and added; twice, with a floor under the sum") {
    model m = scores();
    m.integers("none", {}, {0});
    m.node("Equal", {"counts", "none"}, {"off"});
    m.node("Where", {"off", "least", "zero"}, {"mask"});
    m.node("Add", {"x", "mask"}, {"once"});
    m.node("Add", {"once", "mask"}, {"twice"});
    m.node("Max", {"twice", "least"}, {"s"});
    check_masked(m, "s");
}

TEST_CASE("scores are replaced by -infinity") {
    model m = scores();
    m.integers("none", {}, {0});
    m.node("Equal", {"counts", "none"}, {"off"});
    m.node("Where", {"off", "endless", "x"}, {"s"});
    check_masked(m, "s");
}

TEST_CASE("a causal mask is computed from constants, cut to size, and added to scores that are scaled after it") {
    model m = scores();
    m.floats("all", {3, 3}, {least, least, least, least, least, least, least, least, least});
    m.integers("next", {}, {1}).integers("begin", {1}, {1}).integers("end", {1}, {2}).integers("rows", {1}, {0});
    set(m.node("Trilu", {"all", "next"}, {"causal"}), "upper", 1);
    m.node("Slice", {"causal", "begin", "end", "rows"}, {"row"}); // [0, 0, least]
    set(m.node("Cast", {"counts"}, {"floats"}), "to", ::onnx::TensorProto::FLOAT);
    m.node("Mul", {"floats", "zero"}, {"nothing"});
    m.node("Add", {"row", "nothing"}, {"mask"});
    m.node("Add", {"x", "mask"}, {"sum"});
    m.floats("scale", {}, {0.125F});
    m.node("Mul", {"sum", "scale"}, {"s"});
    check_masked(m, "s");
}
