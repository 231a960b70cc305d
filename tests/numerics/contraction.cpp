#include <anemone/numerics/accumulator.hpp>
#include <anemone/numerics/contraction_tile.hpp>
#include <anemone/numerics/convolution.hpp>
#include <anemone/numerics/matmul.hpp>
#include <anemone/numerics/rounding.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

using namespace ane;
using namespace ane::numerics;

namespace {

using halves = std::vector<half>;

enum class kind { small, wide, bits };

halves random_halves(std::int64_t count, kind what, std::mt19937_64& engine) {
    halves out(static_cast<std::size_t>(count));
    std::normal_distribution<double> normal(0.0, 1.0);
    std::uniform_real_distribution<double> exponent(-20.0, 10.0);
    for (half& v : out) {
        switch (what) {
        case kind::small: v = half(normal(engine) * 0.05); break;
        case kind::wide: v = half(normal(engine) * std::exp2(exponent(engine))); break;
        case kind::bits: v = half::from_bits(static_cast<std::uint16_t>(engine())); break;
        }
    }
    return out;
}

const half* at(const halves& v, std::int64_t i) { return v.data() + i; }

/// Every instruction set of this machine in turn.
const contraction_kernels& kernels_of_round(int round) {
    static const std::vector<isa_level> levels = available_levels();
    return contraction_kernels_for(levels[static_cast<std::size_t>(round) % levels.size()]);
}

} // namespace

TEST_CASE("the blocked product is the scalar accumulator, bit for bit") {
    std::mt19937_64 engine(4242);
    int infinite = 0;
    for (int round = 0; round < 240; ++round) {
        CAPTURE(round);
        const auto pick = [&](int limit) {
            return static_cast<std::int64_t>(engine() % static_cast<unsigned>(limit)) + 1;
        };
        numerics::matmul_shape s;
        s.batch = pick(2);
        s.m = pick(7);
        s.n = pick(40);
        s.k = round % 10 == 0 ? 0 : pick(60);
        s.transpose_a = engine() % 2 == 0;
        s.transpose_b = engine() % 2 == 0;
        s.a_batch_stride = engine() % 2 == 0 ? 0 : s.m * s.k;
        s.b_batch_stride = engine() % 2 == 0 ? 0 : s.n * s.k;
        const auto what_a = static_cast<kind>(engine() % 3);
        const auto what_b = static_cast<kind>(engine() % 3);
        const halves a = random_halves(s.batch * s.m * s.k + 1, what_a, engine);
        const halves b = random_halves(s.batch * s.n * s.k + 1, what_b, engine);
        const halves bias = random_halves(s.n, kind::wide, engine);
        const bool with_bias = engine() % 2 == 0;
        halves out(static_cast<std::size_t>(s.batch * s.m * s.n));
        datapath path = datapath_of(engine() % 2 == 0 ? family::a13 : family::a17);
        path.mac_ceiling = engine() % 4 != 0;
        path.mac_ties = engine() % 4 == 0 ? tie_rule::half_even : tie_rule::half_away;
        matmul(path, s, a.data(), b.data(), with_bias ? bias.data() : nullptr, out.data(), {kernels_of_round(round)});
        for (std::int64_t z = 0; z < s.batch; ++z) {
            for (std::int64_t i = 0; i < s.m; ++i) {
                for (std::int64_t j = 0; j < s.n; ++j) {
                    accumulator sum(path, with_bias ? *at(bias, j) : half{});
                    for (std::int64_t k = 0; k < s.k; ++k) {
                        sum.multiply_add(*at(a, z * s.a_batch_stride + (s.transpose_a ? k * s.m + i : i * s.k + k)),
                                         *at(b, z * s.b_batch_stride + (s.transpose_b ? j * s.k + k : k * s.n + j)));
                    }
                    const half got = *at(out, (z * s.m + i) * s.n + j);
                    infinite += is_finite(got) ? 0 : 1;
                    REQUIRE(got.bits == sum.result().bits);
                }
            }
        }
    }
    CHECK(infinite > 100); // the recomputed outputs were exercised
}

