#include "contraction_references.hpp"
#include "fixtures.hpp"
#include <anemone/backend/cpu/kernels/conv.hpp>
#include <anemone/backend/cpu/kernels/winograd.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <vector>

using namespace ane;
using namespace fixtures;

namespace {

numerics::convolution_shape square_windows(std::int64_t batch, std::int64_t in, std::int64_t out, std::int64_t height,
                                           std::int64_t width, std::int64_t padding, std::int64_t groups) {
    return {batch, in, height,  width,   out,   height + 2 * padding - 2, width + 2 * padding - 2, 3, 3, 1, 1,
            1,     1,  padding, padding, groups};
}

/// Winograd's algorithm for all images, whatever their values and whether it is faster.
std::vector<half> transformed(const cpu::kernel_table& table, const numerics::convolution_shape& s, std::int64_t tile,
                              int width, const std::vector<half>& x, const std::vector<half>& w) {
    const cpu::winograd_plan plan = cpu::plan_winograd(table, s, tile, width);
    std::vector<float> packed(static_cast<std::size_t>(plan.packed_size()));
    cpu::pack_winograd(table, plan, w.data(), packed.data());
    std::vector<half> out(static_cast<std::size_t>(s.batch * s.out_channels * s.out_height * s.out_width));
    cpu::detail::with_own_scratch(plan.scratch(), [&](const cpu::worker_threads& workers) {
        const auto store = [&](const float* sums, std::int64_t first, std::int64_t count) {
            table.to_half(sums, out.data() + first, count);
        };
        cpu::winograd_convolution(table, plan, packed.data(), nullptr, x.data(), 0, s.batch, workers,
                                  cpu::sums_sink::of(store));
    });
    return out;
}

struct deviation {
    double share = 0;    ///< of results that are not the correctly rounded ones
    double ulp = 0;      ///< at most
    double relative = 0; ///< of all results together, Frobenius
};

deviation deviation_of(const std::vector<half>& out, const std::vector<exact>& reference) {
    deviation d;
    double errors = 0;
    double squares = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
        const double right = reference[i].sum;
        const double error = std::abs(wide(out[i]) - right);
        d.share += wide(out[i]) != wide(half(right)) ? 1.0 / static_cast<double>(out.size()) : 0;
        d.ulp = std::max(d.ulp, error / std::exp2(std::max(std::floor(std::log2(std::abs(right))), -14.0) - 10));
        errors += (wide(out[i]) - wide(half(right))) * (wide(out[i]) - wide(half(right)));
        squares += right * right;
    }
    d.relative = std::sqrt(errors / squares);
    return d;
}

} // namespace

TEST_CASE("winograd: whole numbers are exact, whatever the extents, and for any number of blocks") {
    // Filters of multiples of 24 * 24 have transforms without fractions.
    for (int round = 0; round < 40; ++round) {
        const std::int64_t groups = between(1, 2);
        const numerics::convolution_shape s =
            square_windows(between(1, 2), groups * between(1, 4), groups * between(1, 40), between(3, 22),
                           between(3, 40), between(0, 2), groups);
        INFO(shown(s));
        std::vector<half> x(static_cast<std::size_t>(s.batch * s.in_channels * s.in_height * s.in_width));
        std::vector<half> w(static_cast<std::size_t>(s.out_channels * s.in_channels / s.groups * 9));
        for (half& value : x) {
            value = half(static_cast<int>(between(-1, 1)));
        }
        for (half& value : w) {
            value = half(static_cast<int>(576 * between(-1, 1)));
        }
        const std::vector<exact> reference = convolved(s, x, w, nullptr);
        at_each_level([&](const cpu::kernel_table& table) {
            for (const std::int64_t tile : {2, 4}) {
                for (const int width : {1, 3}) {
                    const std::vector<half> out = transformed(table, s, tile, width, x, w);
                    std::size_t wrong = 0;
                    for (std::size_t i = 0; i < out.size(); ++i) {
                        wrong += wide(out[i]) != reference[i].sum;
                    }
                    CHECK(wrong == 0);
                }
            }
        });
    }
}

