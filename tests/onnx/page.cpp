// The snippets of docs/onnx.md, and its list of operators.
#include "models.hpp"
#include <anemone/anemone.hpp>
#include <anemone/io/file.hpp>
#include <anemone/onnx/onnx.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <unistd.h>

namespace {

std::string list_of_operators() {
    std::string text;
    std::string line;
    for (const std::string& name : ane::onnx_operators()) {
        const std::string word = "`" + name + "`";
        if (line.size() + word.size() + 2 > 120) {
            text += line + "\n";
            line.clear();
        }
        line += (line.empty() ? "" : " ") + word;
    }
    return text + line + "\n";
}

} // namespace

TEST_CASE("the snippets of the page of ONNX files") {
    const std::string path =
        (std::filesystem::temp_directory_path() / fmt::format("anemone_onnx_page_{}.onnx", ::getpid())).string();
    models::model m;
    m.input("x", {-1, 2}).output("y");
    m.node("Relu", {"x"}, {"y"});
    ane::write_file(path, m.bytes());
    std::ostringstream said;
    std::streambuf* const out = std::cout.rdbuf(said.rdbuf());
    {
        const ane::read_model model = ane::read_onnx_file(path, {.shapes = {{"x", {1, 2}}}});
        ane::report(model.graph, ane::h13).print();
        auto program = ane::compile(model.graph, ane::backend::cpu{}, model.weights);
    }
    try {
        ane::read_onnx_file(path);
    } catch (const ane::unreadable& refused) {
        for (const ane::read_fault& fault : refused.faults()) {
            std::cout << ane::text(fault) << '\n';
        }
    }
    std::cout.rdbuf(out);
    std::filesystem::remove(path);
    CHECK(models::has(said.str(), "input \"x\": leaves the extent of axis 0 free (\"free\"); give the shape in"));
}

TEST_CASE("the page lists the operators that are read") { // ANEMONE_UPDATE_DOCS=1 writes them
    const std::string page = ANEMONE_SOURCE_DIR "/docs/onnx.md";
    std::ifstream file(page);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    const std::string begin = "<!-- operators -->\n";
    const std::size_t first = text.find(begin) + begin.size();
    const std::size_t last = text.find("<!-- end of operators -->");
    REQUIRE(last != std::string::npos);
    const std::string wanted = text.substr(0, first) + list_of_operators() + text.substr(last);
    const char* const update = std::getenv("ANEMONE_UPDATE_DOCS");
    if (update != nullptr && std::string(update) == "1") {
        ane::write_file(page, wanted);
    } else {
        CHECK(text == wanted);
    }
}
