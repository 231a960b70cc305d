#include "models.hpp"
#include <anemone/io/file.hpp>
#include <anemone/onnx/onnx.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <unistd.h>

using models::has;
using models::list;
using models::model;
using models::numbers;
using models::set;

namespace {

/// y = relu(x w^T + b)
model small_net() {
    model m;
    m.input("x", {1, 2}).floats("fc.weight", {2, 2}, {1, 2, -3, 1}).floats("fc.bias", {2}, {0.5F, 1});
    set(m.node("Gemm", {"x", "fc.weight", "fc.bias"}, {"h"}), "transB", 1);
    m.node("Relu", {"h"}, {"y"});
    m.output("y");
    return m;
}

struct scratch_folder {
    scratch_folder() : path(std::filesystem::temp_directory_path() / fmt::format("anemone_onnx_{}", ::getpid())) {
        std::filesystem::create_directories(path);
    }
    ~scratch_folder() { std::filesystem::remove_all(path); }
    std::filesystem::path path;
};

} // namespace

TEST_CASE("a model is read with its names, and computes") {
    const model m = small_net();
    const ane::read_model read = m.read();
    const ane::graph_view g = read.graph;
    CHECK(g.find(ane::op::input, "x") >= 0);
    CHECK(g.find_output("y") == 0);
    CHECK(read.weights.contains("fc.weight"));
    CHECK(read.weights.at("fc.bias").type == ane::element_type::f32);
    bool named = false;
    for (const ane::node& n : g.nodes) {
        named = named || (n.kind == ane::op::relu && g.text(n.name) == "the_Relu" && n.where.line == 2);
    }
    CHECK(named);
    CHECK(m.run({{2, 3}}) == std::vector<numbers>{{8.5, 0}}); // 2 + 6 + 0.5, -6 + 3 + 1
    REQUIRE(read.notes.size() == 1);
    CHECK(read.notes[0] == "inputs of float are fp16 here");
}

TEST_CASE("free dimensions are bound by the shape of an input or by their name") {
    model m;
    m.input("x", {-1, 3}).output("y");
    m.node("Neg", {"x"}, {"y"});
    CHECK(has(m.refusal(), "input \"x\": leaves the extent of axis 0 free (\"free\")"));
    CHECK(m.run({{1, 2, 3}}, {.shapes = {{"x", {1, 3}}}}) == std::vector<numbers>{{-1, -2, -3}});
    CHECK(m.run({{1, 2, 3}}, {.dimensions = {{"free", 1}}}) == std::vector<numbers>{{-1, -2, -3}});
    CHECK(has(m.refusal({.shapes = {{"x", {1, 4}}}}), "has extent 3 at axis 1"));
    CHECK(has(m.refusal({.shapes = {{"x", {1, 1, 3}}}}), "has 2 axes"));
    CHECK(has(m.refusal({.shapes = {{"x", {1, 3}}, {"z", {1}}}}), "the model has no such input"));
}

TEST_CASE("shapes that a model computes are computed while reading") {
    // reshape x to [shape(x)[0], 6 / 2, -1], as exported models do it
    model m;
    m.input("x", {2, 6}).output("y").integers("zero", {}, {0}).integers("axis", {1}, {0});
    m.integers("six", {}, {6}).integers("two", {}, {2}).integers("rest", {1}, {-1});
    m.node("Shape", {"x"}, {"s"});
    set(m.node("Gather", {"s", "zero"}, {"n"}), "axis", 0);
    m.node("Div", {"six", "two"}, {"h"});
    m.node("Unsqueeze", {"n", "axis"}, {"n1"});
    m.node("Unsqueeze", {"h", "axis"}, {"h1"});
    set(m.node("Concat", {"n1", "h1", "rest"}, {"t"}), "axis", 0);
    m.node("Reshape", {"x", "t"}, {"y"});
    const ane::read_model read = m.read();
    const ane::graph_view g = read.graph;
    CHECK(g[g.outputs[0].node].shape == ane::extents{2, 3, 2});
    CHECK(g.size() == 2); // the input and the reshape
}

TEST_CASE("an input can be given as a constant") {
    model m;
    m.input("x", {4}).input("shape", {2}, ::onnx::TensorProto::INT64).output("y");
    m.node("Reshape", {"x", "shape"}, {"y"});
    CHECK(has(m.refusal(), "the_Reshape (Reshape): needs the value of the input \"shape\" while reading"));
    const ane::read_model read = m.read({.values = {{"shape", {2}, {2, -1}}}});
    CHECK(read.graph.view()[read.graph.view().outputs[0].node].shape == ane::extents{2, 2});
}

TEST_CASE("functions and branches are read in place") {
    model m;
    m.proto.add_opset_import()->set_domain("own");
    m.proto.mutable_opset_import(1)->set_version(1);
    ::onnx::FunctionProto& f = *m.proto.add_functions();
    f.set_domain("own");
    f.set_name("Twice");
    f.add_input("a");
    f.add_output("b");
    f.add_opset_import()->set_version(17);
    model::add(*f.add_node(), "Add", {"a", "a"}, {"b"});
    m.input("x", {2}).output("y");
    m.node("Twice", {"x"}, {"t"}).set_domain("own");
    m.tensor("yes", {}, ::onnx::TensorProto::BOOL).add_int32_data(1);
    ::onnx::NodeProto& choice = m.node("If", {"yes"}, {"y"});
    for (const char* side : {"then_branch", "else_branch"}) {
        ::onnx::GraphProto& g = *models::attribute(choice, side, ::onnx::AttributeProto::GRAPH).mutable_g();
        model::add(*g.add_node(), side[0] == 't' ? "Neg" : "NonZero", {"t"}, {"r"}); // t is that of the model
        g.add_output()->set_name("r");
    }
    CHECK(m.run({{1, -3}}) == std::vector<numbers>{{-2, 6}});

    model::add(*f.add_node(), "Twice", {"b"}, {"c"}).set_domain("own"); // without an end
    CHECK(has(m.refusal(), "more than 64 functions and branches"));
}

