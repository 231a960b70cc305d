// Two axes of a mean as two numbers.
// expect: several axes are one constant: reduce_mean<axes{2, 3}>(x)
// except-gcc: errors 3: g++ tells twice of an unavailable function
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
#ifdef OK
    auto y = reduce_mean<axes{2, 3}>(x);
#else
    auto y = reduce_mean<2, 3>(x);
#endif
    g.output("y"_s, y);
});

int main() {}
