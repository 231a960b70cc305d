// The padding of a pool reaches its kernel.
// expect: the padding of a pool must be smaller than its kernel
// expect-gcc: (2 < 2)
// expect-clang: '2L < 2L'
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
#ifdef OK
    auto y = max_pool<pool{.kernel = 2, .padding = 1}>(x);
#else
    auto y = max_pool<pool{.kernel = 2, .padding = 2}>(x);
#endif
    g.output("y"_s, y);
});

int main() {}
