// Which target is the first to take a model and what stops the others: the constants against the run-time functions,
// and both against a search by brute force.

#include "anemone/rules/acceptance.hpp"

#include "anemone/build.hpp"
#include "anemone/ops/ops.hpp"
#include "one_node.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string_view>
#include <vector>

using namespace ane;

namespace {

constexpr auto clean = graph([](auto& g) { g.output("y"_s, relu(g.input("x"_s, f16<1, 8, 16, 16>, within(0, 1)))); });
constexpr auto wide_kernel = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 16, 32, 32>, within(0, 1));
    auto a = conv2d(x, g.weight("stem.weight", f16<16, 16, 3, 14>, within(0, 1)));
    g.output("y"_s, conv2d(a, g.weight("head.weight", f16<16, 16, 3, 15>, within(0, 0.01))));
});
constexpr auto sliced = graph([](auto& g) {
    g.output("y"_s, slice<window{{0, 2}, {4, 4}}>(g.input("x"_s, f16<4, 8>)));
});
constexpr auto impossible = graph([](auto& g) { g.output("y"_s, relu(g.input("x"_s, f16<1, 1, 1, 1, 1, 2>))); });
constexpr target_description wide_m1 = derive(describe(h13), [](auto& d) { d.limits.kernel_width_fp16 = 15; });

// --- the oldest target that runs it
static_assert(first_target<clean> == h13);
static_assert(first_target<clean, all_targets> == h12); // one core
static_assert(first_target<wide_kernel> == h16 && first_target<sliced> == h15);
static_assert(first_target<wide_kernel, target_set{h17s, h16g, h17}> == h16g);
static_assert(!first_target<wide_kernel, target_set{h13, h14, h15}> && !first_target<impossible>);
static_assert(first_target<sliced, macs, waive(rule::width_slice_may_saturate)> == h13);
static_assert(!first_target<clean, target_set{}>);

// --- what stops a target
static_assert(blockers<wide_kernel, h13>.size() == 2 && blockers<wide_kernel, h16>.empty());
static_assert(blockers<wide_kernel, h13>[0].rule == rule::kernel_width_exceeds);
static_assert(blockers<wide_kernel, h13>[0].got == 14 && blockers<wide_kernel, h13>[1].got == 15);
static_assert(blockers<wide_kernel, h13>[0].limit == 13 && blockers<wide_kernel, h13>[0].target == h13);
static_assert(blockers<wide_kernel, &wide_m1>.empty());
static_assert(blockers<wide_kernel, h13, waive(rule::kernel_width_exceeds)>.empty());
static_assert(blockers<sliced, h14>[0].rule == rule::width_slice_may_saturate);

/// 2100 nodes, an error at every tenth: more than one chunk.
constexpr auto long_chain = graph([](auto& g) {
    auto x = g.input("x"_s, f16<4, 8>);
    for (int i = 0; i < 210; ++i) {
        for (int k = 0; k < 8; ++k) {
            x = relu(x);
        }
        auto c = slice<window{{0, 2}, {4, 4}}>(x);
        x = concat<axis{1}>(c, c);
    }
    g.output("y"_s, x);
});
static_assert(blockers<long_chain, h13>.size() >= 210 && blockers<long_chain, h16>.empty());

bool equal(const violation& a, const violation& b) {
    return a.broken == b.broken && a.operation == b.operation && a.rule == b.rule && a.severity == b.severity &&
           a.is_error == b.is_error && a.target == b.target && a.node == b.node && a.line == b.line &&
           std::string_view(a.file) == b.file && a.got == b.got && a.limit == b.limit;
}

template <std::size_t N> bool equal(const std::array<violation, N>& a, const std::vector<violation>& b) {
    bool same = a.size() == b.size();
    for (std::size_t i = 0; same && i < N; ++i) {
        same = equal(a[i], b[i]);
    }
    return same;
}

} // namespace

TEST_CASE("the constants are the values of the run-time functions") {
    CHECK(first_target<wide_kernel> == first_target_of(wide_kernel));
    CHECK(first_target<sliced> == first_target_of(sliced));
    CHECK(first_target<impossible> == first_target_of(impossible));
    CHECK(equal(blockers<wide_kernel, h13>, blockers_of(wide_kernel, h13)));
    CHECK(equal(blockers<impossible, h17s>, blockers_of(impossible, h17s)));
    CHECK(equal(blockers<long_chain, h13>, blockers_of(long_chain, h13)));
    CHECK(equal(blockers<long_chain, h14>, blockers_of(long_chain, h14)));
}

TEST_CASE("the order of age is a total order by generation, then cores") {
    for (const target a : all_targets) {
        CHECK_FALSE(is_older(describe(a), describe(a)));
        for (const target b : all_targets) {
            CHECK((a == b || is_older(describe(a), describe(b)) != is_older(describe(b), describe(a))));
            for (const target c : all_targets) {
                CHECK((!is_older(describe(a), describe(b)) || !is_older(describe(b), describe(c)) ||
                       is_older(describe(a), describe(c))));
            }
        }
    }
    CHECK(is_older(describe(h13), describe(h13g)));
    CHECK(is_older(describe(h13g), describe(h14)));
    CHECK(is_older(describe(h16c), describe(h17)));
    CHECK(is_older(describe(m11), describe(h15)));
    CHECK(is_older(describe(h18), describe(u1))); // no silicon
}

TEST_CASE("against brute force over random models and sets") {
    const unsigned seed = 41;
    CAPTURE(seed);
    std::mt19937 random(seed);
    const auto pick = [&random](std::initializer_list<std::int64_t> from) {
        return from.begin()[random() % from.size()];
    };
    for (int round = 0; round < 60; ++round) {
        CAPTURE(round);
        const dynamic_graph g =
            round % 2 == 0
                ? one_node::make(op::conv2d, conv{.padding = 20},
                                 {one_node::in({1, 16, pick({20, 16385}), 32}),
                                  one_node::weight({16, 16, pick({3, 30, 33}), pick({3, 13, 14, 15, 16})})})
                : one_node::make(op::slice, window{{0, pick({0, 1})}, {2, 1}}, {one_node::in({2, pick({9, 20000})})});
        target_set among;
        for (const target t : all_targets) {
            if (random() % 3 != 0) {
                among.insert(t);
            }
        }
        std::optional<target> oldest;
        for (const target t : among) {
            if (accepts(g, describe(t)) && (!oldest || is_older(describe(t), describe(*oldest)))) {
                oldest = t;
            }
        }
        CHECK(first_target_of(g, among) == oldest);
        for (const target t : {h13, h15, h17s, u1}) {
            CHECK(blockers_of(g, t).empty() == accepts(g, describe(t)));
        }
    }
}

TEST_CASE("the first target for one node looks at that node alone") {
    const dynamic_graph g = build_graph([](builder& b) {
        auto x = b.input("x"_s, f16<1, 16, 32, 32>);
        auto s = slice<window{{0, 0, 0, 1}, {1, 16, 32, 30}}>(x);
        b.output("y"_s, conv2d(s, b.weight("stem.weight", f16<16, 16, 3, 14>)));
    });
    const node_acceptance where(g);
    CHECK(where.first_for(0) == h13);
    CHECK(where.first_for(1) == h15);
    CHECK(where.first_for(3) == h16);
    CHECK(node_acceptance(g, target_set{h14, h13}).first_for(3) == std::nullopt);
}
