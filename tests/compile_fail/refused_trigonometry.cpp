// Functions that no target has.
// expect: tan has no path on any target (R130); instead: div(sin(x), cos(x)) from A15, or a ratio of polynomials
// expect: asin has no path on any target (R130); instead: a polynomial, or atan(div(x, sqrt(1 - x * x)))
// expect: atan2 has no path on any target (chapter 35); instead: atan(div(y, x)) and select by the signs
// expect: mod has no path on any target (R130); instead: a - b * floor_div(a, b)
// forbid: called in a constant expression
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 8>, within(-1, 1));
    auto y = g.input("y"_s, f16<1, 8>, within(1, 2));
#ifdef OK
    auto t = div(sin(x), cos(x));
    auto a = atan(div(x, sqrt(1 - x * x)));
    auto q = select(greater(y, 0), atan(div(x, y)), 0);
    auto m = x - y * floor_div(x, y);
#endif
#ifndef OK
    auto t = tan(x);
    auto a = asin(x);
    auto q = atan2(x, y);
    auto m = mod(x, y);
#endif
    g.output("z"_s, t + a + q + m);
});

int main() {}
