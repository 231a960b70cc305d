// A reference that ends before the largest disparity.
// expect: cost_volume: the reference must be as wide as the image plus the disparity range
// expect-gcc: (66 >= 67)
// expect-clang: '66L >= 67L'
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 1, 32, 64>);
    auto r = g.input("r"_s, f16<1, 1, 32, 66>);
#ifdef OK
    auto y = cost_volume<3>(x, r);
#else
    auto y = cost_volume<4>(x, r);
#endif
    g.output("y"_s, y);
});

int main() {}
