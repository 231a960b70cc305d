// A layer whose weights no program holds.
// expect: refused_segments<ane::segment_rule::no_program_holds_the_weights_of_this_layer, 33554432, 1000000, ane::layer_in_line<ane::op::linear, 11>
#include <anemone/model.hpp>
#include <anemone/segments/constant.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 4096>);
    auto w = g.weight("w", f16<4096, 4096>);
    g.output("y"_s, linear(x, w));
});
#ifdef OK
constexpr segment_limits limits{.weight_bytes = 40'000'000};
#else
constexpr segment_limits limits{.weight_bytes = 1'000'000};
#endif
static_assert(segments<model, h13, limits>.size() == 1); // here

int main() {}
