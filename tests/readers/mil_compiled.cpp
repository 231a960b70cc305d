// Compiled models as macOS 27 has them, files without their weights, flexible shapes, recurrent layers, and the forms of
// text that Apple's parser is not known to take.

#include "mil_support.hpp"
#include <anemone/io/file.hpp>
#include <anemone/passes/print.hpp>
#include <anemone/readers/mil.hpp>
#include <anemone/rules/evaluate.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

using reading::numbers;
using reading::program_of;

namespace {

const std::string case_folder = ANEMONE_TEST_DATA "/readers/cases/";

bool says_in(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

bool any_has(const std::vector<std::string>& list, const std::string& part) {
    return std::any_of(list.begin(), list.end(), [&](const std::string& each) { return says_in(each, part); });
}

std::string refusal_of_text(const std::string& text, const ane::mil_reader_options& options = {}) {
    try {
        reading::read(text, {}, options);
    } catch (const ane::unreadable& refused) {
        return refused.what();
    }
    return "";
}

/// Of a file whose blobs are not there.
ane::read_model without_blobs(const std::string& text) {
    ane::mil_reader_options options;
    options.allows_missing = true;
    return ane::read_mil(
        text,
        [](const std::string& path) -> std::span<const std::byte> {
            throw ane::missing_file(path, "there is no such file");
        },
        options);
}

std::string blob_constant(const std::string& type, const std::string& name, int offset = 64) {
    return type + " " + name + " = const()[name = string(\"" + name + "\"), val = " + type +
           "(BLOBFILE(path = string(\"@model_path/weights.bin\"), offset = uint64(" + std::to_string(offset) +
           ")))];\n";
}

} // namespace

TEST_CASE("tensor buffers are ports with a layout") {
    const ane::read_model read = ane::read_mil_file(case_folder + "tensor_buffer.mil");
    numbers x(256);
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = static_cast<double>(i);
    }
    CHECK(reading::run(read, {x})[0] == x);
    REQUIRE(read.layouts.size() == 2);
    for (const ane::buffer_layout& each : read.layouts) {
        CHECK(each.strides == std::vector<std::int64_t>{256, 256, 256, 1});
        CHECK(each.interleave == std::vector<std::int64_t>{1, 1, 1, 1});
    }
    CHECK(read.layouts[0].port == "x");
    CHECK(read.layouts[1].port == "y");
    const ane::read_model plain = ane::read_mil_file(case_folder + "tensor_buffer_2.mil");
    REQUIRE(plain.layouts.size() == 2);
    CHECK(plain.layouts[0].strides.empty());
}

TEST_CASE("a buffer with gaps is said to be one, and a layout of another rank is refused") {
    const auto text = [](const std::string& strides) {
        return program_of("tensor_buffer<fp16, shape=[1, 1, 2, 3], strides=" + strides + "> x",
                          "tensor<fp16, [1, 1, 2, 3]> y = tensor_buffer_to_tensor(input = x);\n"
                          "tensor<fp16, [1, 1, 2, 3]> z = relu(x = y);",
                          "z");
    };
    CHECK(any_has(reading::read(text("[64, 64, 32, 1]")).notes, "rows do not stand close"));
    CHECK(!any_has(reading::read(text("[6, 6, 3, 1]")).notes, "rows do not stand close"));
    CHECK(says_in(refusal_of_text(text("[64, 32, 1]")), "a buffer of 4 axes has a layout of 3"));
    CHECK(says_in(refusal_of_text(program_of("tensor_buffer<fp16, shape=[1], pitch=[1]> x", "", "x")),
                  "'pitch' is no part"));
    CHECK(says_in(refusal_of_text(program_of("tensor_buffer<fp16, strides=[1]> x", "", "x")), "without a shape"));
}

TEST_CASE("what a segmenter wrote beside functions and operations is kept") {
    const std::string text =
        "program(1.3)\n{\n func main<ios18>(tensor<fp16, [2]> x) [LaunchCost = fp32(0.5), Backends = "
        "string(\"ane\")] {\n"
        "  tensor<fp16, [2]> y = relu(x = x)[name = string(\"r\"), SelectedBackend = "
        "string(\"ane\"), TransferCost = fp32(1.5)];\n } -> (y);\n}\n";
    const ane::read_model read = reading::read(text);
    std::vector<std::string> found;
    for (const ane::file_hint& each : read.hints) {
        found.push_back(each.subject + ":" + std::to_string(each.line) + ":" + each.key + "=" + each.value);
    }
    CHECK(found == std::vector<std::string>{"main:3:LaunchCost=fp32(0.5)", "main:3:Backends=string(\"ane\")",
                                            "y:4:SelectedBackend=string(\"ane\")", "y:4:TransferCost=fp32(1.5)"});
}

