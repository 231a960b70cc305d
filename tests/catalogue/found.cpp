// What the sweep found, each alone.

#include <anemone/analysis/envelope.hpp>
#include <anemone/analysis/ranges.hpp>
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/dynamic_builder.hpp>
#include <anemone/model.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <span>
#include <vector>

using namespace ane;

TEST_CASE("a window that fits once may have any stride, which takes no memory") {
    constexpr size2 far = 1 << 24; // a plane for each of its 2^48 phases would be an exabyte
    for (const op kind : {op::conv2d, op::max_pool, op::avg_pool, op::l2_pool}) {
        CAPTURE(std::string(name(kind)));
        dynamic_builder g;
        const dynamic_tensor x = g.input("x", {1, 1, 2, 2});
        g.output("y", kind == op::conv2d ? g.add(kind, {x, g.constant({1, 1, 2, 2}, 1.0)}, conv{.stride = far})
                                         : g.add(kind, {x}, pool{.kernel = 2, .stride = far}));
        const half values[] = {half(2.0), half(4.0), half(4.0), half(8.0)};
        const std::span<const std::byte> read[] = {std::as_bytes(std::span(values))};
        half y;
        const std::span<std::byte> written[] = {std::as_writable_bytes(std::span(&y, 1))};
        backend::cpu{}.compile(g.finish(), {}).run(read, written);
        CHECK(static_cast<double>(y) == (kind == op::conv2d     ? 18
                                         : kind == op::max_pool ? 8
                                         : kind == op::avg_pool ? 4.5
                                                                : 10));
    }
}

namespace {
constexpr auto noise = graph([](auto& g) { g.output("y"_s, relu(random_uniform(g, f16<1, 4>))); });
} // namespace

TEST_CASE("the envelope of an operation without operands") { // a constant expression reads no operand that is not there
    static_assert(proves(noise, h15, hazard::stored_value));
}

TEST_CASE("the range of a response norm whose k is zero on the engine, which has it in fp16") {
    dynamic_builder g;
    g.output("y", g.add(op::local_response_norm, {g.input("x", {1, 1, 1}, within(0, 1e-4))},
                        response_norm_shape{.size = 1, .alpha = 0, .beta = 0.5F, .k = 2.9e-8F}));
    const dynamic_graph model = g.finish();
    const half x(9e-5);
    const std::span<const std::byte> read[] = {std::as_bytes(std::span(&x, 1))};
    half y;
    const std::span<std::byte> written[] = {std::as_writable_bytes(std::span(&y, 1))};
    backend::oracle(h13).compile(model, {}).run(read, written);
    CHECK(static_cast<double>(y) > 5); // 0^-0.5 is infinite, which as a factor is 2^16
    CHECK(ranges(model).back().contains(static_cast<double>(y)));
}
