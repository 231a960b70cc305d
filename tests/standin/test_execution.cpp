#include "test_support.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <numeric>

using namespace standin_test;
using numbers = std::vector<double>;

namespace {

numbers one(const std::string& type, const std::string& body, const std::string& result, const numbers& x) {
    return run(text(type + " x", body, result), {x}).at(0);
}

numbers counted(int n) {
    numbers result(static_cast<std::size_t>(n));
    std::iota(result.begin(), result.end(), 1.0);
    return result;
}

const std::string ones2 = constant("tensor<int32, [2]>", "one", "[1, 1]");
const std::string custom = constant("string", "custom", "\"custom\"");

} // namespace

TEST_CASE("stand-in: elementwise operations") {
    const std::string t = "tensor<fp16, [4]>";
    const numbers x = {-8, -0.5, 2, 7};
    CHECK(one(t, line(t + " y", "relu(x = x)"), "y", x) == numbers{0, 0, 2, 7});
    CHECK(one(t, line(t + " y", "relu6(x = x)"), "y", x) == numbers{0, 0, 2, 6});
    CHECK(one(t, line(t + " y", "abs(x = x)"), "y", x) == numbers{8, 0.5, 2, 7});
    CHECK(one(t, line(t + " y", "leaky_relu(alpha = fp16(0x1p-2), x = x)"), "y", x) == numbers{-2, -0.125, 2, 7});
    CHECK(one(t, line(t + " y", "clip(alpha = fp16(-1.0), beta = fp16(3.0), x = x)"), "y", x) ==
          numbers{-1, -0.5, 2, 3});
    CHECK(one(t, line(t + " y", "mul(x = x, y = x)"), "y", x) == numbers{64, 0.25, 4, 49});
    CHECK(one(t, line(t + " y", "sub(x = fp16(1.0), y = x)"), "y", x) == numbers{9, 1.5, -1, -6});
    CHECK(one(t, line(t + " y", "maximum(x = x, y = fp16(1.0))"), "y", x) == numbers{1, 1, 2, 7});
    CHECK(one(t, line(t + " y", "minimum(x = x, y = fp16(1.0))"), "y", x) == numbers{-8, -0.5, 1, 1});
    CHECK(one(t, line(t + " y", "real_div(x = x, y = fp16(2.0))"), "y", x) == numbers{-4, -0.25, 1, 3.5});
    const auto two = run(
        text("tensor<fp16, [2, 1]> a, tensor<fp16, [3]> b", line("tensor<fp16, [2, 3]> y", "add(x = a, y = b)"), "y"),
        {{10, 20}, {1, 2, 3}});
    CHECK(two[0] == numbers{11, 12, 13, 21, 22, 23});
}

TEST_CASE("stand-in: data movement") {
    const std::string t = "tensor<fp16, [2, 3]>";
    const numbers x = counted(6);
    CHECK(one(t,
              constant("tensor<int32, [2]>", "p", "[1, 0]") +
                  line("tensor<fp16, [3, 2]> y", "transpose(perm = p, x = x)"),
              "y", x) == numbers{1, 4, 2, 5, 3, 6});
    CHECK(one(t, constant("tensor<int32, [1]>", "s", "[6]") + line("tensor<fp16, [6]> y", "reshape(shape = s, x = x)"),
              "y", x) == x);
    CHECK(one(t,
              constant("tensor<int32, [2]>", "a", "[0, 3]") +
                  line("tensor<fp16, [1, 2, 3, 1]> y", "expand_dims(axes = a, x = x)"),
              "y", x) == x);
    CHECK(one("tensor<fp16, [1, 2, 1]>",
              constant("tensor<int32, [2]>", "a", "[0, -1]") + line("tensor<fp16, [2]> y", "squeeze(axes = a, x = x)"),
              "y", {1, 2}) == numbers{1, 2});
    CHECK(one(t, line("tensor<fp16, [2, 6]> y", "concat(axis = int32(1), interleave = bool(false), values = (x, x))"),
              "y", x) == numbers{1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6});
    CHECK(one(t, line("tensor<fp16, [4, 3]> y", "concat(axis = int32(-2), interleave = bool(false), values = (x, x))"),
              "y", x) == numbers{1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6});
    CHECK(one(t,
              constant("tensor<int32, [4]>", "p", "[1, 0, 0, 1]") +
                  line("tensor<fp16, [3, 4]> y",
                       "pad(constant_val = fp16(9.0), mode = string(\"constant\"), pad = p, x = x)"),
              "y", x) == numbers{9, 9, 9, 9, 1, 2, 3, 9, 4, 5, 6, 9});
    CHECK(one(t,
              constant("tensor<int32, [2]>", "b", "[1, 1]") + constant("tensor<int32, [2]>", "s", "[1, 2]") +
                  line("tensor<fp16, [1, 2]> y", "slice_by_size(begin = b, size = s, x = x)"),
              "y", x) == numbers{5, 6});
    const auto parts = run(text(t + " x",
                                line("tensor<fp16, [1, 3]> a, tensor<fp16, [1, 3]> b",
                                     "split(axis = int32(0), num_splits = int32(2), x = x)"),
                                "b, a"),
                           {x});
    CHECK(parts[0] == numbers{4, 5, 6});
    CHECK(parts[1] == numbers{1, 2, 3});
}

