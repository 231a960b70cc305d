#include "fixtures.hpp"
#include <anemone/backend/cpu/aligned_memory.hpp>
#include <anemone/backend/cpu/kernels/conv.hpp>
#include <anemone/backend/cpu/kernels/pool.hpp>
#include <anemone/backend/cpu/kernels/pool_places.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

using namespace ane;
using namespace fixtures;

namespace {

/// NHWC of an NCHW image with so many places.
std::vector<half> places_first(const std::vector<half>& x, std::int64_t channels, std::int64_t places) {
    std::vector<half> result(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        const auto at = static_cast<std::int64_t>(i);
        const std::int64_t image = at / (channels * places);
        const std::int64_t to = (image * places + at % places) * channels + at / places % channels;
        result[static_cast<std::size_t>(to)] = x[i];
    }
    return result;
}

std::int64_t extent_after(std::int64_t in, std::int64_t padding, std::int64_t kernel, std::int64_t dilation,
                          std::int64_t stride) {
    return std::max<std::int64_t>((in + 2 * padding - (kernel - 1) * dilation - 1) / stride + 1, 1);
}

numerics::convolution_shape random_window(int kind) {
    numerics::convolution_shape s{};
    s.batch = between(1, 2);
    s.groups = 1;
    s.in_channels = between(8, 40);
    s.out_channels = between(8, 50);
    s.in_height = between(1, 14);
    s.in_width = between(1, 14);
    s.kernel_height = between(1, 3);
    s.kernel_width = between(1, 3);
    s.stride_height = between(1, 2);
    s.stride_width = between(1, 3);
    s.dilation_height = between(1, 2);
    s.dilation_width = between(1, 2);
    s.pad_top = between(0, 1);
    s.pad_left = between(0, 1);
    if (kind == 0) { // pointwise
        s.kernel_height = s.kernel_width = s.stride_height = s.stride_width = 1;
        s.pad_top = s.pad_left = 0;
    } else if (kind == 1) { // depthwise
        s.out_channels = s.groups = s.in_channels;
        s.kernel_height = between(1, 5);
        s.kernel_width = between(0, 1) == 0 ? s.kernel_height : between(1, 5);
    } else if (kind == 2) { // many taps
        s.in_channels = between(120, 200);
        s.kernel_height = s.kernel_width = 3;
        s.in_height = s.in_width = between(3, 8);
    }
    s.out_height = extent_after(s.in_height, s.pad_top, s.kernel_height, s.dilation_height, s.stride_height);
    s.out_width = extent_after(s.in_width, s.pad_left, s.kernel_width, s.dilation_width, s.stride_width);
    return s;
}

/// A result with what lies behind it, which nothing may write.
struct guarded {
    static constexpr std::size_t behind = 64;
    std::vector<half> values;

