#include <anemone/readers/file_verdict.hpp>

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>

using namespace ane;

namespace {

/// A program of one function with these statements, whose result is y, as the engine's compilers print it.
std::string whole_program(const std::string& input, const std::string& statements) {
    return "program(1.3)\n{\n    func main<ios18>(" + input + ") {\n" + statements + "    } -> (y);\n}\n";
}

file_verdict verdict_on(const std::string& text, target t = h13) {
    return judge(read_mil(text, file_lookup([](const std::string&) { return std::span<const std::byte>(); })), t);
}

} // namespace

TEST_CASE("a file is judged by the rules of its route, at its lines") {
    const std::string image = "tensor<fp16, [1, 4, 8, 8]> x";
    const auto plain =
        whole_program(image, "        tensor<fp16, [1, 4, 8, 8]> y = relu(x = x)[name = string(\"y\")];\n");
    CHECK(verdict_on(plain).accepted());
    // 65,537 channels are one too many on every target (R016).
    const auto wide = whole_program("tensor<fp16, [1, 65537, 1, 1]> x",
                                    "        tensor<fp16, [1, 65537, 1, 1]> y = relu(x = x)[name = string(\"y\")];\n");
    const file_verdict refused = verdict_on(wide, h18);
    REQUIRE_FALSE(refused.accepted());
    for (const read_fault& reason : refused.reasons) {
        CHECK((reason.line == 3 || reason.line == 4)); // the port and the statement
        CHECK(reason.reason.find("65537") != std::string::npos);
    }
    // Sine is native from A15 on (R132).
    const auto sine =
        whole_program(image, "        tensor<fp16, [1, 4, 8, 8]> y = sin(x = x)[name = string(\"y\")];\n");
    CHECK_FALSE(verdict_on(sine, h13).accepted());
    CHECK(verdict_on(sine, h15).accepted());
}

TEST_CASE("what the compiler was measured to refuse is refused, though the graph holds it in other words") {
    const auto sum = whole_program("tensor<fp16, [4, 8]> x",
                                   "        int32 a = const()[name = string(\"a\"), val = int32(1)];\n"
                                   "        bool e = const()[name = string(\"e\"), val = bool(false)];\n"
                                   "        tensor<fp16, [4, 8]> y = cumsum(x = x, axis = a, exclusive = e, "
                                   "reverse = e)[name = string(\"y\")];\n");
    const file_verdict verdict = verdict_on(sum);
    REQUIRE_FALSE(verdict.accepted());
    CHECK(verdict.reasons.back().line == 6);
    CHECK(verdict.reasons.back().reason.find("Not implemented") != std::string::npos);
}

TEST_CASE("an infinite mask is no reason for the compiler to refuse a file, though the graph cannot hold it") {
    const auto path = std::filesystem::temp_directory_path() / "anemone_infinite_mask.mil";
    std::ofstream(path) << whole_program(
        "tensor<fp16, [2, 2]> x",
        "        tensor<fp16, [2, 2]> y = add(x = x, y = tensor<fp16, [2, 2]>([[0, -inf], [0, "
        "0]]))[name = string(\"y\")];\n");
    CHECK_THROWS_AS(read_mil_file(path.string()), unreadable);
    CHECK(judge_mil_file(path.string(), h13).accepted());
    const read_model model = read_mil_file(path.string(), {.saturates_infinities = true});
    CHECK(model.notes.size() == 1);
    std::filesystem::remove(path);
}

TEST_CASE("a file that cannot be read is refused with all its faults") {
    const auto path = std::filesystem::temp_directory_path() / "anemone_file_verdict.mil";
    std::ofstream(path) << whole_program("tensor<fp16, [4, 8]> x",
                                         "        tensor<fp16, [4, 8]> z = tan(x = x)[name = string(\"z\")];\n"
                                         "        tensor<fp16, [4, 9]> y = relu(x = x)[name = string(\"y\")];\n");
    const file_verdict verdict = judge_mil_file(path.string(), h13);
    std::filesystem::remove(path);
    REQUIRE(verdict.reasons.size() == 2);
    CHECK(verdict.reasons[0].line == 4);
    CHECK(verdict.reasons[0].column > 0);
    CHECK(verdict.reasons[1].line == 5);
    CHECK_THROWS_AS(judge_mil_file(path.string(), h13), error);
}
