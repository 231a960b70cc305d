#include "fake_runtime.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <new>

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
