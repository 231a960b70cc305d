// Sets of targets, the order of generations, descriptions of the user's own: mostly at build time.

#include "anemone/targets/sets.hpp"

#include "anemone/targets/cost_anchor.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <random>

using namespace ane;

// --- the order of generations
static_assert(at_least(family::a16, family::a15));
static_assert(!at_least(family::a14, family::a15));
static_assert(at_least(family::small, family::a15) && !at_least(family::small, family::a16));
static_assert(at_least(family::a15, family::small));
static_assert(!at_least(family::reference, family::older) && at_least(family::reference, family::reference));
static_assert(generation_tier(family::a13) == 2 && generation_tier(family::a18) == 5);
static_assert(generation_tier(family::small) == 4 && generation_tier(family::reference) == 0);
static_assert(name(family::a17) == "A17" && name(family::reference) == "reference" &&
              name(mark::predicted) == "predicted");

// --- names
static_assert(name(h13g) == "H13g" && runtime_architecture(h13g) == "h13g");
static_assert(find_target("h17s") == h17s && find_target("m11") == m11);
static_assert(!find_target("H13") && !find_target("h15m") && !find_target("") && !find_target("h1"));
static_assert(ane::h13 == target::h13);

// --- sets
static_assert(all_targets.size() == 28 && macs.size() == 11 && mil_targets.size() == 21);
static_assert(from<h13> == mil_targets);
static_assert(from<h15>.contains(m11) && !from<h16>.contains(m11) && !from<h15>.contains(h14c));
static_assert(from<h18> == target_set{h18});
static_assert(from<m11> == from<h15> && from<u1> == all_targets);
static_assert((macs & mil_targets) == macs && (macs - mil_targets).empty());
static_assert((target_set{h13} | target_set{h14, h13}) == target_set{h14, h13});
static_assert(*from<h17>.begin() == h17);

// --- the limits that rules lean on
static_assert(describe(h13).limits.kernel_width_fp16 == 13 && describe(h17s).limits.kernel_width_fp16 == 15);
static_assert(describe(h15).limits.tensor_w == 16384 && describe(h16).limits.tensor_w == 65536);
static_assert(describe(h13).has.softmax && !describe(h12).has.softmax);
static_assert(describe(h18).has.fp8 && !describe(h17d).has.fp8);
static_assert(assumes(describe(m11), assumption::softmax) && !assumes(describe(h13), assumption::softmax));

// --- as template arguments: enumerators, sets, the user's own description
namespace {

inline constexpr target_description wide_m1 = derive(describe(h13), [](target_description& d) {
    d.name = "H13x";
    d.cores = d.cost_cores = 8;
    d.limits.kernel_width_fp16 = 15;
});

template <auto Target>
    requires target_like<decltype(Target)>
inline constexpr int kernel_width = describe(Target).limits.kernel_width_fp16;

template <target_set Set> constexpr int narrowest_kernel() {
    int width = no_limit;
    for (const target t : Set) {
        width = describe(t).limits.kernel_width_fp16 < width ? describe(t).limits.kernel_width_fp16 : width;
    }
    return width;
}

static_assert(kernel_width<h13> == 13 && kernel_width<target::h16> == 15 && kernel_width<&wide_m1> == 15);
static_assert(narrowest_kernel<macs>() == 13 && narrowest_kernel<from<h16>>() == 15);
static_assert(narrowest_kernel<target_set{h16, h17}>() == 15);
static_assert(wide_m1.id == h13 && wide_m1.limits.tensor_w == 16384);
static_assert(peak_flops(&wide_m1) == 2 * peak_flops(h13) && bandwidth(wide_m1) == 2 * bandwidth(h13));

static_assert(!target_like<int> && !target_like<family> && target_like<target> && target_like<target_description>);

// --- anchors are reproduced exactly
static_assert(peak_flops(h13) == 3.25e12 && peak_flops(h14) == 7.3e12 && peak_flops(h17s) == 8.9e12);
static_assert(bandwidth(h13) == 9e9 && bandwidth(h14) == 48e9 && bandwidth(h17s) == 57e9);
static_assert(utilisation(h13, 1e3) == 1 && utilisation(h17s, 1e3) == 1);
static_assert(utilisation(h14, 1.8e10) == 1 && utilisation(h14, 1e8) < 0.2 && utilisation(h14, 0) == 1);

} // namespace

