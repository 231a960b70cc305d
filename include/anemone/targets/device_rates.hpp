#pragma once

#include "cost_rates.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

/// The GPU and the CPU beside the engine: what they were measured to do, and what the system's placement model takes
/// them for (docs/device_placement.md).
namespace ane {

/// Where a layer can run.
enum class compute_device : std::uint8_t { engine, gpu, cpu };

inline constexpr std::size_t compute_device_count = 3;

constexpr std::string_view name(compute_device d) noexcept {
    constexpr std::string_view names[] = {"engine", "GPU", "CPU"};
    return names[static_cast<std::size_t>(d)];
}

/// A device as the system's segmenter prices it: max(FLOP / peak, bytes / bandwidth) for a layer, a launch for a
/// segment, a transfer for a segment after one on another device.
struct system_device {
    double peak;      ///< FLOP/s
    double bandwidth; ///< bytes/s
    double launch;    ///< in the model's relative unit, and so the next
    double transfer;
};

/// By `compute_device`. Guide chapter 18, tables of backend anchors and penalties: decompiled, the same on every chip.
inline constexpr system_device system_devices[compute_device_count] = {
    {800e9, 50e9, 0.05, 0.09}, {120e9, 40e9, 0.10, 0.23}, {20e9, 10e9, 0.10, 0.23}};

/// s that the CPU takes longer than the engine where Core ML's plan leaves the CPU. Plans of it were seen to keep a product
/// of 4 x 4 by 4 x 4 and sums of 32 x 64 on the CPU, and to give the engine products from 16 x 2048 by 2048 x 64 and
/// 32 x 1024 by 1024 x 128 on, and sums of 1024 x 1024. By the rates above the first of these takes the CPU 203 us longer.
/// That this is the reason, and what becomes of sizes between, is our reading: predicted.
inline constexpr double seconds_to_leave_the_cpu = 200e-6;

/// The rates of the GPU or the CPU of one chip. A segment takes `launch`, a layer of it `layer` and
/// max(FLOP / rate, bytes / bandwidth).
struct device_rates {
    double product = 0;        ///< FLOP/s of all but convolutions
    double convolution = 0;    ///< FLOP/s
    double bandwidth = 0;      ///< bytes/s
    double launch = 0;         ///< s
    double layer = 0;          ///< s
    double static_power = 0;   ///< W above idle while it runs; 0: no energy of the device is known
    double product_energy = 0; ///< J for each FLOP, and so the next
    double convolution_energy = 0;
    double byte_energy = 0; ///< J for each byte
    mark known_by = mark::predicted;

