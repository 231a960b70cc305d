// A pool whose window is a number.
// expect: what describes the operation is a constant in angle brackets: avg_pool<pool{.kernel = 2}>(x)
// except-gcc: errors 3: g++ tells twice of an unavailable function
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
#ifdef OK
    auto y = avg_pool<pool{.kernel = 2}>(x);
#else
    auto y = avg_pool<2>(x);
#endif
    g.output("y"_s, y);
});

int main() {}
