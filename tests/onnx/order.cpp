// Nodes in any order, names of any alphabet, values for inputs, results of rank 0, weights that are not there.

#include "models.hpp"
#include <anemone/forms/written.hpp>
#include <anemone/onnx/onnx.hpp>
#include <anemone/rules/evaluate.hpp>
#include <anemone/rules/phrases.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using models::has;
using models::model;
using models::numbers;

namespace {

const std::string case_folder = ANEMONE_TEST_DATA "/onnx/cases/";

} // namespace

TEST_CASE("nodes are sorted, and keep their numbers in messages") {
    const ane::read_model read = ane::read_onnx_file(case_folder + "order.onnx");
    CHECK(reading::run(read, {numbers(256, -2.0)})[0] == numbers(256, 2.0)); // relu(-x)

    model m;
    m.input("x", {2}).output("y");
    m.node("Mul", {"b", "w"}, {"y"});
    m.node("Neg", {"x"}, {"b"});
    CHECK(has(m.refusal(), ":1: the_Mul (Mul): reads \"w\""));
}

TEST_CASE("a chain of nodes in reverse is sorted") {
    constexpr int count = 3000;
    model m;
    m.input("v0", {4}).output("v" + std::to_string(count));
    for (int i = count; i > 0; --i) {
        m.node("Neg", {"v" + std::to_string(i - 1)}, {"v" + std::to_string(i)});
    }
    CHECK(m.run({{1, 2, 3, 4}})[0] == numbers{1, 2, 3, 4});
}

TEST_CASE("a cycle is told by the names of its nodes, once") {
    model m;
    m.input("x", {2}).output("y");
    m.node("Add", {"x", "c"}, {"a"}).set_name("first");
    m.node("Neg", {"a"}, {"b"}).set_name("second");
    m.node("Abs", {"b"}, {"c"}).set_name("third");
    m.node("Relu", {"c"}, {"y"}).set_name("after");
    const auto faults = m.faults();
    REQUIRE(faults.size() == 1);
    CHECK(has(faults[0].reason, "first -> second -> third -> first"));
    CHECK(!has(faults[0].reason, "after"));

    model itself;
    itself.input("x", {2}).output("y");
    itself.node("Relu", {"y"}, {"y"}).set_name("alone");
    CHECK(has(itself.refusal(), "alone -> alone"));
}

TEST_CASE("a branch may call its own values as values around it are called, and is ordered behind what it reads") {
    model m;
    m.input("x", {2}).output("y");
    ::onnx::NodeProto& choice = m.node("If", {"yes"}, {"y"});
    m.node("Neg", {"x"}, {"n"});
    m.integers("yes", {}, {1});
    m.graph().mutable_initializer(0)->set_data_type(::onnx::TensorProto::INT64);
    for (const char* const branch : {"then_branch", "else_branch"}) {
        ::onnx::GraphProto& g = *models::attribute(choice, branch, ::onnx::AttributeProto::GRAPH).mutable_g();
        const bool taken = std::string(branch) == "then_branch";
        // The branch that is not taken has what cannot be read.
        model::add(*g.add_node(), taken ? "Relu" : "NoSuchOperator", {taken ? "n" : "nowhere"}, {"y"});
        g.add_output()->set_name("y");
    }
    CHECK(m.run({{-3, 5}})[0] == numbers{3, 0});
}

TEST_CASE("ports are called as in the file, in any alphabet, and written as identifiers") {
    const ane::read_model read = ane::read_onnx_file(case_folder + "cn2.onnx");
    const ane::graph_view g = read.graph;
    std::vector<std::string> called;
    for (int i = 0; i < g.size(); ++i) {
        if (g[i].kind == ane::op::input) {
            called.emplace_back(g.called(g.name(i)));
            CHECK(ane::is_identifier(g.name(i)));
            CHECK(g.port_called(called.back()) == g.name(i));
            CHECK(ane::detail::label(g, i) == called.back());
        }
    }
    CHECK(called == std::vector<std::string>{"图像", "标签"});
    CHECK(g.called(g.name(g.outputs[0])) == "差");
    CHECK(std::any_of(read.notes.begin(), read.notes.end(),
                      [](const std::string& n) { return has(n, "\"图像\" is written as"); }));
}

TEST_CASE("a value of an input makes it a constant, of the declared shape") {
    model m;
    m.input("x", {4}).input("k", {}, ::onnx::TensorProto::INT64).output("y");
    m.node("CumSum", {"x", "k"}, {"y"});
    ane::onnx_reader_options options;
    options.values.push_back({"k", {}, {0}});
    CHECK(m.run({{1, 2, 3, 4}}, options)[0] == numbers{1, 3, 6, 10});

    model list;
    list.input("x", {2, 3}).input("shape", {2}, ::onnx::TensorProto::INT64).output("y");
    list.node("Reshape", {"x", "shape"}, {"y"});
    ane::onnx_reader_options two;
    two.values.push_back({"shape", {2}, {3, 2}});
    CHECK(list.run({{1, 2, 3, 4, 5, 6}}, two)[0] == numbers{1, 2, 3, 4, 5, 6});
}

