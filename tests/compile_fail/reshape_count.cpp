// A reshape to another number of elements.
// expect: reshape: the number of elements must stay the same
// expect-gcc: (1000 == 1024)
// expect-clang: '1000L == 1024L'
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
#ifdef OK
    auto y = reshape<1, 1024>(x);
#else
    auto y = reshape<1, 1000>(x);
#endif
    g.output("y"_s, y);
});

int main() {}
