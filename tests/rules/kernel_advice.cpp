// What the advice for too large kernels says is taken: the advised models conform, and compute the same.

#include "anemone/rules/conforms.hpp"
#include "anemone/rules/phrases.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/samples.hpp>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/rules/violation_text.hpp>
#include <anemone/weights/random.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace ane;

namespace {

/// The suggestions for the first finding of a rule on a target; empty where it does not break it.
std::vector<std::string> advice_for(const graph_view& g, rule wanted, target t) {
    for (const violation& v : violations(g, t)) {
        if (v.rule == wanted) {
            return detail::suggestions_of(v, g, describe(t));
        }
    }
    return {};
}

/// Whether every Mac takes a model.
bool is_taken(const graph_view& g) {
    bool taken = true;
    for (const target t : macs) {
        for (const violation& v : violations(g, t)) {
            CHECK_MESSAGE(!v.is_error, format(v, g));
            taken = taken && !v.is_error;
        }
    }
    return taken;
}

/// What two models of the same ports and weights differ by, relative.
double largest_difference(const graph_view& a, const graph_view& b) {
    const weight_store weights = random_weights(a, 1);
    const model_samples samples = random_samples(a, 3);
    const backend::any cpu = backend::cpu{};
    return relative_error(run_samples(a, weights, samples, cpu), run_samples(b, weights, samples, cpu));
}

/// A convolution with a kernel that is wide, or high.
template <int Height, int Width> dynamic_graph convolved() {
    return build_graph([](auto& g) {
        g.output("y"_s, conv2d(g.input("x"_s, f16<1, 4, 64, 64>), g.weight("w"_s, f16<8, 4, Height, Width>)));
    });
}

using listed = std::vector<std::string>;

} // namespace

TEST_CASE("a kernel that is too wide for one height: the axes are swapped") {
    const dynamic_graph wide = convolved<1, 20>();
    CHECK(advice_for(wide, rule::kernel_width_exceeds, h13) == listed{"swap the axes: a kernel may be 29 high"});
    CHECK(advice_for(wide, rule::kernel_width_exceeds, h17s) == listed{"swap the axes: a kernel may be 31 high"});
    const dynamic_graph advised = build_graph([](auto& g) {
        auto x = transpose<permutation{0, 1, 3, 2}>(g.input("x"_s, f16<1, 4, 64, 64>));
        auto w = transpose<permutation{0, 1, 3, 2}>(g.weight("w"_s, f16<8, 4, 1, 20>));
        g.output("y"_s, transpose<permutation{0, 1, 3, 2}>(conv2d(x, w)));
    });
    CHECK(is_taken(advised));
    CHECK(largest_difference(wide, advised) < 0.002);
}

TEST_CASE("a kernel that is wider than any height: swapped and split along the height") {
    const dynamic_graph wide = convolved<1, 50>();
    CHECK(advice_for(wide, rule::kernel_width_exceeds, h13) ==
          listed{"swap the axes: a kernel may be 29 high, and split the kernel's height into a sum of 2"});
    const dynamic_graph advised = build_graph([](auto& g) {
        auto x = transpose<permutation{0, 1, 3, 2}>(g.input("x"_s, f16<1, 4, 64, 64>));
        auto w = transpose<permutation{0, 1, 3, 2}>(g.weight("w"_s, f16<8, 4, 1, 50>));
        auto first =
            conv2d(slice<window{{0, 0, 0, 0}, {1, 4, 39, 64}}>(x), slice<window{{0, 0, 0, 0}, {8, 4, 25, 1}}>(w));
        auto second =
            conv2d(slice<window{{0, 0, 25, 0}, {1, 4, 39, 64}}>(x), slice<window{{0, 0, 25, 0}, {8, 4, 25, 1}}>(w));
        g.output("y"_s, transpose<permutation{0, 1, 3, 2}>(first + second));
    });
    CHECK(is_taken(advised));
    CHECK(largest_difference(wide, advised) < 0.005);
}

TEST_CASE("a kernel that is too high is split") {
    const dynamic_graph high = convolved<50, 3>();
    CHECK(advice_for(high, rule::kernel_height_exceeds, h13) == listed{"split the kernel's height into a sum of 2"});
    const dynamic_graph advised = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 4, 64, 64>);
        auto w = g.weight("w"_s, f16<8, 4, 50, 3>);
        auto first =
            conv2d(slice<window{{0, 0, 0, 0}, {1, 4, 39, 64}}>(x), slice<window{{0, 0, 0, 0}, {8, 4, 25, 3}}>(w));
        auto second =
            conv2d(slice<window{{0, 0, 25, 0}, {1, 4, 39, 64}}>(x), slice<window{{0, 0, 25, 0}, {8, 4, 25, 3}}>(w));
        g.output("y"_s, first + second);
    });
    CHECK(is_taken(advised));
    CHECK(largest_difference(high, advised) < 0.005);
}

