// Norms that are written with other operations are bounded as the operations are, whatever they are given.

#include <anemone/analysis/ranges.hpp>
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/backend/samples.hpp>
#include <anemone/dynamic_builder.hpp>
#include <anemone/weights/store.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <span>
#include <vector>

using namespace ane;

namespace {

enum class way { by_rsqrt, by_quotient, by_inverse };

constexpr std::int64_t count = 64;

dynamic_graph norm(way how, op squares, double epsilon) {
    dynamic_builder b;
    const dynamic_tensor x = b.input("x", {4, count});
    const dynamic_tensor square = squares == op::square ? b.add(op::square, {x})
                                  : squares == op::mul  ? b.add(op::mul, {x, x})
                                                        : b.add(op::pow, {x, b.constant(2)});
    const dynamic_tensor mean = b.add(op::reduce_mean, {square}, axes{1});
    const dynamic_tensor variance = b.add(op::add, {mean, b.constant(epsilon)});
    if (how == way::by_rsqrt) {
        b.output("y", b.add(op::mul, {x, b.add(op::rsqrt, {variance}, stabilizer{})}));
    } else if (how == way::by_quotient) {
        b.output("y", b.add(op::div, {x, b.add(op::sqrt, {variance})}));
    } else {
        b.output("y", b.add(op::mul, {b.add(op::inverse, {b.add(op::sqrt, {variance})}, stabilizer{}), x}));
    }
    return b.finish();
}

interval range_of_output(const dynamic_graph& g) { return ranges(g)[static_cast<std::size_t>(g.outputs[0].node)]; }

/// One large element in each row among others that are as small as asked.
std::vector<half> peaks(double most, double rest) {
    std::vector<half> x(4 * count, half(rest));
    for (std::size_t row = 0; row < 4; ++row) {
        x[row * count + row * 7] = half(row % 2 == 0 ? most : -most);
    }
    return x;
}

} // namespace

TEST_CASE("no element of a written norm leaves its bound, the root of the number of elements") {
    const backend::any places[] = {backend::cpu{}, backend::oracle{h13}, backend::oracle{h17s}};
    for (const way how : {way::by_rsqrt, way::by_quotient, way::by_inverse}) {
        for (const op squares : {op::square, op::mul, op::pow}) {
            for (const double epsilon : {1e-6, 1e-5, 1e-2}) {
                const dynamic_graph g = norm(how, squares, epsilon);
                const interval bound = range_of_output(g);
                CHECK(bound.declared);
                CHECK(bound.high < 1.04 * 8);
                CHECK(bound.low > -1.04 * 8);
                model_samples samples;
                for (const double most : {65504.0, 3000.0, 250.0, 1.0, 0.01, 0.004, 0.001, 6e-5, 6e-8}) {
                    for (const double rest : {0.0, most / 100, most}) {
                        samples.add(std::span<const half>(peaks(most, rest)));
                    }
                }
                for (const backend::any& place : places) {
                    for (const auto& run : run_samples(g, weight_store(), samples, place)) {
                        for (const float y : run[0]) {
                            CHECK(bound.contains(static_cast<double>(y)));
                        }
                    }
                }
            }
        }
    }
}

TEST_CASE("what is no norm has no such bound") {
    CHECK_FALSE(range_of_output(norm(way::by_rsqrt, op::square, 0)).bounded()); // 1 / sqrt(0)
    dynamic_builder b;
    const dynamic_tensor x = b.input("x", {4, count});
    const dynamic_tensor other = b.input("z", {4, count});
    const dynamic_tensor mean = b.add(op::reduce_mean, {b.add(op::square, {other})}, axes{1});
    const dynamic_tensor variance = b.add(op::add, {mean, b.constant(1e-5)});
    b.output("y", b.add(op::mul, {x, b.add(op::rsqrt, {variance}, stabilizer{})}));
    CHECK(range_of_output(b.finish()).magnitude() > 1000); // of another tensor's squares
}
