// An axis with two elements is squeezed.
// expect: squeeze: only an axis of extent 1 can go (R128)
// expect-gcc: (2 == 1)
// expect-clang: '2L == 1L'
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 2, 8>);
#ifdef OK
    auto y = squeeze<axes{0}>(x);
#else
    auto y = squeeze<axes{1}>(x);
#endif
    g.output("y"_s, y);
});

int main() {}
