// Checks of the device that no fault belongs to: states, reruns, several programs, ports, and what each door has alone.

#include "asked.hpp"
#include "bits.hpp"
#include "journal.hpp"
#include "stopwatch.hpp"
#include "tasks.hpp"
#include <anemone/backend/engine/driver/temporary_directory.hpp>
#include <anemone/backend/engine/e5rt/chain.hpp>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

using namespace ane;
using namespace std::chrono_literals;
using probing::halves;

namespace kit {
namespace {

/// What a check expects, and whether it came so.
class expectations {
public:
    void value(std::string_view what, half got, double expected) {
        const half want(expected);
        tell(fmt::format("{}: engine {:04x}, expected {:04x}{}", what, got.bits, want.bits,
                         got.bits == want.bits ? "" : " DIFFERENT"));
        good_ = good_ && got.bits == want.bits;
    }
    void bits(std::string_view what, const halves& got, const halves& expected) {
        const std::string difference = differences(got, expected);
        tell(fmt::format("{}: engine {}; expected {}; {}", what, patterns(got), patterns(expected),
                         difference.empty() ? "same bits" : "DIFFERENT: " + difference));
        good_ = good_ && difference.empty();
    }
    verdict outcome() const { return good_ ? verdict::agrees : verdict::differs; }

private:
    bool good_ = true;
};

/// Runs a program of one output on the bytes of its inputs.
template <class Program> halves run(Program& program, const std::vector<halves>& inputs, std::size_t results) {
    std::vector<std::span<const std::byte>> in;
    for (const halves& x : inputs) {
        in.push_back(std::as_bytes(std::span(x)));
    }
    halves y(results);
    const std::span<std::byte> out[] = {std::as_writable_bytes(std::span(y))};
    program.run(in, out);
    return y;
}

halves on_oracle(const open_door& door, const graph_view& model, const std::vector<halves>& inputs,
                 std::size_t results) {
    auto program = backend::oracle(door.chip()).compile(model, weight_store{});
    return run(program, inputs, results);
}

/// y = x scale + offset on four numbers.
dynamic_graph line_of(double scale, double offset) {
    dynamic_builder g;
    const dynamic_tensor x = g.input("x", {1, 4});
    g.output("y", g.add(op::add, {g.add(op::mul, {x, g.constant(scale)}), g.constant(offset)}));
    return g.finish();
}

/// The softmax of the rows of a product.
dynamic_graph product_and_softmax() {
    dynamic_builder g;
    const dynamic_tensor a = g.input("a", {16, 96}), b = g.input("b", {96, 32});
    g.output("y", g.add(op::softmax, {g.add(op::matmul, {a, b})}, axis{1}));
    return g.finish();
}
std::vector<halves> operands_of_product() {
    probing::random_values random{150};
    return {random.normals(std::int64_t{16} * 96), random.normals(std::int64_t{96} * 32, 0.2)};
}

verdict accumulator(open_door& door) { // N200
    const dynamic_graph model = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 64>, within(-1, 1));
        auto total = g.state("total"_s, f16<1, 64>, within(-1000, 1000));
        write(total, clamp(read(total) + x, -1000, 1000));
        g.output("sum"_s, read(total));
    });
    auto program = door.compile(model);
    expectations e;
    const halves ones(64, half(1.0));
    for (int i = 1; i <= 4; ++i) {
        e.value(fmt::format("run {}", i), run(program, {ones}, 64)[63], i);
    }
    const std::span<std::byte> state = program.state("total");
    for (std::size_t i = 0; i < 64; ++i) {
        reinterpret_cast<half*>(state.data())[i] = half(100.0);
    }
    e.value("after writing 100", run(program, {ones}, 64)[0], 101);
    program.reset();
    e.value("after a reset", run(program, {ones}, 64)[0], 1);
    return e.outcome();
}

