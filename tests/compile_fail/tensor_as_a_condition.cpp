// A choice by a comparison of tensors, as if it were a number.
// expect: a tensor has no truth value while its model is described: select(c, a, b) chooses element by element
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
#ifdef OK
    auto y = select(x > 0, x, 0);
#else
    auto y = x > 0 ? x : x * 0;
#endif
    g.output("y"_s, y);
});

int main() {}
