// Packages are judged as MIL text is: the same statements, the same verdict.

#include "package_folder.hpp"
#include <anemone/mlpackage/package_verdict.hpp>

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>

using namespace ane;

namespace {

/// A function of one input, whose result is y.
std::string function_of(const std::string& name, const std::string& input, const std::string& statements) {
    return "    func " + name + "<ios17>(" + input + ") {\n" + statements + "    } -> (y);\n";
}
std::string program_of(const std::string& functions) { return "program(1.3)\n{\n" + functions + "}\n"; }

const std::string rows = "tensor<fp16, [4, 8]> x";
const std::string sine = "        tensor<fp16, [4, 8]> y = sin(x = x)[name = string(\"y\")];\n";
const std::string plain = "        tensor<fp16, [4, 8]> y = relu(x = x)[name = string(\"y\")];\n";
const std::string running = "        int32 a = const()[name = string(\"a\"), val = int32(1)];\n"
                            "        bool e = const()[name = string(\"e\"), val = bool(false)];\n"
                            "        tensor<fp16, [4, 8]> y = cumsum(x = x, axis = a, exclusive = e, reverse = e)"
                            "[name = string(\"y\")];\n";

/// The same program as text and as a package.
struct twins {
    std::string text;
    std::string package;

    twins(const package_folder& folder, const std::string& name, const std::string& program)
        : text(folder.path(name + ".mil")), package(folder.path(name + ".mlpackage")) {
        std::ofstream(text) << program;
        mil_program written;
        written.text = program;
        write_mlpackage(written, package);
    }
};

} // namespace

TEST_CASE("a package is refused for what its text is refused for") {
    const package_folder folder;
    for (const std::string& body : {plain, sine, running}) {
        const twins files(folder, "one", program_of(function_of("main", rows, body)));
        for (const target t : {h13, h15, h17s}) {
            const file_verdict text = judge_mil_file(files.text, t);
            const file_verdict package = judge_mlpackage_file(files.package, t);
            CHECK(text.accepted() == package.accepted());
            REQUIRE(text.reasons.size() == package.reasons.size());
            for (std::size_t i = 0; i < text.reasons.size(); ++i) { // all but the places
                CHECK(package.reasons[i].operation == text.reasons[i].operation);
                CHECK(package.reasons[i].where.find("one.mlpackage") != std::string::npos);
            }
        }
    }
    const twins files(folder, "sine", program_of(function_of("main", rows, sine)));
    CHECK_FALSE(judge_mlpackage_file(files.package, h13).accepted()); // native from A15 on (R132)
    CHECK(judge_mlpackage_file(files.package, h15).accepted());
}

TEST_CASE("all functions of a package count, or the one that is asked for") {
    const package_folder folder;
    const twins files(folder, "two", program_of(function_of("main", rows, plain) + function_of("wave", rows, sine)));
    CHECK_FALSE(judge_mlpackage_file(files.package, h13).accepted());
    CHECK(judge_mlpackage_file(files.package, h13, {.function = "main"}).accepted());
    CHECK_FALSE(judge_mlpackage_file(files.package, h13, {.function = "wave"}).accepted());
    const file_verdict absent = judge_mlpackage_file(files.package, h13, {.function = "other"});
    REQUIRE(absent.reasons.size() == 1);
    CHECK(absent.reasons[0].reason.find("other") != std::string::npos);
}

TEST_CASE("what Core ML's compiler writes itself is no reason against a package") {
    const package_folder folder;
    const std::string cast = "        string h = const()[name = string(\"h\"), val = string(\"fp16\")];\n"
                             "        tensor<fp16, [4, 8]> y = cast(x = x, dtype = h)[name = string(\"y\")];\n";
    const twins files(folder, "whole", program_of(function_of("main", "tensor<int32, [4, 8]> x", cast)));
    CHECK_FALSE(judge_mil_file(files.text, h13).accepted());
    CHECK(judge_mlpackage_file(files.package, h13).accepted());
}

TEST_CASE("one function for every way in") {
    const package_folder folder;
    const twins files(folder, "any", program_of(function_of("main", rows, sine)));
    const std::string compiled = folder.path("any.mlmodelc");
    std::filesystem::create_directories(compiled);
    std::filesystem::copy_file(files.text, compiled + "/model.mil");
    std::string model;
    for (const auto& each : std::filesystem::recursive_directory_iterator(files.package)) {
        model = each.path().extension() == ".mlmodel" ? each.path().string() : model;
    }
    for (const std::string& path : {files.text, files.package, compiled, model}) {
        CAPTURE(path);
        CHECK_FALSE(judge_model_file(path, h13).accepted());
        CHECK(judge_model_file(path, h15).accepted());
    }
    CHECK_THROWS_AS(judge_model_file(folder.path("none.mlpackage"), h13), error);
    CHECK_THROWS_AS(judge_model_file(folder.path("none.mil"), h13), error);
    std::ofstream(folder.path("empty.mlmodel")) << "";
    CHECK_FALSE(judge_model_file(folder.path("empty.mlmodel"), h13).accepted());
}
