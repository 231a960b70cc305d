#include "../../from_environment.hpp"
#include "derivative_run.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/base/thread_pool.hpp>
#include <anemone/dynamic_builder.hpp>
#include <anemone/gradient/windows.hpp>
#include <anemone/passes/prune.hpp>
#include <anemone/passes/weight_gradients.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

using namespace ane;

namespace {

/// A convolution whose weight is derived by: the extents of x, of the weight and of the result, and the window.
struct derived_convolution {
    extents x;
    extents weight;
    extents out;
    detail::gradients::window_of window;
    int groups = 1;
};

/// The gradient alone: from x and the cotangent of the result.
dynamic_graph gradient_graph(const derived_convolution& c) {
    dynamic_builder b;
    const auto x = b.input("x", c.x);
    const auto dy = b.input("dy", c.out);
    b.output("nothing", b.add(op::relu, {x}));
    b.output("none", b.add(op::relu, {dy}));
    dynamic_graph g = b.finish();
    g.outputs = {};
    detail::gradients::tape t(g, 0);
    const int found = detail::gradients::weight_cotangent(t, 0, 1, c.window, c.groups);
    g.add_output(found, "dw");
    return prune(g);
}

derived_convolution random_convolution(std::mt19937& random) {
    const auto below = [&](unsigned most) { return static_cast<int>(random() % most); };
    derived_convolution c;
    const size2 kernel{1 + below(4), 1 + below(4)};
    const size2 stride{1 + below(3), 1 + below(3)};
    const size2 dilation{1 + below(2), 1 + below(2)};
    const padding2 padding(below(3), below(3), below(3), below(3));
    const int channels = below(2) == 0 ? 1 + below(4) : 1 + below(40);
    c.x = {1 + below(3), channels, 8 + below(9), 8 + below(9)};
    c.weight = {1 + below(20), channels, kernel.height, kernel.width};
    const auto results = [](std::int64_t extent, int before, int after, int size, int step, int apart) {
        return (extent + before + after - apart * (size - 1) - 1) / step + 1;
    };
    c.out = {c.x[0], c.weight[0],
             results(c.x[2], padding.top, padding.bottom, kernel.height, stride.height, dilation.height),
             results(c.x[3], padding.left, padding.right, kernel.width, stride.width, dilation.width)};
    c.window = {kernel, stride, dilation, padding};
    return c;
}

std::vector<half> random_values(std::int64_t count, std::mt19937& random) {
    std::vector<half> values;
    for (std::int64_t i = 0; i < count; ++i) {
        values.emplace_back(static_cast<double>(static_cast<int>(random() % 129) - 64) / 64);
    }
    return values;
}

/// The definition, in double precision.
std::vector<double> defined(const derived_convolution& c, const std::vector<half>& x, const std::vector<half>& dy) {
    std::vector<double> sums(static_cast<std::size_t>(c.weight.count()), 0);
    const extents& o = c.out;
    const extents& w = c.weight;
    const auto element = [](const std::vector<half>& of, const extents& shape, std::int64_t a, std::int64_t b,
                            std::int64_t i, std::int64_t j) {
        return static_cast<double>(of[static_cast<std::size_t>(((a * shape[1] + b) * shape[2] + i) * shape[3] + j)]);
    };
    for (std::int64_t k = 0; k < c.weight.count(); ++k) {
        const std::int64_t column = k % w[3];
        const std::int64_t row = k / w[3] % w[2];
        const std::int64_t from = k / (w[3] * w[2]) % w[1];
        const std::int64_t to = k / (w[3] * w[2] * w[1]);
        for (std::int64_t n = 0; n < o[0]; ++n) {
            for (std::int64_t i = 0; i < o[2]; ++i) {
                for (std::int64_t j = 0; j < o[3]; ++j) {
                    const std::int64_t y =
                        i * c.window.stride.height + row * c.window.dilation.height - c.window.padding.top;
                    const std::int64_t z =
                        j * c.window.stride.width + column * c.window.dilation.width - c.window.padding.left;
                    if (y >= 0 && y < c.x[2] && z >= 0 && z < c.x[3]) {
                        sums[static_cast<std::size_t>(k)] +=
                            element(dy, o, n, to, i, j) * element(x, c.x, n, from, y, z);
                    }
                }
            }
        }
    }
    return sums;
}

bool near(const std::vector<half>& got, const std::vector<double>& wanted, double tolerance) {
    double largest = 1;
    for (const double each : wanted) {
        largest = std::max(largest, std::abs(each));
    }
    for (std::size_t i = 0; i < got.size(); ++i) {
        if (!(std::abs(static_cast<double>(got[i]) - wanted[i]) <= tolerance * largest)) {
            return false;
        }
    }
    return got.size() == wanted.size();
}

} // namespace

