// Where two findings of a layer advise what excludes each other the second one says so: what is mended first, and why.

#include <anemone/dynamic_builder.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/rules/evaluate.hpp>
#include <anemone/rules/violation_text.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace ane;

namespace {

dynamic_graph filtered(std::int64_t width, std::int64_t kernel, int stride) {
    dynamic_builder b;
    const dynamic_tensor w = b.weight("w", {8, 1, 1, kernel});
    b.output("y", b.add(op::conv2d, {b.input("x", {1, 1, 1, width}), w}, conv{.stride = {1, stride}}));
    return b.finish();
}

dynamic_graph product_of(const contract& x, const contract& w, std::int64_t terms) {
    dynamic_builder b;
    b.output("y", b.add(op::linear, {b.input("x", {1, terms}, x), b.weight("w", {8, terms}, w)}));
    return b.finish();
}

dynamic_graph long_sum(double end) {
    dynamic_builder b;
    b.output("y", b.add(op::reduce_sum, {b.input("x", {1, 1, 1, 512}, within(-end, end))}, axes{3}));
    return b.finish();
}

dynamic_graph norm_of(double end, float epsilon) {
    dynamic_builder b;
    const dynamic_tensor gamma = b.weight("gamma", {512}, within(0.5, 1));
    const dynamic_tensor beta = b.weight("beta", {512}, within(-1, 1));
    b.output("y",
             b.add(op::layer_norm, {b.input("x", {1, 512}, within(-end, end)), gamma, beta}, stabilizer{epsilon, 1}));
    return b.finish();
}

std::vector<violation> of_rule(const std::vector<violation>& all, rule wanted) {
    std::vector<violation> some;
    std::copy_if(all.begin(), all.end(), std::back_inserter(some),
                 [=](const violation& v) { return v.rule == wanted; });
    return some;
}

/// A layer that breaks two rules, and one in which the first is mended.
struct two_findings {
    rule first;
    rule second;
    dynamic_graph both;
    dynamic_graph mended;
    std::string words; ///< of what is first
};

std::vector<two_findings> layers_with_two_findings() {
    return {
        {rule::kernel_width_exceeds, rule::stride_does_not_factor, filtered(1152, 512, 160), filtered(1152, 8, 160),
         "but first the size of the kernel: frames take any stride"},
        {rule::kernel_width_exceeds, rule::stride_is_not_native, filtered(1152, 60, 6), filtered(1152, 8, 6),
         "but first the size of the kernel"},
        {rule::kernel_width_exceeds, rule::large_kernel_is_not_a_multiple_of_eight, filtered(512, 20, 1),
         filtered(512, 12, 1), "but first the size of the kernel: padded with zeros it is larger"},
        {rule::tensor_width_exceeds, rule::kernel_width_exceeds, filtered(20000, 20, 1), filtered(2000, 20, 1),
         "but first the width of the image"},
        {rule::contraction_may_reach_ceiling, rule::subnormal_operand_is_zero,
         product_of(within(-60000, 60000), within(-0x1p-15, 0x1p-15), 32768),
         product_of(within(-60, 60), within(-0x1p-15, 0x1p-15), 32768), "but first the overflow"},
        {rule::value_may_leave_half_precision, rule::signed_sum_is_long, long_sum(400), long_sum(4),
         "a product with ones ends at 32768"},
        {rule::inner_value_may_leave_half_precision, rule::epsilon_becomes_zero, norm_of(310, 1e-9F),
         norm_of(31, 1e-9F), "but first the overflow: an epsilon is chosen"},
    };
}

} // namespace

TEST_CASE("of two findings that exclude each other the second says which is mended first, until it is") {
    for (const two_findings& each : layers_with_two_findings()) {
        CAPTURE(std::string(name(each.first)));
        CAPTURE(std::string(name(each.second)));
        const std::vector<violation> found = violations(each.both, h13);
        const std::vector<violation> first = of_rule(found, each.first);
        const std::vector<violation> second = of_rule(found, each.second);
        REQUIRE(!first.empty());
        REQUIRE(!second.empty());
        const violation& waits = second.back(); // inputs may break a rule of extents too
        CHECK(format(waits, each.both).find(each.words) != std::string::npos);
        CHECK(format(first.back(), each.both).find("but first") == std::string::npos);
        const auto place = [&](const violation& v) {
            return std::find_if(found.begin(), found.end(),
                                [&](const violation& f) { return f.node == v.node && f.rule == v.rule; });
        };
        CHECK(place(first.back()) < place(waits));

        const std::vector<violation> then = violations(each.mended, h13);
        CHECK(of_rule(then, each.first).empty());
        const std::vector<violation> still = of_rule(then, each.second);
        REQUIRE(!still.empty());
        CHECK(still.back().after == nullptr);
        CHECK(format(still.back(), each.mended).find("but first") == std::string::npos);
    }
}

TEST_CASE("every order of advice has a layer, and none goes in a circle") {
    const std::vector<two_findings> layers = layers_with_two_findings();
    for (const rules::advice_order& order : rules::advice_orders) {
        CAPTURE(std::string(order.why));
        CHECK(std::any_of(layers.begin(), layers.end(), [&](const two_findings& each) {
            return order.first.contains(each.first) && order.second.contains(each.second);
        }));
        for (const rules::advice_order& other : rules::advice_orders) {
            for (std::size_t i = 0; i < rule_count; ++i) {
                const auto r = static_cast<rule>(i);
                for (std::size_t k = 0; order.first.contains(r) && other.second.contains(r) && k < rule_count; ++k) {
                    const auto q = static_cast<rule>(k);
                    CHECK(!(order.second.contains(q) && other.first.contains(q)));
                }
            }
        }
    }
}
