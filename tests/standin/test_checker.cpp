#include "test_support.hpp"

#include <doctest/doctest.h>

using namespace standin_test;

namespace {

const std::string backends = "Some ops are not supported on any of the specified backends";

struct kernel_size {
    int height, width;
};

/// A convolution of x [n, 1, 64, 64] with a constant-shaped kernel of the given size.
std::string convolution(int batch, kernel_size kernel, bool runtime_weight) {
    const std::string height = std::to_string(kernel.height), width = std::to_string(kernel.width);
    const std::string w = "tensor<fp16, [1, 1, " + height + ", " + width + "]>";
    std::string zeros = "[0.0";
    for (int i = 1; i < kernel.height * kernel.width; ++i) {
        zeros += ", 0.0";
    }
    const std::string n = std::to_string(batch);
    const std::string body =
        constant("tensor<int32, [2]>", "one", "[1, 1]") + constant("tensor<int32, [4]>", "pad", "[0, 0, 0, 0]") +
        constant("string", "custom", "\"custom\"") + (runtime_weight ? "" : constant(w, "w", zeros + "]")) +
        line(
            "tensor<fp16, [" + n + ", 1, " + std::to_string(65 - kernel.height) + ", " +
                std::to_string(65 - kernel.width) + "]> y",
            "conv(dilations = one, groups = int32(1), pad = pad, pad_type = custom, strides = one, weight = w, x = x)");
    return text("tensor<fp16, [" + n + ", 1, 64, 64]> x" + (runtime_weight ? ", " + w + " w" : ""), body, "y");
}

/// The largest of each window of x [1, 4, 16, 16].
std::string maximum(kernel_size window) {
    const std::string body =
        constant("tensor<int32, [2]>", "one", "[1, 1]") + constant("tensor<int32, [4]>", "pad", "[0, 0, 0, 0]") +
        constant("tensor<int32, [2]>", "size",
                 "[" + std::to_string(window.height) + ", " + std::to_string(window.width) + "]") +
        constant("string", "custom", "\"custom\"") + constant("bool", "ceiled", "false") +
        line("tensor<fp16, [1, 4, " + std::to_string(17 - window.height) + ", " + std::to_string(17 - window.width) +
                 "]> y",
             "max_pool(ceil_mode = ceiled, kernel_sizes = size, pad = pad, pad_type = custom, strides = one, x = x)");
    return text("tensor<fp16, [1, 4, 16, 16]> x", body, "y");
}

/// A product over k.
std::string product(int k) {
    const std::string n = std::to_string(k);
    return text(
        "tensor<fp16, [2, " + n + "]> x, tensor<fp16, [" + n + ", 2]> z",
        line("tensor<fp16, [2, 2]> y", "matmul(transpose_x = bool(false), transpose_y = bool(false), x = x, y = z)"),
        "y");
}

std::string unary(const std::string& call, const std::string& type = "tensor<fp16, [4]>") {
    return text(type + " x", line(type + " y", call), "y");
}

} // namespace

TEST_CASE("stand-in: the real messages where they are known") {
    CHECK(refusal_of(text("fp16 x", "", "x")) == "unordered_map::at: key not found");
    CHECK(refusal_of(text("fp16 x", constant("fp16", "c", "1.0"), "c")) == "unordered_map::at: key not found");
    for (const std::string operation : {"cumsum", "gather", "identity", "square", "reduce_argmax", "read_state"}) {
        const std::string message = refusal_of(unary(operation + "(x = x)"));
        CHECK(contains(message, "Not implemented"));
        CHECK(contains(message, "'" + operation + "'"));
        CHECK(contains(message, backends));
    }
    CHECK(contains(refusal_of(text("tensor<fp16, [1, 1, 1, 1, 1, 1]> x", "", "x")),
                   "Rank 6 of 'x' must be between 0 and 5"));
    CHECK(contains(refusal_of(text("fp16 x", line("tensor<bf16, []> y", "relu(x = x)"), "y")),
                   "Unsupported function output dtype bf16"));
    CHECK(contains(refusal_of(text("fp16 x", line("fp32 y", "cast(dtype = string(\"fp32\"), x = x)"), "y")),
                   "Unsupported function output dtype fp32"));
    CHECK(contains(refusal_of(unary("cast(dtype = string(\"int32\"), x = x)")), "Not implemented"));
    CHECK(contains(refusal_of(text("tensor<fp32, [2]> x", "", "x")), "Unsupported function input dtype fp32"));
    for (const std::string old : {"h11", "h12", "m9", "t0", "u1"}) {
        CHECK(contains(refusal_of(unary("relu(x = x)"), ".", old), "MIL is only supported for H13+ ANE architectures"));
    }
    for (const std::string fit : {"h13", "t1", "h14c", "h15", "m11", "h16", "h17s", "h18"}) {
        CHECK(refusal_of(unary("relu(x = x)"), ".", fit) == "accepted");
    }
}

