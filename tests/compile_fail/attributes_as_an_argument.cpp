// The stride of a convolution is an argument.
// expect: the operation takes no such argument; what describes it is a constant in angle brackets: softmax<axis{1}>(x), conv2d<conv{.stride = 2}>(x, w)
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
    auto w = g.weight("w", f16<32, 16, 3, 3>);
#ifdef OK
    auto y = conv2d<conv{.stride = 2}>(x, w);
#else
    auto y = conv2d(x, w, conv{.stride = 2});
#endif
    g.output("y"_s, y);
});

int main() {}
