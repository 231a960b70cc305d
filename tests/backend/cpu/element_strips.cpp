// Functions of elements that are computed strip by strip: the same bits as of few elements, which are not.

#include "../../from_environment.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/cpu/kernel_needs.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/base/thread_pool.hpp>
#include <anemone/dynamic_builder.hpp>
#include <anemone/passes/element_strips.hpp>
#include <anemone/training/training_step.hpp>
#include <anemone/weights/random.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

using namespace ane;

namespace {

/// Functions of elements of three values and a number, drawn by a seed, with several outputs.
dynamic_graph random_functions(std::int64_t elements, unsigned seed) {
    std::mt19937 random(seed);
    dynamic_builder b;
    using value = dynamic_tensor;
    std::vector<value> all{b.input("a", {elements}, within(-4, 4)), b.input("b", {elements}, within(-4, 4)),
                           b.input("c", {elements}, within(-4, 4))};
    const value number = b.input("number", {1}, within(-4, 4));
    std::vector<bool> read(all.size(), false);
    const auto any = [&] {
        const std::size_t at = random() % 3 == 0 ? random() % all.size() : all.size() - 1 - random() % 3;
        read[at] = true;
        return all[at];
    };
    for (int i = 0; i < 24; ++i) {
        switch (random() % 8) {
        case 0: all.push_back(b.add(op::tanh, {any()})); break;
        case 1: all.push_back(b.add(op::abs, {any()})); break;
        case 2: all.push_back(b.add(op::mul, {any(), number})); break;
        case 3: all.push_back(b.add(op::sub, {any(), any()})); break;
        case 4: all.push_back(b.add(op::maximum, {any(), any()})); break;
        case 5: all.push_back(b.add(op::select, {b.add(op::greater, {any(), any()}), any(), any()})); break;
        case 6: all.push_back(b.add(op::select, {b.add(op::less, {number, b.constant(0)}), any(), any()})); break;
        default: all.push_back(b.add(op::add, {any(), any()})); break;
        }
        read.push_back(false);
    }
    int outputs = 0;
    for (std::size_t i = 3; i < all.size(); ++i) {
        if (!read[i] || random() % 6 == 0) {
            b.output("out" + std::to_string(outputs++), all[i]);
        }
    }
    return b.finish();
}

/// The outputs, one behind another, from `first` on; inputs are [a, b, c, number].
std::vector<std::vector<half>> results_of(const backend::cpu& place, const graph_view& g,
                                          const std::vector<std::vector<half>>& values, std::size_t first) {
    backend::cpu_program program = place.compile(g, {});
    std::vector<std::vector<half>> results;
    std::vector<std::span<const std::byte>> inputs;
    std::vector<std::span<std::byte>> outputs;
    for (int i = 0; i < g.size(); ++i) {
        if (g[i].kind == op::input) {
            const auto count = static_cast<std::size_t>(g[i].shape.count());
            const bool is_number = g.name(i) == "number";
            const std::vector<half>& of = values[is_number ? 3 : static_cast<std::size_t>(g.name(i)[0] - 'a')];
            inputs.push_back(std::as_bytes(std::span(of).subspan(is_number ? 0 : first, count)));
        }
    }
    for (const output_port& port : g.outputs) {
        results.emplace_back(static_cast<std::size_t>(g[port.node].shape.count()));
    }
    for (auto& each : results) {
        outputs.push_back(std::as_writable_bytes(std::span(each)));
    }
    program.run(inputs, outputs);
    return results;
}

bool strips_agree(const std::vector<half>& a, std::span<const half> b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(half)) == 0;
}

} // namespace

TEST_CASE("element strips: random functions have the bits of few elements, with any threads and rounding") {
    std::mt19937 random(from_environment::seed());
    thread_pool three(3);
    std::size_t in_strips = 0;
    for (int i = 0; i < 12; ++i) {
        CAPTURE(i);
        const auto seed = static_cast<unsigned>(random());
        const std::int64_t elements = 32768 + static_cast<std::int64_t>(random() % 40000);
        const dynamic_graph whole = random_functions(elements, seed);
        const auto found = find_element_strips(whole.view(), fuse_layers(whole.view(), {}), 32768, 6);
        for (const element_strips& each : found) {
            in_strips += each.nodes.size();
            CHECK(each.results.back() == each.end());
            CHECK(std::is_sorted(each.nodes.begin(), each.nodes.end()));
        }
        std::vector<std::vector<half>> values(4);
        for (std::size_t k = 0; k < 4; ++k) {
            for (std::int64_t e = 0; e < (k < 3 ? elements : 1); ++e) {
                values[k].emplace_back((static_cast<double>(random() % 2001) - 1000) / 250);
            }
        }
        for (const rounding rule : {rounding::each_layer, rounding::each_operation}) {
            const backend::cpu place = backend::cpu().rounding(rule);
            const auto got = results_of(place.threads(1), whole.view(), values, 0);
            const auto by_three = results_of(place.executor(three).threads(3), whole.view(), values, 0);
            for (std::size_t k = 0; k < got.size(); ++k) {
                CHECK(strips_agree(got[k], by_three[k]));
            }
            for (std::int64_t first = 0; first < elements; first += 16384) {
                const std::int64_t count = std::min<std::int64_t>(16384, elements - first);
                const dynamic_graph part = random_functions(count, seed);
                const auto wanted = results_of(place.threads(1), part.view(), values, static_cast<std::size_t>(first));
                REQUIRE(wanted.size() == got.size());
                for (std::size_t k = 0; k < got.size(); ++k) {
                    CHECK(strips_agree(wanted[k], std::span(got[k]).subspan(static_cast<std::size_t>(first),
                                                                            static_cast<std::size_t>(count))));
                }
            }
        }
    }
    CHECK(in_strips > 100);
}

