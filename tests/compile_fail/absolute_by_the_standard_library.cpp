// A function of the standard library is called with a tensor.
// expect: a tensor is no number while its model is described
// expect: abs(x) or ane::abs(x) in place of std::abs(x)
// except-gcc: errors 3: the value is a number, which is no output
// except-clang: errors 3: the value is a number, which is no output
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
