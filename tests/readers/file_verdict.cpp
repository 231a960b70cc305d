#include <anemone/readers/file_verdict.hpp>

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

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

namespace {

file_verdict verdict_on_file(const std::string& text, target t = h13) {
    const auto path = std::filesystem::temp_directory_path() / "anemone_verdict_on_file.mil";
    std::ofstream(path) << text;
    file_verdict verdict = judge_mil_file(path.string(), t);
    std::filesystem::remove(path);
    return verdict;
}

} // namespace

TEST_CASE("numbers that no graph holds are no reason to refuse a file") {
    for (const std::string number : {"fp16(nan)", "fp32(-3.4e38)", "fp16(-inf)", "fp16(1e5)"}) {
        CAPTURE(number);
        const std::string text =
            whole_program("tensor<fp16, [4]> x",
                          "        tensor<fp16, [4]> y = add(x = x, y = " + number + ")[name = string(\"y\")];\n");
        CHECK(verdict_on_file(text).accepted());
        CHECK_THROWS_AS(read_mil(text, [](const std::string&) { return std::span<const std::byte>(); }), unreadable);
    }
}

TEST_CASE("every function of a file is judged") {
    const auto function = [](const std::string& name, const std::string& width) {
        return "    func " + name + "<ios18>(tensor<fp16, [1, " + width + ", 1, 1]> x) {\n        tensor<fp16, [1, " +
               width + ", 1, 1]> y = relu(x = x)[name = string(\"y\")];\n    } -> (y);\n";
    };
    const auto file = [](const std::string& functions) { return "program(1.3)\n{\n" + functions + "}\n"; };
    CHECK(verdict_on_file(file(function("a", "4") + function("b", "8"))).accepted());
    CHECK_FALSE(verdict_on_file(file(function("a", "4") + function("b", "65537"))).accepted());
    CHECK_FALSE(verdict_on_file(file("")).accepted());
    std::string many;
    for (int i = 0; i < 1000; ++i) {
        many += function("f" + std::to_string(i), i % 100 == 99 ? "65537" : "4");
    }
    const file_verdict of_many = verdict_on_file(file(many), h18);
    CHECK(of_many.reasons.size() % 10 == 0);
    CHECK(of_many.reasons.size() >= 10);
    CHECK(verdict_on_file(file(many + function("one_more", "4"))).reasons.size() == 1);
    const auto none = [](const std::string&) { return std::span<const std::byte>(); };
    CHECK(mil_functions(file(function("a", "4") + function("b", "8"))) == std::vector<std::string>{"a", "b"});
    CHECK_THROWS_AS(mil_functions("\"r"), unreadable);
    CHECK_THROWS_AS(read_mil(file(function("a", "4") + function("b", "8")), none), unreadable);
}

TEST_CASE("attributes of any form are passed over") {
    CHECK(verdict_on_file(
              whole_program("tensor<fp16, [4]> x",
                            "        tensor<fp16, [4]> y = relu(x = x)[name = string(\"y\"), t = tuple<int32, "
                            "string>((1, \"x\")), nested = ((1, {{\"x\", [1, 3]}}), 2)];\n"))
              .accepted());
}

TEST_CASE("forms that the compiler was seen to refuse, of operations that it takes") {
    const std::string image = "tensor<fp16, [1, 4, 8, 8]> x";
    const auto statement = [](const std::string& type, const std::string& call) {
        return "        " + type + " y = " + call + "[name = string(\"y\")];\n";
    };
    CHECK_FALSE(verdict_on("program(1.3)\n{\n    func main<ios18>(" + image + ") {\n    } -> (x);\n}\n").accepted());
    CHECK_FALSE(verdict_on(whole_program(image, statement("tensor<bf16, [1, 4, 8, 8]>", "relu(x = x)"))).accepted());
    const std::string pool = "max_pool(x = x, kernel_sizes = [3, 3], strides = [2, 2], pad_type = string(\"custom\"), ";
    CHECK_FALSE(verdict_on(whole_program(image, statement("tensor<fp16, [1, 4, 5, 5]>",
                                                          pool + "pad = [1, 1, 1, 1], ceil_mode = true)")))
                    .accepted());
    CHECK(verdict_on(whole_program(image, statement("tensor<fp16, [1, 4, 4, 4]>",
                                                    pool + "pad = [0, 0, 0, 0], ceil_mode = true)")))
              .accepted());
    const auto attention = [&](const std::string& more) {
        return whole_program("tensor<fp16, [4, 8, 16]> x",
                             statement("tensor<fp16, [4, 8, 16]>",
                                       "scaled_dot_product_attention(query = x, key = x, value = x" + more + ")"));
    };
    CHECK(verdict_on(attention("")).accepted());
    CHECK_FALSE(verdict_on(attention(", scale = fp16(0.25)")).accepted());
    const auto times = [&](const std::string& factor) {
        return whole_program("tensor<fp16, [4, 8]> x",
                             "        tensor<fp16, [4, 1]> r = reduce_sum(axes = [1], keep_dims = true, x = x)[name = "
                             "string(\"r\")];\n" +
                                 statement("tensor<fp16, [4, 1]>", "mul(x = r, y = " + factor + ")"));
    };
    CHECK(verdict_on(times("fp16(0.5)")).accepted());
    CHECK_FALSE(verdict_on(times("fp16(0.0)")).accepted());
    CHECK_FALSE(verdict_on(times("fp16(1e-30)")).accepted());
    for (const std::string zero :
         {"fp16(0.0)", "fp16(-0.0)", "tensor<fp16, [1]>([0])", "tensor<fp16, [4, 1]>([[0], [0], [0], [0]])"}) {
        CAPTURE(zero); // of any rank it is one reason
        CHECK(verdict_on(times(zero)).reasons.size() == 1);
    }
}

