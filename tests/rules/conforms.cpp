// Conformance at compile time: the verdict as a type, policies, sets of targets, a target of the user's own.

#include "anemone/rules/conforms.hpp"

#include "anemone/build.hpp"
#include "anemone/ops/ops.hpp"
#include "one_node.hpp"

#include <doctest/doctest.h>

#include <concepts>
#include <random>

using namespace ane;

namespace {

constexpr int head_line = __LINE__ + 4;
constexpr auto wide_kernel = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 16, 32, 32>);
    auto a = relu(conv2d(x, g.weight("stem.weight", f16<16, 16, 3, 13>)));
    g.output("y"_s, conv2d(a, g.weight("head.weight", f16<16, 16, 3, 14>)));
});
constexpr auto large = graph([](auto& g) { g.output("y"_s, relu(g.input("x"_s, f16<1, 1, 2048, 1024>))); });
constexpr auto sliced = graph([](auto& g) {
    g.output("y"_s, slice<window{{0, 2}, {4, 4}}>(g.input("x"_s, f16<4, 8>)));
});
constexpr auto clean = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 16, 32, 32>, within(0, 1));
    g.output("y"_s,
             max_pool<pool{.kernel = 2}>(relu(conv2d<conv{.padding = same}>(x, g.weight("w", f16<16, 16, 3, 3>)))));
});

// --- policies of rules that stand at the same bit of other words are other template arguments
template <policy P> inline constexpr policy taken = P;
template <std::size_t Rule> inline constexpr rule_set alone = taken<waive(static_cast<rule>(Rule))>.waived;
static_assert(alone<5> != alone<5 + 63> && alone<5> != alone<5 + 126> && alone<5 + 63> != alone<5 + 126>);
static_assert(alone<5> != alone<5 + 64> && alone<5> != alone<5 + 128> && alone<5 + 64> != alone<5 + 128>);
static_assert(alone<5 + 126>.contains(static_cast<rule>(5 + 126)) && !alone<5 + 126>.contains(static_cast<rule>(5)));

// --- the verdict names the node, its line, the value and the limit
template <class Verdict> struct parts;
template <op O, rule R, target T, int Line, int Node, std::int64_t Got, std::int64_t Limit, class... Place>
struct parts<design_rule<O, R, T, Line, Node, Got, Limit, Place...>> {
    static constexpr bool is(op o, rule r, target t, std::int64_t got, std::int64_t limit) {
        return O == o && R == r && T == t && Got == got && Limit == limit;
    }
    static constexpr int line = Line;
};
static_assert(parts<verdict<wide_kernel, h13>>::is(op::conv2d, rule::kernel_width_exceeds, h13, 14, 13));
static_assert(parts<verdict<wide_kernel, h13>>::line == head_line);
static_assert(std::same_as<verdict<clean, macs>, all_design_rules>);

// --- targets, sets of them, the first that fails
static_assert(!conforms<wide_kernel, h13> && !conforms<wide_kernel, h14> && conforms<wide_kernel, h16>);
static_assert(!conforms<wide_kernel, macs> && conforms<wide_kernel, from<h16>>);
static_assert(parts<verdict<wide_kernel, target_set{h15g, h16, h17}>>::is(op::conv2d, rule::kernel_width_exceeds, h15g,
                                                                          14, 13));
static_assert(conforms<clean, macs> && conforms<clean, all_targets>);

// --- policies: warnings are no errors unless declared so; a rule can be waived
static_assert(conforms<large, h13>);
static_assert(!conforms<large, h13, as_error(rule::working_set_exceeds)>);
static_assert(conforms<large, h17s, as_error(rule::working_set_exceeds)>); // 4.2 MB of measured 4.72
static_assert(!conforms<sliced, h13> && conforms<sliced, h15>);
static_assert(conforms<sliced, h13, waive(rule::width_slice_may_saturate)>);
static_assert(!conforms<large, macs, as_error(rule::working_set_exceeds) | waive(rule::width_slice_may_saturate)>);
static_assert(conforms<clean, h12> && !conforms<clean, h12, on_route(compile_route::mil)>);

// --- a device of the user's own
constexpr target_description wide_m1 = derive(describe(h13), [](auto& d) { d.limits.kernel_width_fp16 = 14; });
static_assert(conforms<wide_kernel, &wide_m1>);

// --- one target for each profile
static_assert(detail::distinct(macs, {}).size() == 4);
static_assert(detail::distinct(macs, as_error(rule::groups_do_not_divide_cores)).size() > 4);

} // namespace