TEST_CASE("target_set: iteration, membership and algebra agree with a plain loop") {
    const unsigned seed = 20240611;
    CAPTURE(seed);
    std::mt19937 random(seed);
    for (int round = 0; round < 200; ++round) {
        target_set a, b;
        for (std::size_t i = 0; i < target_count; ++i) {
            if (random() % 2 == 0) {
                a.insert(static_cast<target>(i));
            }
            if (random() % 3 == 0) {
                b.insert(static_cast<target>(i));
            }
        }
        int seen = 0;
        int previous = -1;
        for (const target t : a) {
            CHECK(a.contains(t));
            CHECK(static_cast<int>(t) > previous);
            previous = static_cast<int>(t);
            ++seen;
        }
        CHECK(seen == a.size());
        int visited = 0;
        a.for_each([&](target) { ++visited; });
        CHECK(visited == seen);
        for (std::size_t i = 0; i < target_count; ++i) {
            const target t = static_cast<target>(i);
            CHECK((a | b).contains(t) == (a.contains(t) || b.contains(t)));
            CHECK((a & b).contains(t) == (a.contains(t) && b.contains(t)));
            CHECK((a - b).contains(t) == (a.contains(t) && !b.contains(t)));
        }
    }
}

TEST_CASE("targets: every runtime name finds its target, and no two targets share one") {
    for (const target_description& d : target_table) {
        CHECK(find_target(d.runtime) == d.id);
    }
}

TEST_CASE("targets: every later generation does what the one before does") {
    // guide chapter 12: each engine is a superset of the one before; holds for the gates of operations on the MIL line.
    // The limits that were found by compiling for M4 and M6 (L001, L003, L006) are known of no engine before: no order.
    const target line[] = {h13, h14, h15, h16, h17, h18};
    for (std::size_t i = 1; i < std::size(line); ++i) {
        const target_description& before = describe(line[i - 1]);
        const target_description& after = describe(line[i]);
        CAPTURE(after.name);
        CHECK(after.limits.tensor_w >= before.limits.tensor_w);
        CHECK(after.limits.kernel_width_fp16 >= before.limits.kernel_width_fp16);
        CHECK(after.limits.kernel_height_hal >= before.limits.kernel_height_hal);
        CHECK(after.has.channel_padding >= before.has.channel_padding);
        CHECK(after.has.batch_channel_transpose >= before.has.batch_channel_transpose);
        CHECK(after.has.texture_engine >= before.has.texture_engine);
        CHECK(after.has.native_sin_cos >= before.has.native_sin_cos);
        CHECK(after.has.dropout_random >= before.has.dropout_random);
        CHECK(after.has.stream_int8 >= before.has.stream_int8);
        CHECK(after.has.stream_blockwise >= before.has.stream_blockwise);
        CHECK(after.has.slice_width_saturates <= before.has.slice_width_saturates);
    }
}

TEST_CASE("cost anchors: the curve is linear between points and proportional beyond them") {
    const target_clock& c = describe(h14).clock;
    for (int i = 0; i < c.count; ++i) {
        CHECK(effective_mhz(c, c.points[i].mhz) == doctest::Approx(c.points[i].effective_mhz));
        if (i > 0) {
            const double middle = (c.points[i - 1].mhz + c.points[i].mhz) / 2.0;
            const double expected = (c.points[i - 1].effective_mhz + c.points[i].effective_mhz) / 2.0;
            CHECK(effective_mhz(c, middle) == doctest::Approx(expected));
        }
    }
    CHECK(effective_mhz(describe(m11).clock, 400) == doctest::Approx(400)); // one point, 500:500
    CHECK(effective_mhz(c, 2 * 1938) == doctest::Approx(2 * 1452));
    CHECK(effective_mhz(target_clock{}, 1000) == 0);
}

TEST_CASE("cost anchors: the ramp is min(1, (flops / F)^q)") {
    for (double flops = 1e3; flops < 1e12; flops *= 1.7) {
        const double expected = std::min(1.0, std::pow(flops / 1.8e10, 0.38));
        CHECK(utilisation(h14, flops) == doctest::Approx(expected).epsilon(1e-12));
        CHECK(utilisation(m11, flops) == utilisation(h15c, flops));
    }
}