TEST_CASE("a function's own default of an attribute holds where the caller gives none") {
    model m;
    m.proto.add_opset_import()->set_domain("own");
    m.proto.mutable_opset_import(1)->set_version(1);
    ::onnx::FunctionProto& f = *m.proto.add_functions();
    f.set_domain("own");
    f.set_name("Leaky");
    f.add_input("a");
    f.add_output("b");
    f.add_opset_import()->set_version(17);
    ::onnx::AttributeProto& refers = *model::add(*f.add_node(), "LeakyRelu", {"a"}, {"b"}).add_attribute();
    refers.set_name("alpha");
    refers.set_ref_attr_name("slope");
    refers.set_type(::onnx::AttributeProto::FLOAT);
    ::onnx::AttributeProto half;
    half.set_name("slope");
    half.set_type(::onnx::AttributeProto::FLOAT);
    half.set_f(0.5F);
    // As a file of IR version 9 has it: field 11 of a function, which ONNX 1.12 has no name for.
    f.GetReflection()->MutableUnknownFields(&f)->AddLengthDelimited(11, half.SerializeAsString());
    m.input("x", {2}).output("y").output("z");
    m.node("Leaky", {"x"}, {"y"}).set_domain("own");
    ::onnx::NodeProto& steeper = m.node("Leaky", {"x"}, {"z"});
    steeper.set_domain("own");
    models::attribute(steeper, "slope", ::onnx::AttributeProto::FLOAT).set_f(0.25F);
    CHECK(m.run({{4, -4}}) == std::vector<numbers>{{4, -2}, {4, -1}});
}

TEST_CASE("quantised weights become their values, bytes between quantize and dequantize stay bytes") {
    model m;
    m.input("x", {1, 2}).output("y").floats("scale", {2}, {0.5F, 0.25F}).floats("step", {}, {0.5F});
    ::onnx::TensorProto& q = m.tensor("q", {2, 2}, ::onnx::TensorProto::INT8);
    q.set_raw_data(std::string("\x02\xFC\x04\x08", 4)); // 2 -4 / 4 8
    m.tensor("zero", {}, ::onnx::TensorProto::INT8).add_int32_data(0);
    set(m.node("DequantizeLinear", {"q", "scale"}, {"w"}), "axis", 0);
    m.node("QuantizeLinear", {"x", "step", "zero"}, {"b"});
    m.node("DequantizeLinear", {"b", "step", "zero"}, {"r"});
    set(m.node("Gemm", {"r", "w"}, {"y"}), "transB", 1);
    CHECK(m.run({{1.1, 3}}) == std::vector<numbers>{{1 - 6, 1 + 6}}); // x is 1 3, w is 1 -2 / 1 2
    bool bytes = false;
    const ane::read_model read = m.read();
    for (const ane::node& n : read.graph.view().nodes) {
        bytes = bytes || n.type == ane::dtype::int8;
    }
    CHECK(bytes);
}

TEST_CASE("external data come from the model's folder and from nowhere else") {
    const scratch_folder scratch;
    const std::filesystem::path home = scratch.path / "home";
    std::filesystem::create_directories(home / "sub");
    const std::vector<float> values{1, 2, 3, 4};
    ane::write_file((home / "sub" / "w.bin").string(), std::as_bytes(std::span(values)));
    ane::write_file((scratch.path / "out.bin").string(), std::as_bytes(std::span(values)));
    std::filesystem::create_symlink(scratch.path / "out.bin", home / "link.bin");
    const auto read = [&](const std::string& location, const std::string& offset) {
        model m;
        m.input("x", {2}).output("y");
        ::onnx::TensorProto& t = m.tensor("w", {2}, ::onnx::TensorProto::FLOAT);
        t.set_data_location(::onnx::TensorProto::EXTERNAL);
        for (const auto& [key, value] : std::vector<std::pair<std::string, std::string>>{
                 {"location", location}, {"offset", offset}, {"length", "8"}}) {
            auto* entry = t.add_external_data();
            entry->set_key(key);
            entry->set_value(value);
        }
        m.node("Mul", {"x", "w"}, {"y"});
        ane::write_file((home / "m.onnx").string(), m.bytes());
        try {
            return fmt::format("{}", reading::run(ane::read_onnx_file((home / "m.onnx").string()), {{1, 1}})[0][1]);
        } catch (const ane::unreadable& refused) {
            return refused.faults()[0].reason;
        }
    };
    CHECK(read("sub/w.bin", "8") == "4");
    CHECK(has(read("sub/w.bin", "12"), "its data lie at 12 in \"sub/w.bin\", which has 16 bytes"));
    CHECK(has(read("sub/w.bin", "18446744073709551615"), "which has 16 bytes"));
    CHECK(has(read("sub/w.bin", "-1"), "the offset of its external data is \"-1\""));
    CHECK(has(read("../out.bin", "0"), "no path below the model's folder"));
    CHECK(has(read((scratch.path / "out.bin").string(), "0"), "no path below the model's folder"));
    CHECK(has(read("link.bin", "0"), "a link that leads out of the model's folder"));
    CHECK(has(read("none.bin", "0"), "cannot be found"));
    CHECK(has(read(std::string(300, 'n'), "0"), "cannot be opened: File name too long"));
    CHECK(has(read("sub", "0"), "is not a regular file"));
    CHECK(has(read("", "0"), "no path below"));
}