TEST_CASE("a file without its blobs has shapes, and its weights no values") {
    const std::string text = program_of(
        "tensor<fp16, [1, 8, 1, 16]> x",
        blob_constant("tensor<fp16, [4, 8, 1, 1]>", "w") + blob_constant("tensor<fp16, [4]>", "b", 1024) +
            "tensor<fp16, [1, 4, 1, 16]> y = conv(bias = b, dilations = tensor<int32, [2]>([1, 1]), groups = "
            "int32(1), pad = tensor<int32, [4]>([0, 0, 0, 0]), pad_type = string(\"valid\"), strides = "
            "tensor<int32, [2]>([1, 1]), weight = w, x = x);");
    CHECK(says_in(refusal_of_text(text), "the blob @model_path/weights.bin"));
    const ane::read_model read = without_blobs(text);
    CHECK(read.missing == std::vector<std::string>{"w", "b"});
    CHECK(read.weights.size() == 0);
    CHECK(any_has(read.notes, "there is no such file"));
    for (const ane::violation& v : ane::violations(read.graph, ane::target::h13)) {
        CHECK(!v.is_error);
    }
}

TEST_CASE("compressed weights without their bytes keep their forms") {
    const std::string text = program_of(
        "tensor<fp16, [1, 64]> x",
        blob_constant("tensor<uint4, [32, 64]>", "codes") + blob_constant("tensor<fp16, [1, 1, 16, 1]>", "lut", 4096) +
            "tensor<fp16, [32, 64]> w = constexpr_lut_to_dense(indices = codes, lut = lut);\n"
            "tensor<fp16, [1, 32]> y = linear(x = x, weight = w);");
    const ane::read_model read = without_blobs(text);
    const ane::graph_view g = read.graph;
    CHECK(read.missing.size() == 1);
    bool compressed = false;
    for (const ane::node& n : g.nodes) {
        if (n.kind == ane::op::compressed) {
            compressed =
                n.get<ane::compression>().form == ane::weight_form::palette && n.get<ane::compression>().bits == 4;
        }
    }
    CHECK(compressed);

    const ane::read_model sparse = without_blobs(program_of(
        "tensor<fp16, [1, 64]> x",
        blob_constant("tensor<uint1, [32, 64]>", "mask") + blob_constant("tensor<fp16, [512]>", "kept", 4096) +
            "tensor<fp16, [32, 64]> w = constexpr_sparse_to_dense(nonzero_data = kept, mask = mask);\n"
            "tensor<fp16, [1, 32]> y = linear(x = x, weight = w);"));
    CHECK(any_has(sparse.notes, "masks are not there"));
}

TEST_CASE("vectors of a palette that make a weight of more elements than can be counted are refused") {
    const std::string text = program_of(
        "tensor<fp16, [1, 4]> x",
        blob_constant("tensor<uint1, [2147483647, 2]>", "codes") +
            blob_constant("tensor<fp16, [1, 1, 2, 2147483647]>", "lut", 4096) +
            "tensor<fp16, [4, 2]> w = constexpr_lut_to_dense(indices = codes, lut = lut, vector_axis = int32(0));\n"
            "tensor<fp16, [1, 4]> y = linear(x = x, weight = w);");
    CHECK_THROWS_WITH_AS(without_blobs(text),
                         doctest::Contains("has vectors of 2147483647 for indices [2147483647, 2]"), ane::unreadable);
}

TEST_CASE("what decides a shape cannot be missing") {
    const std::string text =
        program_of("tensor<fp16, [2, 3]> x",
                   blob_constant("tensor<int32, [2]>", "s") + "tensor<fp16, [3, 2]> y = reshape(x = x, shape = s);");
    CHECK_THROWS_WITH_AS(without_blobs(text), doctest::Contains("decides shapes"), ane::unreadable);
}

