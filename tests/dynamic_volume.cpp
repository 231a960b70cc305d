#include "backend/both_backends.hpp"
#include <anemone/dynamic_volume.hpp>
#include <anemone/model.hpp>

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

using namespace ane;

namespace {

/// A volume of small whole numbers, so that every sum is exact.
std::vector<half> whole_numbers(std::int64_t count, std::uint32_t seed) {
    std::mt19937 random(seed);
    std::vector<half> values;
    for (std::int64_t i = 0; i < count; ++i) {
        values.emplace_back(static_cast<int>(random() % 7) - 3);
    }
    return values;
}

struct window3 {
    size3 kernel, stride, dilation;
    padding3 padding;
    extents x;

    extents result(std::int64_t channels) const {
        const auto out = [](std::int64_t in, int before, int after, int k, int s, int d) {
            return (in + before + after - d * (k - 1) - 1) / s + 1;
        };
        return {x[0], channels, out(x[2], padding.front, padding.back, kernel.depth, stride.depth, dilation.depth),
                out(x[3], padding.plane.top, padding.plane.bottom, kernel.height, stride.height, dilation.height),
                out(x[4], padding.plane.left, padding.plane.right, kernel.width, stride.width, dilation.width)};
    }
    /// Calls visit(index of x, index in the kernel) for each element of the window that lies inside.
    template <class Visit>
    void each(std::int64_t n, std::int64_t c, std::int64_t d, std::int64_t i, std::int64_t j, Visit visit) const {
        for (int t = 0; t < kernel.depth; ++t) {
            for (int u = 0; u < kernel.height; ++u) {
                for (int v = 0; v < kernel.width; ++v) {
                    const std::int64_t z = d * stride.depth + t * dilation.depth - padding.front;
                    const std::int64_t y = i * stride.height + u * dilation.height - padding.plane.top;
                    const std::int64_t w = j * stride.width + v * dilation.width - padding.plane.left;
                    if (z >= 0 && z < x[2] && y >= 0 && y < x[3] && w >= 0 && w < x[4]) {
                        visit((((n * x[1] + c) * x[2] + z) * x[3] + y) * x[4] + w,
                              (t * kernel.height + u) * kernel.width + v);
                    }
                }
            }
        }
    }
    template <class Element> std::vector<float> over(std::int64_t channels, Element element) const {
        const extents y = result(channels);
        std::vector<float> all;
        for (std::int64_t n = 0; n < y[0]; ++n) {
            for (std::int64_t c = 0; c < y[1]; ++c) {
                for (std::int64_t d = 0; d < y[2]; ++d) {
                    for (std::int64_t i = 0; i < y[3]; ++i) {
                        for (std::int64_t j = 0; j < y[4]; ++j) {
                            all.push_back(element(n, c, d, i, j));
                        }
                    }
                }
            }
        }
        return all;
    }
};

std::vector<float> run(const dynamic_graph& g, const std::vector<half>& x, const weight_store& weights) {
    const std::vector<both::dense> results = both::run(g, both::plain, {{g.nodes[0].shape, x}}, weights);
    std::vector<float> values;
    for (const half value : results[0].values) {
        values.push_back(static_cast<float>(value));
    }
    return values;
}

} // namespace