TEST_CASE("stand-in: kernel width, on both sides of the limit of each generation") {
    for (const std::string target : {"h13", "h14", "h15", "m11"}) {
        CHECK(refusal_of(convolution(1, {1, 13}, false), ".", target) == "accepted");
        CHECK(contains(refusal_of(convolution(1, {1, 14}, false), ".", target), "ANECCompile() FAILED"));
    }
    for (const std::string target : {"h16", "h17", "h18"}) {
        CHECK(refusal_of(convolution(1, {1, 15}, false), ".", target) == "accepted");
        CHECK(contains(refusal_of(convolution(1, {1, 16}, false), ".", target), "ANECCompile() FAILED"));
    }
}

TEST_CASE("stand-in: the limits that were found by compiling for M4 and M6, and before") {
    const auto takes = [](const std::string& program, const std::string& target) {
        return refusal_of(program, ".", target) == "accepted";
    };
    CHECK((takes(convolution(1, {29, 1}, false), "h13") && !takes(convolution(1, {30, 1}, false), "h13")));
    CHECK((takes(convolution(1, {32, 1}, false), "h15") && !takes(convolution(1, {33, 1}, false), "h15")));
    CHECK((takes(maximum({1, 9}), "h13") && takes(maximum({13, 13}), "h15")));
    CHECK((takes(product(16384), "h13") && !takes(product(16385), "h13")));
    for (const std::string target : {"h16g", "h17", "h18"}) {
        CHECK((takes(convolution(1, {31, 1}, false), target) && !takes(convolution(1, {32, 1}, false), target)));
        CHECK((takes(maximum({9, 1}), target) && takes(maximum({8, 8}), target)));
        CHECK_FALSE((takes(maximum({1, 9}), target) || takes(maximum({9, 9}), target)));
        CHECK((takes(product(32768), target) && !takes(product(40000), target)));
    }
}

TEST_CASE("stand-in: a runtime convolution weight takes one image") {
    CHECK(refusal_of(convolution(1, {1, 3}, true)) == "accepted");
    CHECK(contains(refusal_of(convolution(2, {1, 3}, true)), "runtime weight with batch 2"));
    CHECK(refusal_of(convolution(2, {1, 3}, false)) == "accepted");
}

TEST_CASE("stand-in: extents, on both sides of the limits") {
    const auto wide = [](const std::string& shape) { return unary("relu(x = x)", "tensor<fp16, " + shape + ">"); };
    CHECK(refusal_of(wide("[1, 16384]")) == "accepted");
    CHECK(contains(refusal_of(wide("[1, 16385]")), "ANECCompile() FAILED"));
    CHECK(contains(refusal_of(wide("[16385, 1]")), "ANECCompile() FAILED"));
    CHECK(refusal_of(wide("[65536, 1, 1]")) == "accepted");
    CHECK(contains(refusal_of(wide("[65537, 1, 1]")), "ANECCompile() FAILED"));
    CHECK(refusal_of(wide("[1, 65536]"), ".", "h17") == "accepted");
    CHECK(contains(refusal_of(wide("[1, 65537]"), ".", "h17"), "ANECCompile() FAILED"));
    CHECK(contains(refusal_of(wide("[1, 0]")), "not positive"));
    CHECK(contains(refusal_of(wide("[1, -1]")), "not positive"));
    CHECK(contains(refusal_of(wide("[4611686018427387904, 4611686018427387904]")), "more than 2^33"));
}

TEST_CASE("stand-in: every argument must be written, and no other") {
    CHECK(contains(refusal_of(unary("log(x = x)")), "argument 'epsilon' is missing"));
    CHECK(contains(refusal_of(unary("rsqrt(x = x)")), "argument 'epsilon' is missing"));
    CHECK(contains(refusal_of(unary("gelu(x = x)")), "argument 'mode' is missing"));
    CHECK(contains(refusal_of(unary("relu()")), "argument 'x' is missing"));
    CHECK(contains(refusal_of(unary("relu(x = x, alpha = fp16(1.0))")), "does not take"));
    CHECK(contains(refusal_of(unary("relu(x = x, x = x)")), "given twice"));
    CHECK(contains(refusal_of(unary("add(x = x, y = z)")), "'z' is not defined"));
    CHECK(contains(refusal_of(unary("clip(alpha = x, beta = fp16(1.0), x = x)")), "not what the argument takes"));
    CHECK(contains(refusal_of(unary("relu(x = (x, x))")), "tuple"));
    CHECK(contains(refusal_of(unary("softmax(axis = bool(true), x = x)")), "not what the argument takes"));
    CHECK(contains(refusal_of(unary("gelu(mode = string(\"exact\"), x = x)")), "is not EXACT"));
    CHECK(contains(refusal_of(unary("add(x = x, y = tensor<fp16, [1]>([1.0]))")), "must be a scalar"));
    std::string unnamed = unary("relu(x = x)");
    unnamed.replace(unnamed.find("name ="), 6, "nome =");
    CHECK(contains(refusal_of(unnamed), "no attribute name"));
}

