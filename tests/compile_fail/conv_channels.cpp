// A weight whose input channels are not the tensor's.
// expect: the weight's input channels (times groups) must equal the input's channels
// expect-gcc: (8 == 16)
// expect-clang: '8L == 16L'
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
#ifdef OK
    auto y = conv2d(x, g.weight("w", f16<32, 16, 3, 3>));
#else
    auto y = conv2d(x, g.weight("w", f16<32, 8, 3, 3>));
#endif
    g.output("y"_s, y);
});

int main() {}
