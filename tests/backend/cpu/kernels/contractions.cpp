#include "fixtures.hpp"
#include <anemone/backend/cpu/kernels/conv_transpose.hpp>
#include <anemone/backend/cpu/kernels/gemm.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using namespace ane;
using namespace fixtures;
using cpu::convolution_shape;
using cpu::matmul_shape;

namespace {

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
bool near(half result, const exact& reference) {
    const double ulp = std::max(std::abs(reference.sum) * 0x1p-10, 0x1p-24);
    return std::abs(wide(result) - reference.sum) <= 0.5001 * ulp + reference.terms * 0x1p-23 * reference.magnitude;
}

std::vector<exact> convolved(const numerics::convolution_shape& s, const std::vector<half>& x,
                             const std::vector<half>& w, const half* bias) {
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
std::vector<exact> scattered(const numerics::convolution_shape& s, const std::vector<half>& x,
                             const std::vector<half>& w, const half* bias) {
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
    for (const cpu::isa_level level : cpu::available_levels()) {
        INFO(cpu::name(level));
        std::vector<half> out(reference.size(), half(12345));
        run(cpu::kernels_for(level), out.data());
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < out.size(); ++i) {
            wrong += !near(out[i], reference[i]);
        }
        CHECK(wrong == 0);
    }
}

std::string shown(const numerics::convolution_shape& s) {
    return fmt::format(
        "x [{}, {}, {}, {}] out [{}, {}, {}] kernel {}x{} stride {}x{} dilation {}x{} pad {} {} groups {}", s.batch,
        s.in_channels, s.in_height, s.in_width, s.out_channels, s.out_height, s.out_width, s.kernel_height,
        s.kernel_width, s.stride_height, s.stride_width, s.dilation_height, s.dilation_width, s.pad_top, s.pad_left,
        s.groups);
}

numerics::convolution_shape random_shape(bool transposed) {
    numerics::convolution_shape s{};
    s.batch = between(1, 2);
    s.groups = between(1, 3);
    s.in_channels = s.groups * between(1, 5);
    s.out_channels = s.groups * between(1, 9);
    s.in_height = between(1, 12);
    s.in_width = between(1, 24);
    s.kernel_height = between(1, 4);
    s.kernel_width = between(1, 5);
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

} // namespace

TEST_CASE("convolution against the definition, random shapes") {
    for (int round = 0; round < 150; ++round) {
        const numerics::convolution_shape s = random_shape(false);
        INFO(shown(s));
        const auto x = random_halves(s.batch * s.in_channels * s.in_height * s.in_width);
        const auto w = random_halves(s.out_channels * s.in_channels / s.groups * s.kernel_height * s.kernel_width);
        const auto b = random_halves(s.out_channels);
        const half* const bias = round % 3 == 0 ? nullptr : b.data();
        check_levels(convolved(s, x, w, bias), [&](const cpu::kernel_table& table, half* out) {
            cpu::convolution(table, s, x.data(), w.data(), bias, out);
        });
    }
}

TEST_CASE("convolutions of real networks: wide, pointwise, depthwise, one output") {
    const numerics::convolution_shape shapes[] = {{1, 13, 40, 70, 14, 40, 70, 3, 3, 1, 1, 1, 1, 1, 1, 1},
                                                  {1, 64, 14, 14, 24, 14, 14, 1, 1, 1, 1, 1, 1, 0, 0, 1},
                                                  {1, 32, 28, 28, 32, 14, 14, 3, 3, 2, 2, 1, 1, 1, 1, 32},
                                                  {1, 16, 28, 28, 32, 28, 28, 5, 5, 1, 1, 1, 1, 2, 2, 16},
                                                  {1, 3, 64, 64, 8, 32, 32, 7, 7, 2, 2, 1, 1, 3, 3, 1},
                                                  {2, 200, 1, 1, 50, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1}};
    for (const numerics::convolution_shape& s : shapes) {
        INFO(shown(s));
        const auto x = random_halves(s.batch * s.in_channels * s.in_height * s.in_width);
        const auto w = random_halves(s.out_channels * s.in_channels / s.groups * s.kernel_height * s.kernel_width);
        check_levels(convolved(s, x, w, nullptr), [&](const cpu::kernel_table& table, half* out) {
            const cpu::packed_convolution packed = cpu::pack(table, s, w.data());
            cpu::convolution(table, packed, x.data(), out);
            cpu::convolution(table, packed, x.data(), out); // a packed filter can be used again
        });
    }
}

TEST_CASE("transposed convolution against scattering, random shapes") {
    for (int round = 0; round < 150; ++round) {
        const numerics::convolution_shape s = random_shape(true);
        INFO(shown(s));
        const auto x = random_halves(s.batch * s.in_channels * s.in_height * s.in_width);
        const auto w = random_halves(s.in_channels * s.out_channels / s.groups * s.kernel_height * s.kernel_width);
        const auto b = random_halves(s.out_channels);
        const half* const bias = round % 3 == 0 ? nullptr : b.data();
        check_levels(scattered(s, x, w, bias), [&](const cpu::kernel_table& table, half* out) {
            cpu::transposed_convolution(table, s, x.data(), w.data(), bias, out);
        });
    }
}

TEST_CASE("matmul against the definition: transposes, broadcasts, bias") {
    for (int round = 0; round < 200; ++round) {
        numerics::matmul_shape s{between(1, 3),
                                 between(1, 20),
                                 between(1, 80),
                                 between(0, 40),
                                 between(0, 1) == 1,
                                 between(0, 1) == 1,
                                 0,
                                 0};
        s.a_batch_stride = between(0, 2) == 0 ? 0 : s.m * s.k;
        s.b_batch_stride = between(0, 1) == 0 ? 0 : s.k * s.n;
        INFO(s.batch, " m ", s.m, " n ", s.n, " k ", s.k, " transposes ", s.transpose_a, s.transpose_b);
        const auto a = random_halves(s.batch * s.m * s.k);
        const auto b = random_halves(s.batch * s.k * s.n);
        const auto c = random_halves(s.n);
        const half* const bias = round % 2 == 0 ? nullptr : c.data();
        std::vector<exact> reference;
        for (std::int64_t i = 0; i < s.batch; ++i)
            for (std::int64_t row = 0; row < s.m; ++row)
                for (std::int64_t column = 0; column < s.n; ++column) {
                    exact sum;
                    for (std::int64_t t = 0; t < s.k; ++t) {
                        const auto left = i * s.a_batch_stride + (s.transpose_a ? t * s.m + row : row * s.k + t);
                        const auto right = i * s.b_batch_stride + (s.transpose_b ? column * s.k + t : t * s.n + column);
                        sum.add(wide(a[static_cast<std::size_t>(left)]), wide(b[static_cast<std::size_t>(right)]));
                    }
                    if (bias != nullptr)
                        sum.add(1, wide(bias[column]));
                    reference.push_back(sum);
                }
        check_levels(reference, [&](const cpu::kernel_table& table, half* out) {
            cpu::matmul(table, s, a.data(), b.data(), bias, out);
        });
    }
}

TEST_CASE("integer contractions are exact and equal at every level") {
    // Products and sums of small integers are exact in fp32, fused or not.
    const numerics::matmul_shape s{1, 17, 45, 100, false, true, 0, 0};
    std::vector<half> a(17 * 100);
    std::vector<half> b(45 * 100);
    for (half& value : a)
        value = half(static_cast<int>(between(-3, 3)));
    for (half& value : b)
        value = half(static_cast<int>(between(-3, 3)));
    for (const cpu::isa_level level : cpu::available_levels()) {
        std::vector<half> out(17 * 45);
        cpu::matmul(cpu::kernels_for(level), s, a.data(), b.data(), nullptr, out.data());
        std::size_t wrong = 0;
        for (std::size_t r = 0; r < 17; ++r)
            for (std::size_t c = 0; c < 45; ++c) {
                double sum = 0;
                for (std::size_t t = 0; t < 100; ++t)
                    sum += wide(a[r * 100 + t]) * wide(b[c * 100 + t]);
                wrong += wide(out[r * 45 + c]) != sum;
            }
        CHECK(wrong == 0);
    }
}

TEST_CASE("levels differ by fused multiply-adds only: one ulp, unless the sum cancels") {
    for (int round = 0; round < 40; ++round) {
        const numerics::matmul_shape s{1, between(1, 20), between(1, 70), between(1, 600), false, false, 0, 0};
        const auto a = random_halves(s.m * s.k);
        const auto b = random_halves(s.k * s.n);
        const auto size = static_cast<std::size_t>(s.m * s.n);
        std::vector<half> generic(size);
        cpu::matmul(cpu::kernels_for(cpu::isa_level::generic), s, a.data(), b.data(), nullptr, generic.data());
        for (const cpu::isa_level level : cpu::available_levels()) {
            INFO(cpu::name(level), " m ", s.m, " n ", s.n, " k ", s.k);
            std::vector<half> out(size);
            cpu::matmul(cpu::kernels_for(level), s, a.data(), b.data(), nullptr, out.data());
            std::size_t wrong = 0;
            std::size_t beyond_an_ulp = 0;
            for (std::size_t i = 0; i < size; ++i) {
                double magnitude = 0;
                for (std::size_t t = 0; t < static_cast<std::size_t>(s.k); ++t) {
                    const auto n = static_cast<std::size_t>(s.n);
                    magnitude += std::abs(wide(a[i / n * static_cast<std::size_t>(s.k) + t]) * wide(b[t * n + i % n]));
                }
                const double ulp = std::max(std::abs(wide(generic[i])) * 0x1p-10, 0x1p-24);
                const double difference = std::abs(wide(out[i]) - wide(generic[i]));
                wrong += difference > ulp + static_cast<double>(s.k) * 0x1p-23 * magnitude;
                beyond_an_ulp += difference > ulp;
            }
            CHECK(wrong == 0);
            CHECK(beyond_an_ulp <= size / 50 + 1);
        }
    }
}

TEST_CASE("sums are held in fp32: no fp16 overflow on the way, infinity and NaN at the end") {
    const numerics::matmul_shape s{1, 1, 1, 3, false, false, 0, 0};
    for (const cpu::isa_level level : cpu::available_levels()) {
        const cpu::kernel_table& table = cpu::kernels_for(level);
        const auto product = [&](std::vector<half> a, std::vector<half> b) {
            half out;
            cpu::matmul(table, s, a.data(), b.data(), nullptr, &out);
            return out;
        };
        CHECK(wide(product({half(60000), half(60000), half(-60000)}, {half(1), half(1), half(1)})) == 60000);
        CHECK(is_infinite(product({half(60000), half(60000), half(0)}, {half(1), half(1), half(1)})));
        CHECK(is_infinite(product({infinity, half(1), half(1)}, {half(1), half(1), half(1)})));
        CHECK(is_nan(product({infinity, half(1), half(1)}, {half(0), half(1), half(1)})));
        CHECK(product({half::from_bits(1), half(0), half(0)}, {half(1), half(1), half(1)}).bits == 1);
    }
}

TEST_CASE("a bias is added to the fp32 sum, before the rounding") {
    const numerics::matmul_shape s{1, 1, 2, 1, false, false, 0, 0};
    const std::vector<half> a{half(60000)};
    const std::vector<half> b{half(2), half(-2)}; // 120000 is beyond fp16
    const std::vector<half> bias{half(-60000), half(60000)};
    for (const cpu::isa_level level : cpu::available_levels()) {
        const cpu::kernel_table& table = cpu::kernels_for(level);
        const auto holds = [&](const auto& contraction) {
            half out[2];
            contraction(out);
            CHECK(wide(out[0]) == 60000);
            CHECK(wide(out[1]) == -60000);
        };
        holds([&](half* out) { cpu::matmul(table, s, a.data(), b.data(), bias.data(), out); });
        const numerics::convolution_shape c{1, 1, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1};
        holds([&](half* out) { cpu::convolution(table, c, a.data(), b.data(), bias.data(), out); });
        holds([&](half* out) { cpu::transposed_convolution(table, c, a.data(), b.data(), bias.data(), out); });
    }
}

TEST_CASE("extents that make no contraction are refused") {
    const cpu::kernel_table& table = cpu::best_kernels();
    const half x[4];
    half out[4];
    numerics::convolution_shape s{1, 2, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1};
    cpu::convolution(table, s, x, x, nullptr, out);
    s.groups = 3;
    CHECK_THROWS_WITH_AS(cpu::convolution(table, s, x, x, nullptr, out),
                         "argument: convolution: 3 groups do not divide 2 and 2 channels", error);
    s.groups = 1;
    s.stride_width = 0;
    CHECK_THROWS_AS(cpu::convolution(table, s, x, x, nullptr, out), error);
    CHECK_THROWS_AS(cpu::transposed_convolution(table, s, x, x, nullptr, out), error);
    const numerics::matmul_shape m{1, 1, 2, 2, false, false, 0, 0};
    const cpu::packed_matrix packed = cpu::pack(table, m, x);
    const numerics::matmul_shape other{1, 1, 2, 1, false, false, 0, 0};
    CHECK_THROWS_AS(cpu::matmul(table, other, x, packed, nullptr, out), error);
}
