// A fully connected layer with another number of input features.
// expect: linear: the input's last axis must equal the weight's last axis
// expect-gcc: (128 == 64)
// expect-clang: '128L == 64L'
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<4, 128>);
#ifdef OK
    auto y = linear(x, g.weight("w", f16<10, 128>));
#else
    auto y = linear(x, g.weight("w", f16<10, 64>));
#endif
    g.output("y"_s, y);
});

int main() {}