namespace {

read_model case_file(const std::string& name) {
    return read_mil_file(std::string(ANEMONE_TEST_DATA) + "/readers/cases/" + name);
}

} // namespace

TEST_CASE("a weight in blocks is doubted where a convolution or a product reads it") {
    const read_model of_study = case_file("weights_in_blocks.mil");
    REQUIRE(of_study.doubts.size() == 1);
    CHECK(of_study.doubts[0].reason.find("Not implemented") != std::string::npos);
    CHECK(of_study.doubts[0].operation == "y (conv)");
    CHECK_FALSE(judge(of_study, h17s).accepted());
    const auto product = [](const std::string& scales, const std::string& type, const std::string& more) {
        return verdict_on(whole_program(
            "tensor<fp16, [1, 4]> x",
            "        tensor<int8, [4, 4]> q = const()[name = string(\"q\"), val = tensor<int8, [4, 4]>([1, 2, 3, 4, 5, 6, 7, "
            "8, 1, 2, 3, 4, 5, 6, 7, 8])];\n        tensor<fp16, " +
                type + "> s = const()[name = string(\"s\"), val = tensor<fp16, " + type + ">(" + scales +
                ")];\n        tensor<fp16, [4, 4]> w = constexpr_blockwise_shift_scale(data = q, scale = s)[name = "
                "string(\"w\")];\n" +
                more));
    };
    const std::string matmul = "        tensor<fp16, [1, 4]> y = matmul(x = x, y = w, transpose_x = bool(false), "
                               "transpose_y = bool(true))[name = string(\"y\")];\n";
    const std::string linear = "        tensor<fp16, [1, 4]> y = linear(x = x, weight = w)[name = string(\"y\")];\n";
    for (const std::string& reader : {matmul, linear}) {
        CHECK_FALSE(product("[1, 2, 3, 4, 5, 6, 7, 8]", "[4, 2]", reader).accepted());
        CHECK_FALSE(product("[1, 2]", "[2, 1]", reader).accepted());
        // Of one scale for each channel, and of one for all, the sources disagree.
        CHECK(product("[1, 2, 3, 4]", "[4, 1]", reader).accepted());
        CHECK(product("[1]", "[1, 1]", reader).accepted());
    }
    // Elementwise operations take it (weights, section 2).
    const std::string sum = "        tensor<fp16, [4, 4]> y = add(x = x, y = w)[name = string(\"y\")];\n";
    CHECK(product("[1, 2, 3, 4, 5, 6, 7, 8]", "[4, 2]", sum).accepted());
}

