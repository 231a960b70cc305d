// A mean by the name that NumPy and PyTorch give it.
// expect: write reduce_mean<axes{1}>(x)
// except-gcc: errors 3: g++ tells twice of an unavailable function
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
#ifdef OK
    auto y = reduce_mean<axes{2, 3}>(x);
#else
    auto y = mean<axes{2, 3}>(x);
#endif
    g.output("y"_s, y);
});

int main() {}
