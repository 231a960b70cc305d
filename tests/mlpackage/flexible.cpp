// Packages whose inputs have several shapes, or ranges of extents.

#include "../readers/mil_support.hpp"
#include "package_folder.hpp"
#include <anemone/io/file.hpp>
#include <anemone/mlpackage/mlpackage.hpp>
#include <anemone/mlpackage/program_reader.hpp>

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>

using namespace ane;

namespace {

const auto no_blob = [](const std::string& path) -> std::span<const std::byte> {
    throw error(errc::file, path, "there is none");
};

/// relu of [1, n, 8], whose second extent is open in the program; `describe` says in the description what it may be.
template <class Describe> std::string flexible_model(const Describe& describe) {
    const std::vector<std::byte> fixed = mlmodel_bytes(
        {reading::program_of("tensor<fp16, [1, 4, 8]> x", "tensor<fp16, [1, 4, 8]> y = relu(x = x);"), {}, {}, {}});
    const std::string_view bytes(reinterpret_cast<const char*>(fixed.data()), fixed.size());
    mlpackage::wire_reader wire(bytes);
    auto model = wire.decode<mlpackage::model>(bytes);
    auto program = wire.decode(*model.ml_program);
    auto function = wire.decode(program.functions.at(0).value);
    mlpackage::value_type& type = function.inputs.at(0).type;
    REQUIRE(type.tensor);
    type.tensor->dimensions.at(1).constant = {};
    auto& statement = function.blocks.at(0).value.operations.at(0);
    auto relu = wire.decode(statement);
    relu.outputs.at(0).type.tensor->dimensions.at(1).constant = {};
    const std::string relu_bytes = mlpackage::encode(relu);
    statement.bytes = relu_bytes;
    const std::string function_bytes = mlpackage::encode(function);
    program.functions[0].value.bytes = function_bytes;
    const std::string program_bytes = mlpackage::encode(program);
    model.ml_program->bytes = program_bytes;
    describe(*model.description.inputs.at(0).type.array);
    return mlpackage::encode(model);
}

extents output_shape(const std::string& model, const mil_reader_options& options = {}) {
    const read_model read = read_mlmodel(std::as_bytes(std::span(model)), no_blob, options, "model.mlmodel");
    return read.graph.view()[read.graph.outputs[0].node].shape;
}

std::string refusal_of_model(const std::string& model, const mil_reader_options& options) {
    try {
        output_shape(model, options);
    } catch (const unreadable& refused) {
        return refused.what();
    }
    return "";
}

mil_reader_options with(const extents& shape) {
    mil_reader_options options;
    options.shapes.push_back({"x", shape});
    return options;
}

} // namespace

TEST_CASE("enumerated shapes of a package") {
    const std::string model = flexible_model([](mlpackage::array_feature_type& array) {
        array.shape = {1, 4, 8};
        array.enumerated = mlpackage::enumerated_shapes{{{{1, 4, 8}}, {{1, 32, 8}}}};
    });
    CHECK(output_shape(model) == extents{1, 4, 8});
    CHECK(output_shape(model, with({1, 32, 8})) == extents{1, 32, 8});
    CHECK(refusal_of_model(model, with({1, 5, 8})).find("takes the shapes [1, 4, 8], [1, 32, 8], given is [1, 5, 8]") !=
          std::string::npos);
    const std::filesystem::path folder = std::filesystem::temp_directory_path() / "anemone_flexible_package";
    std::filesystem::create_directories(folder);
    const std::string path = (folder / "model.mlmodel").string();
    std::ofstream(path, std::ios::binary) << model;
    const std::vector<file_function> functions = mlpackage_file_functions(path);
    std::filesystem::remove_all(folder);
    REQUIRE(functions.size() == 1);
    CHECK(functions[0].name == "main");
    REQUIRE(functions[0].enumerated.size() == 2);
    CHECK(functions[0].enumerated[1][0].name == "x");
    CHECK(functions[0].enumerated[1][0].shape == extents{1, 32, 8});
}

TEST_CASE("ranges of a package") {
    const std::string model = flexible_model([](mlpackage::array_feature_type& array) {
        array.shape = {1, 4, 8};
        array.range = mlpackage::shape_range{{{1, 1}, {2, -1}, {8, 8}}};
    });
    CHECK(output_shape(model) == extents{1, 4, 8});
    CHECK(output_shape(model, with({1, 5000, 8})) == extents{1, 5000, 8});
    CHECK(refusal_of_model(model, with({1, 1, 8})).find("takes 2 to any at axis 1") != std::string::npos);
}

TEST_CASE("an open extent that nobody says is refused") {
    const std::string model = flexible_model([](mlpackage::array_feature_type&) {});
    CHECK(refusal_of_model(model, {}).find("unknown dimension ?") != std::string::npos);
    CHECK(output_shape(model, with({1, 9, 8})) == extents{1, 9, 8});
}