TEST_CASE("sums that hover about the ceiling are those of the scalar accumulator, at every level") {
    constexpr std::uint64_t seed = 1513;
    CAPTURE(seed);
    std::mt19937_64 engine(seed);
    int infinite = 0;
    int finite = 0;
    for (int round = 0; round < 30; ++round) {
        CAPTURE(round);
        numerics::matmul_shape s;
        s.m = 1 + static_cast<std::int64_t>(engine() % 9);
        s.n = 1 + static_cast<std::int64_t>(engine() % 40);
        s.k = 200 + static_cast<std::int64_t>(engine() % 500);
        // Products of either sign: up to 2^5 with a bias near the ceiling, about the ceiling, or far above it.
        const double size = round % 3 == 0 ? 4.0 : round % 3 == 1 ? 40.0 : 3000.0;
        const auto drawn = [&](std::int64_t count) {
            std::normal_distribution<double> normal(0.0, size);
            halves values(static_cast<std::size_t>(count));
            for (half& v : values) {
                v = half(normal(engine) * (engine() % 50 == 0 ? 0x1p-12 : 1.0));
            }
            return values;
        };
        const halves a = drawn(s.m * s.k);
        const halves b = drawn(s.n * s.k);
        halves bias(static_cast<std::size_t>(s.n));
        for (half& v : bias) {
            v = half((round % 3 == 0 ? 32600.0 : 20000.0) * (engine() % 2 == 0 ? 1 : -1));
        }
        halves out(static_cast<std::size_t>(s.m * s.n));
        const datapath path = datapath_of(round % 2 == 0 ? family::a13 : family::a17);
        matmul(path, s, a.data(), b.data(), bias.data(), out.data(), {kernels_of_round(round), 2});
        for (std::int64_t i = 0; i < s.m; ++i) {
            for (std::int64_t j = 0; j < s.n; ++j) {
                accumulator sum(path, *at(bias, j));
                for (std::int64_t k = 0; k < s.k; ++k) {
                    sum.multiply_add(*at(a, i * s.k + k), *at(b, k * s.n + j));
                }
                (sum.overflowed() ? infinite : finite) += 1;
                REQUIRE(at(out, i * s.n + j)->bits == sum.result().bits);
            }
        }
    }
    CHECK(infinite > 200);
    CHECK(finite > 200);
}

TEST_CASE("every product of two significands is rounded half away from zero, at every level") {
    // One product a sum: 2^(e - 20) a b of significands a and b, in units of 2^-16, against the formula in integers.
    for (const isa_level level : available_levels()) {
        const contraction_kernels& kernels = contraction_kernels_for(level);
        // The exponents of the first four keep every product below 2^21 units; the others reach beyond.
        for (const auto& exponents : {std::pair{-8, -8}, {0, -14}, {-3, -1}, {1, 2}, {2, 2}, {8, 4}}) {
            const int exponent_a = exponents.first;
            const int exponent_b = exponents.second;
            CAPTURE(name(level));
            CAPTURE(exponent_a + exponent_b);
            const int shift = 4 - exponent_a - exponent_b; // units = a b / 2^shift
            const bool small = exponent_a + exponent_b <= 3;
            int wrong = 0;
            for (std::uint32_t a = 1024; a < 2048; a += 8) {
                half lefts[8];
                numerics::detail::left_operand left[8];
                for (std::uint32_t i = 0; i < 8; ++i) {
                    const half magnitude(std::ldexp(static_cast<double>(a + i), exponent_a - 10));
                    lefts[i] = i % 2 == 0 ? magnitude : -magnitude;
                    kernels.prepare(&lefts[i], &left[i], 1, 8, datapath());
                }
                for (std::uint32_t b = 1024; b < 2048; b += 32) {
                    half rights[32];
                    float right[32];
                    for (std::uint32_t i = 0; i < 32; ++i) {
                        rights[i] = half(std::ldexp(static_cast<double>(b + i), exponent_b - 10));
                    }
                    kernels.decode(rights, right, 32, datapath());
                    std::uint32_t sums[8 * 32] = {};
                    std::int32_t over[8 * 32] = {};
                    if (small) {
                        kernels.add(8, 1, left, right, sums);
                    } else {
                        kernels.add_wide(8, 1, left, right, sums, over);
                    }
                    for (std::uint32_t i = 0; i < 8 * 32; ++i) {
                        const std::int64_t product = std::int64_t{a + i / 32} * (b + i % 32);
                        const std::int64_t units =
                            shift > 0 ? (product + (std::int64_t{1} << (shift - 1))) >> shift : product << -shift;
                        const std::int64_t expected = i / 32 % 2 == 0 ? units : -units;
                        wrong += static_cast<std::int32_t>(sums[i]) == expected && over[i] == 0 ? 0 : 1;
                    }
                }
            }
            CHECK(wrong == 0);
        }
    }
}