TEST_CASE("results of rank 0 have rank 1, on every way") {
    const ane::read_model read = ane::read_onnx_file(case_folder + "rank0.onnx");
    CHECK(ane::find_form_faults(read.graph).mil_count == 0);
    numbers given(256);
    for (std::size_t i = 0; i < given.size(); ++i) {
        given[i] = static_cast<double>(i % 7);
    }
    const numbers got = reading::run(read, {given})[0];
    for (std::size_t i = 0; i < given.size(); ++i) {
        CHECK(got[i] == given[i] - 6);
    }
    model alone;
    alone.input("x", {2, 2}).output("y");
    models::set(alone.node("ReduceSum", {"x"}, {"y"}), "keepdims", 0);
    const ane::read_model sum = alone.read();
    CHECK(sum.graph.view()[sum.graph.outputs[0].node].shape == ane::extents{1});
    CHECK(reading::run(sum, {{1, 2, 3, 4}})[0] == numbers{10});
}

TEST_CASE("external data that are not there leave shapes, where the caller allows it") {
    model m;
    m.input("x", {1, 3}).output("y");
    ::onnx::TensorProto& w = m.tensor("w", {3, 4}, ::onnx::TensorProto::FLOAT);
    w.set_data_location(::onnx::TensorProto::EXTERNAL);
    auto* const place = w.add_external_data();
    place->set_key("location");
    place->set_value("nowhere.bin");
    m.node("MatMul", {"x", "w"}, {"y"});
    CHECK(has(m.refusal(), "nowhere.bin"));
    ane::onnx_reader_options options;
    options.allows_missing = true;
    const ane::read_model read = m.read(options);
    CHECK(read.missing == std::vector<std::string>{"w"});
    CHECK(read.weights.find("w") == nullptr);
    const ane::graph_view g = read.graph;
    CHECK(g[g.outputs[0].node].shape == ane::extents{1, 4});
    CHECK(g[g.find(ane::op::weight, "w")].shape == ane::extents{3, 4});

    model shaped; // what decides a shape cannot be left out
    shaped.input("x", {1, 4}).output("y");
    ::onnx::TensorProto& s = shaped.tensor("s", {2}, ::onnx::TensorProto::INT64);
    s.set_data_location(::onnx::TensorProto::EXTERNAL);
    *s.add_external_data() = *place;
    shaped.node("Reshape", {"x", "s"}, {"y"});
    CHECK(has(shaped.refusal(options), "input 1 decides shapes, and its values are in a file that is not there"));
}

TEST_CASE("a transposed convolution over three axes grows by output_padding") {
    // One plane, one row: x = (1, 2) along the depth, kernel of one tap, stride 2 along the depth and the width: what no
    // tap reaches is the bias.
    model m;
    m.input("x", {1, 1, 2, 1, 1}).output("y");
    m.floats("w", {1, 1, 1, 1, 1}, {3}).floats("b", {1}, {0.5F});
    ::onnx::NodeProto& n = m.node("ConvTranspose", {"x", "w", "b"}, {"y"});
    models::set(n, "strides", models::list{2, 1, 2});
    models::set(n, "output_padding", models::list{1, 0, 1});
    const ane::read_model read = m.read();
    CHECK(read.graph.view()[read.graph.outputs[0].node].shape == ane::extents{1, 1, 4, 1, 2});
    CHECK(reading::run(read, {{1, 2}})[0] == numbers{3.5, 0.5, 0.5, 0.5, 6.5, 0.5, 0.5, 0.5});
}

TEST_CASE("a transposed convolution over three axes in groups") {
    // y[g][d] is the sum of x[g][i] w[g][k] over i + k = d: along the depth, two channels that do not meet.
    model m;
    m.input("x", {1, 2, 2, 1, 1}).output("y");
    m.floats("w", {2, 1, 2, 1, 1}, {1, 10, 100, 1000});
    models::set(m.node("ConvTranspose", {"x", "w"}, {"y"}), "group", 2);
    const ane::read_model read = m.read();
    CHECK(read.graph.view()[read.graph.outputs[0].node].shape == ane::extents{1, 2, 3, 1, 1});
    CHECK(reading::run(read, {{1, 2, 3, 4}})[0] == numbers{1, 12, 20, 300, 3400, 4000});

    model uneven;
    uneven.input("x", {1, 3, 2, 1, 1}).output("y");
    uneven.floats("w", {3, 1, 1, 1, 1}, {1, 1, 1});
    models::set(uneven.node("ConvTranspose", {"x", "w"}, {"y"}), "group", 2);
    CHECK(has(uneven.refusal(), "has 2 groups of 3 channels"));
}
