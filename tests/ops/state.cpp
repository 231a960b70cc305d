// Reading and writing states as nodes of a graph; what they compute is in tests/backend/states.cpp.

#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/passes/validate.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace ane;
using namespace ane::literals;

namespace {

using cache = state<shape<1, 2, 8, 4>>;
template <class Value>
concept writable = requires(cache s, Value v) {
    write(s, v);
};
template <class Mask, class Value>
concept partly_writable = requires(cache s, Mask m, Value v) {
    write_where(s, m, v);
};
template <std::int64_t... Extents> using number = tensor<shape<Extents...>>;
template <std::int64_t... Extents> using bytes_of_shape = tensor<shape<Extents...>, dtype::uint8>;
template <std::int64_t... Extents> using truth = tensor<shape<Extents...>, dtype::boolean>;

static_assert(writable<number<1, 2, 8, 4>>);
static_assert(writable<unknown_tensor>); // reported already
static_assert(!writable<number<1, 2, 4, 8>>);
static_assert(!writable<number<2, 8, 4>>);
static_assert(!writable<bytes_of_shape<1, 2, 8, 4>>);
static_assert(!writable<double>);

static_assert(partly_writable<bytes_of_shape<8, 1>, number<1, 2, 1, 4>>);
static_assert(partly_writable<truth<1, 2, 8, 4>, number<4>>);
static_assert(partly_writable<bytes_of_shape<1>, number<1, 2, 8, 4>>);
static_assert(!partly_writable<number<8, 1>, number<1, 2, 1, 4>>);         // numbers are no mask
static_assert(!partly_writable<bytes_of_shape<3, 1>, number<1, 2, 1, 4>>); // three rows are not eight
static_assert(!partly_writable<bytes_of_shape<8, 1>, number<1, 2, 3, 4>>);
static_assert(!partly_writable<bytes_of_shape<2, 1, 1, 1>, number<4>>); // the state would have to grow
static_assert(!partly_writable<bytes_of_shape<1, 1, 1, 8, 1>, number<4>>);
static_assert(!partly_writable<bytes_of_shape<8, 1>, bytes_of_shape<4>>);

} // namespace

TEST_CASE("a state is an input and an output; writing changes what later reads and the next run see") {
    int before = -1;
    int after = -1;
    const dynamic_graph g = build_graph([&](auto& b) {
        auto total = b.state("total"_s, f16<4>, bounded(8));
        before = read(total).node;
        write(total, relu(read(total)));
        after = read(total).node;
        b.output("y"_s, read(total));
    });
    CHECK(before != after);
    const graph_view v = g;
    CHECK(v.next_of(v.find(op::input, "total")) == 0);
    CHECK(v[v.outputs[0].node].kind == op::relu);
    CHECK(v.name(v.outputs[0]) == "total_out");
    CHECK(v[v.find(op::input, "total")].get<contract>().high == 8);
}

TEST_CASE("a masked write selects; a port of bytes is compared with zero first") {
    const dynamic_graph g = build_graph([&](auto& b) {
        auto s = b.state("s"_s, f16<8, 4>);
        write_where(s, b.input("at"_s, u8<8, 1>), b.input("row"_s, f16<1, 4>));
    });
    const graph_view v = g;
    const node& written = v[v.outputs[0].node];
    CHECK(written.kind == op::select);
    CHECK(v.operand(written, 0).kind == op::not_equal);
    CHECK(v.operand(written, 2).kind == op::input); // the state as it was
}

TEST_CASE("states: what a builder refuses at run time, by name") {
    using doctest::Contains;
    const auto refuses = [](auto function, const char* part) {
        CHECK_THROWS_WITH_AS(build_graph(function), Contains(part), error);
    };
    refuses([](auto& b) { b.output("y"_s, read(b.state("s"_s, f16<4>))); }, "s: the state is never written");
    refuses([](auto& b) { b.state("s"_s, f16<4>, within(1, 2)); }, "s: the promise of a state must include 0");
    refuses([](auto& b) { b.state("s"_s, f16<4>, within(-2, -1)); }, "must include 0");
    refuses(
        [](auto& b) {
            auto x = b.input("s_out"_s, f16<4>);
            write(b.state("s"_s, f16<4>), x);
            b.output("s_out"_s, x);
        },
        "name of another port");
    refuses(
        [](auto& b) {
            b.input("s"_s, f16<4>);
            write(b.state("s"_s, f16<4>), b.input("x"_s, f16<4>));
        },
        "two inputs");
    dynamic_graph other;
    builder elsewhere(other);
    const auto x = elsewhere.input("x"_s, f16<4>);
    refuses([&](auto& b) { write(b.state("s"_s, f16<4>), x); }, "another graph");
}