TEST_CASE(
    "weight gradients: random convolutions are as defined, computed at once, with any threads and instruction set") {
    std::mt19937 random(from_environment::seed());
    thread_pool three(3);
    for (int i = 0; i < 60; ++i) {
        CAPTURE(i);
        const derived_convolution c = random_convolution(random);
        CAPTURE(c.x[1]);
        CAPTURE(c.weight[0]);
        const dynamic_graph g = gradient_graph(c);
        const auto found = find_weight_gradients(g.view(), [](int) { return true; });
        const bool is_product = c.x[0] * c.weight[2] * c.weight[3] == 1; // of one image and one place: nothing to join
        REQUIRE(found.size() == (is_product ? 0 : 1));
        if (!is_product) {
            CHECK(static_cast<std::int64_t>(found[0].places.size()) == c.weight[2] * c.weight[3]);
        }
        const std::vector<half> x = random_values(c.x.count(), random);
        const std::vector<half> dy = random_values(c.out.count(), random);
        const std::vector<double> wanted = defined(c, x, dy);
        const std::vector<half> got = derivative_run(backend::cpu().threads(1), g.view(), x, dy);
        CHECK(near(got, wanted, 0x1p-10)); // of values of 64ths, fp32 sums are nearly exact
        CHECK(got == derivative_run(backend::cpu().executor(three).threads(3), g.view(), x, dy));
        CHECK(near(derivative_run(backend::cpu().level(isa_level::generic), g.view(), x, dy), wanted, 0x1p-10));
        CHECK(near(derivative_run(backend::cpu().rounding(rounding::each_operation), g.view(), x, dy), wanted, 0x1p-7));
    }
}

TEST_CASE("weight gradients: they are one step, which reads x and the cotangent") {
    const derived_convolution c{{2, 3, 9, 9}, {5, 3, 3, 3}, {2, 5, 9, 9}, {3, 1, 1, padding2(1, 1, 1, 1)}, 1};
    const dynamic_graph g = gradient_graph(c);
    const auto apart = backend::cpu().rounding(rounding::each_operation).compile(g.view(), {}).steps();
    const auto together = backend::cpu().compile(g.view(), {}).steps();
    CHECK(apart.size() > 9 * 4);
    CHECK(together.size() == 3); // the cotangent by positions, the sums, their extents
    derived_convolution grouped = c;
    grouped.groups = 3;
    grouped.weight = {3, 1, 3, 3};
    grouped.out = {2, 3, 9, 9};
    CHECK(find_weight_gradients(gradient_graph(grouped).view(), [](int) { return true; }).empty());
}

TEST_CASE("weight gradients: a value that others read too, or another border, stays") {
    const derived_convolution c{{2, 3, 9, 9}, {5, 3, 3, 3}, {2, 5, 9, 9}, {3, 1, 1, padding2(1, 1, 1, 1)}, 1};
    dynamic_graph g = gradient_graph(c);
    const auto with_border = find_weight_gradients(g.view(), [](int) { return false; });
    REQUIRE(with_border.size() == 1);
    CHECK(g.view()[with_border[0].x].kind == op::pad); // which is a value as any other
    int shown = 0;
    while (g.view()[shown].kind != op::matmul) {
        ++shown;
    }
    g.add_output(shown, "shown");
    const auto rest = find_weight_gradients(g.view(), [](int) { return true; });
    CHECK(rest.size() == 8); // each place for itself
    for (const weight_gradient& each : rest) {
        CHECK(std::find(each.inside.begin(), each.inside.end(), shown) == each.inside.end());
        CHECK(g.view()[each.x].kind == op::pad);
    }
}
