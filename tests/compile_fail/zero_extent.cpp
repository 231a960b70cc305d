// A tensor without elements.
// expect: every extent of a tensor must be at least 1
// expect-gcc: (0 >= 1)
// expect-clang: '0L >= 1L'
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<4, 8>);
#ifdef OK
    auto y = relu(x);
#else
    (void)x;
    auto y = relu(g.input("none"_s, f16<4, 0>));
#endif
    g.output("y"_s, y);
});

int main() {}
