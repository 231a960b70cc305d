// Packages say what MIL text says, are read as it is, and appear whole.

#include "../readers/mil_support.hpp"
#include "package_folder.hpp"
#include <anemone/backend/cpu/constants.hpp>
#include <anemone/dynamic_builder.hpp>
#include <anemone/io/file.hpp>
#include <anemone/passes/lowering.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace ane;
using reading::faults_of;
using list = reading::numbers;
using reading::program_of;

namespace {

const auto no_file = [](const std::string& path) -> std::span<const std::byte> {
    throw error(errc::file, path, "there is none");
};

read_model read_again(const std::string& text, const mil_reader_options& options = {}) {
    return read_mlmodel(mlmodel_bytes({text, {}, {}, {}}), no_file, options, "model.mlmodel");
}

/// A text is refused by the writer with these words.
void is_refused(const std::string& text, const std::string& words) {
    try {
        mlmodel_bytes({text, {}, {}, {}});
        FAIL_CHECK("was written: " << text);
    } catch (const unreadable& refused) {
        const std::string said = refused.what();
        CHECK_MESSAGE(said.find(words) != std::string::npos, said);
    }
}

bool has_note(const read_model& model, const std::string& words) {
    return std::any_of(model.notes.begin(), model.notes.end(),
                       [&](const std::string& note) { return note.find(words) != std::string::npos; });
}

} // namespace

TEST_CASE("the message of x * 2, byte by byte") {
    // From the numbers of the schema by hand: a string is 0a <length> <bytes>, and so on.
    const auto field = [](int number, const std::string& content) {
        std::string key;
        for (unsigned k = static_cast<unsigned>(number) << 3U | 2U; true; k >>= 7U) {
            key += static_cast<char>(k >= 128 ? (k & 127U) | 128U : k);
            if (k < 128) {
                break;
            }
        }
        const auto size = static_cast<unsigned>(content.size());
        const std::string length =
            size < 128 ? std::string(1, static_cast<char>(size))
                       : std::string{static_cast<char>((size & 127U) | 128U), static_cast<char>(size >> 7U)};
        return key + length + content;
    };
    const auto integer = [](int number, int value) {
        return std::string{static_cast<char>(number << 3U), static_cast<char>(value)};
    };
    const std::string fp16 = integer(1, 10);
    const std::string vector = field(1, fp16 + integer(2, 1) + field(3, field(1, integer(1, 6)))); // tensor<fp16, [6]>
    const std::string scalar = field(1, fp16);
    const std::string word = field(1, integer(1, 2));
    const auto name = [&](const std::string& n) {
        return field(5, field(1, "name") + field(2, field(2, word) + field(3, field(1, field(4, field(1, n))))));
    };
    const auto result = [&](const std::string& n, const std::string& type) {
        return field(3, field(1, n) + field(2, type));
    };
    const auto input = [&](const std::string& key, const std::string& variable) {
        return field(2, field(1, key) + field(2, field(1, field(1, variable))));
    };
    const std::string two = field(3, field(1, field(7, field(1, std::string("\0\x40", 2))))); // 2.0 is 0x4000
    const std::string constant = field(1, "const") + result("y_y", scalar) + name("y_y") +
                                 field(5, field(1, "val") + field(2, field(2, scalar) + two));
    const std::string product = field(1, "mul") + input("x", "x") + input("y", "y_y") + result("y", vector) + name("y");
    const std::string block = field(2, "y") + field(3, constant) + field(3, product);
    const std::string function = field(1, field(1, "x") + field(2, vector)) + field(2, "CoreML8") +
                                 field(3, field(1, "CoreML8") + field(2, block));
    const std::string program = integer(1, 1) + field(2, field(1, "main") + field(2, function));
    const std::string array = field(3, field(5, field(1, "\x06") + std::string("\x10\x90\x80\x04"))); // 65552
    const std::string description = field(1, field(1, "x") + array) + field(10, field(1, "y") + array);
    const std::string model = integer(1, 9) + field(2, description) + field(502, program);

    const std::vector<std::byte> bytes = mlmodel_bytes(
        {program_of("tensor<fp16, [6]> x", "tensor<fp16, [6]> y = mul(x = x, y = fp16(0x1p+1))[name = string(\"y\")];"),
         {},
         {},
         {}});
    CHECK(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()) == model);
}

