#include "standin_control.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

std::atomic<long> allocations{0};

void* counted(std::size_t size) {
    ++allocations;
    if (void* const memory = std::malloc(size == 0 ? 1 : size)) {
        return memory;
    }
    throw std::bad_alloc();
}

} // namespace

// In this executable only: how often memory is asked for.
void* operator new(std::size_t size) { return counted(size); }
void* operator new[](std::size_t size) { return counted(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    ++allocations;
    return std::malloc(size == 0 ? 1 : size);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
    ++allocations;
    return std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

using namespace ane;

namespace {

constexpr auto two_ports = graph([](auto& g) {
    auto a = g.input("a"_s, f16<2, 3>);
    auto b = g.input("b"_s, u8<3>);
    auto s = a - to_f16(b);
    g.output("difference"_s, s);
    g.output("total"_s, reduce_sum<axes{1}>(s));
});

const ndarray<shape<2, 3>> a{10, 20, 30, 40, 50, 60};

ndarray<shape<3>, std::uint8_t> bytes_of_b() {
    ndarray<shape<3>, std::uint8_t> b;
    b[0] = 1;
    b[1] = 2;
    b[2] = 3;
    return b;
}

template <class Backend> void check_ports(const Backend& place) {
    auto p = compile<two_ports>(place);
    const auto b = bytes_of_b();
    const auto r = p({"b"_s = b, "a"_s = a}); // in any order
    const auto difference = r["difference"_s];
    static_assert(std::is_same_v<typename std::remove_const_t<decltype(difference)>::shape_type, shape<2, 3>>);
    const auto total = r["total"_s];
    static_assert(std::is_same_v<typename std::remove_const_t<decltype(total)>::shape_type, shape<2, 1>>);
    CHECK(static_cast<float>(difference(0, 0)) == 9.0F);
    CHECK(static_cast<float>(difference(1, 2)) == 57.0F);
    CHECK(static_cast<float>(total[0]) == 54.0F);
    CHECK(static_cast<float>(total[1]) == 144.0F);
    CHECK(difference.argmax() == 5);
    CHECK_THROWS_AS(difference(2, 0), error);
    CHECK_FALSE(std::string(place.name()).empty());
}

// A copy would write into the original's memory.
template <class Program>
constexpr bool moves_only = std::is_nothrow_move_constructible_v<Program>&& std::is_move_assignable_v<Program> &&
                            !std::is_copy_constructible_v<Program> && !std::is_copy_assignable_v<Program>;
static_assert(moves_only<backend::cpu_program>);
static_assert(moves_only<backend::oracle_program>);
static_assert(moves_only<backend::engine_program>);
static_assert(moves_only<program<two_ports, backend::cpu_program>>);
static_assert(moves_only<program<two_ports, backend::oracle_program>>);
static_assert(moves_only<program<two_ports, backend::engine_program>>);

template <class Action> error thrown(const Action& action) {
    try {
        action();
    } catch (const error& e) {
        return e;
    }
    FAIL("nothing was thrown");
    throw std::logic_error("unreachable");
}

/// The memory of a run of `two_ports`, in the order of its ports; what lies around it must stay as it is.
struct raw_buffers {
    ndarray<shape<3>, std::uint8_t> b = bytes_of_b();
    std::vector<half> difference{std::vector<half>(7, half(-1.0))};
    std::vector<half> total{std::vector<half>(3, half(-1.0))};
    std::vector<std::span<const std::byte>> in{std::as_bytes(a.elements()), std::as_bytes(b.elements())};
    std::vector<std::span<std::byte>> out{std::as_writable_bytes(std::span(difference).first(6)),
                                          std::as_writable_bytes(std::span(total).first(2))};

    raw_buffers() = default;
    raw_buffers(const raw_buffers&) = delete;
    raw_buffers& operator=(const raw_buffers&) = delete;

    bool untouched() const {
        const auto same = [](half h) { return h.bits == half(-1.0).bits; };
        return std::all_of(difference.begin(), difference.end(), same) && std::all_of(total.begin(), total.end(), same);
    }
};

template <class Program> void check_refusals(Program p) {
    const auto refused = [&](raw_buffers& buffers, const std::string& port, const std::string& sentence) {
        const error e = thrown([&] { p.run(buffers.in, buffers.out); });
        CHECK(e.code() == errc::port);
        CHECK(e.subject() == port);
        CHECK(std::string(e.what()).find(sentence) != std::string::npos);
        CHECK(buffers.untouched());
    };
    SUBCASE("an input of fewer bytes") {
        raw_buffers buffers;
        buffers.in[0] = buffers.in[0].first(6);
        refused(buffers, "a", "has 6 bytes, the port takes 12");
    }
    SUBCASE("an input of more bytes") {
        raw_buffers buffers;
        buffers.in[1] = std::as_bytes(a.elements()).first(4);
        refused(buffers, "b", "has 4 bytes, the port takes 3");
    }
    SUBCASE("an output of fewer bytes") {
        raw_buffers buffers;
        buffers.out[1] = buffers.out[1].first(2);
        refused(buffers, "total", "has 2 bytes, the port takes 4");
    }
    SUBCASE("an output of more bytes") {
        raw_buffers buffers;
        buffers.out[0] = std::as_writable_bytes(std::span(buffers.difference));
        refused(buffers, "difference", "has 14 bytes, the port takes 12");
    }
    SUBCASE("an input between its elements") {
        raw_buffers buffers;
        const std::vector<std::byte> moved(buffers.in[0].size() + 1);
        buffers.in[0] = std::span(moved).subspan(1);
        refused(buffers, "a", "begins at an odd address, its elements are aligned to 2 bytes");
    }
    SUBCASE("an input left out") {
        raw_buffers buffers;
        buffers.in.pop_back();
        refused(buffers, "inputs", "1 buffers are given, the program has 2 inputs");
    }
    SUBCASE("no inputs") {
        raw_buffers buffers;
        buffers.in.clear();
        refused(buffers, "inputs", "0 buffers are given");
    }
    SUBCASE("an input too many") {
        raw_buffers buffers;
        buffers.in.push_back(buffers.in[0]);
        refused(buffers, "inputs", "3 buffers are given");
    }
    SUBCASE("an output left out") {
        raw_buffers buffers;
        buffers.out.pop_back();
        refused(buffers, "outputs", "1 buffers are given, the program has 2 outputs");
    }
    SUBCASE("an output too many") {
        raw_buffers buffers;
        buffers.out.push_back(buffers.out[1]);
        refused(buffers, "outputs", "3 buffers are given");
    }
    raw_buffers right; // a refused run does no harm
    p.run(right.in, right.out);
    CHECK(static_cast<float>(right.difference[5]) == 57.0F);
    CHECK(static_cast<float>(right.total[1]) == 144.0F);
    CHECK(static_cast<float>(right.difference[6]) == -1.0F);
    CHECK(static_cast<float>(right.total[2]) == -1.0F);
}

template <class Program> void check_moved_from(Program p) {
    raw_buffers buffers;
    Program heir = std::move(p);
    CHECK(thrown([&] { p.run(buffers.in, buffers.out); }).code() == errc::argument); // NOLINT(bugprone-use-after-move)
    CHECK(buffers.untouched());
    heir.run(buffers.in, buffers.out);
    CHECK(static_cast<float>(buffers.total[0]) == 54.0F);
    p = std::move(heir);
    CHECK(thrown([&] { heir.run(buffers.in, buffers.out); }).code() ==
          errc::argument); // NOLINT(bugprone-use-after-move)
    CHECK_NOTHROW(p.run(buffers.in, buffers.out));
}

} // namespace

TEST_CASE("program: buffers that are not the ports in number and size are refused, and nothing is written") {
    SUBCASE("cpu") { check_refusals(compile(two_ports.view(), backend::cpu{})); }
    SUBCASE("oracle") { check_refusals(compile(two_ports.view(), backend::oracle{h13})); }
    SUBCASE("engine") { check_refusals(compile(two_ports.view(), standin::engine(h13))); }
}

TEST_CASE("program: a moved-from program says so, and takes another") {
    check_moved_from(compile(two_ports.view(), backend::cpu{}));
    check_moved_from(compile(two_ports.view(), backend::oracle{h13}));
    check_moved_from(compile(two_ports.view(), standin::engine(h13)));

    auto oracle = compile(two_ports.view(), backend::oracle{h13});
    const auto heir = std::move(oracle);
    CHECK(heir.lowered().graph.view().size() > 0);
    CHECK(thrown([&] { static_cast<void>(oracle.lowered()); }).code() == errc::argument); // NOLINT
    CHECK(thrown([&] { static_cast<void>(oracle.value(0)); }).code() == errc::argument);  // NOLINT
    auto cpu = compile(two_ports.view(), backend::cpu{});
    const auto next = std::move(cpu);
    CHECK(next.arena_bytes() > 0);
    CHECK(thrown([&] { static_cast<void>(cpu.arena_bytes()); }).code() == errc::argument); // NOLINT

    auto typed = compile<two_ports>(backend::cpu{});
    const auto kept = std::move(typed);
    const auto b = bytes_of_b();
    CHECK(thrown([&] { static_cast<void>(typed({"a"_s = a, "b"_s = b})); }).code() == errc::argument); // NOLINT
}

TEST_CASE("program: an output of vanishing results is an array of its own") {
    auto p = compile<two_ports>(backend::cpu{});
    const auto b = bytes_of_b();
    const auto total = p({"a"_s = a, "b"_s = b})["total"_s];
    static_assert(std::is_same_v<decltype(total), const ndarray<shape<2, 1>>>);
    const auto other = p({"a"_s = a, "b"_s = b})["difference"_s];
    CHECK(static_cast<float>(total[1]) == 144.0F);
    CHECK(static_cast<float>(other(1, 2)) == 57.0F);
    auto kept = p({"a"_s = a, "b"_s = b});
    static_assert(std::is_same_v<decltype(kept["total"_s]), ndview<shape<2, 1>, const half>>);
    CHECK(static_cast<float>(kept["total"_s][1]) == 144.0F);
}

TEST_CASE("program: ports are typed and bound by name, for every backend") {
    check_ports(backend::cpu{});
    check_ports(backend::oracle{h13});
    check_ports(standin::engine(h13));
}

TEST_CASE("program: bytes may change shape before they become numbers, and are no outputs of the engine") {
    static constexpr auto reshaped = graph([](auto& g) {
        auto bytes = g.input("image"_s, u8<2, 3>);
        g.output("y"_s, to_f16(reshape<1, 3, 2>(reshape<6>(bytes))));
    });
    ndarray<shape<2, 3>, std::uint8_t> image;
    for (std::size_t i = 0; i < 6; ++i) {
        image[i] = static_cast<std::uint8_t>(40 * i);
    }
    const auto check = [&](const auto& place) {
        auto p = compile<reshaped>(place);
        const auto r = p({"image"_s = image});
        CHECK(static_cast<float>(r["y"_s](0, 2, 1)) == 200.0F);
        CHECK(static_cast<float>(r["y"_s](0, 1, 0)) == 80.0F);
    };
    check(backend::cpu{});
    check(backend::oracle{h13});
    check(standin::engine(h13));

    static constexpr auto returned = graph([](auto& g) {
        auto bytes = g.input("image"_s, u8<2, 3>);
        g.output("same"_s, bytes);
    });
    try {
        static_cast<void>(compile<returned>(backend::oracle{h13}));
        FAIL("nothing was thrown");
    } catch (const error& e) {
        CHECK(e.code() == errc::lowering);
        CHECK(e.subject() == "same");
    }
    CHECK_THROWS_AS(compile<returned>(standin::engine(h13)), error);
}

TEST_CASE("program: views of a caller's memory are bound like arrays") {
    std::vector<half> memory(a.begin(), a.end());
    const ndview<shape<2, 3>> view{std::span<half>(memory)};
    const auto b = bytes_of_b();
    auto p = compile<two_ports>(backend::cpu{});
    const auto r = p({"a"_s = view, "b"_s = b});
    CHECK(static_cast<float>(r["difference"_s][5]) == 57.0F);
}

TEST_CASE("program: results are their own memory, and kept ones are overwritten by the next run") {
    auto p = compile<two_ports>(standin::engine(h13));
    const auto b = bytes_of_b();
    const auto first = p({"a"_s = a, "b"_s = b});
    ndarray<shape<2, 3>> other;
    other.fill(half(100.0));
    results<two_ports> kept;
    p.run({"a"_s = other, "b"_s = b}, kept);
    CHECK(static_cast<float>(first["difference"_s][0]) == 9.0F);
    CHECK(static_cast<float>(kept["difference"_s][0]) == 99.0F);
    p.run({"a"_s = a, "b"_s = b}, kept);
    CHECK(static_cast<float>(kept["difference"_s][0]) == 9.0F);
    auto moved = std::move(p);
    moved.run({"a"_s = other, "b"_s = b}, kept);
    CHECK(static_cast<float>(kept["difference"_s][2]) == 97.0F);
}

TEST_CASE("program: a run of the engine into kept results allocates nothing in the driver") {
    auto p = compile<two_ports>(standin::engine(h13));
    const auto b = bytes_of_b();
    results<two_ports> kept;
    p.run({"a"_s = a, "b"_s = b}, kept);
    const long before = allocations;
    for (int i = 0; i < 100; ++i) {
        p.run({"a"_s = a, "b"_s = b}, kept);
    }
    const long by_runs = allocations - before;
    // What the stand-in itself allocates in a run: the same calls without the driver around them.
    const long again = allocations;
    for (int i = 0; i < 100; ++i) {
        p.compiled().session().execute();
    }
    CHECK(by_runs == allocations - again);
    CHECK(static_cast<float>(kept["total"_s][1]) == 144.0F);
}

TEST_CASE("program: graphs that are made at run time run on buffers in the order of the ports") {
    for (const int factor : {2, 3}) {
        const dynamic_graph g = build_graph([factor](auto& b) {
            auto x = b.input("x"_s, f16<2, 2>);
            auto y = b.input("y"_s, f16<2, 2>);
            b.output("scaled"_s, x * factor);
            b.output("sum"_s, x + matmul(x, y));
        });
        std::vector<half> x{half(1.0), half(2.0), half(3.0), half(4.0)};
        std::vector<half> y{half(1.0), half(0.0), half(0.0), half(1.0)};
        const auto check = [&](auto program) {
            std::vector<half> scaled(4);
            std::vector<half> sum(4);
            const std::span<const std::byte> in[] = {std::as_bytes(std::span(x)), std::as_bytes(std::span(y))};
            const std::span<std::byte> out[] = {std::as_writable_bytes(std::span(scaled)),
                                                std::as_writable_bytes(std::span(sum))};
            program.run(in, out);
            CHECK(static_cast<float>(scaled[3]) == static_cast<float>(4 * factor));
            CHECK(static_cast<float>(sum[2]) == 6.0F);
        };
        check(compile(g, backend::cpu{}));
        check(compile(g, backend::oracle{h16}));
        check(compile(g, standin::engine(h13)));
    }
}

TEST_CASE("program: weights that do not fit the model are refused before the backend is asked") {
    constexpr auto model = graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 2>);
        g.output("y"_s, linear(x, g.weight("w"_s, f16<3, 2>)));
    });
    static constexpr auto kept = model;
    weight_store weights;
    CHECK_THROWS_AS(compile<kept>(backend::cpu{}, weights), error);
    weights.add("w", extents{3, 2}, std::span<const float>(std::vector<float>{1, 2, 3, 4, 5, 6}));
    CHECK_NOTHROW(compile<kept>(backend::cpu{}, weights));
    weights.add("extra", extents{1}, std::span<const float>(std::vector<float>{1}));
    CHECK_THROWS_AS(compile<kept>(backend::cpu{}, weights), error);
    CHECK_THROWS_AS(compile(kept.view(), backend::oracle{h13}, weights), error);
}
