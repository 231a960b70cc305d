// A pool without a window.
// expect: what describes the operation is a constant in angle brackets: max_pool<pool{.kernel = 2}>(x)
// except-gcc: errors 3: g++ tells twice of an unavailable function
// forbid: called in a constant expression
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
#ifdef OK
    auto y = max_pool<pool{.kernel = 2}>(x);
#else
    auto y = max_pool(x);
#endif
    g.output("y"_s, y);
});

int main() {}
