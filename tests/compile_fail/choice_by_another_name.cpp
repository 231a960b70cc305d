// A choice by the name that NumPy and ONNX give it.
// expect: write select(c, a, b)
// except-gcc: errors 3: g++ tells twice of an unavailable function
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
#ifdef OK
    auto y = select(x > 0, x, 0);
#else
    auto y = where(x > 0, x, 0);
#endif
    g.output("y"_s, y);
});

int main() {}