TEST_CASE("constants of every type that text has come back") {
    struct row {
        std::string type;
        std::string literal;
        list values;
    };
    for (const row& each : std::vector<row>{{"fp16", "[0x1.8p+0, -2, 65504]", {1.5, -2, 65504}},
                                            {"fp32", "[0x1.8p+0, -2, 3]", {1.5, -2, 3}},
                                            {"fp64", "[0x1.8p+0, -2, 3]", {1.5, -2, 3}},
                                            {"bf16", "[0x1.8p+0, -2, 3]", {1.5, -2, 3}},
                                            {"int8", "[-128, 0, 127]", {-128, 0, 127}},
                                            {"uint8", "[0, 128, 255]", {0, 128, 255}},
                                            {"int16", "[-2000, 0, 2000]", {-2000, 0, 2000}},
                                            {"uint16", "[0, 1, 2000]", {0, 1, 2000}},
                                            {"int32", "[-2000, 0, 2000]", {-2000, 0, 2000}},
                                            {"uint32", "[0, 1, 2000]", {0, 1, 2000}},
                                            {"int64", "[-2000, 0, 2000]", {-2000, 0, 2000}},
                                            {"uint64", "[0, 1, 2000]", {0, 1, 2000}},
                                            {"int4", "[-8, 0, 7]", {-8, 0, 7}},
                                            {"uint4", "[0, 8, 15]", {0, 8, 15}},
                                            {"uint2", "[0, 2, 3]", {0, 2, 3}},
                                            {"uint1", "[0, 1, 1]", {0, 1, 1}},
                                            {"uint3", "[0, 6, 7]", {0, 6, 7}},
                                            {"uint6", "[0, 61, 62]", {0, 61, 62}},
                                            {"bool", "[true, false, true]", {1, 0, 1}}}) {
        const std::string& type = each.type;
        CAPTURE(type);
        const std::string number = type == "bool" ? "cast(dtype = string(\"fp16\"), x = k)" : "identity(x = k)";
        const read_model model = read_again(program_of(
            "tensor<fp16, [3]> x", "tensor<" + type + ", [3]> k = const()[name = string(\"k\"), val = tensor<" + type +
                                       ", [3]>(" + each.literal + ")];\n tensor<fp16, [3]> n = " + number +
                                       ";\n tensor<fp16, [3]> y = add(x = x, y = n);"));
        CHECK(reading::run(model, {{0, 0, 0}}) == std::vector<list>{each.values});
    }
}

TEST_CASE("ports of bytes and truth values are int32 ports, and mean the same") {
    const std::string text = program_of("tensor<uint8, [4]> a, tensor<fp16, [4]> b",
                                        "tensor<fp16, [4]> n = cast(dtype = string(\"fp16\"), x = a);\n"
                                        "tensor<bool, [4]> less = less(x = n, y = b);\n"
                                        "tensor<fp16, [4]> y = mul(x = n, y = b);",
                                        "less, y");
    const read_model model = read_again(text);
    const graph_view g = model.graph;
    CHECK(g.name(0) == "a");
    CHECK(has_note(model, "the input a is int32 in the file"));
    const std::vector<list> inputs{{0, 1, 200, 255}, {1, 1, 0.5, 300}};
    CHECK(reading::run(model, inputs) == reading::run(reading::read(text), inputs));
    CHECK(reading::run(model, inputs)[0] == list{1, 0, 0, 1});
}

TEST_CASE("a byte port that is an output as well") {
    const std::string text =
        program_of("tensor<uint8, [2]> a", "tensor<fp16, [2]> y = cast(dtype = string(\"fp16\"), x = a);", "y, a");
    CHECK(reading::run(read_again(text), {{3, 250}}) == std::vector<list>{{3, 250}, {3, 250}});
}

