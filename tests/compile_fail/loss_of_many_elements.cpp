// A gradient of the losses of all samples, which were not reduced.
// expect: a loss must have one element: reduce it
#include <anemone/gradient/gradient.hpp>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<4, 8>);
    auto w = g.weight("w", f16<2, 8>);
    auto squares = square(linear(x, w));
#ifdef OK
    auto [dw] = gradient(reduce_mean<axes{0, 1}>(squares), w);
#else
    auto [dw] = gradient(squares, w);
#endif
    g.output("dw"_s, dw);
});

int main() {}
