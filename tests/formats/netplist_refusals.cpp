#include "netplist_models.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>

using namespace ane;

namespace {

/// The message of the refusal; empty where the model is emitted.
template <class Function> std::string refusal(const Function& describe) {
    try {
        netplist_models::emit(build_graph(describe));
    } catch (const error& e) {
        CHECK(e.code() == errc::lowering);
        return e.what();
    }
    return {};
}

bool says(const std::string& message, std::string_view part) { return message.find(part) != std::string::npos; }

} // namespace

TEST_CASE("netplist refuses: element types other than fp16 inside the network") {
    const std::string m = refusal([](auto& g) { g.output("y"_s, to_f16(g.input("x"_s, u8<1, 3, 4, 4>))); });
    CHECK(says(m, "cast #1"));
    CHECK(says(m, "no unit is known that turns one element type into another"));
    CHECK(says(m, "netplist_refusals.cpp"));
}

TEST_CASE("netplist refuses: composed operations of a graph that was not lowered") {
    const dynamic_graph g =
        build_graph([](auto& b) { b.output("y"_s, linear(b.input("x"_s, f16<1, 3>), b.weight("w", f16<2, 3>))); });
    const folded_constants constants = fold_constants(g, netplist_models::sample_weights(g));
    CHECK_THROWS_WITH_AS(emit_netplist(g, constants), doctest::Contains("lower() takes composed operations apart"),
                         error);
}

TEST_CASE("netplist refuses: kernels from the device") {
    const auto device = [](auto& g) { return relu(g.input("k"_s, f16<2, 2, 1, 1>)); };
    CHECK(says(refusal([&](auto& g) { g.output("y"_s, conv2d(g.input("x"_s, f16<1, 2, 3, 3>), device(g))); }),
               "reads its kernel from a blob"));
    CHECK(says(refusal([&](auto& g) { g.output("y"_s, conv_transpose2d(g.input("x"_s, f16<1, 2, 3, 3>), device(g))); }),
               "reads its kernel from a blob"));
}

TEST_CASE("netplist refuses: transposed convolutions with dilation, or that would crop the stuffed input") {
    CHECK(says(refusal([](auto& g) {
                   g.output("y"_s, conv_transpose2d<conv_transpose{.dilation = {1, 2}}>(
                                       g.input("x"_s, f16<1, 1, 3, 3>), g.weight("w", f16<1, 1, 2, 2>)));
               }),
               "dilation 2"));
    CHECK(says(refusal([](auto& g) {
                   g.output("y"_s, conv_transpose2d<conv_transpose{.stride = 3}>(g.input("x"_s, f16<1, 1, 3, 3>),
                                                                                 g.weight("w", f16<1, 1, 2, 2>)));
               }),
               "needs a padding of -1"));
}

TEST_CASE("netplist refuses: padding of other axes than Height and Width") {
    CHECK(says(refusal([](auto& g) {
                   g.output("y"_s, pad<pads{{0, 1, 0, 0}, {0, 2, 0, 0}}>(g.input("x"_s, f16<1, 1, 6, 6>)));
               }),
               "pads by 3 along another axis"));
}

TEST_CASE("netplist refuses: softmax along Batch or Depth") {
    CHECK(says(refusal([](auto& g) { g.output("y"_s, softmax<axis{0}>(g.input("x"_s, f16<2, 1, 6, 6>))); }),
               "works along Batch or Depth"));
    CHECK(says(refusal([](auto& g) { g.output("y"_s, softmax<axis{1}>(g.input("x"_s, f16<2, 3, 1, 6, 6>))); }),
               "works along Batch or Depth"));
}

TEST_CASE("netplist refuses: five reduced axes") {
    CHECK(says(refusal([](auto& g) { g.output("y"_s, reduce_sum(g.input("x"_s, f16<2, 2, 2, 2, 2>))); }),
               "reduces 5 axes"));
    CHECK(refusal([](auto& g) { g.output("y"_s, reduce_sum(g.input("x"_s, f16<2, 2, 2, 1, 2>))); }).empty());
}

TEST_CASE("netplist refuses: depth where no order of elements is known") {
    CHECK(says(refusal([](auto& g) {
                   auto x = g.input("x"_s, f16<1, 2, 3, 4, 5>);
                   g.output("y"_s, matmul(x, g.weight("w", f16<5, 6>)));
               }),
               "takes depth 1"));
    CHECK(says(refusal([](auto& g) { g.output("y"_s, reshape<6, 20>(g.input("x"_s, f16<1, 2, 3, 4, 5>))); }),
               "depth 2 and 3 channels"));
    CHECK(refusal([](auto& g) { g.output("y"_s, reshape<2, 60>(g.input("x"_s, f16<1, 2, 1, 12, 5>))); }).empty());
    CHECK(says(refusal([](auto& g) {
                   g.output("y"_s, g.input("x"_s, f16<1, 2, 3, 4, 5>) + g.weight("w", f16<1, 2, 3, 4, 5>));
               }),
               "a constant of depth 2"));
    CHECK(says(refusal([](auto& g) { // an output that is a constant: the one reads it, times one
                   g.output("z"_s, relu(g.input("x"_s, f16<1, 1, 2, 2>)));
                   g.output("y"_s, g.weight("w", f16<1, 2, 3, 4, 5>));
               }),
               "a constant of depth 2"));
    CHECK(says(
        refusal([](auto& g) { g.output("y"_s, g.input("x"_s, f16<1, 2, 3, 4, 5>) + g.input("z"_s, f16<2, 3, 4, 5>)); }),
        "where it would become depth"));
}

TEST_CASE("netplist refuses: ports that a network cannot have") {
    CHECK(says(refusal([](auto& g) { g.output("Units"_s, relu(g.input("x"_s, f16<1, 1, 2, 2>))); }),
               "has the name of a key of every network"));
    CHECK(says(refusal([](auto& g) { g.output("y"_s, relu(g.input("Weights"_s, f16<1, 1, 2, 2>))); }),
               "has the name of a key of every network"));
    CHECK(says(refusal([](auto& g) {
                   g.input("idle"_s, f16<1, 1, 2, 2>);
                   g.output("y"_s, relu(g.input("x"_s, f16<1, 1, 2, 2>)));
               }),
               "input \"idle\": is read by no unit"));
}

TEST_CASE("netplist refuses: dynamic slices but of two of four elements along Width from a constant on") {
    const auto sliced = [](const extents& x, const extents& size, std::optional<double> start) {
        dynamic_builder g;
        const dynamic_tensor from = start ? g.constant({1}, *start) : g.input("start", {1});
        g.output("y", g.add(op::dynamic_slice, {g.input("x", x), from}, window{.begin = {0, 0}, .size = size}));
        return g.finish();
    };
    const auto message = [&](const extents& x, const extents& size, std::optional<double> start) -> std::string {
        try {
            netplist_models::emit(sliced(x, size, start));
        } catch (const error& e) {
            return e.what();
        }
        return {};
    };
    CHECK(message({3, 4}, {3, 2}, 1).empty());
    CHECK(says(message({3, 4}, {3, 3}, 1), "moves a window of 3 over 4"));
    CHECK(says(message({3, 5}, {3, 2}, 1), "moves a window of 2 over 5"));
    CHECK(says(message({4, 4}, {2, 4}, 1), "moves a window of 2 over 4"));
    CHECK(says(message({3, 4}, {3, 2}, std::nullopt), "computes operand 1 on the device"));
    CHECK(says(message({3, 4}, {3, 2}, 0.5), "index 0 is 0.5, which is not an integer"));
}
