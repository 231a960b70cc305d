// Convolutions whose kernel or stride a target refuses, in polyphase form: what the definition gives, on every target.

#include "../from_environment.hpp"
#include "models.hpp"
#include "same.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/samples.hpp>
#include <anemone/passes/validate.hpp>
#include <anemone/report/optimize_report.hpp>
#include <anemone/rewrites/optimize.hpp>
#include <anemone/rules/evaluate.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace ane;
using namespace rewriting;

namespace {

/// A convolution of any extents, strides, dilations, paddings and groups.
struct any_convolution {
    extents image, kernel;
    conv how;
    bool has_bias = false;

    explicit any_convolution(std::mt19937& random) {
        const auto below = [&](int n) { return static_cast<int>(random() % static_cast<std::uint32_t>(n)); };
        const int groups = 1 + below(3);
        const std::int64_t inner = 1 + below(3);
        how = {.stride = size2{1 + below(below(2) == 0 ? 1 : 6), 1 + below(23)},
               .dilation = size2{1 + below(2), 1 + below(below(3) == 0 ? 3 : 1)},
               .padding = {below(3), below(3), below(9), below(9)},
               .groups = groups};
        kernel = {groups * (1 + below(3)), inner, 1 + below(below(4) == 0 ? 36 : 3), 1 + below(48)};
        const auto reach = [](std::int64_t k, int dilation) { return (k - 1) * dilation + 1; };
        image = {1 + below(2), groups * inner, reach(kernel[2], how.dilation.height) + below(12),
                 reach(kernel[3], how.dilation.width) + below(70)};
        has_bias = below(2) == 0;
    }

    dynamic_graph model() const {
        dynamic_builder g;
        const auto x = g.input("x", image);
        const auto w = g.weight("w", kernel);
        g.output("y", has_bias ? g.add(op::conv2d, {x, w, g.weight("b", {kernel[0]})}, how)
                               : g.add(op::conv2d, {x, w}, how));
        return g.finish();
    }
};

/// y[n, o, i, j] = b[o] + sum over c, p, q of w[o, c, p, q] x[n, c of the group, i sh + p dh - top, j sw + q dw - left].
std::vector<double> by_definition(const any_convolution& c, const extents& y, std::span<const double> x,
                                  std::span<const double> w, std::span<const double> b) {
    std::vector<double> result;
    const auto at = [](const extents& s, std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t l) {
        return static_cast<std::size_t>(((i * s[1] + j) * s[2] + k) * s[3] + l);
    };
    const std::int64_t outputs = c.kernel[0] / c.how.groups;
    for (std::int64_t n = 0; n < y[0]; ++n) {
        for (std::int64_t o = 0; o < y[1]; ++o) {
            for (std::int64_t i = 0; i < y[2]; ++i) {
                for (std::int64_t j = 0; j < y[3]; ++j) {
                    double sum = b.empty() ? 0 : b[static_cast<std::size_t>(o)];
                    for (std::int64_t k = 0; k < c.kernel[1]; ++k) {
                        for (std::int64_t p = 0; p < c.kernel[2]; ++p) {
                            for (std::int64_t q = 0; q < c.kernel[3]; ++q) {
                                const std::int64_t row =
                                    i * c.how.stride.height + p * c.how.dilation.height - c.how.padding.top;
                                const std::int64_t column =
                                    j * c.how.stride.width + q * c.how.dilation.width - c.how.padding.left;
                                if (row >= 0 && row < c.image[2] && column >= 0 && column < c.image[3]) {
                                    sum += w[at(c.kernel, o, k, p, q)] *
                                           x[at(c.image, n, o / outputs * c.kernel[1] + k, row, column)];
                                }
                            }
                        }
                    }
                    result.push_back(sum);
                }
            }
        }
    }
    return result;
}

/// The rules that the form is for.
bool is_about_windows(ane::rule r) {
    return r == rule::kernel_width_exceeds || r == rule::kernel_height_exceeds || r == rule::stride_does_not_factor ||
           r == rule::large_kernel_is_grouped || r == rule::large_kernel_is_dilated;
}
int refusals(const graph_view& g, target t, bool all) {
    int found = 0;
    for (const violation& v : violations(g, t)) {
        found += v.is_error && (all || is_about_windows(v.rule)) ? 1 : 0;
    }
    return found;
}

/// tests/rules/cases/conv_512_wide.onnx.
dynamic_graph bank_of_filters() {
    dynamic_builder g;
    g.output("y", g.add(op::conv2d, {g.input("x", {1, 1, 1, 1152}), g.weight("w", {8, 1, 1, 512})},
                        conv{.stride = size2{1, 160}}));
    return g.finish();
}

} // namespace