    explicit guarded(std::size_t count) : values(count + behind, half(12345)) {}
    std::vector<half> checked() {
        CHECK(std::all_of(values.end() - behind, values.end(), [](half h) { return h == half(12345); }));
        values.resize(values.size() - behind);
        return values;
    }
};

/// Scratch as a plan wants it, full of NaN.
template <class Run> void with_crew(const cpu::scratch_sizes& scratch, int width, Run run) {
    const auto lines = [](std::int64_t bytes) { return (bytes + 63) / 64 * 64; };
    const std::int64_t size = lines(scratch.shared) + width * lines(scratch.each);
    const cpu::aligned_memory memory = cpu::aligned_memory::of(size);
    std::fill_n(memory.data(), size, std::byte{0xFF});
    last_first pool(width);
    run(cpu::worker_threads{.pool = width > 1 ? &pool : nullptr,
                            .width = width,
                            .shared = memory.data(),
                            .own = memory.data() + lines(scratch.shared),
                            .each = lines(scratch.each)});
}

struct problem {
    numerics::convolution_shape shape;
    std::vector<half> weights;
    const half* bias;
    bool adds;
    float low;
    float high;
};

std::vector<half> convolved_as(const cpu::kernel_table& table, const problem& p, const cpu::convolution_form& form,
                               const half* x, const half* added, int width, bool packed_once) {
    const numerics::convolution_shape& s = p.shape;
    const cpu::packed_convolution packed = cpu::pack(table, s, p.weights.data(), p.bias, width, form);
    std::vector<half> weights(static_cast<std::size_t>(packed.plan.packed_size()));
    cpu::pack_filter(packed.plan, p.weights.data(), weights.data());
    cpu::filter_view filter = packed.filter();
    if (!packed_once) { // as where weights are computed in a run
        filter = {weights.data(), filter.bias, nullptr};
    }
    guarded out(static_cast<std::size_t>(s.batch * s.out_channels * s.out_height * s.out_width));
    const auto store = [&](float* sums, std::int64_t first, std::int64_t count) {
        for (std::int64_t i = 0; i < count; ++i) {
            const auto at = static_cast<std::size_t>(first + i);
            const float value = added == nullptr ? sums[i] : sums[i] + static_cast<float>(added[at]);
            const float floored = p.low > value ? p.low : value;
            out.values[at] = half(p.high < floored ? p.high : floored);
        }
    };
    const cpu::finishing direct{.out = out.values.data(), .added = added, .low = p.low, .high = p.high};
    with_crew(packed.plan.scratch(), width, [&](const cpu::worker_threads& workers) {
        const auto sink = form.tiles_finish ? cpu::sums_sink::of(store, direct) : cpu::sums_sink::of(store);
        cpu::convolution(table, packed.plan, filter, x, workers, sink);
    });
    return out.checked();
}

} // namespace

TEST_CASE("convolutions have the same bits in every layout, whoever finishes their sums") {
    constexpr float infinite = std::numeric_limits<float>::infinity();
    for (int round = 0; round < 60; ++round) {
        const int kind = round % 4;
        const numerics::convolution_shape s = random_window(kind);
        const std::int64_t in_places = s.in_height * s.in_width;
        const std::int64_t out_places = s.out_height * s.out_width;
        INFO(s.batch, " x ", s.in_channels, " x ", s.in_height, " x ", s.in_width, " to ", s.out_channels, " x ",
             s.out_height, " x ", s.out_width, ", kernel ", s.kernel_height, " x ", s.kernel_width, ", strides ",
             s.stride_height, " ", s.stride_width, ", dilations ", s.dilation_height, " ", s.dilation_width,
             ", padding ", s.pad_top, " ", s.pad_left, ", groups ", s.groups);
        const auto x = random_halves(s.batch * s.in_channels * in_places);
        const auto bias = random_halves(s.out_channels);
        const auto residual = random_halves(s.batch * s.out_channels * out_places);
        const problem p{s,
                        random_halves(s.out_channels * s.in_channels / s.groups * s.kernel_height * s.kernel_width),
                        round % 3 == 0 ? nullptr : bias.data(),
                        round % 5 < 2,
                        round % 3 == 1 ? 0.0F : -infinite,
                        round % 7 == 1 ? 1.5F : infinite};
        const auto x_last = places_first(x, s.in_channels, in_places);
        const auto residual_last = places_first(residual, s.out_channels, out_places);
        at_each_level([&](const cpu::kernel_table& table) {
            const auto wanted =
                convolved_as(table, p, {.tiles_finish = false}, x.data(), p.adds ? residual.data() : nullptr, 1, true);
            const auto wanted_last = places_first(wanted, s.out_channels, out_places);
            for (const layout in : {layout::nchw, layout::nhwc}) {
                for (const layout out : {layout::nchw, layout::nhwc}) {
                    if (kind == 1 && in != out) {
                        continue;
                    }
                    for (const bool tiles_finish : {true, false}) {
                        for (const int width : {1, 3}) {
                            const bool last = out == layout::nhwc;
                            const half* const added = last ? residual_last.data() : residual.data();
                            const auto got =
                                convolved_as(table, p, {.in = in, .out = out, .tiles_finish = tiles_finish},
                                             in == layout::nhwc ? x_last.data() : x.data(), p.adds ? added : nullptr,
                                             width, round % 2 == 0);
                            INFO("in ", static_cast<int>(in), " out ", static_cast<int>(out), " width ", width,
                                 " tiles finish ", tiles_finish);
                            CHECK(same_bits(got, last ? wanted_last : wanted));
                        }
                    }
                }
            }
        });
    }
}