TEST_CASE("free extents are the caller's, else the file's") {
    const std::string head =
        "program(1.3)\n{\n func main<ios18>(tensor<fp16, [1, ?, 8]> x) [FlexibleShapeInformation = "
        "tuple<tuple<string, dict<string, tensor<int32, [?]>>>, tuple<string, dict<string, "
        "list<tensor<int32, [2]>, ?>>>>(";
    const std::string body = ")] {\n tensor<fp16, [1, ?, 8]> y = relu(x = x);\n } -> (y);\n}\n";
    const std::string ranges =
        head + "((\"DefaultShapes\", {{\"x\", [1, 4, 8]}}), (\"RangeDims\", {{\"x\", [[1, 1], [2, 16], [8, 8]]}}))" +
        body;
    const auto shape_of = [](const ane::read_model& m) { return m.graph.view()[m.graph.outputs[0].node].shape; };
    CHECK(shape_of(reading::read(ranges)) == ane::extents{1, 4, 8});
    const auto with = [](const ane::extents& shape) {
        ane::mil_reader_options options;
        options.shapes.push_back({"x", shape});
        return options;
    };
    CHECK(shape_of(reading::read(ranges, {}, with({1, 16, 8}))) == ane::extents{1, 16, 8});
    CHECK(says_in(refusal_of_text(ranges, with({1, 17, 8})), "takes 2 to 16 at axis 1, the shape given is [1, 17, 8]"));
    CHECK(says_in(refusal_of_text(ranges, with({1, 4, 9})), "has extent 8 at axis 2"));
    CHECK(says_in(refusal_of_text(ranges, with({4, 8})), "has 3 axes"));

    const std::string listed =
        head +
        "((\"DefaultShapes\", {{\"x\", [1, 4, 8]}}), (\"EnumeratedShapes\", {{\"a\", {{\"x\", [1, "
        "4, 8]}}}, {\"b\", {{\"x\", [1, 32, 8]}}}}))" +
        body;
    CHECK(shape_of(reading::read(listed, {}, with({1, 32, 8}))) == ane::extents{1, 32, 8});
    CHECK(says_in(refusal_of_text(listed, with({1, 5, 8})),
                  "takes the shapes [1, 4, 8], [1, 32, 8], given is [1, 5, 8]"));

    const std::string open = program_of("tensor<fp16, [1, ?, 8]> x", "tensor<fp16, [1, ?, 8]> y = relu(x = x);");
    CHECK(says_in(refusal_of_text(open), "unknown dimension ?"));
    CHECK(shape_of(reading::read(open, {}, with({1, 7, 8}))) == ane::extents{1, 7, 8});
    ane::mil_reader_options other;
    other.shapes.push_back({"q", {1}});
    CHECK_THROWS_WITH_AS(reading::read(open, {}, other),
                         doctest::Contains("gives q a shape, which is no input; there are: x"), ane::error);
}

namespace {

/// Two steps of two features, one batch, hidden size 1, by the definitions; weights in the order of the file's gates.
struct small_recurrence {
    int gates;
    numbers w, r, b; ///< [gates][2], [gates], [gates]

    double sum(int gate, double x0, double x1, double h) const {
        const auto g = static_cast<std::size_t>(gate);
        return w[2 * g] * x0 + w[2 * g + 1] * x1 + r[g] * h + b[g];
    }
    std::string list(const numbers& values, const std::string& shape) const {
        std::string text = "tensor<fp16, " + shape + ">([";
        for (std::size_t i = 0; i < values.size(); ++i) {
            text += (i > 0 ? ", " : "") + std::to_string(values[i]);
        }
        return text + "])";
    }
    std::string arguments(const std::string& back = "") const {
        const std::string g = std::to_string(gates);
        return "weight_ih" + back + " = " + list(w, "[" + g + ", 2]") + ", weight_hh" + back + " = " +
               list(r, "[" + g + ", 1]") + ", bias" + back + " = " + list(b, "[" + g + "]");
    }
};

double sigmoid(double v) { return 1 / (1 + std::exp(-v)); }

const numbers two_steps{0.5, -1, 2, 0.25};

} // namespace

