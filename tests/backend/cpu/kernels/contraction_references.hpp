#pragma once

#include "fixtures.hpp"
#include <anemone/backend/cpu/kernels/table.hpp>
#include <anemone/numerics/kernel_shapes.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

/// What the contractions of the CPU are compared with: their definitions, in double.
namespace fixtures {

/// A sum of products in double, and the sum of magnitudes that scales its fp32 error.
struct exact {
    double sum = 0;
    double magnitude = 0;
    double terms = 1;
    void add(double a, double b) {
        sum += a * b;
        magnitude += std::abs(a * b);
        terms += 1;
    }
};

/// Half an ulp of fp16, and an fp32 rounding (2^-23, two for an unfused step) of every term.
inline bool near(ane::half result, const exact& reference) {
    const double ulp = std::max(std::abs(reference.sum) * 0x1p-10, 0x1p-24);
    return std::abs(wide(result) - reference.sum) <= 0.5001 * ulp + reference.terms * 0x1p-23 * reference.magnitude;
}

inline std::vector<exact> convolved(const ane::numerics::convolution_shape& s, const std::vector<ane::half>& x,
                                    const std::vector<ane::half>& w, const ane::half* bias) {
    const std::int64_t channels = s.in_channels / s.groups;
    std::vector<exact> out;
    for (std::int64_t n = 0; n < s.batch; ++n)
        for (std::int64_t o = 0; o < s.out_channels; ++o)
            for (std::int64_t oy = 0; oy < s.out_height; ++oy)
                for (std::int64_t ox = 0; ox < s.out_width; ++ox) {
                    exact sum;
                    const std::int64_t group = o / (s.out_channels / s.groups);
                    for (std::int64_t c = 0; c < channels; ++c)
                        for (std::int64_t i = 0; i < s.kernel_height; ++i)
                            for (std::int64_t j = 0; j < s.kernel_width; ++j) {
                                const std::int64_t y = oy * s.stride_height + i * s.dilation_height - s.pad_top;
                                const std::int64_t z = ox * s.stride_width + j * s.dilation_width - s.pad_left;
                                if (y < 0 || y >= s.in_height || z < 0 || z >= s.in_width)
                                    continue;
                                const auto from =
                                    ((n * s.in_channels + group * channels + c) * s.in_height + y) * s.in_width + z;
                                const auto tap = ((o * channels + c) * s.kernel_height + i) * s.kernel_width + j;
                                sum.add(wide(x[static_cast<std::size_t>(from)]),
                                        wide(w[static_cast<std::size_t>(tap)]));
                            }
                    if (bias != nullptr)
                        sum.add(1, wide(bias[o]));
                    out.push_back(sum);
                }
    return out;
}

/// By scattering each input, the definition that the kernel does not use.
inline std::vector<exact> scattered(const ane::numerics::convolution_shape& s, const std::vector<ane::half>& x,
                                    const std::vector<ane::half>& w, const ane::half* bias) {
    const std::int64_t channels = s.in_channels / s.groups;
    const std::int64_t rows = s.out_channels / s.groups;
    std::vector<exact> out(static_cast<std::size_t>(s.batch * s.out_channels * s.out_height * s.out_width));
    for (std::int64_t n = 0; n < s.batch; ++n)
        for (std::int64_t c = 0; c < s.in_channels; ++c)
            for (std::int64_t y = 0; y < s.in_height; ++y)
                for (std::int64_t z = 0; z < s.in_width; ++z)
                    for (std::int64_t r = 0; r < rows; ++r)
                        for (std::int64_t i = 0; i < s.kernel_height; ++i)
                            for (std::int64_t j = 0; j < s.kernel_width; ++j) {
                                const std::int64_t oy = y * s.stride_height + i * s.dilation_height - s.pad_top;
                                const std::int64_t ox = z * s.stride_width + j * s.dilation_width - s.pad_left;
                                if (oy < 0 || oy >= s.out_height || ox < 0 || ox >= s.out_width)
                                    continue;
                                const std::int64_t o = c / channels * rows + r;
                                const auto to = ((n * s.out_channels + o) * s.out_height + oy) * s.out_width + ox;
                                const auto from = ((n * s.in_channels + c) * s.in_height + y) * s.in_width + z;
                                const auto tap = ((c * rows + r) * s.kernel_height + i) * s.kernel_width + j;
                                out[static_cast<std::size_t>(to)].add(wide(x[static_cast<std::size_t>(from)]),
                                                                      wide(w[static_cast<std::size_t>(tap)]));
                            }
    if (bias != nullptr)
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i].add(1, wide(bias[static_cast<std::int64_t>(i) / (s.out_height * s.out_width) % s.out_channels]));
    return out;
}

template <class Run> void check_levels(const std::vector<exact>& reference, Run run) {
    for (const kernel_set& set : kernel_sets()) {
        INFO(set.name);
        std::vector<ane::half> out(reference.size(), ane::half(12345));
        run(set.kernels, out.data());
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < out.size(); ++i) {
            wrong += !near(out[i], reference[i]);
        }
        CHECK(wrong == 0);
    }
}

inline std::string shown(const ane::numerics::convolution_shape& s) {
    return fmt::format(
        "x [{}, {}, {}, {}] out [{}, {}, {}] kernel {}x{} stride {}x{} dilation {}x{} pad {} {} groups {}", s.batch,
        s.in_channels, s.in_height, s.in_width, s.out_channels, s.out_height, s.out_width, s.kernel_height,
        s.kernel_width, s.stride_height, s.stride_width, s.dilation_height, s.dilation_width, s.pad_top, s.pad_left,
        s.groups);
}

/// Every other axis has few elements and taps: what only a single column or one tap brings about is rare otherwise.
inline ane::numerics::convolution_shape random_shape(bool transposed) {
    ane::numerics::convolution_shape s{};
    const bool low = between(0, 1) == 1;
    const bool narrow = between(0, 1) == 1;
    s.batch = between(1, 2);
    s.groups = between(1, 3);
    s.in_channels = s.groups * between(1, 5);
    s.out_channels = s.groups * between(1, 9);
    s.in_height = between(1, low ? 2 : 12);
    s.in_width = between(1, narrow ? 2 : 24);
    s.kernel_height = between(1, low ? 2 : 4);
    s.kernel_width = between(1, narrow ? 2 : 5);
    s.stride_height = between(1, 3);
    s.stride_width = between(1, 3);
    s.dilation_height = between(1, 3);
    s.dilation_width = between(1, 3);
    s.pad_top = between(0, 3);
    s.pad_left = between(0, 3);
    if (transposed) {
        s.out_height =
            std::max<std::int64_t>(1, (s.in_height - 1) * s.stride_height + (s.kernel_height - 1) * s.dilation_height +
                                          1 - s.pad_top - between(0, 2));
        s.out_width =
            std::max<std::int64_t>(1, (s.in_width - 1) * s.stride_width + (s.kernel_width - 1) * s.dilation_width +
                                          between(0, 3) - s.pad_left);
    } else {
        s.out_height = between(1, s.in_height / s.stride_height + 2);
        s.out_width = between(1, s.in_width / s.stride_width + 3);
    }
    return s;
}

} // namespace fixtures