TEST_CASE("stand-in: types and shapes are inferred and compared") {
    CHECK(contains(refusal_of(text("tensor<fp16, [4]> x", line("tensor<fp16, [5]> y", "relu(x = x)"), "y")),
                   "inferred is tensor<fp16, [4]>"));
    CHECK(contains(refusal_of(text("tensor<uint8, [4]> x", line("tensor<fp16, [4]> y", "relu(x = x)"), "y")),
                   "needs a cast"));
    CHECK(contains(refusal_of(text("tensor<fp16, [4]> x, tensor<fp16, [3]> z",
                                   line("tensor<fp16, [4]> y", "add(x = x, y = z)"), "y")),
                   "do not broadcast"));
    CHECK(contains(refusal_of(text("tensor<fp16, [4]> x", line("tensor<fp16, [4]> x", "relu(x = x)"), "x")),
                   "defined twice"));
    CHECK(contains(refusal_of(text("tensor<fp16, [4]> x", "", "y")), "output 'y' is not defined"));
    CHECK(contains(
        refusal_of(text("tensor<fp16, [4]> x", constant("fp16", "c", "1.0") + constant("fp16", "c", "1.0"), "x")),
        "defined twice"));
    CHECK(contains(refusal_of(text("tensor<fp16, [2, 3]> x, tensor<fp16, [2, 3]> z",
                                   line("tensor<fp16, [2, 3]> y",
                                        "matmul(transpose_x = bool(false), transpose_y = bool(false), x = x, y = z)"),
                                   "y")),
                   "contraction of 3 with 2"));
    CHECK(contains(refusal_of(text("tensor<fp16, [5]> x",
                                   line("tensor<fp16, [2]> a, tensor<fp16, [2]> b",
                                        "split(axis = int32(0), num_splits = int32(2), x = x)"),
                                   "a")),
                   "equal parts"));
    CHECK(contains(
        refusal_of(text("tensor<fp16, [4]> x",
                        line("tensor<fp16, [2]> a", "split(axis = int32(0), num_splits = int32(2), x = x)"), "a")),
        "2 results, 1 are named"));
    const std::string slice = constant("tensor<int32, [1]>", "b", "[2]") + constant("tensor<int32, [1]>", "s", "[3]") +
                              line("tensor<fp16, [3]> y", "slice_by_size(begin = b, size = s, x = x)");
    CHECK(contains(refusal_of(text("tensor<fp16, [4]> x", slice, "y")), "begin 2 and size 3"));
    CHECK(refusal_of(text("tensor<fp16, [5]> x", slice, "y")) == "accepted");
}

TEST_CASE("stand-in: known failures of the real compiler") {
    const auto scaled = [](const std::string& factor) {
        return text("tensor<fp16, [4]> x",
                    constant("tensor<int32, [1]>", "ax", "[0]") +
                        line("tensor<fp16, [1]> s", "reduce_sum(axes = ax, keep_dims = bool(true), x = x)") +
                        line("tensor<fp16, [1]> y", "mul(x = s, y = fp16(" + factor + "))"),
                    "y");
    };
    CHECK(contains(refusal_of(scaled("0x0p+0")), "ANECCompile() FAILED"));
    CHECK(contains(refusal_of(scaled("1e-30")), "ANECCompile() FAILED")); // zero in fp16
    CHECK(refusal_of(scaled("0x1p-1")) == "accepted");
    const std::string five = "tensor<fp16, [1, 1, 1, 2, 2]>";
    CHECK(contains(
        refusal_of(text(
            five + " x",
            constant("tensor<int32, [5]>", "p", "[0, 1, 2, 4, 3]") + line(five + " t", "transpose(perm = p, x = x)") +
                line(five + " y", "matmul(transpose_x = bool(false), transpose_y = bool(false), x = t, y = x)"),
            "y")),
        "rank 5"));
    CHECK(contains(refusal_of(text("fp16 x", constant("fp16", "c", "1.0"), "c").replace(12, 0, "")), "key not found"));
    std::string no_info = unary("relu(x = x)");
    no_info.replace(no_info.find("coremlc-version"), 15, "coremlc-wersion");
    CHECK(contains(refusal_of(no_info), "coremlc-version"));
}
