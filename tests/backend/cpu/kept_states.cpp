#include "../../from_environment.hpp"
#include "../random_graphs.hpp"
#include "whole_models.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/base/error.hpp>
#include <anemone/dynamic_builder.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <random>
#include <stdexcept>
#include <vector>

using namespace composing;

namespace {

constexpr std::int64_t heads = 3;
constexpr std::int64_t length = 700;
constexpr std::int64_t width = 24;

/// A cache of rows for each head, written where a mask says so, and read in the same run.
dynamic_graph cache_model() {
    dynamic_builder g;
    const auto at = g.input("at", {length, 1}, {}, dtype::uint8);
    const auto row = g.input("row", {1, heads, 1, width});
    const auto cache = g.input("cache", {1, heads, length, width});
    const auto here = g.add(op::not_equal, {g.add(op::cast, {at}), g.constant(0.0)});
    const auto kept = g.add(op::select, {here, row, cache});
    g.keep(cache, kept);
    g.output("y", g.add(op::mul, {kept, g.constant(2.0)}));
    return g.finish();
}

/// Throws in the middle of a step, when told to.
class unreliable : public executor {
public:
    int width() const noexcept override { return 4; }
    void run(int count, void (*part)(const void*, int), const void* context) override {
        for (int i = 0; i < count; ++i) {
            if (left >= 0 && left-- == 0) {
                throw std::runtime_error("the pool has failed");
            }
            part(context, i);
        }
    }
    int left = -1; ///< parts until it fails
};

} // namespace

TEST_CASE("cpu states: a masked write leaves what one select in each run would, whatever happens between runs") {
    const unsigned seed = from_environment::seed();
    std::mt19937 random(seed);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    const dynamic_graph model = cache_model();
    unreliable pool;
    auto program = backend::cpu{}.executor(pool).compile(model, {});
    const std::size_t count = heads * length * width;
    std::vector<half> wanted(count);
    std::vector<std::uint8_t> at(length);
    std::vector<half> row(heads * width);
    std::vector<half> y(count);
    const auto state = [&] {
        std::vector<half> now(count);
        std::memcpy(static_cast<void*>(now.data()), program.state("cache").data(), count * sizeof(half));
        return now;
    };
    const auto same = [](const std::vector<half>& a, const std::vector<half>& b) {
        return std::memcmp(a.data(), b.data(), a.size() * sizeof(half)) == 0;
    };
    for (int step = 0; step < 60; ++step) {
        for (auto& mark : at) {
            mark = static_cast<std::uint8_t>(below(40) == 0 ? 1 + below(255) : 0);
        }
        for (half& value : row) {
            value = half(static_cast<double>(below(2000) - 1000) / 8);
        }
        switch (below(8)) {
        case 0:
            program.reset();
            wanted.assign(count, half());
            break;
        case 1: { // somebody else writes into it
            const auto place = static_cast<std::size_t>(below(static_cast<int>(count)));
            wanted[place] = half(7.0);
            std::memcpy(program.state("cache").data() + place * sizeof(half), &wanted[place], sizeof(half));
            break;
        }
        case 2: REQUIRE(same(state(), wanted)); break;
        case 3: pool.left = below(12); break;
        default: break;
        }
        const std::span<const std::byte> in[] = {std::as_bytes(std::span(at)), std::as_bytes(std::span(row))};
        const std::span<std::byte> out[] = {std::as_writable_bytes(std::span(y))};
        try {
            program.run(in, out);
        } catch (const std::runtime_error&) {
            pool.left = -1;
            if (below(2) == 0) {
                REQUIRE(same(state(), wanted)); // a run that fails leaves the state
            }
            continue;
        }
        pool.left = -1;
        std::vector<half> doubled;
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t position = i / width % length;
            if (at[position] != 0) {
                wanted[i] = row[i / width / length * width + i % width];
            }
            doubled.emplace_back(2 * static_cast<double>(wanted[i]));
        }
        REQUIRE(same(y, doubled));
    }
    CHECK(same(state(), wanted));
}

TEST_CASE("cpu states: two states that become one value, which is an output too") {
    dynamic_builder g;
    const auto mask = g.input("mask", {4, 1}, {}, dtype::uint8);
    const auto x = g.input("x", {4, 32});
    const auto a = g.input("a", {4, 32});
    const auto b = g.input("b", {4, 32});
    const auto here = g.add(op::not_equal, {g.add(op::cast, {mask}), g.constant(0.0)});
    const auto kept = g.add(op::select, {here, x, b});
    g.keep(a, kept);
    g.keep(b, kept);
    g.output("y", kept);
    const dynamic_graph model = g.finish();
    auto program = backend::cpu{}.compile(model, {});
    std::vector<half> wanted(128);
    std::vector<half> values(128);
    std::vector<half> y(128);
    for (int run = 0; run < 6; ++run) {
        std::vector<std::uint8_t> marks(4);
        marks[static_cast<std::size_t>(run % 3)] = 1;
        for (std::size_t i = 0; i < 128; ++i) {
            values[i] = half(static_cast<double>(run * 128) + static_cast<double>(i));
            wanted[i] = marks[i / 32] != 0 ? values[i] : wanted[i];
        }
        const std::span<const std::byte> in[] = {std::as_bytes(std::span(marks)), std::as_bytes(std::span(values))};
        const std::span<std::byte> out[] = {std::as_writable_bytes(std::span(y))};
        program.run(in, out);
        for (const auto& memory : {std::as_writable_bytes(std::span(y)), program.state("a"), program.state("b")}) {
            CHECK(std::memcmp(memory.data(), wanted.data(), 256) == 0);
        }
    }
}

TEST_CASE("cpu outputs: a caller's buffer may be that of an input or of another output") {
    dynamic_builder g;
    const auto x = g.input("x", {64});
    const auto doubled = g.add(op::add, {x, x});
    g.output("doubled", doubled);
    g.output("sum", g.add(op::add, {g.add(op::softmax, {doubled}, axis{-1}), x}));
    const dynamic_graph model = g.finish();
    auto program = backend::cpu{}.compile(model, {});
    std::vector<half> given(64);
    for (std::size_t i = 0; i < given.size(); ++i) {
        given[i] = half(static_cast<double>(i) / 16);
    }
    std::vector<half> first(64);
    std::vector<half> second(64);
    const std::span<const std::byte> in[] = {std::as_bytes(std::span(given))};
    const std::span<std::byte> apart[] = {std::as_writable_bytes(std::span(first)),
                                          std::as_writable_bytes(std::span(second))};
    program.run(in, apart);
    std::vector<half> memory = given;
    std::vector<half> other(64);
    const auto at = std::as_writable_bytes(std::span(memory));
    const std::span<const std::byte> in_place[] = {at};
    SUBCASE("the first output over the input") {
        const std::span<std::byte> out[] = {at, std::as_writable_bytes(std::span(other))};
        program.run(in_place, out);
        CHECK(std::memcmp(memory.data(), first.data(), 128) == 0);
        CHECK(std::memcmp(other.data(), second.data(), 128) == 0);
    }
    SUBCASE("both outputs over the input: the last one stays") {
        const std::span<std::byte> out[] = {at, at};
        program.run(in_place, out);
        CHECK(std::memcmp(memory.data(), second.data(), 128) == 0);
    }
}
