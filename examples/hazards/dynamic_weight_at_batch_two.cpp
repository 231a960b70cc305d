/// A convolution whose weight is computed or bound at run time works for one image at a time on an M1; with two the engine's
/// compiler dies without a word (guide chapter 19, R044). On an M3 Max even one image meets another weight (field-2026).
#include "hazard.hpp"

using namespace ane::literals;

namespace {
constexpr auto broken = ane::graph([](auto& g) {
    auto x = g.input("x"_s, ane::f16<2, 4, 8, 8>, ane::within(-1, 1));
    auto w = g.input("w"_s, ane::f16<4, 4, 1, 1>, ane::within(-1, 1));
    g.output("y"_s, conv2d(x, w));
});
static_assert(!ane::conforms<broken, ane::h13>);
// design_rule<op::conv2d, rule::dynamic_weight_batch_exceeds_one, target::h13, 11, 2, 2, 1>

/// A product for each image.
constexpr auto repaired = ane::graph([](auto& g) {
    auto x = g.input("x"_s, ane::f16<2, 4, 8, 8>, ane::within(-1, 1));
    auto w = ane::reshape<4, 4>(g.input("w"_s, ane::f16<4, 4, 1, 1>, ane::within(-1, 1)));
    auto first = matmul(w, ane::reshape<4, 64>(slice<ane::window{{0, 0, 0, 0}, {1, 4, 8, 8}}>(x)));
    auto second = matmul(w, ane::reshape<4, 64>(slice<ane::window{{1, 0, 0, 0}, {1, 4, 8, 8}}>(x)));
    g.output("y"_s, ane::reshape<2, 4, 8, 8>(concat<ane::axis{0}>(first, second)));
});
static_assert(ane::conforms<repaired, ane::macs>);
} // namespace

bool dynamic_weight_at_batch_two() {
    return show("a convolution with a dynamic weight at batch two", broken, repaired);
}