TEST_CASE("lstm: gates in the order input, forget, output, cell; both directions and initial states") {
    const small_recurrence n{
        4, {0.5, -0.25, 1, 0.5, -0.5, 0.75, 0.25, -1}, {0.5, -0.5, 0.25, 1}, {0, 0.125, -0.25, 0.5}};
    const auto run_of = [&](double h, double c, bool backwards, std::vector<double>& states) {
        for (int i = 0; i < 2; ++i) {
            const auto t = static_cast<std::size_t>(backwards ? 1 - i : i);
            const double x0 = two_steps[2 * t];
            const double x1 = two_steps[2 * t + 1];
            const double kept = sigmoid(n.sum(1, x0, x1, h)) * c;
            c = kept + sigmoid(n.sum(0, x0, x1, h)) * std::tanh(n.sum(3, x0, x1, h));
            h = sigmoid(n.sum(2, x0, x1, h)) * std::tanh(c);
            states[t] = h;
        }
        return c;
    };
    std::vector<double> forward(2), backward(2);
    const double cell = run_of(0.5, -0.25, false, forward);
    const double back_cell = run_of(0.25, 1, true, backward);
    const std::string one = program_of(
        "tensor<fp16, [2, 1, 2]> x",
        "tensor<fp16, [2, 1, 1]> y, tensor<fp16, [1, 1]> h, tensor<fp16, [1, 1]> c = lstm(x = x, initial_h = tensor<fp16, "
        "[1, 1]>([0.5]), initial_c = tensor<fp16, [1, 1]>([-0.25]), " +
            n.arguments() + ", direction = string(\"forward\"), output_sequence = bool(true));",
        "y, h, c");
    const auto got = reading::run(reading::read(one), {two_steps});
    CHECK(got[0][0] == doctest::Approx(forward[0]).epsilon(0.005));
    CHECK(got[0][1] == doctest::Approx(forward[1]).epsilon(0.005));
    CHECK(got[1][0] == got[0][1]);
    CHECK(got[2][0] == doctest::Approx(cell).epsilon(0.005));

    const std::string two = program_of(
        "tensor<fp16, [2, 1, 2]> x",
        "tensor<fp16, [2, 1, 2]> y, tensor<fp16, [1, 2]> h, tensor<fp16, [1, 2]> c = lstm(x = x, initial_h = tensor<fp16, "
        "[1, 2]>([0.5, 0.25]), initial_c = tensor<fp16, [1, 2]>([-0.25, 1]), " +
            n.arguments() + ", " + n.arguments("_back") +
            ", direction = string(\"bidirectional\"), output_sequence = bool(true));",
        "y, h, c");
    const ane::read_model read = reading::read(two);
    const auto both = reading::run(read, {two_steps});
    CHECK(both[0] == numbers{got[0][0], both[1][1], got[0][1], both[0][3]});
    CHECK(both[0][1] == doctest::Approx(backward[0]).epsilon(0.005));
    CHECK(both[0][3] == doctest::Approx(backward[1]).epsilon(0.005));
    CHECK(both[2][1] == doctest::Approx(back_cell).epsilon(0.005));
    CHECK(std::any_of(read.doubts.begin(), read.doubts.end(),
                      [](const ane::read_fault& f) { return says_in(f.reason, "Not implemented"); }));
    for (const ane::violation& v : ane::violations(read.graph, ane::target::h13)) {
        CHECK(v.rule != ane::rule::width_slice_may_saturate);
    }
}

TEST_CASE("gru: gates in the order reset, hidden, update; rnn backwards; what is not read is named") {
    const small_recurrence n{3, {0.5, -0.25, 1, 0.5, -0.5, 0.75}, {0.5, -0.5, 0.25}, {0, 0.125, -0.25}};
    double h = 0.5;
    for (std::size_t t = 0; t < 2; ++t) {
        const double x0 = two_steps[2 * t];
        const double x1 = two_steps[2 * t + 1];
        const double reset = sigmoid(n.sum(0, x0, x1, h));
        const double z = sigmoid(n.sum(2, x0, x1, h));
        h = (1 - z) * std::tanh(n.sum(1, x0, x1, reset * h)) + z * h;
    }
    const auto gru = [&](const std::string& more) {
        return program_of("tensor<fp16, [2, 1, 2]> x",
                          "tensor<fp16, [1, 1, 1]> y, tensor<fp16, [1, 1]> h = gru(x = x, initial_h = tensor<fp16, [1, "
                          "1]>([0.5]), " +
                              n.arguments() + more + ");",
                          "y, h");
    };
    CHECK(reading::run(reading::read(gru("")), {two_steps})[1][0] == doctest::Approx(h).epsilon(0.005));
    CHECK(says_in(refusal_of_text(gru(", activation = string(\"relu\")")),
                  "has the activation \"relu\"; read is \"tanh\""));
    CHECK(says_in(refusal_of_text(gru(", direction = string(\"bidirectional\")")),
                  "runs in the direction \"bidirectional\""));

    const small_recurrence one{1, {0.5, -0.25}, {0.75}, {0.125}};
    double last = 0;
    for (int t = 1; t >= 0; --t) {
        const auto at = static_cast<std::size_t>(2 * t);
        last = std::tanh(one.sum(0, two_steps[at], two_steps[at + 1], last));
    }
    const std::string rnn = program_of(
        "tensor<fp16, [2, 1, 2]> x",
        "tensor<fp16, [1, 1, 1]> y, tensor<fp16, [1, 1]> h = rnn(x = x, initial_h = tensor<fp16, [1, 1]>([0]), " +
            one.arguments() + ", direction = string(\"reverse\"));",
        "y, h");
    CHECK(reading::run(reading::read(rnn), {two_steps})[1][0] == doctest::Approx(last).epsilon(0.005));

    const std::string peephole = program_of(
        "tensor<fp16, [2, 1, 2]> x",
        "tensor<fp16, [1, 1, 1]> y, tensor<fp16, [1, 1]> h, tensor<fp16, [1, 1]> c = lstm(x = x, initial_h = "
        "tensor<fp16, [1, 1]>([0]), initial_c = tensor<fp16, [1, 1]>([0]), peephole = tensor<fp16, [3]>([0, 0, "
        "0]), weight_ih = tensor<fp16, [4, 2]>([0, 0, 0, 0, 0, 0, 0, 0]), weight_hh = tensor<fp16, [4, 1]>([0, "
        "0, 0, 0]));",
        "y");
    CHECK(says_in(refusal_of_text(peephole), "has the argument peephole, which is not read"));
}