TEST_CASE("the same checks at run time") {
    CHECK(violations(wide_kernel, h13).size() > 0);
    CHECK_FALSE(accepts(wide_kernel, describe(h13)));
    CHECK(accepts(wide_kernel, wide_m1));
    CHECK(accepting_targets(wide_kernel, macs) == target_set{h16, h16g, h17, h17s, h18});
    CHECK(accepting_targets(clean) == all_targets);
    for (const target t : all_targets) {
        // What compile time accepts, run time accepts.
        CHECK(accepts(clean, describe(t)));
    }
}

TEST_CASE("every rule has a record that says what it is") {
    for (std::size_t i = 0; i < rule_count; ++i) {
        const rule_record& r = record_of(static_cast<rule>(i));
        CHECK(r.id == static_cast<rule>(i));
        const bool of_a_node = r.scope == rule_scope::graph || r.scope == rule_scope::weights;
        CHECK((r.ops != op_set{} || !of_a_node));
        CHECK(std::string_view(r.sentence) != "");
        CHECK(std::string_view(r.fact) != "");
        CHECK((r.check != nullptr));
        CHECK_FALSE(name(r.id).empty());
    }
    CHECK(rules_of(op::conv2d).contains(rule::kernel_width_exceeds));
    CHECK_FALSE(rules_of(op::relu).contains(rule::kernel_width_exceeds));
    CHECK(rules_of(op::relu).contains(rule::rank_exceeds_five));
}

TEST_CASE("targets of equal figures get the same errors") {
    const unsigned seed = 7;
    MESSAGE("seed " << seed);
    std::mt19937 random(seed);
    const auto pick = [&random](std::initializer_list<std::int64_t> from) {
        return from.begin()[std::uniform_int_distribution<std::size_t>(0, from.size() - 1)(random)];
    };
    const policy policies[] = {{},
                               as_error(rule::working_set_exceeds, rule::groups_do_not_divide_cores),
                               as_error(rule::pool_window_is_not_native, rule::kernel_needs_large_mode,
                                        rule::grouped_kernel_is_decomposed, rule::weights_exceed_kernel_memory,
                                        rule::width_is_not_a_granule, rule::width_is_one),
                               on_route(compile_route::mil)};
    for (int round = 0; round < 40; ++round) {
        const std::int64_t channels = pick({8, 12, 4097, 65537});
        const std::int64_t extent = pick({1, 30, 33, 1024, 16385, 65537});
        const int groups = static_cast<int>(pick({1, 4}));
        const std::vector<dynamic_graph> graphs{
            one_node::make(op::conv2d, conv{.padding = 40, .groups = groups},
                           {one_node::in({pick({1, 2, 5000}), 32, extent, 64}),
                            {pick({0, 1}) != 0 ? op::weight : op::input,
                             {16, 32 / groups, pick({3, 30, 33}), pick({3, 8, 9, 14, 16})}}}),
            one_node::make(op::softmax, axis{1}, {one_node::in({extent, channels})}),
            one_node::make(op::transpose, permutation{0, 2, 1, 3}, {one_node::in({pick({1, 3}), channels, extent, 2})}),
            one_node::make(op::slice, window{{0, pick({0, 1})}, {2, 1}}, {one_node::in({2, 9})}),
            one_node::make(op::div, no_attributes{}, {one_node::in({8, extent}), one_node::in({8, extent})}),
            one_node::make(op::avg_pool, pool{.kernel = 31, .stride = 1}, {one_node::in({1, 4, 64, 64})}),
            one_node::make(op::arg_max, axis{1}, {one_node::in({2, pick({2048, 2049})})}),
            one_node::make(op::linear, no_attributes{},
                           {one_node::in({8, 1024}), one_node::weight({pick({32, 33}), 1024})}),
        };
        for (const policy& p : policies) {
            for (const target a : all_targets) {
                const target_description known = derive(describe(a), [](auto& d) { detail::forget_unread(d); });
                for (const dynamic_graph& g : graphs) {
                    CHECK(accepts(g, describe(a), p) == accepts(g, known, p));
                }
                for (const target b : all_targets) {
                    if (a < b &&
                        detail::figures_for_rules(describe(a), p) == detail::figures_for_rules(describe(b), p)) {
                        for (const dynamic_graph& g : graphs) {
                            CHECK(accepts(g, describe(a), p) == accepts(g, describe(b), p));
                        }
                    }
                }
            }
        }
    }
}
