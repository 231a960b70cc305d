#include "contraction_references.hpp"
#include "fixtures.hpp"
#include <anemone/backend/cpu/kernels/conv.hpp>
#include <anemone/backend/cpu/kernels/conv_transpose.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

using namespace ane;
using namespace fixtures;

namespace {

std::int64_t inputs_of(const numerics::convolution_shape& s) {
    return s.batch * s.in_channels * s.in_height * s.in_width;
}
std::int64_t outputs_of(const numerics::convolution_shape& s) {
    return s.batch * s.out_channels * s.out_height * s.out_width;
}
std::int64_t weights_of(const numerics::convolution_shape& s) {
    return s.in_channels * s.out_channels / s.groups * s.kernel_height * s.kernel_width;
}

/// What `run(workers, sink)` computes with so many threads. The scratch is full of NaN before.
template <class Run>
std::vector<half> in_threads(const cpu::kernel_table& table, std::int64_t outputs, const cpu::scratch_sizes& scratch,
                             int width, Run run) {
    last_first pool(width);
    const auto bytes = [](std::int64_t count) { return static_cast<std::size_t>((count + 63) / 64 * 64); };
    std::vector<std::byte> memory(bytes(scratch.shared) + static_cast<std::size_t>(width) * bytes(scratch.each),
                                  std::byte{0xFF});
    cpu::worker_threads workers;
    workers.pool = &pool;
    workers.width = width;
    workers.shared = memory.data();
    workers.own = memory.data() + bytes(scratch.shared);
    workers.each = static_cast<std::int64_t>(bytes(scratch.each));
    std::vector<half> out(static_cast<std::size_t>(outputs), half(12345));
    const auto store = [&](float* sums, std::int64_t first, std::int64_t count) {
        REQUIRE(first >= 0);
        REQUIRE(first + count <= outputs);
        table.to_half(sums, out.data() + first, count);
    };
    run(workers, cpu::sums_sink::of(store));
    return out;
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

TEST_CASE("what tiles finish themselves has the bits of what a sink finishes, and nothing else is written") {
    std::vector<numerics::convolution_shape> shapes = {
        {1, 20, 11, 9, 21, 11, 9, 1, 1, 1, 1, 1, 1, 0, 0, 1}, {2, 200, 5, 10, 37, 5, 10, 1, 1, 1, 1, 1, 1, 0, 0, 1},
        {1, 400, 7, 7, 35, 7, 7, 1, 1, 1, 1, 1, 1, 0, 0, 1},  {1, 8, 1, 1000, 16, 1, 1000, 1, 1, 1, 1, 1, 1, 0, 0, 2},
        {1, 30, 13, 11, 40, 7, 6, 3, 3, 2, 2, 1, 1, 1, 1, 1}, {2, 6, 20, 21, 6, 20, 21, 3, 3, 1, 1, 1, 1, 1, 1, 6},
        {1, 6, 15, 15, 6, 8, 8, 5, 5, 2, 2, 1, 1, 2, 2, 6},   {1, 4, 9, 7, 8, 9, 7, 3, 1, 1, 1, 1, 1, 1, 0, 4},
        {2, 5, 9, 9, 5, 5, 5, 3, 3, 2, 2, 1, 1, 1, 1, 5},     {1, 3, 7, 7, 3, 7, 7, 3, 3, 1, 1, 1, 1, 1, 1, 3},
        {1, 2, 30, 2, 2, 30, 2, 3, 3, 1, 1, 1, 1, 1, 1, 2}};
    for (int round = 0; round < 40; ++round) {
        shapes.push_back(random_shape(false));
    }
    int round = 0;
    for (const numerics::convolution_shape& s : shapes) {
        const int kind = round++ % 5;
        INFO(shown(s));
        INFO(kind);
        auto x = random_halves(inputs_of(s));
        x[x.size() / 2] = half(std::numeric_limits<float>::quiet_NaN());
        x[x.size() / 3] = half(-std::numeric_limits<float>::infinity());
        const auto w = random_halves(weights_of(s));
        const auto b = random_halves(s.out_channels);
        const auto residual = random_halves(outputs_of(s));
        const bool adds = kind == 1 || kind == 3;
        const float low = kind == 0 ? -std::numeric_limits<float>::infinity() : kind == 4 ? -0.5F : 0.0F;
        const float high = kind < 3 ? std::numeric_limits<float>::infinity() : 1.5F;
        const auto count = static_cast<std::size_t>(outputs_of(s));
        const auto finished = [&](float sum, const half* added, std::size_t at) {
            const float value = added == nullptr ? sum : sum + static_cast<float>(added[at]);
            const float floored = low > value ? low : value; // NaN and the sign of a zero stay
            return half(high < floored ? high : floored);
        };
        for (const kernel_set& set : kernel_sets()) {
            const cpu::kernel_table& table = set.kernels;
            INFO(set.name);
            for (const int width : {1, 3}) {
                const cpu::packed_convolution packed =
                    cpu::pack(table, s, w.data(), round % 2 == 0 ? b.data() : nullptr, width);
                const auto run = [&](const auto& sink_of) {
                    in_threads(table, outputs_of(s), packed.plan.scratch(), width,
                               [&](const cpu::worker_threads& workers, const cpu::sums_sink&) {
                                   cpu::convolution(table, packed.plan, packed.filter(), x.data(), workers, sink_of());
                               });
                };
                std::vector<half> wanted(count);
                const auto store = [&](float* sums, std::int64_t first, std::int64_t n) {
                    for (std::int64_t i = 0; i < n; ++i) {
                        const auto at = static_cast<std::size_t>(first + i);
                        wanted[at] = finished(sums[i], adds ? residual.data() : nullptr, at);
                    }
                };
                run([&] { return cpu::sums_sink::of(store); });
                for (const bool in_place : {false, true}) {
                    constexpr std::size_t guard = 40;
                    std::vector<half> memory(count + 2 * guard, half(12345));
                    half* const out = memory.data() + guard;
                    if (in_place) {
                        std::copy(residual.begin(), residual.end(), out);
                    }
                    const half* const added = !adds ? nullptr : in_place ? out : residual.data();
                    const auto take = [&](float* sums, std::int64_t first, std::int64_t n) {
                        for (std::int64_t i = 0; i < n; ++i) {
                            out[first + i] = finished(sums[i], added, static_cast<std::size_t>(first + i));
                        }
                    };
                    run([&] { return cpu::sums_sink::of(take, cpu::finishing{out, added, low, high}); });
                    std::size_t wrong = 0;
                    for (std::size_t i = 0; i < count; ++i) {
                        const bool both = static_cast<float>(out[i]) != static_cast<float>(out[i]) &&
                                          static_cast<float>(wanted[i]) != static_cast<float>(wanted[i]);
                        wrong += out[i].bits == wanted[i].bits || both ? 0U : 1U;
                    }
                    CHECK(wrong == 0);
                    const auto untouched = [](half h) { return h.bits == half(12345).bits; };
                    CHECK(std::all_of(memory.begin(), memory.begin() + guard, untouched));
                    CHECK(std::all_of(memory.end() - guard, memory.end(), untouched));
                }
            }
        }
    }
}

TEST_CASE("transposed convolution against scattering, random shapes") {
    for (int round = 0; round < 150; ++round) {
        numerics::convolution_shape s = random_shape(true);
        if (round % 8 == 1) { // one tap: a plane is then one row
            s.kernel_height = s.kernel_width = s.stride_height = s.stride_width = 1;
            s.pad_top = s.pad_left = 0;
            s.out_height = s.in_height;
            s.out_width = s.in_width;
            if (round % 16 == 1) { // one column, which knows no stride
                s.in_width = s.out_width = 1;
                s.stride_width = between(1, 3);
            }
        }
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

TEST_CASE("convolutions at the ends of their blocks: far taps, wide rows, many taps, few channels") {
    constexpr std::int64_t far = std::int64_t{1} << 24;
    const numerics::convolution_shape shapes[] = {
        {1, 3, 4, 5, 20, 4, 5, 3, 3, 1, 1, far, far, far, far, 1}, // only the middle tap meets the image
        {1, 3, 4, 5, 2, 1, 1, 2, 2, far, far, 1, 1, 0, 0, 1},      // a stride that is never taken
        {1, 2, 4, 5, 2, 4, 5, 3, 3, 1, 1, far, far, far, far, 2},  // the same, depthwise
        {1, 2, 1, 3000, 17, 1, 2998, 1, 3, 1, 1, 1, 1, 0, 0, 1},   // a row in several blocks
        {1, 2, 2, 3000, 3, 2, 3000, 2, 3, 1, 1, 1, 1, 1, 1, 1},    // the same with few outputs
        {1, 600, 3, 5, 33, 3, 5, 1, 1, 1, 1, 1, 1, 0, 0, 1},       // taps in several parts, units not in pairs
        {2, 40, 9, 15, 50, 5, 8, 3, 3, 2, 2, 1, 1, 1, 1, 1},       // strides
        {1, 24, 11, 13, 6, 4, 5, 3, 3, 3, 3, 1, 1, 1, 1, 2},       // strides with few outputs
        {1, 5, 30, 29, 45, 28, 27, 3, 3, 1, 1, 1, 1, 0, 0, 5},     // nine outputs of each channel
        {1, 3, 70, 131, 3, 70, 131, 3, 3, 1, 1, 1, 1, 1, 1, 3},    // planes in blocks
        {1, 3, 70, 131, 6, 35, 66, 5, 5, 2, 2, 1, 1, 2, 2, 3},     // with strides
        {1, 4, 20, 37, 4, 10, 13, 3, 3, 2, 3, 2, 2, 1, 1, 4}};     // and dilations
    for (const numerics::convolution_shape& s : shapes) {
        INFO(shown(s));
        const auto x = random_halves(inputs_of(s));
        const auto w = random_halves(weights_of(s));
        check_levels(convolved(s, x, w, nullptr), [&](const cpu::kernel_table& table, half* out) {
            cpu::convolution(table, s, x.data(), w.data(), nullptr, out);
        });
    }
}

TEST_CASE("convolutions give the same bits for any number of threads, and at any place in a batch") {
    for (int round = 0; round < 60; ++round) {
        const bool transposed = round % 3 == 0;
        numerics::convolution_shape s = random_shape(transposed);
        if (round % 5 == 0) {
            s.in_channels *= 8;
            s.out_channels *= 7;
        }
        INFO(shown(s));
        const auto x = random_halves(inputs_of(s));
        const auto w = random_halves(weights_of(s));
        const auto b = random_halves(s.out_channels);
        at_each_level([&](const cpu::kernel_table& table) {
            const auto with = [&](const numerics::convolution_shape& shape, const half* from, int width) {
                if (transposed) {
                    const auto packed = cpu::pack_transposed(table, shape, w.data(), b.data(), width);
                    return in_threads(table, outputs_of(shape), packed.plan.scratch(), width,
                                      [&](const cpu::worker_threads& workers, const cpu::sums_sink& sink) {
                                          cpu::transposed_convolution(table, packed.plan, packed.filter(), from,
                                                                      workers, sink);
                                      });
                }
                const auto packed = cpu::pack(table, shape, w.data(), b.data(), width);
                return in_threads(table, outputs_of(shape), packed.plan.scratch(), width,
                                  [&](const cpu::worker_threads& workers, const cpu::sums_sink& sink) {
                                      cpu::convolution(table, packed.plan, packed.filter(), from, workers, sink);
                                  });
            };
            const std::vector<half> one = with(s, x.data(), 1);
            for (const int width : {2, 3, 8}) {
                CHECK(same_bits(with(s, x.data(), width), one));
            }
            numerics::convolution_shape last = s;
            last.batch = 1;
            const std::vector<half> alone = with(last, x.data() + (s.batch - 1) * inputs_of(last), 1);
            CHECK(same_bits(alone, {one.end() - outputs_of(last), one.end()}));
        });
    }
}

TEST_CASE("convolutions keep infinities and NaN in their windows, and padding takes part as zeros") {
    for (const std::int64_t groups : {1, 4}) {
        const numerics::convolution_shape s{1, 4, 9, 20, 4, 9, 20, 3, 3, 1, 1, 1, 1, 1, 1, groups};
        for (const half special : {infinity, not_a_number}) {
            std::vector<half> x(static_cast<std::size_t>(inputs_of(s)), half(1));
            std::vector<half> w(static_cast<std::size_t>(weights_of(s)), half(2));
            x[4 * 20 + 7] = special; // channel 0, row 4, column 7
            at_each_level([&](const cpu::kernel_table& table) {
                std::vector<half> out(static_cast<std::size_t>(outputs_of(s)));
                cpu::convolution(table, s, x.data(), w.data(), nullptr, out.data());
                std::size_t wrong = 0;
                for (std::size_t i = 0; i < out.size(); ++i) {
                    const std::size_t y = i / 20 % 9;
                    const std::size_t z = i % 20;
                    const bool reached =
                        y >= 3 && y <= 5 && z >= 6 && z <= 8 && (groups == 1 || i < 9 * std::size_t{20});
                    wrong += reached ? !same_value(out[i], special) : !std::isfinite(static_cast<float>(out[i]));
                }
                CHECK(wrong == 0);
            });
        }
        // The first tap of an infinite weight meets the padding in the first row and column.
        std::vector<half> x(static_cast<std::size_t>(inputs_of(s)), half(1));
        std::vector<half> w(static_cast<std::size_t>(weights_of(s)), half(0));
        w[0] = infinity;
        at_each_level([&](const cpu::kernel_table& table) {
            std::vector<half> out(static_cast<std::size_t>(outputs_of(s)));
            cpu::convolution(table, s, x.data(), w.data(), nullptr, out.data());
            std::size_t wrong = 0;
            for (std::size_t i = 0; i < 9 * std::size_t{20}; ++i) {
                const bool padding = i < 20 || i % 20 == 0;
                wrong += !same_value(out[i], padding ? not_a_number : infinity);
            }
            CHECK(wrong == 0);
        });
    }
}
