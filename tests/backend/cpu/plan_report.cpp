#include "../composer.hpp"
#include <anemone/backend/cpu/plan_report.hpp>
#include <anemone/dynamic_builder.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace composing;

TEST_CASE("plan report: layers, places, sums") {
    dynamic_builder b;
    const auto x = b.input("x", {4, 64});
    auto h = b.add(op::gelu, {b.add(op::linear, {x, b.weight("w", {64, 64})})});
    h = b.add(op::softmax, {h}, axis{1});
    h = b.add(op::transpose, {b.reshape(h, {8, 32})}, permutation{1, 0});
    b.output("y", h);
    const dynamic_graph g = b.finish();
    random_engine random(1);
    const weight_store weights = random_weights(g, random);
    const std::string text = plan_report(g, weights, backend::cpu{}.threads(2));
    INFO(text);
    CHECK(text.find("up to 2 threads: 5 operations in 4 layers\n") != std::string::npos);
    CHECK(text.find("linear + gelu") != std::string::npos);
    CHECK(text.find("fp16 [4, 64], 512 bytes at 0") != std::string::npos);
    CHECK(text.find("fp16 [8, 32], 512 bytes at ") != std::string::npos);
    CHECK(text.find("; in place\n") != std::string::npos);
    CHECK(text.find("of which values take 1024\n") != std::string::npos);
    CHECK(text.find("\nweights: ") != std::string::npos);
    CHECK(text.find(
              "values are dense, 0 with channels last (NHWC), the others row-major; 0 layers from one order into the "
              "other on the way, 1 layer only to reorder or copy, 1 in place\n") != std::string::npos);
    const std::string apart = plan_report(g, weights, backend::cpu{}.rounding(rounding::each_operation).threads(1));
    CHECK(apart.find("up to 1 thread: 5 operations in 5 layers\n") != std::string::npos);
}

TEST_CASE("plan report: layouts and the steps that reorder") {
    dynamic_builder b;
    const auto x = b.input("x", {1, 3, 12, 12});
    auto h = b.add(op::relu, {b.add(op::conv2d, {x, b.weight("stem", {16, 3, 3, 3})})});
    h = b.add(op::max_pool, {h}, pool{.kernel = 2, .stride = 2});
    b.output("y", b.add(op::conv2d, {h, b.weight("head", {8, 16, 3, 3})}));
    const dynamic_graph g = b.finish();
    random_engine random(1);
    const std::string text = plan_report(g, random_weights(g, random));
    INFO(text);
    const auto line_of = [&](const char* operations) {
        const std::size_t at = text.find(operations);
        REQUIRE(at != std::string::npos);
        return text.substr(at, text.find('\n', at) - at);
    };
    CHECK(line_of("conv2d + relu").find("; NHWC; reorders") != std::string::npos);
    CHECK(line_of("max_pool").find("; NHWC") != std::string::npos);
    CHECK(line_of("max_pool").find("reorders") == std::string::npos);
    CHECK(line_of("conv2d  ").find("NHWC") == std::string::npos);
    CHECK(line_of("conv2d  ").find("; reorders") != std::string::npos);
    CHECK(text.find("2 with channels last (NHWC), the others row-major; 2 layers from one order into the other") !=
          std::string::npos);
}
