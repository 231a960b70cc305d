#include "fake_runtime.hpp"
#include "objc/door.hpp"
#include <anemone/backend/program.hpp>
#include <anemone/dynamic_builder.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <new>
#include <span>
#include <vector>

// The replacement counts every allocation of this test program; it must stay the only one in this folder.
namespace {
std::atomic<long> allocations{0};

void* counted(std::size_t size) {
    ++allocations;
    if (void* memory = std::malloc(size == 0 ? 1 : size))
        return memory;
    throw std::bad_alloc();
}
} // namespace

void* operator new(std::size_t size) { return counted(size); }
void* operator new[](std::size_t size) { return counted(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { // std::stable_sort's
    ++allocations;
    return std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

TEST_CASE("engine allocation: the counter counts") {
    const long before = allocations;
    delete new int; // NOLINT
    static_cast<void>(std::string(100, 'x'));
    CHECK(allocations > before);
}

TEST_CASE("engine allocation: a dispatch allocates nothing") {
    fake::bench bench;
    auto session = bench.open();
    bench.rt.quiet = true;
    const long before = allocations;
    for (int i = 0; i != 1000; ++i) { // the first of them encodes
        session.input(session.input_index("x"))[0] = static_cast<std::byte>(i & 0xff);
        session.execute();
        if (session.output(0)[0] != std::byte{0})
            break;
    }
    const long after = allocations;
    bench.rt.quiet = false;
    CHECK(after == before);
    CHECK(bench.rt.executed == 1001);
}

TEST_CASE("engine allocation: a run through the netplist door allocates nothing") {
    ane::dynamic_builder g;
    g.output("y", g.add(ane::op::relu, {g.input("x", {1, 3, 4, 5})}));
    auto program = ane::compile(g.finish(), objc_standin::engine(ane::h13));
    std::vector<std::byte> x(120);
    std::vector<std::byte> y(120);
    const std::vector<std::span<const std::byte>> inputs{x};
    const std::vector<std::span<std::byte>> outputs{y};
    const objc_standin::option idle("idle", 1); // what the stand-in takes to compute is not the door's
    program.run(inputs, outputs);
    const long before = allocations;
    for (int i = 0; i != 1000; ++i) {
        program.run(inputs, outputs);
    }
    const long after = allocations;
    CHECK(after == before);
}

TEST_CASE("engine allocation: nor does one on the worker, once there is a worker") {
    fake::bench bench;
    bench.rt.quiet = false;
    auto session = bench.open();
    const ane::e5rt::time_span second(std::chrono::seconds(1));
    session.execute(second);
    bench.rt.quiet = true;
    const long before = allocations;
    for (int i = 0; i != 100; ++i)
        session.execute(second);
    const long after = allocations;
    bench.rt.quiet = false;
    CHECK(after == before);
    CHECK(bench.rt.executed == 101);
}