    constexpr bool has_energy() const { return static_power > 0; }
};

/// One figure of `device_rates` at an anchor. None is fitted: a value follows from the named figures by division and
/// subtraction, or is carried over, which makes it predicted.
struct device_constant {
    target anchor;
    compute_device on;
    double device_rates::*member;
    std::string_view name;
    std::string_view unit;
    double value;
    mark known_by;
    std::string_view source;
};

// clang-format off
inline constexpr device_constant device_constants[] = {
    {h13, compute_device::gpu, &device_rates::product, "product", "FLOP/s", 8.61e12, mark::measured, "cls_003: 8.59 GFLOP at 7286 GFLOP/s, less the launch and a layer"},
    {h13, compute_device::gpu, &device_rates::convolution, "convolution", "FLOP/s", 5.48e12, mark::measured, "cls_005: 19.3 GFLOP at 4671 GFLOP/s, less the launch and 16 layers"},
    {h13, compute_device::gpu, &device_rates::bandwidth, "bandwidth", "B/s", 85e9, mark::predicted, "guide 1, roof of the memory; no stream of the GPU of M1 is told"},
    {h13, compute_device::gpu, &device_rates::launch, "launch", "s", 153e-6, mark::measured, "cls_001: 8.39 MFLOP at 46 GFLOP/s take 182 us, less a layer"},
    {h13, compute_device::gpu, &device_rates::layer, "layer", "s", 28.5e-6, mark::predicted, "what cls_006 and cls_007 leave, read as attention with projections, 768 wide and 11 layers: the shape is not told"},
    {h13, compute_device::gpu, &device_rates::static_power, "static power", "W", 1.70, mark::measured, "cls_001: 46 GFLOP/s at 27 GFLOP/s/W"},
    {h13, compute_device::gpu, &device_rates::product_energy, "energy of a FLOP", "J", 4.82e-12, mark::measured, "what is left of cls_003 at 192 GFLOP/s/W"},
    {h13, compute_device::gpu, &device_rates::convolution_energy, "energy of a FLOP, convolution", "J", 6.62e-12, mark::measured, "what is left of cls_005 at 142 GFLOP/s/W"},
    {h13, compute_device::gpu, &device_rates::byte_energy, "energy of a byte", "J", 35e-12, mark::predicted, "that of the engine: one memory"},
    {h13, compute_device::cpu, &device_rates::product, "product", "FLOP/s", 530e9, mark::predicted, "h17s by the ratio of the GPUs' products"},
    {h13, compute_device::cpu, &device_rates::convolution, "convolution", "FLOP/s", 337e9, mark::predicted, "products by the ratio of the GPU: no convolution of a CPU is told"},
    {h13, compute_device::cpu, &device_rates::bandwidth, "bandwidth", "B/s", 48e9, mark::predicted, "h17s by the ratio of the GPUs"},
    {h13, compute_device::cpu, &device_rates::layer, "layer", "s", 10e-6, mark::predicted, "guide 11: 64 x 256 x 256 in 26 us, less its arithmetic; the chip is not told"},

    {h14, compute_device::gpu, &device_rates::product, "product", "FLOP/s", 4.96e12, mark::predicted, "m2p_003: 213.7 GFLOP/s/W at 21 W, the upper end of guide 10, less the launch and a layer"},
    {h14, compute_device::gpu, &device_rates::convolution, "convolution", "FLOP/s", 3.13e12, mark::predicted, "m2p_005: 172.8 GFLOP/s/W at 16.5 W, the middle of guide 10, less the launch and 16 layers"},
    {h14, compute_device::gpu, &device_rates::bandwidth, "bandwidth", "B/s", 140e9, mark::predicted, "geometric mean of h13 and h17s"},
    {h14, compute_device::gpu, &device_rates::launch, "launch", "s", 153e-6, mark::predicted, "h13"},
    {h14, compute_device::gpu, &device_rates::layer, "layer", "s", 28.5e-6, mark::predicted, "h13"},
    {h14, compute_device::gpu, &device_rates::static_power, "static power", "W", 2.77, mark::predicted, "m2p_001: 16.6 GFLOP/s/W, in the time of h13"},
    {h14, compute_device::gpu, &device_rates::product_energy, "energy of a FLOP", "J", 4.0e-12, mark::predicted, "what is left of m2p_003"},
    {h14, compute_device::gpu, &device_rates::convolution_energy, "energy of a FLOP, convolution", "J", 4.8e-12, mark::predicted, "what is left of m2p_005"},
    {h14, compute_device::gpu, &device_rates::byte_energy, "energy of a byte", "J", 12e-12, mark::predicted, "that of the engine: one memory"},
    {h14, compute_device::cpu, &device_rates::product, "product", "FLOP/s", 1.0e12, mark::predicted, "geometric mean of h13 and h17s"},
    {h14, compute_device::cpu, &device_rates::convolution, "convolution", "FLOP/s", 631e9, mark::predicted, "products by the ratio of the GPU"},
    {h14, compute_device::cpu, &device_rates::bandwidth, "bandwidth", "B/s", 79e9, mark::predicted, "geometric mean of h13 and h17s"},
    {h14, compute_device::cpu, &device_rates::layer, "layer", "s", 15e-6, mark::predicted, "geometric mean of h13 and h17s"},

    {h17s, compute_device::gpu, &device_rates::product, "product", "FLOP/s", 30.862e12, mark::measured, "guide 9, roofs by device"},
    {h17s, compute_device::gpu, &device_rates::convolution, "convolution", "FLOP/s", 7.52e12, mark::measured, "bm_018 by 4.2 (guide 11): 19.3 GFLOP in 3180 us, less the launch and 16 layers"},
    {h17s, compute_device::gpu, &device_rates::bandwidth, "bandwidth", "B/s", 229.7e9, mark::measured, "guide 9, roofs by device"},
    {h17s, compute_device::gpu, &device_rates::launch, "launch", "s", 153e-6, mark::predicted, "h13; bm_016 over 2.8 (guide 11), less its arithmetic, leaves 183 us for this and the next, and h13 has 181"},
    {h17s, compute_device::gpu, &device_rates::layer, "layer", "s", 28.5e-6, mark::predicted, "h13"},
    {h17s, compute_device::gpu, &device_rates::static_power, "static power", "W", 1.70, mark::predicted, "h13"},
    {h17s, compute_device::gpu, &device_rates::product_energy, "energy of a FLOP", "J", 3.91e-12, mark::predicted, "h13 by the ratio of convolutions"},
    {h17s, compute_device::gpu, &device_rates::convolution_energy, "energy of a FLOP, convolution", "J", 5.37e-12, mark::measured, "what is left of the chain of bm_018 at 175 GFLOP/s/W (guide 10)"},
    {h17s, compute_device::gpu, &device_rates::byte_energy, "energy of a byte", "J", 35e-12, mark::predicted, "that of the engine: one memory"},
    {h17s, compute_device::cpu, &device_rates::product, "product", "FLOP/s", 1.898e12, mark::measured, "guide 9, roofs by device; fp32"},
    {h17s, compute_device::cpu, &device_rates::convolution, "convolution", "FLOP/s", 463e9, mark::predicted, "products by the ratio of the GPU: no convolution of a CPU is told"},
    {h17s, compute_device::cpu, &device_rates::bandwidth, "bandwidth", "B/s", 130.4e9, mark::measured, "guide 9, roofs by device"},
    {h17s, compute_device::cpu, &device_rates::layer, "layer", "s", 21.6e-6, mark::predicted, "guide 11: 64 x 256 x 256 in 26 us, less its arithmetic; the chip is not told"},
};
// clang-format on

/// The anchor whose GPU and CPU stand for those of a generation. Other chips of it have other GPUs, whose sizes the
/// sources do not tell: nothing is scaled, and the mark says predicted.
constexpr target device_anchor(family f) noexcept { return nearest_anchor(f).reference; }

/// The rates of the GPU or the CPU beside the engine of a target; zeros for the engine (targets/cost_rates.hpp). The
/// machines that were measured are an M1 Max and an M5 Pro: give rates of your own for another (placement_options).
template <target_like T> constexpr device_rates device_rates_of(const T& which, compute_device on) {
    const target_description& d = describe(which);
    const target anchor = device_anchor(d.tier);
    device_rates r;
    for (const device_constant& c : device_constants) {
        if (c.anchor == anchor && c.on == on) {
            r.*c.member = c.value;
        }
    }
    const bool own = d.id == anchor && anchor != h14 && !(anchor == h13 && on == compute_device::cpu);
    r.known_by = own && on != compute_device::engine ? mark::measured : mark::predicted;
    return r;
}

/// The same GPU under a framework that encodes a whole graph while earlier layers run, as those for language models do: no
/// layer takes a time of its own. Qwen3-4B decodes on an M5 Pro in the time that its weights and its cache take
/// (field-2026); the fixed time of a layer is of frameworks that start layer after layer.
constexpr device_rates one_graph(device_rates gpu) noexcept {
    gpu.layer = 0;
    return gpu;
}

} // namespace ane