TEST_CASE("states are states") {
    dynamic_builder b;
    const dynamic_tensor row = b.input("row", {1, 4});
    const dynamic_tensor sum = b.input("sum", {1, 4});
    const dynamic_tensor next = b.add(op::add, {row, sum});
    b.keep(sum, next);
    b.output("y", b.add(op::relu, {next}));
    const dynamic_graph model = b.finish();
    const lowered_graph lowered = lower(model);
    const mil_program p = emit_mil(lowered.graph, fold_constants(lowered.graph, {}), {.core_ml_states = true});
    const read_model again = read_mlmodel(mlmodel_bytes(p), no_file);
    const graph_view g = again.graph;
    CHECK(std::count_if(g.outputs.begin(), g.outputs.end(), [](const output_port& o) { return o.is_state(); }) == 1);
    const std::string bytes = encoded_text(mlmodel_bytes(p));
    CHECK(bytes.find(std::string("\x6a\x13\x0a\x03sum\x1a\x0c\x42\x0a\x0a\x08\x0a\x02\x01\x04\x10\x90", 19)) !=
          std::string::npos); // description.state: a FeatureDescription whose type is a StateFeatureType
    is_refused(program_of("state<tensor<fp32, [4]>> s", "tensor<fp32, [4]> y = read_state(input = s);"),
               "states of Core ML are fp16");
}

TEST_CASE("one of several functions is read by name, and the default one without") {
    const auto function = [](const std::string& name, const std::string& factor) {
        return "    func " + name +
               "<ios18>(tensor<fp16, [2]> x) {\n        tensor<fp16, [2]> y = mul(x = x, y = fp16(" + factor +
               "));\n    } -> (y);\n";
    };
    const std::string two =
        "program(1.3)\n{\n" + function("one", "1") + function("main", "2") + function("three", "3") + "}\n";
    const std::vector<std::byte> bytes = mlmodel_bytes({two, {}, {}, {}});
    CHECK(mlmodel_functions(bytes) == std::vector<std::string>{"one", "main", "three"});
    const std::string message = encoded_text(bytes);
    CHECK(message.find("\xaa\x01\x04main") != std::string::npos); // field 21, the default function
    CHECK(message.find("\xa2\x01\x25\x0a\x03one\x12\x0e\x0a\x01x\x1a\x09\x2a\x07\x0a\x01\x02\x10") !=
          std::string::npos); // field 20, the description of a function
    const auto result = [&](std::string_view name) {
        return reading::run(read_mlmodel(bytes, no_file, {.function = name}), {{1, 2}})[0];
    };
    CHECK(result("one") == list{1, 2});
    CHECK(result("") == list{2, 4});
    CHECK(result("three") == list{3, 6});
    CHECK_THROWS_WITH_AS(result("four"), doctest::Contains("has no function four, only one, main, three"), unreadable);
}

TEST_CASE("faults say the operation by its number, and those that follow are not told") {
    const std::string text =
        program_of("tensor<fp16, [4]> x", "tensor<fp16, [4]> a = relu(x = x);\ntensor<fp16, [4]> b = lstm(x = a);\n"
                                          "tensor<fp16, [4]> c = relu(x = b);\ntensor<fp16, [5]> y = relu(x = a);");
    try {
        read_again(text);
        FAIL_CHECK("was read");
    } catch (const unreadable& refused) {
        REQUIRE(refused.faults().size() == 2);
        CHECK(ane::text(refused.faults()[0]).starts_with("model.mlmodel:2: b (lstm): needs the argument weight_hh"));
        CHECK(ane::text(refused.faults()[1]) == "model.mlmodel:4: y (relu): gives [4], declared is [5]");
    }
}