TEST_CASE("stand-in: a width slice with an offset saturates above 4094 before A15") {
    const auto slice = [](int begin, const std::string& target) {
        return run(text("tensor<fp16, [3]> x",
                        constant("tensor<int32, [1]>", "b", "[" + std::to_string(begin) + "]") +
                            constant("tensor<int32, [1]>", "s", "[2]") +
                            line("tensor<fp16, [2]> y", "slice_by_size(begin = b, size = s, x = x)"),
                        "y"),
                   {{5000, 4000, -5000}}, ".", target)
            .at(0);
    };
    for (const std::string target : {"h13", "h14"}) {
        CHECK(slice(0, target) == numbers{5000, 4000});
        CHECK(slice(1, target)[0] == 4000);
        CHECK(slice(1, target)[1] == -std::numeric_limits<double>::infinity());
    }
    CHECK(slice(1, "h17") == numbers{4000, -5000});
}

TEST_CASE("stand-in: matrix products, transposed, batched and broadcast") {
    const auto product = [](const std::string& a, const std::string& b, const std::string& y, bool ta, bool tb) {
        return text("tensor<fp16, " + a + "> a, tensor<fp16, " + b + "> b",
                    line("tensor<fp16, " + y + "> y", std::string("matmul(transpose_x = bool(") +
                                                          (ta ? "true" : "false") + "), transpose_y = bool(" +
                                                          (tb ? "true" : "false") + "), x = a, y = b)"),
                    "y");
    };
    CHECK(run(product("[2, 3]", "[3, 2]", "[2, 2]", false, false), {counted(6), counted(6)})[0] ==
          numbers{22, 28, 49, 64});
    CHECK(run(product("[2, 3]", "[2, 3]", "[2, 2]", false, true), {counted(6), counted(6)})[0] ==
          numbers{14, 32, 32, 77});
    CHECK(run(product("[3, 2]", "[3, 2]", "[2, 2]", true, false), {counted(6), counted(6)})[0] ==
          numbers{35, 44, 44, 56});
    CHECK(run(product("[2, 1, 2]", "[2, 2]", "[2, 1, 2]", false, false), {counted(4), counted(4)})[0] ==
          numbers{7, 10, 15, 22});
    CHECK(run(product("[2, 1, 2]", "[2, 2, 1]", "[2, 1, 1]", false, false), {counted(4), counted(4)})[0] ==
          numbers{5, 25});
    CHECK(run(product("[2, 1, 1, 2]", "[2, 2, 1]", "[2, 2, 1, 1]", false, false), {counted(4), counted(4)})[0] ==
          numbers{5, 11, 11, 25});
}

TEST_CASE("stand-in: convolution by hand") {
    // x is 3 x 3 of 1..9; the kernel {1, 2; 3, 4} without padding, then strided with padding, then dilated, then
    // grouped.
    const auto conv = [](const std::string& w, const std::string& stride, const std::string& pad,
                         const std::string& dilation, const std::string& y) {
        return ones2 + custom + constant("tensor<int32, [2]>", "st", stride) +
               constant("tensor<int32, [4]>", "pd", pad) + constant("tensor<int32, [2]>", "dl", dilation) +
               constant("tensor<fp16, [1, 1, 2, 2]>", "w", w) +
               line(
                   "tensor<fp16, " + y + "> y",
                   "conv(dilations = dl, groups = int32(1), pad = pd, pad_type = custom, strides = st, weight = w, x = x)");
    };
    const std::string t = "tensor<fp16, [1, 1, 3, 3]>";
    const std::string k = "[1.0, 2.0, 3.0, 4.0]";
    CHECK(one(t, conv(k, "[1, 1]", "[0, 0, 0, 0]", "[1, 1]", "[1, 1, 2, 2]"), "y", counted(9)) ==
          numbers{37, 47, 67, 77});
    CHECK(one(t, conv(k, "[2, 2]", "[1, 0, 1, 0]", "[1, 1]", "[1, 1, 2, 2]"), "y", counted(9)) ==
          numbers{4, 18, 36, 77});
    CHECK(one(t, conv(k, "[1, 1]", "[0, 0, 0, 0]", "[2, 2]", "[1, 1, 1, 1]"), "y", counted(9)) ==
          numbers{1 + 6 + 21 + 36});
    CHECK(one(t, conv(k, "[1, 1]", "[0, 1, 0, 0]", "[1, 1]", "[1, 1, 3, 2]"), "y", counted(9)) ==
          numbers{37, 47, 67, 77, 23, 26});
    CHECK(
        one("tensor<fp16, [1, 2, 1, 2]>",
            ones2 + custom + constant("tensor<int32, [4]>", "pd", "[0, 0, 0, 0]") +
                constant("tensor<fp16, [2, 1, 1, 1]>", "w", "[10.0, 100.0]") +
                line(
                    "tensor<fp16, [1, 2, 1, 2]> y",
                    "conv(dilations = one, groups = int32(2), pad = pd, pad_type = custom, strides = one, weight = w, x = x)"),
            "y", counted(4)) == numbers{10, 20, 300, 400});
}