verdict reruns(open_door& door) { // N150
    const dynamic_graph model = product_and_softmax();
    auto program = door.compile(model);
    const std::vector<halves> x = operands_of_product();
    const halves first = run(program, x, 512);
    expectations e;
    e.bits("first run", first, on_oracle(door, model, x, 512));
    int different = 0;
    {
        const unwritten now("(200 runs)");
        for (int i = 0; i < 200; ++i) {
            different += differences(run(program, x, 512), first).empty() ? 0 : 1;
        }
    }
    e.value("of 200 reruns, how many differ", half(different), 0);
    tell(time_against_cost([&] { run(program, x, 512); }, model, door.chip()));
    return e.outcome();
}

verdict compiled_twice(open_door& door) { // N151
    const dynamic_graph model = product_and_softmax();
    const std::vector<halves> x = operands_of_product();
    auto first = door.compile(model), second = door.compile(model);
    expectations e;
    e.bits("two compiles", run(second, x, 512), run(first, x, 512));
    return e.outcome();
}

verdict two_programs(open_door& door) {
    auto doubled = door.compile(line_of(2, 0)), shifted = door.compile(line_of(1, 3));
    expectations e;
    for (const double x : {1.0, 5.0}) {
        e.value(fmt::format("2 x {}", x), run(doubled, {halves(4, half(x))}, 4)[3], 2 * x);
        e.value(fmt::format("3 + {}", x), run(shifted, {halves(4, half(x))}, 4)[3], x + 3);
    }
    return e.outcome();
}

verdict names_of_ports(open_door& door) { // the order of ports is not that of their names
    dynamic_builder g;
    const dynamic_tensor z = g.input("z", {1, 4}), a = g.input("a", {1, 4}), m = g.input("m", {1, 4});
    g.output("y3", g.add(op::sub, {z, a}));
    g.output("y1", g.add(op::sub, {a, m}));
    g.output("y2", g.add(op::mul, {m, z}));
    auto program = door.compile(g.finish());
    const halves five(4, half(5.0)), three(4, half(3.0)), seven(4, half(7.0));
    const std::span<const std::byte> in[] = {std::as_bytes(std::span(five)), std::as_bytes(std::span(three)),
                                             std::as_bytes(std::span(seven))};
    halves y3(4), y1(4), y2(4);
    const std::span<std::byte> out[] = {std::as_writable_bytes(std::span(y3)), std::as_writable_bytes(std::span(y1)),
                                        std::as_writable_bytes(std::span(y2))};
    program.run(in, out);
    expectations e;
    e.value("y3 = z - a", y3[0], 2);
    e.value("y1 = a - m", y1[0], -4);
    e.value("y2 = m z", y2[0], 35);
    return e.outcome();
}

verdict rows_and_planes(open_door& door) { // rows of 5 are padded in memory, by either side
    dynamic_builder g;
    const dynamic_tensor x = g.input("x", {1, 3, 2, 5});
    g.output("y", g.add(op::add, {x, g.constant(1.0)}));
    auto program = door.compile(g.finish());
    halves x30, y30;
    for (int i = 0; i < 30; ++i) {
        x30.emplace_back(i);
        y30.emplace_back(i + 1);
    }
    expectations e;
    e.bits("x + 1", run(program, {x30}, 30), y30);
    return e.outcome();
}

verdict bytes_in(open_door& door) {
    dynamic_builder g;
    const dynamic_tensor x = g.input("x", {1, 64}, {}, dtype::uint8);
    g.output("y", g.add(op::add, {g.add(op::cast, {x}), g.constant(0.5)}));
    auto program = door.compile(g.finish());
    std::vector<std::byte> x64(64, std::byte{200});
    const std::span<const std::byte> in[] = {x64};
    halves y(64);
    const std::span<std::byte> out[] = {std::as_writable_bytes(std::span(y))};
    program.run(in, out);
    expectations e;
    e.value("200 + 0.5", y[63], 200.5);
    return e.outcome();
}