TEST_CASE("32 sums at once are rounded as one is, at every level") {
    std::mt19937_64 engine(32);
    for (const isa_level level : available_levels()) {
        const contraction_kernels& kernels = contraction_kernels_for(level);
        for (const tie_rule ties : {tie_rule::half_even, tie_rule::half_away}) {
            int wrong = 0;
            for (int round = 0; round < 4000; ++round) {
                std::uint32_t sums[32];
                for (std::uint32_t i = 0; i < 32; ++i) {
                    // Every width below 2^30, ties and their neighbours among them.
                    const auto width = static_cast<unsigned>(engine() % 31);
                    const auto drawn = static_cast<std::uint32_t>(engine()) & ((1U << width) - 1U);
                    const std::uint32_t tie = width > 11 ? 1U << (width - 11U) >> 1U : 0U;
                    const std::uint32_t near = (drawn & ~(2 * tie - (tie != 0 ? 1U : 0U))) + tie + i % 3 - 1;
                    const std::uint32_t magnitude = (i % 2 == 0 ? drawn : near) & 0x3FFFFFFFU;
                    sums[i] = engine() % 2 == 0 ? magnitude : 0U - magnitude;
                }
                half got[32];
                kernels.round(sums, got, ties == tie_rule::half_away);
                for (std::size_t i = 0; i < 32; ++i) {
                    const half expected = round_fixed(static_cast<std::int32_t>(sums[i]), 16, ties);
                    wrong += got[i].bits == expected.bits ? 0 : 1;
                }
            }
            CHECK(wrong == 0);
        }
    }
}

TEST_CASE("every pair of interesting operands gives the scalar product") {
    halves values;
    for (const std::uint32_t e : {0U, 1U, 2U, 6U, 7U, 8U, 13U, 14U, 15U, 16U, 22U, 23U, 29U, 30U, 31U}) {
        for (const std::uint32_t f : {0U, 1U, 2U, 341U, 511U, 512U, 513U, 1022U, 1023U}) {
            values.push_back(half::from_bits(static_cast<std::uint16_t>(e << 10U | f)));
            values.push_back(-values.back());
        }
    }
    const auto n = static_cast<std::int64_t>(values.size());
    for (const bool first : {true, false}) {
        datapath path;
        path.mac_keeps_subnormals = first;
        path.mac_nan = first ? nan_rule::ordinary_exponent : nan_rule::infinity;
        halves out(values.size() * values.size());
        numerics::matmul_shape s;
        s.m = n;
        s.n = n;
        s.k = 1;
        matmul(path, s, values.data(), values.data(), nullptr, out.data());
        for (std::int64_t i = 0; i < n; ++i) {
            for (std::int64_t j = 0; j < n; ++j) {
                accumulator sum(path);
                sum.multiply_add(*at(values, i), *at(values, j));
                REQUIRE(at(out, i * n + j)->bits == sum.result().bits);
            }
        }
    }
}