TEST_CASE("element strips: what is read elsewhere is no part of them, and an update of a weight is one step") {
    dynamic_builder b;
    const auto x = b.input("x", {256, 256});
    const auto w = b.weight("w", {256, 256});
    b.output("y", b.add(op::linear, {x, w}));
    const dynamic_graph model = b.finish();
    const training_step step = make_training_step(
        model, {.loss = {.kind = loss_kind::mean_squared}, .by = adam{}, .scale = dynamic_loss_scale});
    const graph_view g = step.graph;
    const auto found = find_element_strips(g, fuse_layers(g, {}), 32768, 6);
    REQUIRE(found.size() == 1);
    CHECK(found[0].results.size() == 4); // the weight, its mean, its root and the low part of that
    CHECK(found[0].nodes.size() > 40);
    CHECK(found[0].elements == 256 * 256);
    for (const int each : found[0].inputs) {
        const bool is_other = g[each].shape.count() == 1 || g[each].kind == op::input || g[each].kind == op::matmul ||
                              g[each].kind == op::linear || g[each].kind == op::reshape || g[each].kind == op::abs ||
                              g[each].kind == op::transpose;
        CAPTURE(name(g[each].kind));
        CHECK(is_other);
    }
    std::size_t steps = 0;
    for (const backend::cpu_step& each : backend::cpu().compile(g, {}).steps()) {
        steps += each.nodes.size() == found[0].nodes.size() ? 1 : 0;
    }
    CHECK(steps == 1);
    CHECK(find_element_strips(g, fuse_layers(g, {}), 256 * 256 + 1, 6).empty());
}

TEST_CASE("element strips: a program is compiled with their loops wherever a model has some") {
    int found = 0;
    for (unsigned seed = 0; seed < 20; ++seed) {
        for (const std::int64_t elements : {40000, 20000}) {
            const dynamic_graph made = random_functions(elements, seed);
            const graph_view g = made;
            const bool has =
                !find_element_strips(g, fuse_layers(g, {}), cpu::least_strip_elements, cpu::least_strip_nodes).empty();
            found += has ? 1 : 0;
            CHECK((!has || cpu::needs_of(g).contains(cpu::algorithm::strips)));
            CHECK((elements > cpu::least_strip_elements || !cpu::needs_of(g).contains(cpu::algorithm::strips)));
        }
    }
    CHECK(found > 10);
}

TEST_CASE("element strips: states go on from run to run, as without") {
    // A state of 40,000 elements, whose parts of 20,000 are no strips.
    const auto accumulating = [](std::int64_t elements) {
        dynamic_builder b;
        const auto x = b.input("x", {elements}, within(-1, 1));
        const auto sum = b.input("sum", {elements});
        const auto mean = b.input("mean", {elements});
        const auto next = b.add(op::add, {sum, x});
        const auto shared = b.add(op::tanh, {b.add(op::mul, {next, b.constant(0.5)})});
        b.keep(sum, b.add(op::maximum, {b.add(op::sub, {next, shared}), b.constant(-8)}));
        b.keep(mean, b.add(op::add, {b.add(op::mul, {mean, b.constant(0.75)}), shared}));
        b.output("y", b.add(op::abs, {shared}));
        return b.finish();
    };
    std::mt19937 random(from_environment::seed());
    std::vector<half> x;
    for (int i = 0; i < 40000; ++i) {
        x.emplace_back((static_cast<double>(random() % 2001) - 1000) / 1000);
    }
    const auto run_three = [&](std::int64_t elements, std::size_t first) {
        const dynamic_graph g = accumulating(elements);
        backend::cpu_program program = backend::cpu().threads(2).compile(g.view(), {});
        std::vector<half> y(static_cast<std::size_t>(elements));
        for (int i = 0; i < 3; ++i) {
            const std::span<const std::byte> inputs[] = {std::as_bytes(std::span(x).subspan(first, y.size()))};
            const std::span<std::byte> outputs[] = {std::as_writable_bytes(std::span(y))};
            program.run(inputs, outputs);
        }
        for (const char* const name : {"sum", "mean"}) {
            const std::span<std::byte> state = program.state(name);
            const auto* const values = reinterpret_cast<const half*>(state.data());
            y.insert(y.end(), values, values + elements);
        }
        return y;
    };
    const std::vector<half> whole = run_three(40000, 0);
    for (const std::size_t first : {std::size_t{0}, std::size_t{20000}}) {
        const std::vector<half> part = run_three(20000, first);
        for (std::size_t k = 0; k < 3; ++k) {
            CHECK(strips_agree({part.begin() + static_cast<std::ptrdiff_t>(k * 20000),
                                part.begin() + static_cast<std::ptrdiff_t>((k + 1) * 20000)},
                               std::span(whole).subspan(k * 40000 + first, 20000)));
        }
    }
}