TEST_CASE("convolutions refuse layouts that they have no form for") {
    const cpu::kernel_table& table = cpu::best_kernels();
    const cpu::convolution_form nhwc{.in = layout::nhwc, .out = layout::nhwc};
    const numerics::convolution_shape grouped{1, 16, 4, 4, 16, 4, 4, 1, 1, 1, 1, 1, 1, 0, 0, 2};
    CHECK_THROWS_WITH_AS(
        cpu::plan_convolution(table, grouped, 1, nhwc),
        "argument: convolution: 2 groups of 16 and 16 channels have no NHWC form: one group has, or one "
        "channel a group on both sides",
        error);
    const numerics::convolution_shape depthwise{1, 16, 4, 4, 16, 4, 4, 1, 1, 1, 1, 1, 1, 0, 0, 16};
    CHECK_THROWS_AS(cpu::plan_convolution(table, depthwise, 1, {.out = layout::nhwc}), error);
    const numerics::convolution_shape few{1, 16, 4, 4, 3, 4, 4, 1, 1, 1, 1, 1, 1, 0, 0, 1};
    CHECK_THROWS_WITH_AS(cpu::plan_convolution(table, few, 1, {.out = layout::nhwc}),
                         "argument: convolution: an NHWC image has 3 channels, at least 8", error);
}

TEST_CASE("poolings of NHWC images have the bits of NCHW ones") {
    for (int round = 0; round < 80; ++round) {
        numerics::pool_shape s{};
        s.batch = between(1, 2);
        s.channels = between(1, 40);
        s.in_height = between(1, 12);
        s.in_width = between(1, 12);
        s.kernel_height = between(1, 4);
        s.kernel_width = between(1, 4);
        s.stride_height = between(1, 3);
        s.stride_width = between(1, 3);
        s.pad_top = between(0, s.kernel_height - 1);
        s.pad_left = between(0, s.kernel_width - 1);
        s.exclude_padding = between(0, 1) == 1;
        s.out_height = extent_after(s.in_height, s.pad_top, s.kernel_height, 1, s.stride_height);
        s.out_width = extent_after(s.in_width, s.pad_left, s.kernel_width, 1, s.stride_width);
        const op kind = round % 2 == 0 ? op::max_pool : op::avg_pool;
        INFO(name(kind), " ", s.batch, " x ", s.channels, " x ", s.in_height, " x ", s.in_width, ", kernel ",
             s.kernel_height, " x ", s.kernel_width, ", strides ", s.stride_height, " ", s.stride_width, ", padding ",
             s.pad_top, " ", s.pad_left);
        auto x = random_halves(s.batch * s.channels * s.in_height * s.in_width);
        for (int i = 0; i < 3; ++i) {
            const half special[] = {infinity, -infinity, not_a_number, half(0.0F), half(-0.0F)};
            x[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(x.size()) - 1))] = special[between(0, 4)];
        }
        const auto x_last = places_first(x, s.channels, s.in_height * s.in_width);
        const std::int64_t results = s.batch * s.channels * s.out_height * s.out_width;
        at_each_level([&](const cpu::kernel_table& table) {
            std::vector<half> wanted(static_cast<std::size_t>(results));
            cpu::pool(table, kind, s, x.data(), wanted.data());
            const auto wanted_last = places_first(wanted, s.channels, s.out_height * s.out_width);
            for (const int width : {1, 3}) {
                const cpu::pool_places_plan plan = cpu::plan_pool_places(kind, s, width);
                guarded out(static_cast<std::size_t>(results));
                with_crew(plan.scratch(), width, [&](const cpu::worker_threads& workers) {
                    cpu::pool_places(table, plan, x_last.data(), out.values.data(), workers);
                });
                CHECK(same_bits(out.checked(), wanted_last));
            }
        });
    }
    CHECK_THROWS_WITH_AS(cpu::plan_pool_places(op::l2_pool, {}),
                         "argument: pool_places: l2_pool is neither max_pool nor avg_pool", error);
}