TEST_CASE("a convolution over a volume is the sum over its window, for every stride, dilation, padding and group") {
    std::mt19937 random(20261123);
    INFO("seed 20261123");
    for (int round = 0; round < 60; ++round) {
        const auto pick = [&](int low, int high) {
            return low + static_cast<int>(random() % static_cast<std::uint32_t>(high - low + 1));
        };
        const int groups = pick(1, 2);
        const int in = groups * pick(1, 2);
        const int out = groups * pick(1, 2);
        const window3 w{size3(pick(1, 3), pick(1, 3), pick(1, 2)), size3(pick(1, 3), pick(1, 2), pick(1, 2)),
                        size3(pick(1, 2), pick(1, 2), 1),
                        padding3(pick(0, 2), pick(0, 2), padding2(pick(0, 1), 1, 0, pick(0, 1))),
                        extents{pick(1, 2), in, pick(3, 6), pick(3, 6), pick(2, 5)}};
        if (w.dilation.depth * (w.kernel.depth - 1) + 1 > w.x[2] + w.padding.front + w.padding.back ||
            w.dilation.height * (w.kernel.height - 1) + 1 > w.x[3]) {
            continue;
        }
        const extents kernel{out, in / groups, w.kernel.depth, w.kernel.height, w.kernel.width};
        const std::vector<half> x = whole_numbers(w.x.count(), static_cast<std::uint32_t>(round));
        const std::vector<half> weight = whole_numbers(kernel.count(), static_cast<std::uint32_t>(round + 1000));
        const std::vector<half> bias = whole_numbers(out, static_cast<std::uint32_t>(round + 2000));
        const bool biased = pick(0, 1) == 1;
        weight_store store;
        store.add("w", kernel, std::span<const half>(weight));
        dynamic_builder g;
        const auto source = g.input("x", w.x);
        const auto filter = g.weight("w", kernel);
        const volume_conv form{w.stride, w.dilation, w.padding, groups};
        if (biased) {
            store.add("b", extents{out}, std::span<const half>(bias));
            const auto b = g.weight("b", {out});
            g.output("y", conv3d(g, source, filter, &b, form));
        } else {
            g.output("y", conv3d(g, source, filter, nullptr, form));
        }
        const dynamic_graph model = g.finish();
        CHECK(model.view()[model.outputs[0].node].shape == w.result(out));
        const auto expected = w.over(out, [&](auto n, auto o, auto d, auto i, auto j) {
            float sum = biased ? static_cast<float>(bias[static_cast<std::size_t>(o)]) : 0;
            for (int c = 0; c < in / groups; ++c) {
                w.each(n, o / (out / groups) * (in / groups) + c, d, i, j, [&](auto at, auto k) {
                    const auto of_kernel = (o * (in / groups) + c) * kernel[2] * kernel[3] * kernel[4] + k;
                    sum += static_cast<float>(x[static_cast<std::size_t>(at)]) *
                           static_cast<float>(weight[static_cast<std::size_t>(of_kernel)]);
                });
            }
            return sum;
        });
        CAPTURE(round);
        CHECK(run(model, x, store) == expected);
    }
}

TEST_CASE("a pool over a volume takes the largest or the mean of its window; padding counts or does not") {
    std::mt19937 random(7);
    INFO("seed 7");
    for (int round = 0; round < 60; ++round) {
        const auto pick = [&](int low, int high) {
            return low + static_cast<int>(random() % static_cast<std::uint32_t>(high - low + 1));
        };
        const size3 kernel(1 << pick(0, 1), 1 << pick(0, 1), 2);
        const window3 w{kernel, size3(pick(1, 3), pick(1, 2), pick(1, 2)), size3(1),
                        padding3(pick(0, kernel.depth - 1), pick(0, kernel.depth - 1),
                                 padding2(pick(0, kernel.height - 1), 0, 0, pick(0, 1))),
                        extents{pick(1, 2), pick(1, 3), pick(2, 5), pick(2, 5), pick(2, 4)}};
        const std::vector<half> x = whole_numbers(w.x.count(), static_cast<std::uint32_t>(round));
        const auto element = [&](auto at) { return static_cast<float>(x[static_cast<std::size_t>(at)]); };
        for (const bool largest : {true, false}) {
            const bool excludes = pick(0, 1) == 1;
            dynamic_builder g;
            const auto source = g.input("x", w.x);
            const volume_pool form{w.kernel, w.stride, w.padding, excludes && !largest};
            g.output("y", largest ? max_pool3d(g, source, form) : avg_pool3d(g, source, form));
            const auto expected = w.over(w.x[1], [&](auto n, auto c, auto d, auto i, auto j) {
                float best = -1e9F;
                float sum = 0;
                float count = 0;
                w.each(n, c, d, i, j, [&](auto at, auto) {
                    best = std::max(best, element(at));
                    sum += element(at);
                    ++count;
                });
                const auto all = static_cast<float>(w.kernel.depth * w.kernel.height * w.kernel.width);
                return largest ? best : sum / (excludes ? count : all);
            });
            CAPTURE(round);
            const std::vector<float> got = run(g.finish(), x, {});
            REQUIRE(got.size() == expected.size());
            for (std::size_t k = 0; k < got.size(); ++k) { // shares are powers of two, or one rounding away
                CHECK(got[k] == doctest::Approx(expected[k]).epsilon(0.001));
            }
        }
    }
}

