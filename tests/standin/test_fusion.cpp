#include "test_support.hpp"

#include <doctest/doctest.h>

using namespace standin_test;

namespace {

/// A matrix product of x [1, 2] with a constant, and what follows it.
std::string after_matmul(const std::string& rest, const std::string& outputs = "y") {
    return text("tensor<fp16, [1, 2]> x, tensor<fp16, [1, 2]> live",
                constant("tensor<fp16, [2, 2]>", "w", "[1.0, 0.0, 0.0, 1.0]") +
                    constant("tensor<fp16, [1, 2]>", "c", "[3.0, 5.0]") +
                    line("tensor<fp16, [1, 2]> m",
                         "matmul(transpose_x = bool(false), transpose_y = bool(true), x = x, y = w)") +
                    rest,
                outputs);
}

std::vector<sa::step> steps(const std::string& mil) {
    const sa::program p = check(mil);
    return sa::fuse(p);
}

std::string assign(const std::string& name, const std::string& call) {
    return line("tensor<fp16, [1, 2]> " + name, call);
}

} // namespace

TEST_CASE("stand-in: bias, gain-offset and activation join a contraction") {
    const auto s = steps(after_matmul(assign("b", "add(x = m, y = c)") + assign("g", "mul(x = c, y = b)") +
                                      assign("o", "add(x = g, y = fp16(1.0))") + assign("y", "relu(x = o)")));
    REQUIRE(s.size() == 1);
    CHECK(s[0].bias.has_value());
    CHECK(s[0].scale.has_value());
    CHECK(s[0].offset.has_value());
    CHECK(s[0].activation >= 0);
    const auto y = run(after_matmul(assign("b", "add(x = m, y = c)") + assign("g", "mul(x = c, y = b)") +
                                    assign("o", "add(x = g, y = fp16(1.0))") + assign("y", "relu(x = o)")),
                       {{1, -9}, {0, 0}});
    CHECK(y[0] == std::vector<double>{(1 + 3) * 3 + 1, 0});
}

TEST_CASE("stand-in: what does not fuse") {
    // A live operand, a second reader, an output inside, an add after the bias, a constant over the rows.
    CHECK(steps(after_matmul(assign("y", "add(x = m, y = live)"))).size() == 2);
    CHECK(steps(after_matmul(assign("a", "add(x = m, y = c)") + assign("y", "sub(x = a, y = m)"))).size() == 3);
    CHECK(steps(after_matmul(assign("y", "add(x = m, y = c)"), "m, y")).size() == 2);
    CHECK(steps(after_matmul(assign("a", "add(x = m, y = c)") + assign("y", "add(x = a, y = c)"))).size() == 2);
    CHECK(steps(after_matmul(assign("y", "add(x = m, y = m)"))).size() == 2);
    const auto two_activations = steps(after_matmul(assign("a", "relu(x = m)") + assign("y", "abs(x = a)")));
    CHECK(two_activations.size() == 2);
    const std::string rows =
        text("tensor<fp16, [2, 2]> x",
             constant("tensor<fp16, [2, 1]>", "c", "[3.0, 5.0]") +
                 line("tensor<fp16, [2, 2]> m",
                      "matmul(transpose_x = bool(false), transpose_y = bool(false), x = x, y = x)") +
                 line("tensor<fp16, [2, 2]> y", "add(x = m, y = c)"),
             "y");
    CHECK(steps(rows).size() == 2);
    CHECK(run(rows, {{1, 0, 0, 1}})[0] == std::vector<double>{4, 3, 5, 6});
}

TEST_CASE("stand-in: a multiply and an add of constants are one gain-offset with one rounding") {
    const std::string t = "tensor<fp16, [1, 2]>";
    const auto chain = [&](const std::string& outputs) {
        return text(t + " x",
                    assign("g", "mul(x = x, y = fp16(0x1.004p+0))") + assign("y", "add(x = g, y = fp16(-0x1p+0))"),
                    outputs);
    };
    const auto fused = steps(chain("y"));
    REQUIRE(fused.size() == 1);
    CHECK(fused[0].source.has_value());
    CHECK(steps(chain("g, y")).size() == 2);
    // With e = 2^-10, (1 + 3e)(1 + e) - 1 = 4e + 3e^2: one rounding keeps three quarters of a last place, two lose
    // them.
    const double x = 1 + 3 * 0x1p-10;
    CHECK(run(chain("y"), {{x, 1}})[0] == std::vector<double>{0x1p-8 + 0x1p-18, 0x1p-10});
    CHECK(run(chain("g, y"), {{x, 1}})[1] == std::vector<double>{0x1p-8, 0x1p-10});
}

TEST_CASE("stand-in: the bias of a convolution is per channel, in any of its spellings") {
    const auto conv = [](const std::string& type, const std::string& bias) {
        return text(
            "tensor<fp16, [1, 1, 1, 2]> x",
            constant("tensor<int32, [2]>", "one", "[1, 1]") + constant("tensor<int32, [4]>", "pd", "[0, 0, 0, 0]") +
                constant("tensor<fp16, [2, 1, 1, 1]>", "w", "[1.0, 2.0]") + constant(type, "b", bias) +
                line(
                    "tensor<fp16, [1, 2, 1, 2]> m",
                    "conv(dilations = one, groups = int32(1), pad = pd, pad_type = string(\"custom\"), strides = one, weight = w, x = x)") +
                line("tensor<fp16, [1, 2, 1, 2]> y", "add(x = b, y = m)"),
            "y");
    };
    for (const std::string type : {"tensor<fp16, [1, 2, 1, 1]>", "tensor<fp16, [2, 1, 1]>"}) {
        CHECK(steps(conv(type, "[10.0, 20.0]")).size() == 1);
        CHECK(run(conv(type, "[10.0, 20.0]"), {{1, 2}})[0] == std::vector<double>{11, 12, 22, 24});
    }
    CHECK(steps(conv("fp16", "10.0")).size() == 1);
    CHECK(run(conv("fp16", "10.0"), {{1, 2}})[0] == std::vector<double>{11, 12, 12, 14});
    // Along the width it is an ordinary add.
    CHECK(steps(conv("tensor<fp16, [1, 1, 1, 2]>", "[10.0, 20.0]")).size() == 2);
    CHECK(run(conv("tensor<fp16, [1, 1, 1, 2]>", "[10.0, 20.0]"), {{1, 2}})[0] == std::vector<double>{11, 22, 12, 24});
}

TEST_CASE("stand-in: batch norm is scale and offset per channel") {
    const std::string v = "tensor<fp16, [2]>";
    const std::string body =
        constant(v, "mean", "[1.0, 2.0]") + constant(v, "var", "[4.0, 0.25]") + constant(v, "gamma", "[2.0, 1.0]") +
        constant(v, "beta", "[5.0, 7.0]") +
        line("tensor<fp16, [1, 2, 1]> y",
             "batch_norm(beta = beta, epsilon = fp16(0.0), gamma = gamma, mean = mean, variance = var, x = x)");
    CHECK(run(text("tensor<fp16, [1, 2, 1]> x", body, "y"), {{3, 3}})[0] == std::vector<double>{7, 9});
}
