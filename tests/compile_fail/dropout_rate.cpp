// A rate of dropout at which nothing is left.
// expect: refused_model<ane::model_rule::the_rate_must_lie_from_0_to_below_1
// expect-gcc: {"dropout"}
// expect-clang: 'd', 'r', 'o', 'p', 'o', 'u', 't'
// expect: in_line<16>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<4, 8>);
#ifdef OK
    auto y = dropout(x, 0.5);
#else
    auto y = dropout(x, 1);
#endif
    g.output("y"_s, y);
});

int main() {}
