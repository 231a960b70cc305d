// A function of the standard library is called with a tensor.
// expect: no matching function for call to
// expect: std::abs(x)
// except-gcc: lines 60: candidates of the standard library
#include <anemone/model.hpp>

#include <cstdlib>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 16>);
#ifdef OK
    auto y = ane::abs(x);
#else
    auto y = std::abs(x);
#endif
    g.output("y"_s, y);
});

int main() {}