TEST_CASE("forms that Apple's parser is not known to take have a place and a mend") {
    const ane::read_model read =
        reading::read("program(1.3)\n"
                      "[buildInfo = dict<string, string>({\"a\", \"b\"})]\n"
                      "{\n func main<ios18>(tensor<fp16, [1, 4]> x) {\n"
                      "  tensor<fp16, [4]> a = reduce_sum(x = x, axes = [0], keep_dims = false);\n"
                      "  (tensor<fp16, [4]> y) = mul(x = a, y = 2.5);\n } -> (y);\n}\n");
    std::vector<std::string> found;
    for (const ane::read_fault& each : read.forms) {
        found.push_back(std::to_string(each.line) + ": " + each.reason);
    }
    REQUIRE(found.size() == 5);
    CHECK(says_in(found[0], "2: buildInfo is a dictionary, each pair in braces"));
    CHECK(found[1] == "5: the value of axes has no type: write axes = tensor<int32, [1]>([0])");
    CHECK(found[2] == "5: the value of keep_dims has no type: write keep_dims = bool(false)");
    CHECK(says_in(found[3], "6: the results stand in brackets"));
    CHECK(found[4] == "6: the value of y has no type: write y = fp16(2.5)");
    const ane::read_model well = reading::read(
        program_of("tensor<fp16, [2]> x", "tensor<fp16, [2]> y = mul(x = x, y = fp16(0x1p+1))[name = string(\"y\")];"));
    CHECK(well.forms.empty());
    for (const char* const info :
         {"dict<tensor<string, []>, tensor<string, []>>({{\"a\", \"b\"}})", "dict<string, string>({})",
          "dict<string, string>({{\"a\", \"b\"}, {\"c\", \"d\"}})"}) {
        CHECK(
            reading::read(
                "program(1.3)\n[buildInfo = " + std::string(info) +
                "]\n{\n func main<ios18>(tensor<fp16, [2]> x) {\n tensor<fp16, [2]> y = relu(x = x);\n } -> (y);\n}\n")
                .forms.empty());
    }
}

TEST_CASE("records of blobs that are out of place or say no size") {
    std::vector<std::byte> bytes(256);
    const auto put = [&](std::size_t at, auto value) { std::memcpy(bytes.data() + at, &value, sizeof value); };
    put(0, std::uint32_t{1});
    put(4, std::uint32_t{2});
    put(96, std::uint32_t{0xDEADBEEF}); // a record at 96, of four fp16
    put(100, std::uint32_t{1});
    put(104, std::uint64_t{0});
    put(112, std::uint64_t{192});
    for (std::size_t i = 0; i < 4; ++i) {
        put(192 + 2 * i, ane::half(static_cast<double>(i + 1)).bits);
    }
    const std::string text = program_of("tensor<fp16, [4]> x", blob_constant("tensor<fp16, [4]>", "w", 96) +
                                                                   "tensor<fp16, [4]> y = mul(x = x, y = w);");
    const ane::read_model read = reading::read(text, bytes);
    REQUIRE(read.forms.size() == 2);
    CHECK(says_in(read.forms[0].reason, "the offset 96 in the blob @model_path/weights.bin is no multiple of 64"));
    CHECK(says_in(read.forms[1].reason, "says no size: write 8 bytes at 104"));
    CHECK(read.forms[0].line == 4);
    CHECK(reading::run(read, {{1, 1, 1, 1}})[0] == numbers{1, 2, 3, 4});
}
