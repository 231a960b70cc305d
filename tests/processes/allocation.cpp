// Every allocation made to fail in turn, once and from there on: what is thrown is `error` or std::bad_alloc, memory, files
// and objects of the runtime are given back, and what was there works on.

#include "../backend/every_operation.hpp"
#include "../backend/standin_control.hpp"
#include "changed_variable.hpp"
#include "scratch_folder.hpp"
#include <anemone/backend/cpu/constants.hpp>
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/base/thread_pool.hpp>
#include <anemone/dynamic_builder.hpp>
#include <anemone/formats/mil.hpp>
#include <anemone/formats/netplist.hpp>
#include <anemone/passes/element_strips.hpp>
#include <anemone/passes/lowering.hpp>
#include <anemone/weights/safetensors.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <new>

// The replacement is that of the whole test program; it must stay the only one in this folder.
namespace {

std::atomic<long> made{0};  ///< allocations so far
std::atomic<long> live{0};  ///< those that were not given back
std::atomic<long> left{-1}; ///< allocations until one fails; none does below 0
std::atomic<bool> for_good{false};
std::atomic<bool> failed{false};

void* counted(std::size_t size) {
    if (left >= 0 && left-- <= 0) {
        failed = true;
        left = for_good ? 0 : -1;
        throw std::bad_alloc();
    }
    if (void* const memory = std::malloc(size == 0 ? 1 : size)) {
        ++made;
        ++live;
        return memory;
    }
    throw std::bad_alloc();
}
void give_back(void* memory) noexcept {
    live -= memory != nullptr ? 1 : 0;
    std::free(memory);
}

} // namespace