TEST_CASE("the compiler's parser has no default for some arguments that Core ML may leave out") {
    const read_model rsqrt = case_file("rsqrt_without_epsilon.mil");
    REQUIRE(rsqrt.doubts.size() == 1);
    CHECK(rsqrt.doubts[0].line == 5);
    CHECK(rsqrt.doubts[0].reason.find("no default for epsilon") != std::string::npos);
    const auto doubts_of = [](const std::string& type, const std::string& call) {
        const std::string text =
            whole_program("tensor<fp16, [1, 4, 8, 8]> x",
                          "        tensor<fp16, " + type + "> y = " + call + "[name = string(\"y\")];\n");
        return verdict_on(text).reasons;
    };
    const std::string image = "[1, 4, 8, 8]";
    for (const std::string operation : {"log", "rsqrt", "inverse"}) {
        CAPTURE(operation);
        REQUIRE(doubts_of(image, operation + "(x = x)").size() == 1);
        CHECK(doubts_of(image, operation + "(x = x)")[0].reason.find("epsilon") != std::string::npos);
        CHECK(doubts_of(image, operation + "(x = x, epsilon = fp16(0x0p+0))").empty());
    }
    REQUIRE(doubts_of(image, "gelu(x = x)").size() == 1);
    CHECK(doubts_of(image, "gelu(x = x)")[0].reason.find("mode") != std::string::npos);
    CHECK(doubts_of(image, "gelu(x = x, mode = string(\"EXACT\"))").empty());
    for (const std::string kind : {"max", "avg"}) {
        const std::string pool = kind + "_pool(x = x, kernel_sizes = [2, 2], strides = [2, 2]";
        const std::vector<read_fault> both = doubts_of("[1, 4, 4, 4]", pool + ")");
        REQUIRE(both.size() == 1);
        CHECK(both[0].reason.find("no default for pad and pad_type") != std::string::npos);
        const std::vector<read_fault> one = doubts_of("[1, 4, 4, 4]", pool + ", pad_type = string(\"valid\"))");
        REQUIRE(one.size() == 1);
        CHECK(one[0].reason.find("no default for pad:") != std::string::npos);
        CHECK(doubts_of("[1, 4, 4, 4]", pool + ", pad_type = string(\"valid\"), pad = [0, 0, 0, 0])").empty());
    }
    const std::string slice = "slice_by_index(x = x, begin = [0, 0, 0, 0], end = [1, 2, 8, 8]";
    REQUIRE(doubts_of("[1, 2, 8, 8]", slice + ")").size() == 1);
    CHECK(doubts_of("[1, 2, 8, 8]", slice + ")")[0].reason.find("end_mask") != std::string::npos);
    CHECK(doubts_of("[1, 2, 8, 8]", slice + ", end_mask = [false, false, false, false])").empty());
    CHECK(doubts_of(image, "relu(x = x)").empty());
}

TEST_CASE("what was measured or reported of one chip is judged chip by chip") {
    const std::string image = "tensor<fp16, [1, 4, 8, 8]> x";
    const auto accepted = [&](const std::string& type, const std::string& call, target t) {
        return verdict_on(whole_program(image, "        " + type + " y = " + call + "[name = string(\"y\")];\n"), t)
            .accepted();
    };
    const auto gather = [&](int axis, const std::string& type, target t) {
        return accepted(type,
                        "gather(x = x, indices = tensor<int32, [2]>([1, 0]), axis = int32(" + std::to_string(axis) +
                            "), batch_dims = int32(0), validate_indices = bool(false))",
                        t);
    };
    CHECK(gather(1, "tensor<fp16, [1, 2, 8, 8]>", h16g)); // L015: placed on an M4
    CHECK_FALSE(gather(1, "tensor<fp16, [1, 2, 8, 8]>", h17));
    CHECK(gather(3, "tensor<fp16, [1, 4, 8, 2]>", h16g));
    CHECK_FALSE(gather(2, "tensor<fp16, [1, 4, 2, 8]>", h16g));
    const auto top = [&](int k, target t) {
        const std::string type = "tensor<fp16, [1, " + std::to_string(k) + ", 8, 8]>";
        const std::string places = ", tensor<uint16, [1, " + std::to_string(k) + ", 8, 8]> places";
        return verdict_on(whole_program(image, "        " + type + " y" + places + " = topk(x = x, k = int32(" +
                                                   std::to_string(k) +
                                                   "), axis = int32(1), ascending = bool(false), sort = bool(true), "
                                                   "return_indices = bool(true), output_indices_dtype = "
                                                   "string(\"uint16\"))[name = string(\"y\")];\n"),
                          t)
            .accepted();
    };
    CHECK(top(2, h17));
    CHECK_FALSE(top(3, h17)); // R135: measured on M1 and M5
    CHECK_FALSE(top(4, h14));
    CHECK(top(3, h16g)); // reported of an M4
    CHECK(top(4, h16g));
}

