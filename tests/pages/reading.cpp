// The snippets of docs/reading.md, line by line, which tests/python/pages.py compares.

#include <anemone/anemone.hpp>
#include <anemone/mlpackage/mlpackage.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <filesystem>
#include <iostream>
#include <span>
#include <sstream>
#include <string>
#include <unistd.h>

TEST_CASE("the page about files of other tools") {
    const std::string path = ANEMONE_SOURCE_DIR "/examples/reading/classifier.mil";
    const ane::read_model model = ane::read_mil_file(path);
    ane::report(model.graph, ane::h13).print();
    auto program = ane::compile(model.graph, ane::backend::cpu{}, model.weights);
    CHECK(model.notes.size() == 2);

    const std::string text =
        "program(1.3) {\nfunc main<ios18>(tensor<fp16, [1, 4]> x) {\n\n"
        "tensor<fp16, [1, 4]> h = lstm(x = x);\ntensor<fp16, [1, 5]> y = relu(x = x);\n} -> (y); }";
    const auto files = [](const std::string&) { return std::span<const std::byte>(); };
    std::ostringstream shown;
    std::streambuf* const before = std::cout.rdbuf(shown.rdbuf());
    try {
        ane::read_mil(text, files);
    } catch (const ane::unreadable& refused) {
        for (const ane::read_fault& fault : refused.faults()) {
            std::cout << fault.line << ':' << fault.column << ' ' << fault.operation << ": " << fault.reason << '\n';
        }
    }
    const ane::file_verdict verdict = ane::judge_mil_file(path, ane::h13);
    for (const ane::read_fault& reason : verdict.reasons) { // empty: accepted
        std::cout << ane::text(reason) << '\n';
    }
    std::cout.rdbuf(before);
    const std::string folder = std::filesystem::temp_directory_path() / ("anemone_page_" + std::to_string(::getpid()));
    const std::string package = folder + "/net.mlpackage";
    const ane::lowered_graph lowered = ane::lower(model.graph);
    const ane::folded_constants constants = ane::fold_constants(lowered.view(), model.weights);
    ane::write_mlpackage(ane::emit_mil(lowered.view(), constants), package);
    const ane::read_model again = ane::read_mlpackage_file(package); // anemone/mlpackage/mlpackage.hpp
    std::filesystem::remove_all(folder);
    CHECK(again.graph.view().size() == model.graph.view().size());
    CHECK(verdict.accepted());
    CHECK(shown.str() == "4:1 h (lstm): needs the argument weight_hh\n"
                         "5:1 y (relu): gives [1, 4], declared is [1, 5]\n");
}