void* operator new(std::size_t size) { return counted(size); }
void* operator new[](std::size_t size) { return counted(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { // std::stable_sort takes its buffer so
    try {
        return counted(size);
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}
void operator delete(void* memory) noexcept { give_back(memory); }
void operator delete[](void* memory) noexcept { give_back(memory); }
void operator delete(void* memory, std::size_t) noexcept { give_back(memory); }
void operator delete[](void* memory, std::size_t) noexcept { give_back(memory); }

using namespace ane;

namespace {

/// Does `action` until no allocation of it has failed; `check` looks after each time whether all is well.
template <class Action, class Check> void fail_everywhere(const Action& action, const Check& check) {
    action(); // what is made once is made now
    for (const bool again : {false, true}) {
        long position = 0;
        bool repeated = false;
        for (bool done = false; !done; position += repeated ? 0 : 1) {
            const long before = live;
            std::string unknown;
            failed = false;
            for_good = again;
            left = position;
            try {
                action();
                left = -1;
                done = !failed;
            } catch (const std::bad_alloc&) {
                left = -1;
            } catch (const error&) {
                left = -1;
            } catch (const std::exception& e) {
                left = -1;
                unknown = e.what();
            }
            CAPTURE(position);
            CAPTURE(again);
            REQUIRE(unknown.empty());
            check();
            repeated = live != before && !repeated; // what grows once is kept by somebody, a leak grows again
            REQUIRE((repeated || live == before));
            done = done && !repeated;
        }
        REQUIRE(position > 1);
        MESSAGE("allocations: ", position - 1);
    }
}
template <class Action> void fail_everywhere(const Action& action) {
    fail_everywhere(action, [] {});
}

dynamic_graph small_graph() {
    dynamic_builder g;
    const auto x = g.input("x", {2, 8});
    const auto y = g.add(op::linear, {x, g.weight("w", {4, 8}), g.weight("b", {4})});
    g.output("y", g.add(op::softmax, {g.add(op::gelu, {y})}));
    return g.finish();
}

/// One whose product the oracle shares among threads.
dynamic_graph wide_graph() {
    dynamic_builder g;
    const auto x = g.input("x", {128, 128});
    g.output("y", g.add(op::matmul, {x, x}));
    return g.finish();
}

weight_store small_weights() {
    weight_store store;
    store.add("w", {4, 8}, std::span<const float>(std::vector<float>(32, 0.25F)));
    store.add("b", {4}, {1, 2, 3, 4});
    store.set_metadata("format", "of a text that is longer than what a string keeps in itself");
    return store;
}

/// In memory where the system has such a folder: thousands of files are written.
std::filesystem::path quick_folder() {
    return std::filesystem::is_directory("/dev/shm") ? std::filesystem::path("/dev/shm")
                                                     : std::filesystem::temp_directory_path();
}

/// A compiled program that is run; every run that succeeds gives what the first gave.
template <class Program> void fail_in_runs(Program& program, const graph_view& g) {
    const auto bytes_of = [](const node& n) { return static_cast<std::size_t>(bytes(n.type, n.shape.count())); };
    std::vector<half> x(bytes_of(g[0]) / sizeof(half), half(0.5));
    std::vector<std::byte> y(bytes_of(g[g.outputs[0].node]));
    const std::span<const std::byte> inputs[]{std::as_bytes(std::span(x))};
    const std::span<std::byte> outputs[]{y};
    program.run(inputs, outputs);
    const std::vector<std::byte> expected = y;
    const auto run = [&] { program.run(inputs, outputs); };
    const auto check = [&] {
        std::fill(y.begin(), y.end(), std::byte{0});
        run();
        REQUIRE(y == expected);
    };
    long count = 0; // a run may need no memory at all
    for (bool done = false; !done; ++count) {
        failed = false;
        for_good = false;
        left = count;
        try {
            run();
        } catch (const std::bad_alloc&) {
        } catch (const error&) {}
        left = -1;
        done = !failed;
        CAPTURE(count);
        check();
    }
    MESSAGE("allocations: ", count - 1);
}

} // namespace

TEST_CASE("no memory: a file that is loaded") {
    const scratch_folder folder(quick_folder());
    const std::string path = folder / "w.safetensors";
    save_safetensors(path, small_weights());
    fail_everywhere([&] { static_cast<void>(load_safetensors(path)); });
}

TEST_CASE("no memory: a file that is saved over another") {
    const scratch_folder folder(quick_folder());
    const std::string path = folder / "w.safetensors";
    const weight_store weights = small_weights();
    save_safetensors(path, weights);
    const std::string before = contents(path);
    fail_everywhere([&] { save_safetensors(path, weights); },
                    [&] {
                        REQUIRE(contents(path) == before);
                        REQUIRE(folder.names().size() == 1);
                    });
}

TEST_CASE("no memory: a graph that is built, lowered and written as text") {
    const scratch_folder folder(quick_folder());
    const weight_store weights = small_weights();
    fail_everywhere([&] { static_cast<void>(small_graph()); });
    const dynamic_graph g = small_graph();
    fail_everywhere([&] {
        const lowered_graph lowered = lower(g);
        static_cast<void>(emit_netplist(lowered.graph, fold_constants(lowered.graph, weights)));
    });
    fail_everywhere(
        [&] {
            const lowered_graph lowered = lower(g);
            write_mil(emit_mil(lowered.graph, fold_constants(lowered.graph, weights)), folder.path().string());
        },
        [&] {
            REQUIRE(folder.names() == std::vector<std::string>{"model.mil", "weights.bin"});
        });
}

TEST_CASE("no memory: programs of the CPU and the oracle") {
    const weight_store weights = small_weights();
    const dynamic_graph g = small_graph();
    fail_everywhere([&] { static_cast<void>(compile(g, backend::cpu{}, weights)); });
    fail_everywhere([&] { static_cast<void>(compile(g, backend::oracle{h13}, weights)); });
    auto cpu = compile(g, backend::cpu{}, weights);
    fail_in_runs(cpu, g);
    auto oracle = compile(g, backend::oracle{h13}, weights);
    fail_in_runs(oracle, g);
    const dynamic_graph wide = wide_graph();
    auto threads = compile(wide, backend::oracle{h13}.threads(4), {});
    fail_in_runs(threads, wide);
}

TEST_CASE("a run of the CPU allocates nothing, in one thread and in three, fused or not") {
    // These order or gather with buffers of their own in every run; every other operation is held to none.
    const op_set buffered{
        op::sort, op::arg_sort, op::top_k, op::top_k_indices, op::resize, op::crop_resize, op::furthest_point_sampling};
    thread_pool pool(3);
    for (const op kind : every_operation::all()) {
        CAPTURE(name(kind));
        const every_operation::sample s = every_operation::draw(kind, 4);
        const graph_view g = s.graph;
        std::vector<std::span<const std::byte>> in;
        for (const auto& input : s.inputs) {
            in.push_back(std::as_bytes(std::span(input.values)));
        }
        for (const rounding rule : {rounding::each_layer, rounding::each_operation}) {
            for (const int threads : {1, 3}) {
                auto program = compile(g, backend::cpu{}.rounding(rule).threads(threads).executor(pool), s.weights);
                composing::port_memory outputs = composing::memory_of_outputs(g);
                const auto out = outputs.outputs();
                program.run(in, out); // the threads of the pool start
                const long before = made;
                program.run(in, out);
                CHECK((made == before) == !buffered.contains(kind));
            }
        }
    }
}

TEST_CASE("a run of strips of functions of elements allocates nothing either") {
    dynamic_builder b;
    const std::int64_t elements = 40000; // the last strip is not whole
    const auto x = b.input("x", {elements}, within(-1, 1));
    auto y = x;
    for (int i = 0; i < 4; ++i) {
        y = b.add(op::tanh, {b.add(op::mul, {y, x})});
    }
    b.output("y", y);
    const dynamic_graph g = b.finish();
    REQUIRE(find_element_strips(g.view(), fuse_layers(g.view(), {}), 32768, 6).size() == 1);
    const std::vector<half> values(static_cast<std::size_t>(elements), half(0.5F));
    const std::span<const std::byte> in[] = {std::as_bytes(std::span(values))};
    thread_pool pool(3);
    for (const rounding rule : {rounding::each_layer, rounding::each_operation}) {
        for (const int threads : {1, 3}) {
            auto program = compile(g, backend::cpu{}.rounding(rule).threads(threads).executor(pool), {});
            composing::port_memory outputs = composing::memory_of_outputs(g);
            const auto out = outputs.outputs();
            program.run(in, out);
            const long before = made;
            program.run(in, out);
            CHECK(made == before);
        }
    }
}

TEST_CASE("no memory: programs of the engine") {
    const scratch_folder folder(quick_folder());
    static_cast<void>(standin::control::instance()); // it stays open
    const standin::host machine(h13);
    const changed_variable temporary("TMPDIR", folder.path().string());
    const weight_store weights = small_weights();
    const dynamic_graph g = small_graph();
    const backend::engine place = standin::engine(h13);
    fail_everywhere([&] { static_cast<void>(compile(g, place, weights)); },
                    [&] {
                        REQUIRE(standin::control::instance().live_handles() == 0);
                        REQUIRE(folder.names().empty());
                        REQUIRE(e5rt::loaded_programs() == 0);
                    });
    auto program = compile(g, place, weights);
    fail_in_runs(program, g);
}
