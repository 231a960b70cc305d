// A slice with a negative stride: reverse does that.
// expect: a stride must be at least 1
// expect-gcc: (-1 >= 1)
// expect-clang: '-1L >= 1L'
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<4, 8>);
#ifdef OK
    auto y = reverse<axes{1}>(x);
#else
    auto y = strided_slice<index_range{{0, 0}, {4, 8}, {1, -1}}>(x);
#endif
    g.output("y"_s, y);
});

int main() {}