TEST_CASE("a constexpr operation that reads another one is refused, but for pairs; a scale on a palette is a hazard") {
    const std::string data =
        "        tensor<int8, [4, 8]> d = const()[name = string(\"d\"), val = tensor<int8, [4, 8]>([[1, 2, "
        "3, 4, 5, 6, 7, 8], [1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 3, 4, 5, 6, "
        "7, 8]])];\n        tensor<fp16, [4, 1]> s = const()[name = string(\"s\"), val = tensor<fp16, "
        "[4, 1]>([[1], [2], [3], [4]])];\n";
    const auto scaled = [](const std::string& name, const std::string& of) {
        return "        tensor<fp16, [4, 8]> " + name + " = constexpr_blockwise_shift_scale(data = " + of +
               ", scale = s)[name = string(\"" + name + "\")];\n";
    };
    const std::string sum = "        tensor<fp16, [4, 8]> y = add(x = x, y = w)[name = string(\"y\")];\n";
    const auto read = [](const std::string& statements) {
        return read_mil(whole_program("tensor<fp16, [4, 8]> x", statements),
                        file_lookup([](const std::string&) { return std::span<const std::byte>(); }));
    };
    const read_model once = read(data + scaled("w", "d") + sum);
    CHECK(once.doubts.empty());
    CHECK(once.hazards.empty());
    const read_model twice = read(data + scaled("v", "d") + scaled("w", "v") + sum);
    REQUIRE(twice.doubts.size() == 1);
    CHECK(twice.doubts[0].reason.find("reads another one is a validation error") != std::string::npos);
    CHECK(twice.hazards.empty());
    const std::string palette =
        "        tensor<uint1, [4, 8]> i = const()[name = string(\"i\"), val = tensor<uint1, [4, 8]>([[0, 1, 0, 1, 0, 1, 0, "
        "1], [0, 1, 0, 1, 0, 1, 0, 1], [0, 1, 0, 1, 0, 1, 0, 1], [0, 1, 0, 1, 0, 1, 0, 1]])];\n        tensor<fp16, [1, "
        "1, 2, 1]> l = const()[name = string(\"l\"), val = tensor<fp16, [1, 1, 2, 1]>([[[[1], [2]]]])];\n        "
        "tensor<fp16, [4, 8]> v = constexpr_lut_to_dense(indices = i, lut = l)[name = string(\"v\")];\n";
    const read_model on_top = read(data + palette + scaled("w", "v") + sum);
    CHECK(on_top.doubts.empty());
    REQUIRE(on_top.hazards.size() == 1);
    CHECK(on_top.hazards[0].reason.find("macOS 26") != std::string::npos);
    CHECK(on_top.hazards[0].line > 0);
}

TEST_CASE("a file that is open tells of its blobs wherever it was moved") {
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("anemone_moved_mil_" + std::to_string(::getpid()));
    std::filesystem::create_directory(folder);
    const std::filesystem::path path = folder / "model.mil";
    std::ofstream(path) << "program(1.3)\n{\n    func main<ios18>(tensor<fp16, [4]> x) {\n"
                           "        tensor<fp16, [4]> c = const()[val = tensor<fp16, [4]>(BLOBFILE(path = "
                           "string(\"@model_path/w.bin\"), offset = uint64(64)))];\n"
                           "        tensor<fp16, [4]> y = add(x = x, y = c)[name = string(\"y\")];\n    } -> (y);\n}\n";
    std::ofstream(folder / "w.bin") << "too short";
    auto first = std::make_unique<opened_mil_file>(path.string());
    opened_mil_file file(std::move(*first));
    first.reset();
    opened_files told;
    CHECK(file.read({.opened = &told, .allows_missing = true}).missing.size() == 1);
    CHECK(told.has((folder / "w.bin").string()));
    std::filesystem::remove_all(folder);
}

TEST_CASE("functions of a file that is open are read without opening it again") {
    const std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("anemone_open_mil_" + std::to_string(::getpid()) + ".mil");
    std::ofstream(path) << "program(1.3)\n{\n"
                           "    func a<ios18>(tensor<fp16, [1, 4]> x) {\n"
                           "        tensor<fp16, [1, 4]> y = relu(x = x)[name = string(\"y\")];\n    } -> (y);\n"
                           "    func b<ios18>(tensor<fp16, [1, 8]> x) {\n"
                           "        tensor<fp16, [1, 8]> z = abs(x = x)[name = string(\"z\")];\n    } -> (z);\n}\n";
    opened_mil_file file(path.string());
    std::filesystem::rename(path, path.string() + ".away"); // its name is gone, the file is not
    REQUIRE(file.functions().size() == 2);
    CHECK(file.functions()[1].name == "b");
    opened_files told;
    for (const char* name : {"b", "a", "b"}) {
        const read_model model = file.read({.function = name, .opened = &told});
        CHECK(model.graph.view().find_output(name == std::string("a") ? "y" : "z") == 0);
    }
    CHECK(told.has(path.string() + ".away"));
    CHECK_THROWS_AS(file.read({.function = "c"}), error);
    opened_mil_file moved(std::move(file));
    CHECK(moved.read({.function = "a"}).graph.view().find_output("y") == 0);
    CHECK_THROWS_AS(file.functions(), error); // NOLINT(bugprone-use-after-move)
    std::filesystem::remove(path.string() + ".away");
    CHECK_THROWS_AS(opened_mil_file(path.string()), error);
}