TEST_CASE("random convolutions in polyphase form give what the definition gives, and no rule of windows is broken") {
    const auto first = from_environment::seed();
    const unsigned convolutions = std::min(from_environment::number("ANEMONE_TEST_GRAPHS", 70), 400U);
    unsigned rewritten_ones = 0;
    for (std::uint32_t seed = first; seed < first + convolutions; ++seed) {
        CAPTURE(seed);
        std::mt19937 random(seed);
        const any_convolution c(random);
        const dynamic_graph model = c.model();
        for (const target t : {h13, h16}) {
            const rewritten made = detail::polyphase_filters(model, describe(t));
            CHECK((made.places > 0) == (refusals(model, t, false) > 0));
            if (made.places == 0) {
                continue;
            }
            ++rewritten_ones;
            validate(made.graph);
            // A sum of one product has other arithmetic than the sum that it becomes, with zeros.
            const bool is_one_product = c.kernel.count() == c.kernel[0];
            CHECK((compare(model, made.graph, t, seed, 1).same_bits || is_one_product));
            CHECK(refusals(made.graph, t, false) == 0);
            CHECK(detail::refused_convolutions(made.graph, describe(t)) == 0);
            const weight_store weights = random_weights(model, seed);
            auto program = compile(made.graph, backend::cpu{}, weights);
            memory inputs = inputs_of(model, random);
            memory outputs = outputs_of(model);
            program.run(inputs.readable, outputs.writable);
            const auto wide = [](const auto& values) { return std::vector<double>(values.begin(), values.end()); };
            std::vector<double> x;
            for (const half v : inputs.values[0]) {
                x.push_back(static_cast<double>(v));
            }
            const auto w = wide(to_float(*weights.find("w")));
            const auto b = c.has_bias ? wide(to_float(*weights.find("b"))) : std::vector<double>();
            const std::vector<double> wanted = by_definition(c, model.nodes[model.outputs[0].node].shape, x, w, b);
            REQUIRE(wanted.size() == outputs.values[0].size());
            double largest = 0, difference = 0;
            for (std::size_t i = 0; i < wanted.size(); ++i) {
                largest = std::max(largest, std::fabs(wanted[i]));
                difference = std::max(difference, std::fabs(wanted[i] - static_cast<double>(outputs.values[0][i])));
            }
            CHECK(difference <= 0.002 * largest);
        }
    }
    CHECK(rewritten_ones > convolutions / 2);
}

TEST_CASE("a bank of filters of 512 elements: every target takes what optimize makes of it") {
    const dynamic_graph model = bank_of_filters();
    for (const target t : macs) {
        CAPTURE(describe(t).runtime);
        CHECK(refusals(model, t, true) > 0);
        const optimized found = optimize(model, t);
        REQUIRE(found.steps.size() >= 1);
        CHECK(found.refused_before == 1);
        CHECK(found.refused_after == 0);
        CHECK(refusals(found.graph, t, true) == 0);
        CHECK(optimize_text(found, t).find("refuses 1 layer of the model as written, and 0 after it") !=
              std::string::npos);
        CHECK(compare(model, found.graph, t, 3).worst < 0x1p-8);
        // 512 elements at a stride of 160 are four rows.
        for (const node& n : found.graph.nodes) {
            if (n.kind == op::conv2d) {
                CHECK(graph_view(found.graph).operand(n, 1).shape == extents{8, 160, 1, 4});
                CHECK(n.get<conv>().stride == size2(1));
            }
        }
    }
}

TEST_CASE("polyphase form: what a target takes stays, and what cannot be held stays too") {
    dynamic_builder taken;
    taken.output("y", taken.add(op::conv2d, {taken.input("x", {1, 4, 9, 9}), taken.weight("w", {4, 4, 3, 3})},
                                conv{.stride = 2}));
    dynamic_builder computed; // a kernel of the run
    computed.output(
        "y",
        computed.add(op::conv2d, {computed.input("x", {1, 1, 1, 99}), computed.input("k", {1, 1, 1, 40})}, conv{}));
    dynamic_builder huge; // 2^15 channels, rows of 40: more channels than there may be
    huge.output("y", huge.add(op::conv2d, {huge.input("x", {1, 32768, 1, 120}), huge.weight("w", {1, 32768, 1, 40})},
                              conv{.stride = size2{1, 37}}));
    for (const dynamic_graph& g : {taken.finish(), computed.finish(), huge.finish()}) {
        for (const target t : {h13, h17s}) {
            CHECK(detail::polyphase_filters(g, describe(t)).places == 0);
        }
    }
    constexpr std::int64_t endless = std::int64_t{1} << 40;
    CHECK_FALSE(detail::polyphase_of(endless, 1, endless, 7).has_value()); // no number overflows
    CHECK(detail::polyphase_of(endless, 1, 1, 7)->step == endless);
}