// tests/rules/cases/conv_512_wide.onnx: a bank of filters over a signal.
TEST_CASE("a kernel of hundreds of elements with a stride that has no factors: frames and a product") {
    const dynamic_graph bank = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 1, 1, 1152>);
        g.output("y"_s, conv2d<conv{.stride = {1, 160}}>(x, g.weight("w"_s, f16<8, 1, 1, 512>)));
    });
    const std::string frames = detail::frames_advice;
    for (const target t : macs) {
        CHECK(advice_for(bank, rule::kernel_width_exceeds, t) == listed{frames});
        CHECK(advice_for(bank, rule::stride_does_not_factor, t).back() ==
              "cut the input into frames and multiply them by "
              "the kernel as a matrix");
    }
    const dynamic_graph advised = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 1, 1, 1152>);
        auto w = reshape<8, 512>(g.weight("w"_s, f16<8, 1, 1, 512>));
        auto rows = reshape<8, 160>(pad<pads{{0, 0, 0, 0}, {0, 0, 0, 128}}>(x)); // one stride each
        auto rest = slice<window{{3, 0}, {5, 32}}>(rows);                        // 512 = 3 * 160 + 32
        auto cut = concat<axis{1}>(slice<window{{0, 0}, {5, 160}}>(rows), slice<window{{1, 0}, {5, 160}}>(rows),
                                   slice<window{{2, 0}, {5, 160}}>(rows), rest);
        g.output("y"_s, reshape<1, 8, 1, 5>(transpose<permutation{1, 0}>(linear(cut, w))));
    });
    CHECK(is_taken(advised));
    CHECK(largest_difference(bank, advised) < 0.005);
}

TEST_CASE("kernels that are not plain are judged by what the small mode holds") {
    const auto grouped = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 8, 64, 64>);
        g.output("y"_s, conv2d<conv{.groups = 2}>(x, g.weight("w"_s, f16<8, 4, 1, 40>)));
    });
    // Parts of the small mode's height: a large one with groups is refused (R036).
    CHECK(advice_for(grouped, rule::kernel_width_exceeds, h14) ==
          listed{"swap the axes: a kernel may be 16 high, and split the kernel's height into a sum of 3"});
    const auto transposed_wide = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 4, 8, 8>);
        g.output("y"_s, conv_transpose2d(x, g.weight("w"_s, f16<4, 2, 1, 400>)));
    });
    CHECK(advice_for(transposed_wide, rule::kernel_width_exceeds, h13) == listed{detail::overlap_advice});
}

TEST_CASE("a large kernel is padded where the padded one is taken, turned where it is then, and else a matrix") {
    constexpr rule padded = rule::large_kernel_is_not_a_multiple_of_eight;
    CHECK(advice_for(convolved<20, 8>(), padded, h13) == listed{"pad the kernel with zeros"});
    CHECK(advice_for(convolved<5, 9>(), padded, h13) == // 8 x 16, of which a width of 13 is taken
          listed{"swap the axes and pad the kernel with zeros: it may be 29 high, and 13 wide"});
    CHECK(advice_for(convolved<9, 9>(), padded, h13) == listed{detail::frames_advice});
    const dynamic_graph wide = convolved<5, 9>();
    const dynamic_graph advised = build_graph([](auto& g) {
        auto x = pad<pads{{0, 0, 0, 0}, {0, 0, 7, 3}}>(
            transpose<permutation{0, 1, 3, 2}>(g.input("x"_s, f16<1, 4, 64, 64>)));
        auto w =
            pad<pads{{0, 0, 0, 0}, {0, 0, 7, 3}}>(transpose<permutation{0, 1, 3, 2}>(g.weight("w"_s, f16<8, 4, 5, 9>)));
        g.output("y"_s, transpose<permutation{0, 1, 3, 2}>(conv2d(x, w)));
    });
    CHECK(is_taken(advised));
    CHECK(advice_for(advised, padded, h13).empty());
    CHECK(largest_difference(wide, advised) < 0.005);
}
