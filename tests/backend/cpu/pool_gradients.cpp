// Gradients of max pools: those that are computed at once, against the definition.

#include "../../from_environment.hpp"
#include "derivative_run.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/base/thread_pool.hpp>
#include <anemone/dynamic_builder.hpp>
#include <anemone/gradient/gradient.hpp>
#include <anemone/passes/pool_gradients.hpp>
#include <anemone/passes/prune.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

using namespace ane;

namespace {

struct derived_pool {
    extents x;
    extents out;
    pool window;
};

/// From x and the cotangent of the pool to that of x.
dynamic_graph pool_gradient_graph(const derived_pool& p) {
    dynamic_builder b;
    const auto x = b.input("x", p.x);
    const auto dy = b.input("dy", p.out);
    b.output("y", b.add(op::max_pool, {x}, p.window));
    b.output("none", b.add(op::relu, {dy}));
    dynamic_graph g = b.finish();
    const int y = g.outputs[0].node;
    g.outputs = {};
    const int wrt[] = {0};
    int found[] = {-1};
    append_gradient(g, y, wrt, found, 1);
    g.add_output(found[0], "dx");
    return prune(g);
}

derived_pool random_max_pool(std::mt19937& random) {
    const auto below = [&](int most) { return static_cast<int>(random() % static_cast<unsigned>(most)); };
    derived_pool p;
    const int height = 1 + below(3);
    const int width = height == 1 ? 2 + below(2) : 1 + below(3);
    p.window = {.kernel = {height, width},
                .stride = {1 + below(3), 1 + below(3)},
                .padding = padding2(below(height), below(height), below(width), below(width))};
    p.x = {1 + below(3), 1 + below(4), 3 + below(30), 3 + below(30)};
    const auto results = [](std::int64_t extent, int before, int after, int size, int step) {
        return (extent + before + after - size) / step + 1;
    };
    p.out = {p.x[0], p.x[1],
             results(p.x[2], p.window.padding.top, p.window.padding.bottom, height, p.window.stride.height),
             results(p.x[3], p.window.padding.left, p.window.padding.right, width, p.window.stride.width)};
    return p;
}

/// Few different values, so that windows have several largest elements.
std::vector<half> few_values(std::int64_t count, std::mt19937& random) {
    std::vector<half> values;
    for (std::int64_t i = 0; i < count; ++i) {
        values.emplace_back(static_cast<double>(random() % 7) - 3);
    }
    return values;
}

/// Each window gives to its largest element, the first of several.
std::vector<half> defined_pool_gradient(const derived_pool& p, const std::vector<half>& x,
                                        const std::vector<half>& dy) {
    std::vector<double> sums(x.size(), 0);
    const extents& o = p.out;
    for (std::int64_t k = 0; k < o.count(); ++k) {
        const std::int64_t plane = k / (o[2] * o[3]);
        const std::int64_t row = k / o[3] % o[2] * p.window.stride.height - p.window.padding.top;
        const std::int64_t column = k % o[3] * p.window.stride.width - p.window.padding.left;
        std::int64_t best = -1;
        for (std::int64_t i = row; i < row + p.window.kernel.height; ++i) {
            for (std::int64_t j = column; j < column + p.window.kernel.width; ++j) {
                const std::int64_t at = (plane * p.x[2] + i) * p.x[3] + j;
                if (i >= 0 && i < p.x[2] && j >= 0 && j < p.x[3] &&
                    (best < 0 || x[static_cast<std::size_t>(at)] > x[static_cast<std::size_t>(best)])) {
                    best = at;
                }
            }
        }
        sums[static_cast<std::size_t>(best)] += static_cast<double>(dy[static_cast<std::size_t>(k)]);
    }
    std::vector<half> rounded;
    for (const double each : sums) {
        rounded.emplace_back(each);
    }
    return rounded;
}

} // namespace

TEST_CASE("pool gradients: random max pools are as defined, computed at once, with any threads and instruction set") {
    std::mt19937 random(from_environment::seed());
    thread_pool three(3);
    int at_once = 0;
    for (int i = 0; i < 80; ++i) {
        CAPTURE(i);
        const derived_pool p = random_max_pool(random);
        CAPTURE(p.x[2]);
        CAPTURE(p.x[3]);
        const dynamic_graph g = pool_gradient_graph(p);
        const auto found = find_pool_gradients(g.view());
        REQUIRE(found.size() <= 1);
        at_once += static_cast<int>(found.size());
        const std::vector<half> x = few_values(p.x.count(), random);
        const std::vector<half> dy = few_values(p.out.count(), random);
        const std::vector<half> wanted = defined_pool_gradient(p, x, dy);
        CHECK(derivative_run(backend::cpu().threads(1), g.view(), x, dy) == wanted);
        CHECK(derivative_run(backend::cpu().executor(three).threads(3), g.view(), x, dy) == wanted);
        CHECK(derivative_run(backend::cpu().level(isa_level::generic), g.view(), x, dy) == wanted);
        CHECK(derivative_run(backend::cpu().rounding(rounding::each_operation), g.view(), x, dy) == wanted);
    }
    CHECK(at_once > 60); // not of those whose windows leave rows or columns that are padded behind
}

TEST_CASE("pool gradients: ResNet's is one step, and NaN gives to nobody") {
    const derived_pool p{{2, 3, 16, 16}, {2, 3, 8, 8}, {.kernel = 3, .stride = 2, .padding = padding2(1, 1, 1, 1)}};
    const dynamic_graph g = pool_gradient_graph(p);
    CHECK(backend::cpu().rounding(rounding::each_operation).compile(g.view(), {}).steps().size() > 9 * 4);
    CHECK(backend::cpu().compile(g.view(), {}).steps().size() == 2); // the pool itself too
    std::vector<half> x(static_cast<std::size_t>(p.x.count()), half(-65504.0));
    const std::vector<half> dy(static_cast<std::size_t>(p.out.count()), half(1.0));
    const std::vector<half> lowest = derivative_run(backend::cpu(), g.view(), x, dy);
    CHECK(lowest == derivative_run(backend::cpu().rounding(rounding::each_operation), g.view(), x, dy));
    x.assign(x.size(), half(std::nan("")));
    CHECK(derivative_run(backend::cpu(), g.view(), x, dy) == std::vector<half>(x.size(), half(0.0)));
}

TEST_CASE("pool gradients: a comparison that others read too stays") {
    const derived_pool p{{2, 3, 16, 16}, {2, 3, 8, 8}, {.kernel = 3, .stride = 2, .padding = padding2(1, 1, 1, 1)}};
    dynamic_graph g = pool_gradient_graph(p);
    REQUIRE(find_pool_gradients(g.view()).size() == 1);
    int shown = 0;
    while (g.view()[shown].kind != op::select) {
        ++shown;
    }
    g.add_output(shown, "shown");
    CHECK(find_pool_gradients(g.view()).empty());
}