TEST_CASE("what a package cannot say is refused with its place in the text") {
    is_refused("no program", "MIL text begins with program");
    is_refused("program(1.0)\n{\n}\n", "has no function");
    is_refused(program_of("tensor<fp16, [?]> x", "tensor<fp16, [4]> y = relu(x = x);"),
               "is no type of a tensor with known extents");
    is_refused(program_of("fp16 x", "fp16 y = relu(x = x);"), "ports of Core ML have an axis");
    is_refused(program_of("tensor<int16, [4]> x", "tensor<fp16, [4]> y = relu(x = x);"),
               "the port x is tensor<int16, [4]>, which no port of Core ML is");
    is_refused(program_of("tensor<fp16, [4]> x", "tensor<fp16, [4]> y = mul(x = x, y = 2);"), "a value without a type");
    is_refused(program_of("tensor<fp16, [4]> x", "tensor<fp16, [4]> y = mul(x = x, y = tensor<fp16, [3]>([1, 2]));"),
               "a constant [3] has 2 values");
    is_refused(program_of("tensor<fp16, [4]> x", "tensor<fp16, [4]> y = mul(x = x, y = int8(200));"), "200 is no int8");
    is_refused(
        program_of("tensor<fp16, [4]> x",
                   "tensor<fp16, [4]> y = mul(x = x, y = tensor<fp16, [4]>(BLOBFILE(path = string(\"/etc/passwd\"), "
                   "offset = uint64(64))));"),
        "the weights are expected in @model_path/weights.bin");
    is_refused(program_of("tensor<fp16, [4]> x", "tensor<fp16, [4]> y = relu(x = x);", "z"),
               "the result z is not defined");
    is_refused("program(1.0)\n{ func main<ios99>(tensor<fp16, [4]> x) { tensor<fp16, [4]> y = relu(x = x); } -> (y); }",
               "the opset ios99 is not one of");
    is_refused(program_of("tensor<fp16, [4]> x", "tensor<fp16, [4]> y = cond(p = x) { relu() } -> (a);"),
               "statements with blocks");
}

TEST_CASE("files of other kinds are refused with their kind") {
    const auto refusal = [](const std::string& bytes) {
        try {
            read_mlmodel(std::as_bytes(std::span(bytes)), no_file);
        } catch (const unreadable& refused) {
            return std::string(refused.what());
        }
        return std::string();
    };
    CHECK(refusal(std::string("\x08\x04\xa2\x1f\x00", 5)).find("is a model of the kind neural network;") !=
          std::string::npos);
    CHECK(refusal(std::string("\x08\x04\xd2\x0c\x00", 5)).find("is a model of the kind pipeline;") !=
          std::string::npos);
    CHECK(refusal("").find("is no model of Core ML") != std::string::npos);
    CHECK(refusal("\x08").find("at byte 1: the file ends within a number") != std::string::npos);
    CHECK(refusal(std::string("\x08\x09\xb2\x1f\x00", 5)).find("has no function") != std::string::npos);
}