TEST_CASE("winograd: the errors that docs/performance.md states") {
    const numerics::convolution_shape s = square_windows(1, 64, 32, 20, 28, 1, 1);
    const auto x = random_halves(64 * 20 * 28);
    auto w = random_halves(s.out_channels * 64 * 9);
    for (half& value : w) {
        value = half(wide(value) / 24);
    }
    const std::vector<exact> reference = convolved(s, x, w, nullptr);
    const cpu::kernel_table& table = cpu::best_kernels();
    std::vector<half> direct(reference.size());
    cpu::convolution(table, s, x.data(), w.data(), nullptr, direct.data());
    const deviation usual = deviation_of(direct, reference);
    const deviation two = deviation_of(transformed(table, s, 2, 1, x, w), reference);
    const deviation four = deviation_of(transformed(table, s, 4, 1, x, w), reference);
    for (const deviation& d : {usual, two, four}) {
        MESSAGE("not correctly rounded ", 100 * d.share, " %, at most ", d.ulp, " ulp, relative ", d.relative);
    }
    CHECK(usual.share < 0.01);
    CHECK(two.share < 0.01);
    CHECK(two.relative < 6e-5);
    CHECK(four.share < 0.03);
    CHECK(four.relative < 1e-4);
}

TEST_CASE("winograd: the option changes no bit of images with infinities, NaN or values far beyond the others") {
    numerics::convolution_shape s = square_windows(3, 32, 32, 16, 20, 1, 1);
    REQUIRE(cpu::winograd_tile(s, winograd_tiles::of_four) == 4);
    REQUIRE(cpu::winograd_tile(s, winograd_tiles::of_two) == 2);
    auto x = random_halves(3 * 32 * 16 * 20);
    const auto w = random_halves(std::int64_t{32} * 32 * 9);
    const std::size_t image = std::size_t{32} * 16 * 20;
    const cpu::kernel_table& table = cpu::best_kernels();
    for (const half special : {infinity, not_a_number, half(60000), half(-60000)}) {
        x[image + 777] = special; // of the second image
        std::vector<half> direct(3 * image);
        cpu::convolution(table, s, x.data(), w.data(), nullptr, direct.data());
        for (const winograd_tiles form : {winograd_tiles::of_two, winograd_tiles::of_four}) {
            const cpu::packed_convolution packed = cpu::pack(table, s, w.data(), nullptr, 1, {.winograd = form});
            std::vector<half> out(3 * image);
            cpu::convolution(table, packed, x.data(), out.data());
            const auto differ = [&](std::size_t n) {
                std::size_t count = 0;
                for (std::size_t i = n * image; i < (n + 1) * image; ++i) {
                    count += out[i].bits != direct[i].bits;
                }
                return count;
            };
            CHECK(differ(1) == 0);
            CHECK(differ(0) > 0);
            CHECK(differ(2) > 0);
            CHECK(differ(0) < image / 10);
        }
    }
}

TEST_CASE("winograd: only 3x3 windows of enough channels and tiles") {
    const auto tile = [](const numerics::convolution_shape& s) {
        return cpu::winograd_tile(s, winograd_tiles::of_four);
    };
    numerics::convolution_shape s = square_windows(1, 64, 64, 56, 56, 1, 1);
    CHECK(tile(s) == 4);
    CHECK(cpu::winograd_tile(s, winograd_tiles::of_two) == 2);
    CHECK(cpu::winograd_tile(s, winograd_tiles::never) == 0);
    CHECK(tile(square_windows(1, 8, 64, 56, 56, 1, 1)) == 0);
    CHECK(tile(square_windows(1, 256, 256, 14, 14, 1, 1)) == 2); // large tiles read too large a filter for 16 of them
    CHECK(tile(square_windows(1, 512, 512, 7, 7, 1, 1)) == 0);
    CHECK(tile(square_windows(99, 512, 512, 7, 7, 1, 1)) == 0); // the batch decides no bits
    s.dilation_width = 2;
    CHECK(tile(s) == 0);
    s.dilation_width = 1;
    s.stride_height = 2;
    CHECK(tile(s) == 0);
}

TEST_CASE("winograd: the same bits for any number of threads and parts") {
    for (int round = 0; round < 10; ++round) {
        const std::int64_t groups = between(1, 2);
        const numerics::convolution_shape s = square_windows(
            between(1, 3), groups * between(1, 40), groups * between(1, 90), between(3, 20), between(3, 20), 1, groups);
        INFO(shown(s));
        const auto x = random_halves(s.batch * s.in_channels * s.in_height * s.in_width);
        const auto w = random_halves(s.out_channels * s.in_channels / s.groups * 9);
        at_each_level([&](const cpu::kernel_table& table) {
            for (const std::int64_t tile : {2, 4}) {
                const std::vector<half> one = transformed(table, s, tile, 1, x, w);
                for (const int width : {2, 3, 7}) {
                    const std::vector<half> many = transformed(table, s, tile, width, x, w);
                    std::size_t differ = 0;
                    for (std::size_t i = 0; i < one.size(); ++i) {
                        differ += one[i].bits != many[i].bits ? 1 : 0;
                    }
                    CHECK(differ == 0);
                }
            }
        });
    }
}
