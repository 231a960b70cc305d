// More elements are selected than the axis has.
// expect: k must lie between 1 and the extent of the axis
// expect-gcc: (9 <= 8)
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