TEST_CASE("typed functions over volumes make the graphs that the dynamic ones make") {
    static constexpr volume_conv form{.stride = {2, 1, 1}, .padding = 1};
    static constexpr volume_pool window{.kernel = 2, .padding = {1, 0, 1}, .exclude_padding = true};
    static constexpr auto typed = graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 2, 5, 6, 6>);
        auto y = conv3d<form>(x, g.weight("w"_s, f16<4, 2, 3, 3, 3>), g.weight("b"_s, f16<4>));
        g.output("y"_s, y);
        g.output("largest"_s, max_pool3d<window>(y));
        g.output("mean"_s, avg_pool3d<window>(y));
    });
    dynamic_builder g;
    const auto x = g.input("x", {1, 2, 5, 6, 6});
    const auto w = g.weight("w", {4, 2, 3, 3, 3});
    const auto b = g.weight("b", {4});
    const auto y = conv3d(g, x, w, &b, form);
    g.output("y", y);
    g.output("largest", max_pool3d(g, y, window));
    g.output("mean", avg_pool3d(g, y, window));
    CHECK(print(typed) == print(g.finish()));
    static_assert(conforms<typed, h14, waive(rule::operation_is_not_written)>);
}

TEST_CASE("volumes that do not fit are refused, and the graph stays as it was") {
    dynamic_builder g;
    const auto x = g.input("x", {1, 2, 5, 6, 6});
    const auto image = g.input("image", {1, 2, 6, 6});
    const auto w = g.weight("w", {4, 2, 3, 3, 3});
    const auto nodes = g.graph().nodes.size();
    const auto refused = [&](const auto& action, const std::string& why) {
        try {
            action();
            FAIL_CHECK("not refused: ", why);
        } catch (const error& e) {
            CHECK(e.code() == errc::graph);
            CAPTURE(e.what());
            CHECK(std::string(e.what()).find(why) != std::string::npos);
        }
        CHECK(g.graph().nodes.size() == nodes);
    };
    refused([&] { conv3d(g, image, w, nullptr); }, "the input must have rank 5: N, C, D, H, W (4, 5)");
    refused([&] { conv3d(g, x, image, nullptr); }, "the weight must have rank 5: O, I, kD, kH, kW (4, 5)");
    refused([&] { conv3d(g, x, w, nullptr, {.dilation = {3, 1, 1}}); }, "must fit into the padded depth (7, 5)");
    refused([&] { conv3d(g, x, w, nullptr, {.stride = {0, 1, 1}}); }, "stride");
    refused([&] { conv3d(g, x, w, nullptr, {.padding = {-1, 0, 0}}); }, "padding");
    refused([&] { conv3d(g, x, w, nullptr, {.groups = 2}); }, "weight's input channels");
    refused([&] { conv3d(g, x, w, &image); }, "rank 1");
    refused([&] { max_pool3d(g, x, {.kernel = 2, .padding = {2, 0, 0}}); }, "smaller than its kernel (R060) (2, 2)");
    refused([&] { avg_pool3d(g, x, {.kernel = {2000, 1, 1}, .padding = {1999, 0, 0}}); }, "at most 1024 planes");
    refused([&] { avg_pool3d(g, image, {.kernel = 2}); }, "rank 5");
}