TEST_CASE("a package is read from its folder, and replaced as a whole") {
    const package_folder scratch;
    const std::string path = scratch.path("net.mlpackage");
    dynamic_builder b;
    const std::vector<float> values(100, 0.5F);
    const dynamic_tensor x = b.input("x", {1, 100});
    b.output("y", b.add(op::mul, {x, b.weight("w", {1, 100})}));
    const dynamic_graph model = b.finish();
    weight_store weights;
    weights.add("w", {1, 100}, std::span<const float>(values));
    const lowered_graph lowered = lower(model);
    const mil_program p = emit_mil(lowered.graph, fold_constants(lowered.graph, weights));
    CHECK(write_mlpackage(p, path + "/") == path);
    const std::string first = scratch.listing("net.mlpackage");
    const read_model again = read_mlpackage_file(path);
    CHECK(reading::run(again, {list(100, 3.0)})[0] == list(100, 1.5));
    CHECK(reading::run(read_mlpackage_file(path + "/Data/com.apple.CoreML/model.mlmodel"), {list(100, 3.0)})[0] ==
          list(100, 1.5));
    CHECK(write_mlpackage(p, path) == path); // the same bytes in place of the old ones
    CHECK(scratch.listing("net.mlpackage") == first);
    CHECK(scratch.names() == std::vector<std::string>{"net.mlpackage"});

    SUBCASE("anything else is left alone") {
        std::filesystem::create_directories(scratch.path("mine"));
        write_file(scratch.path("mine/Manifest.json"), std::string("{\"mine\": 1}"));
        write_file(scratch.path("text"), std::string("mine"));
        std::filesystem::create_symlink(path, scratch.path("link"));
        for (const char* taken : {"mine", "text", "link"}) {
            CHECK_THROWS_WITH_AS(write_mlpackage(p, scratch.path(taken)),
                                 doctest::Contains("is there and is no ML package: it is not overwritten"), error);
        }
        CHECK_THROWS_AS(write_mlpackage(p, ""), error);
        CHECK_THROWS_AS(write_mlpackage(p, path + "/Manifest.json/net"), error);
        CHECK(scratch.names() == std::vector<std::string>{"link", "mine", "net.mlpackage", "text"});
    }
    SUBCASE("weights that are missing, short, or elsewhere") {
        const std::string blob = path + "/Data/com.apple.CoreML/weights/weight.bin";
        std::filesystem::rename(blob, scratch.path("outside.bin"));
        CHECK_THROWS_WITH_AS(read_mlpackage_file(path), doctest::Contains("cannot be found"), unreadable);
        std::filesystem::create_symlink(scratch.path("outside.bin"), blob);
        CHECK_THROWS_WITH_AS(read_mlpackage_file(path),
                             doctest::Contains("a link that leads out of the model's folder"), unreadable);
        std::filesystem::remove(blob);
        write_file(blob, std::string(70, 'x'));
        CHECK_THROWS_WITH_AS(read_mlpackage_file(path), doctest::Contains("has version"), unreadable);
    }
    SUBCASE("manifests are not believed") {
        const auto manifest = [](const std::string& model_path) {
            return R"({"fileFormatVersion": "1.0.0", "itemInfoEntries": {"A": {"path": ")" + model_path +
                   R"("}}, "rootModelIdentifier": "A"})";
        };
        const auto refusal = [&](const std::string& text) {
            write_file(path + "/Manifest.json", text);
            try {
                read_mlpackage_file(path);
            } catch (const error& e) {
                return std::string(e.what());
            }
            return std::string("read");
        };
        CHECK(refusal(manifest("com.apple.CoreML/model.mlmodel")) == "read");
        const auto has = [&](const std::string& text, const std::string& words) {
            const std::string said = refusal(text);
            CHECK_MESSAGE(said.find(words) != std::string::npos, said);
        };
        has(manifest("../../../etc/passwd"), "is no path below");
        has(manifest("/etc/passwd"), "is no path below");
        has(manifest("com.apple.CoreML/none.mlmodel"), "cannot be found");
        has(manifest("com.apple.CoreML/" + std::string(300, 'n')), "cannot be opened: File name too long");
        has(manifest("com.apple.CoreML"), "is not a regular file");
        has(manifest(""), "has no path for its rootModelIdentifier \"A\"");
        has(R"({"fileFormatVersion": "2.0.0"})", "has the fileFormatVersion \"2.0.0\"");
        has(R"({"fileFormatVersion": "1.0.0", "rootModelIdentifier": 5, "itemInfoEntries": []})", "has no path for");
        has(R"([1, 2)", "is no JSON text of a manifest: at byte 5");
        has("", "is no JSON text of a manifest");
        has(std::string(100'000, '['), "is no JSON text of a manifest");
        has(std::string((1U << 20U) + 1, ' '), "the limit is 1048576");
        std::filesystem::remove(path + "/Manifest.json");
        CHECK_THROWS_WITH_AS(read_mlpackage_file(path), doctest::Contains("Manifest.json: cannot be found"), error);
    }
}
