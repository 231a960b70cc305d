// A reduction over an axis that the tensor does not have.
// expect: the axis must be one of the tensor's axes
// expect-gcc: (4 < 4)
// expect-clang: '4L >= 0 && 4L < 4L'
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
#ifdef OK
    auto y = reduce_mean<axes{3}>(x);
#else
    auto y = reduce_mean<axes{4}>(x);
#endif
    g.output("y"_s, y);
});

int main() {}