TEST_CASE("convolutions are their accumulators, in both orders, grouped, strided, dilated and transposed") {
    std::mt19937_64 engine(99);
    for (int round = 0; round < 120; ++round) {
        CAPTURE(round);
        const auto pick = [&](int limit) {
            return static_cast<std::int64_t>(engine() % static_cast<unsigned>(limit)) + 1;
        };
        const bool transposed = round % 2 == 1;
        numerics::convolution_shape s;
        s.batch = pick(2);
        s.groups = pick(3);
        s.in_channels = s.groups * pick(3);
        s.out_channels = s.groups * pick(round % 5 == 0 ? 40 : 4);
        s.in_height = pick(6);
        s.in_width = pick(6);
        s.kernel_height = pick(3);
        s.kernel_width = pick(3);
        s.stride_height = pick(2);
        s.stride_width = pick(2);
        s.dilation_height = pick(2);
        s.dilation_width = pick(2);
        s.pad_top = pick(3) - 1;
        s.pad_left = pick(3) - 1;
        s.out_height = pick(7);
        s.out_width = pick(7);
        const std::int64_t gi = s.in_channels / s.groups;
        const std::int64_t go = s.out_channels / s.groups;
        const auto what = static_cast<kind>(engine() % 3);
        const halves x = random_halves(s.batch * s.in_channels * s.in_height * s.in_width, what, engine);
        const halves w = random_halves(s.out_channels * gi * s.kernel_height * s.kernel_width, kind::wide, engine);
        const halves bias = random_halves(s.out_channels, kind::small, engine);
        datapath path;
        path.order = engine() % 2 == 0 ? contraction_order::channel_row_column : contraction_order::row_column_channel;
        halves out(static_cast<std::size_t>(s.batch * s.out_channels * s.out_height * s.out_width));
        (transposed ? transposed_convolution : convolution)(path, s, x.data(), w.data(), bias.data(), out.data(),
                                                            {kernels_of_round(round / 2)});
        for (std::int64_t n = 0; n < s.batch; ++n) {
            for (std::int64_t o = 0; o < s.out_channels; ++o) {
                const std::int64_t g = o / go;
                for (std::int64_t oy = 0; oy < s.out_height; ++oy) {
                    for (std::int64_t ox = 0; ox < s.out_width; ++ox) {
                        accumulator sum(path, *at(bias, o));
                        const auto term = [&](std::int64_t c, std::int64_t ky, std::int64_t kx) {
                            std::int64_t iy = oy * s.stride_height + ky * s.dilation_height - s.pad_top;
                            std::int64_t ix = ox * s.stride_width + kx * s.dilation_width - s.pad_left;
                            if (transposed) {
                                const std::int64_t py = oy + s.pad_top - ky * s.dilation_height;
                                const std::int64_t px = ox + s.pad_left - kx * s.dilation_width;
                                iy = py >= 0 && py % s.stride_height == 0 ? py / s.stride_height : -1;
                                ix = px >= 0 && px % s.stride_width == 0 ? px / s.stride_width : -1;
                            }
                            if (iy < 0 || ix < 0 || iy >= s.in_height || ix >= s.in_width) {
                                return;
                            }
                            const std::int64_t channel = g * gi + c;
                            const std::int64_t in_weight = transposed ? channel * go + o % go : o * gi + c;
                            sum.multiply_add(
                                *at(x, ((n * s.in_channels + channel) * s.in_height + iy) * s.in_width + ix),
                                *at(w, (in_weight * s.kernel_height + ky) * s.kernel_width + kx));
                        };
                        if (path.order == contraction_order::channel_row_column) {
                            for (std::int64_t c = 0; c < gi; ++c) {
                                for (std::int64_t t = 0; t < s.kernel_height * s.kernel_width; ++t) {
                                    term(c, t / s.kernel_width, t % s.kernel_width);
                                }
                            }
                        } else {
                            for (std::int64_t t = 0; t < s.kernel_height * s.kernel_width; ++t) {
                                for (std::int64_t c = 0; c < gi; ++c) {
                                    term(c, t / s.kernel_width, t % s.kernel_width);
                                }
                            }
                        }
                        REQUIRE(at(out, ((n * s.out_channels + o) * s.out_height + oy) * s.out_width + ox)->bits ==
                                sum.result().bits);
                    }
                }
            }
        }
    }
}

TEST_CASE("the order of a convolution shows in a sticky overflow") {
    // Channel 0 holds 20000, 20000 and channel 1 their negatives: channel by channel overflows, pixels first do not.
    const halves x = {half(20000.0), half(20000.0), half(-20000.0), half(-20000.0)};
    const halves w(4, half(1.0));
    numerics::convolution_shape s;
    s.in_channels = 2;
    s.in_width = 2;
    s.kernel_width = 2;
    half out{};
    datapath path;
    convolution(path, s, x.data(), w.data(), nullptr, &out);
    CHECK(out.bits == 0x7C00);
    path.order = contraction_order::row_column_channel;
    convolution(path, s, x.data(), w.data(), nullptr, &out);
    CHECK(out.bits == 0);
}

TEST_CASE("N213: shares of a long attention times small values are nothing; undivided they are something") {
    // 1/4096 times 0.0005: the exponents add up to -23, and the register counts from -16 on.
    const datapath m5 = datapath_of(family::a17);
    accumulator shares(m5);
    accumulator undivided(m5);
    for (int i = 0; i < 4096; ++i) {
        shares.multiply_add(half(1.0 / 4096), half(0.0005));
        undivided.multiply_add(half(1.0), half(0.0005));
    }
    CHECK(shares.result() == half{});
    // 0.0005 is rounded to 33 units of 2^-16 in each product.
    CHECK(static_cast<double>(undivided.result()) / 4096 == doctest::Approx(0.00050354).epsilon(1e-5));
}