TEST_CASE("stand-in: transposed convolution by hand") {
    const auto transposed = [](const std::string& pad, const std::string& y) {
        return custom + ones2 + constant("tensor<int32, [2]>", "st", "[2, 2]") +
               constant("tensor<int32, [4]>", "pd", pad) +
               constant("tensor<fp16, [1, 1, 2, 2]>", "w", "[1.0, 2.0, 3.0, 4.0]") +
               line(
                   "tensor<fp16, " + y + "> y",
                   "conv_transpose(dilations = one, groups = int32(1), pad = pd, pad_type = custom, strides = st, weight = w, x = x)");
    };
    CHECK(one("tensor<fp16, [1, 1, 1, 2]>", transposed("[0, 0, 0, 0]", "[1, 1, 2, 4]"), "y", {1, 10}) ==
          numbers{1, 2, 10, 20, 3, 4, 30, 40});
    CHECK(one("tensor<fp16, [1, 1, 1, 2]>", transposed("[1, 0, 1, 1]", "[1, 1, 1, 2]"), "y", {1, 10}) ==
          numbers{4, 30});
}

TEST_CASE("stand-in: pools, reductions, softmax") {
    const std::string t = "tensor<fp16, [1, 1, 2, 3]>";
    const auto pooled = [](const std::string& name, const std::string& pad, const std::string& y,
                           const std::string& more) {
        return custom + constant("tensor<int32, [2]>", "k", "[2, 2]") + constant("tensor<int32, [2]>", "st", "[1, 2]") +
               constant("tensor<int32, [4]>", "pd", pad) +
               line("tensor<fp16, " + y + "> y",
                    name + "(" + more + "kernel_sizes = k, pad = pd, pad_type = custom, strides = st, x = x)");
    };
    const std::string no_ceil = "ceil_mode = bool(false), ";
    const std::string average = "exclude_padding_from_average = bool(";
    CHECK(one(t, pooled("max_pool", "[0, 0, 0, 0]", "[1, 1, 1, 1]", no_ceil), "y", counted(6)) == numbers{5});
    CHECK(one(t, pooled("max_pool", "[0, 0, 0, 0]", "[1, 1, 1, 2]", "ceil_mode = bool(true), "), "y", counted(6)) ==
          numbers{5, 6});
    CHECK(one(t, pooled("avg_pool", "[0, 0, 1, 0]", "[1, 1, 1, 2]", no_ceil + average + "false), "), "y",
              {4, 2, 6, 4, 2, 6}) == numbers{2, 4});
    CHECK(one(t, pooled("avg_pool", "[0, 0, 1, 0]", "[1, 1, 1, 2]", no_ceil + average + "true), "), "y",
              {4, 2, 6, 4, 2, 6}) == numbers{4, 4});

    const auto reduced = [](const std::string& name, const std::string& axes, const std::string& keep,
                            const std::string& y) {
        return constant("tensor<int32, [" + std::string(axes.size() > 4 ? "2" : "1") + "]>", "ax", axes) +
               line("tensor<fp16, " + y + "> y", name + "(axes = ax, keep_dims = bool(" + keep + "), x = x)");
    };
    const std::string r = "tensor<fp16, [2, 2, 2]>";
    CHECK(one(r, reduced("reduce_sum", "[1]", "true", "[2, 1, 2]"), "y", counted(8)) == numbers{4, 6, 12, 14});
    CHECK(one(r, reduced("reduce_mean", "[-1]", "false", "[2, 2]"), "y", counted(8)) == numbers{1.5, 3.5, 5.5, 7.5});
    CHECK(one(r, reduced("reduce_max", "[0, 2]", "false", "[2]"), "y", counted(8)) == numbers{6, 8});
    CHECK(one(r, reduced("reduce_min", "[0, 2]", "true", "[1, 2, 1]"), "y", counted(8)) == numbers{1, 3});

    const numbers s = one("tensor<fp16, [2, 2]>", line("tensor<fp16, [2, 2]> y", "softmax(axis = int32(0), x = x)"),
                          "y", {3, 1, 3, 1});
    for (const double p : s) {
        CHECK(p == doctest::Approx(0.5).epsilon(0.01));
    }
}

TEST_CASE("stand-in: an image goes through a cast") {
    const sa::program p = check(text("tensor<uint8, [4]> x",
                                     line("tensor<fp16, [4]> c", "cast(dtype = string(\"fp16\"), x = x)") +
                                         line("tensor<fp16, [4]> y", "add(x = c, y = fp16(1.0))"),
                                     "y"));
    sa::executor e(p, sa::fuse(p));
    CHECK(e.port_bytes(p.inputs[0]) == 4);
    const std::vector<std::uint8_t> pixels = {0, 1, 128, 255};
    e.write(p.inputs[0], pixels.data());
    e.run();
    std::vector<ane::half> y(4);
    e.read(p.outputs[0], y.data());
    CHECK(y == halves({1, 2, 129, 256}));
}
