// Compiled twice in the thorough test, like threads.cpp.

#include "scratch_folder.hpp"
#include <anemone/io/file.hpp>
#include <anemone/readers/file_verdict.hpp>

#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <vector>

using namespace ane;

TEST_CASE("two threads judge one file alike") {
    const scratch_folder folder;
    const std::string path = folder / "model.mil";
    write_file(path, std::string("program(1.3)\n{\n    func main<ios18>(tensor<fp16, [1, 65537, 1, 1]> x) {\n"
                                 "        tensor<fp16, [1, 65537, 1, 1]> y = sin(x = x)[name = string(\"y\")];\n"
                                 "    } -> (y);\n    func other<ios18>(tensor<fp16, [4]> x) {\n"
                                 "        tensor<fp16, [4]> y = unheard_of(x = x)[name = string(\"y\")];\n"
                                 "    } -> (y);\n}\n"));
    std::vector<read_fault> found[2];
    const auto judge = [&](int thread) { // the tables of the reader are made by whoever comes first
        for (int run = 0; run < 20; ++run) {
            found[thread] = judge_mil_file(path, h13).reasons;
        }
    };
    std::thread other(judge, 1);
    judge(0);
    other.join();
    REQUIRE(found[0].size() >= 3);
    CHECK(found[0].front().line < found[0].back().line);
    CHECK(found[0] == found[1]);
}
