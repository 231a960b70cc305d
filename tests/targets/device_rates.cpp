#include <anemone/targets/device_rates.hpp>

#include <doctest/doctest.h>

#include <string_view>

using namespace ane;

namespace {

// The programs that the rates were taken from: multiply-adds and bytes of fp16.
constexpr double small_product = 2.0 * 64 * 256 * 256;
constexpr double large_product = 2.0 * 256 * 4096 * 4096;
constexpr double large_product_bytes = 2.0 * (256 * 4096 + 4096 * 4096 + 256 * 4096);
constexpr double chain = 16 * 2.0 * 32 * 32 * 256 * 256 * 9;
constexpr double chain_bytes = 16 * 2.0 * (2 * 256 * 32 * 32 + 256 * 256 * 9);

bool near(double a, double b) { return a < b * 1.015 && b < a * 1.015; }

} // namespace

TEST_CASE("the rates follow from the published figures as their sources say") {
    const device_rates m1 = device_rates_of(h13, compute_device::gpu);
    const device_rates m5 = device_rates_of(h17s, compute_device::gpu);
    // cls_001: 46 GFLOP/s, 27 GFLOP/s/W; cls_003: 7286, 192; cls_005: 4671, 142.
    CHECK(near(m1.launch + m1.layer + small_product / m1.product, small_product / 46e9));
    CHECK(near(m1.launch + m1.layer + large_product / m1.product, large_product / 7286e9));
    CHECK(near(m1.launch + 16 * m1.layer + chain / m1.convolution, chain / 4671e9));
    CHECK(near(m1.static_power, 46.0 / 27));
    CHECK(near(m1.static_power * large_product / 7286e9 + m1.product_energy * large_product +
                   m1.byte_energy * large_product_bytes,
               large_product / 192e9));
    CHECK(near(m1.static_power * chain / 4671e9 + m1.convolution_energy * chain + m1.byte_energy * chain_bytes,
               chain / 142e9));
    // Guide 9, roofs; guide 11: 4.2 times the 757.1 us of bm_018; guide 10: 175 GFLOP/s/W.
    CHECK(m5.product == 30862e9);
    CHECK(m5.bandwidth == 229.7e9);
    CHECK(near(m5.launch + 16 * m5.layer + chain / m5.convolution, 4.2 * 757.1e-6));
    CHECK(near(m5.static_power * 4.2 * 757.1e-6 + m5.convolution_energy * chain + m5.byte_energy * chain_bytes,
               chain / 175e9));
    // Guide 11: 1292.7 us (bm_016) over 2.8 leaves, after the arithmetic, what M1 takes for a launch and a layer.
    CHECK(near(1292.7e-6 / 2.8 - large_product / 30862e9, m5.launch + m5.layer));
    for (const target t : {h13, h17s}) { // 26 us for the small product, on a chip that is not told
        const device_rates cpu = device_rates_of(t, compute_device::cpu);
        CHECK(near(cpu.layer + small_product / cpu.product, 26e-6));
        CHECK(!cpu.has_energy());
    }
}

TEST_CASE("every figure of a device has a source, and each anchor has those that it needs") {
    for (const device_constant& c : device_constants) {
        CHECK(std::string_view(c.source).size() > 2);
        CHECK(c.value > 0);
        CHECK(c.on != compute_device::engine);
    }
    for (std::size_t i = 0; i < target_count; ++i) {
        const auto t = static_cast<target>(i);
        for (const compute_device d : {compute_device::gpu, compute_device::cpu}) {
            const device_rates r = device_rates_of(t, d);
            CHECK(r.product > 0);
            CHECK(r.convolution > 0);
            CHECK(r.bandwidth > 0);
            CHECK(r.layer > 0);
            CHECK((r.known_by == mark::predicted || t == h13 || t == h17s));
        }
    }
    CHECK(device_rates_of(h13, compute_device::engine).product == 0);
}
