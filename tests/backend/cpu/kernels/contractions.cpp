#include "contraction_references.hpp"
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
    for (const kernel_set& set : kernel_sets()) {
        std::vector<half> out(17 * 45);
        cpu::matmul(set.kernels, s, a.data(), b.data(), nullptr, out.data());
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
        for (const kernel_set& set : kernel_sets()) {
            INFO(set.name, " m ", s.m, " n ", s.n, " k ", s.k);
            std::vector<half> out(size);
            cpu::matmul(set.kernels, s, a.data(), b.data(), nullptr, out.data());
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
    for (const kernel_set& set : kernel_sets()) {
        const cpu::kernel_table& table = set.kernels;
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
    for (const kernel_set& set : kernel_sets()) {
        const cpu::kernel_table& table = set.kernels;
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
