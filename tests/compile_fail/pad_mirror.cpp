// A reflecting pad as large as its axis.
// expect: a reflecting pad must be smaller than its axis, a symmetric one at most as large
// expect-gcc: (8 <= 7)
// expect-clang: '8L <= 7L'
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<4, 8>);
#ifdef OK
    auto y = reflect_pad<pads{{0, 7}, {0, 0}}>(x);
#else
    auto y = reflect_pad<pads{{0, 8}, {0, 0}}>(x);
#endif
    g.output("y"_s, y);
});

int main() {}
