#pragma once

#include "convolution_geometry.hpp"

#include <cstdint>

/// The groups of output channels that a convolution computes in one pass over its input (guide chapter 20; cost facts,
/// OCG, ACC, CORE; R048). The constants are decompiled. How the compiler combines them is published only in part, and
/// that part (8 / kernel elements, rounded down) is 0 for a 3x3 kernel; the reading here is predicted:
///
///     group = min(floor_pow2(8 a / k), 16 / k, output channels), at least 1
///
/// with k kernel elements and a = 2 output channels for each accumulator slot, the default of fp16. Which of the caps
/// of 32, 16 and 8 belongs to fp16 is not published: 16 is taken. The measured fact about passes is another one: a 1x1
/// convolution costs three times as much with 256 output channels as with 192 (M1, 32x32). The formula gives no step
/// there, so the step has a predicate of its own.
namespace ane {

/// Accumulators of one core (HAL 0x0c), channels of a default fp16 slot (0x3b8), elements of the cap (0x390).
inline constexpr std::int64_t accumulator_budget = 8;
inline constexpr std::int64_t channels_per_accumulator = 2;
inline constexpr std::int64_t group_cap = 16;

/// Output channels up to which a 1x1 convolution was measured to stay in one pass, and the next full step (R048, M1).
inline constexpr std::int64_t one_pass_channels = 192;
inline constexpr std::int64_t pass_step_channels = 256;

constexpr std::int64_t floor_power_of_two(std::int64_t value) {
    std::int64_t power = 1;
    while (power * 2 <= value) {
        power *= 2;
    }
    return value < 1 ? 0 : power;
}

/// Output channels of one group, at least 1.
constexpr std::int64_t output_group(std::int64_t kernel_elements, std::int64_t out_channels,
                                    std::int64_t per_accumulator = channels_per_accumulator) {
    const std::int64_t held = floor_power_of_two(accumulator_budget * per_accumulator / kernel_elements);
    const std::int64_t cap = group_cap / kernel_elements;
    const std::int64_t least = held < cap ? held : cap;
    const std::int64_t group = least < out_channels ? least : out_channels;
    return group < 1 ? 1 : group;
}

/// Cores that a convolution lights: channel c is computed on core c mod cores (measured on the M1 for 1 to 4 channels).
constexpr std::int64_t active_cores(std::int64_t out_channels, const target_description& t) {
    return out_channels < t.cores ? out_channels : t.cores;
}

/// Whether the output channels of a 1x1 convolution fill only a part of a further pass (R048, measured on the M1).
constexpr bool crosses_pass_step(const convolution_geometry& c) {
    return c.kernel_elements() == 1 && c.out_channels > one_pass_channels && c.out_channels % pass_step_channels != 0;
}

struct group_use {
    std::int64_t group = 0; ///< output channels of a pass; 0: the node is no convolution
    std::int64_t passes =
        0; ///< ceil(output channels of one convolution group / group): the input is streamed each time
    std::int64_t cores = 0;
    bool step = false; ///< R048
};

constexpr group_use groups_of(const convolution_geometry& c, const target_description& t) {
    const std::int64_t channels = c.groups > 1 ? c.out_channels / c.groups : c.out_channels;
    const std::int64_t group = output_group(c.kernel_elements(), channels);
    return {group, (channels + group - 1) / group, active_cores(c.out_channels, t), crosses_pass_step(c)};
}

} // namespace ane