verdict by_the_worker(open_door& door) {
    auto program = door.compile(line_of(2, 1));
    const std::span<std::byte> x = program.session().input(0);
    std::fill_n(reinterpret_cast<half*>(x.data()), 4, half(3.0));
    program.session().submit().get(10s);
    expectations e;
    e.value("submitted: 2 x 3 + 1", reinterpret_cast<const half*>(program.session().output(0).data())[0], 7);
    std::fill_n(reinterpret_cast<half*>(x.data()), 4, half(4.0));
    program.session().execute(10s);
    e.value("within ten seconds: 2 x 4 + 1", reinterpret_cast<const half*>(program.session().output(0).data())[0], 9);
    return e.outcome();
}

verdict opened_again(open_door& door) {
    auto program = door.compile(line_of(2, 1));
    expectations e;
    e.value("before", run(program, {halves(4, half(3.0))}, 4)[0], 7);
    program.session().reopen();
    e.value("after", run(program, {halves(4, half(3.0))}, 4)[0], 7);
    return e.outcome();
}

verdict from_the_cache(open_door& door) {
    const e5rt::temporary_directory folder("anemone-probe");
    backend::engine_options options;
    options.session.cache = folder.path();
    expectations e;
    for (const char* which : {"first", "second"}) {
        const auto began = std::chrono::steady_clock::now();
        auto program = door.compile(line_of(2, 1), options);
        const auto took = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began);
        tell(fmt::format("{} compile: {:.1f} ms", which, took.count()));
        e.value("2 x 3 + 1", run(program, {halves(4, half(3.0))}, 4)[0], 7);
    }
    return e.outcome();
}

/// Cross products, which MIL has no words for.
verdict native_layer(open_door& door) {
    dynamic_builder g;
    const dynamic_tensor a = g.input("a", {20, 3, 1, 1}), b = g.input("b", {20, 3, 1, 1});
    g.output("y", g.add(op::cross_product, {a, b}));
    const dynamic_graph model = g.finish();
    probing::random_values random{3};
    const std::vector<halves> x{random.normals(60), random.normals(60)};
    auto program = door.compile(model);
    expectations e;
    e.bits("cross product", run(program, x, 60), on_oracle(door, model, x, 60));
    return e.outcome();
}

/// Latencies of stacks of convolutions (N207: flat from 24 to 32 layers).
verdict stacks(open_door& door) {
    for (const int layers : {1, 24, 32}) {
        dynamic_builder g;
        dynamic_tensor x = g.input("x", {1, 16, 16, 16});
        const dynamic_tensor w = g.constant({16, 16, 1, 1}, 1.0 / 16);
        for (int i = 0; i < layers; ++i) {
            x = g.add(op::relu, {g.add(op::conv2d, {x, w})});
        }
        g.output("y", x);
        const dynamic_graph model = g.finish();
        auto program = door.compile(model);
        const halves image(4096, half(1.0));
        run(program, {image}, 4096);
        tell(fmt::format("{} layers: {}", layers,
                         time_against_cost([&] { run(program, {image}, 4096); }, model, door.chip())));
    }
    return verdict::agrees;
}

} // namespace

std::vector<task> device_tasks() {
    return {
        {"accumulator", "a state over four runs, written and reset", accumulator},
        {"reruns", "200 runs of one program", reruns},
        {"compiled_twice", "two compiles of one graph", compiled_twice},
        {"two_programs", "two programs loaded at once, in turn", two_programs},
        {"names_of_ports", "three inputs and three outputs in another order than their names", names_of_ports},
        {"rows_and_planes", "rows that are shorter than a line of memory", rows_and_planes},
        {"stacks", "times of 1, 24 and 32 convolutions in a row", stacks},
        {"bytes_in", "an input of bytes", bytes_in, true, false},
        {"by_the_worker", "runs with a timeout, made by a thread of the driver", by_the_worker, true, false},
        {"opened_again", "a session that is compiled and loaded again", opened_again, true, false},
        {"from_the_cache", "a second compile from the runtime's cache", from_the_cache, true, false},
        {"native_layer", "a layer that netplists alone have", native_layer, false, true},
    };
}

} // namespace kit
