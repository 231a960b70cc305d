// More elements are selected than the axis has.
// expect: shape_fault<ane::op::top_k, ane::fault::k_must_lie_between_1_and_the_extent, 9, 8>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<4, 8>);
#ifdef OK
    auto y = top_k<8>(x).values;
#else
    auto y = top_k<9>(x).values;
#endif
    g.output("y"_s, y);
});

int main() {}
