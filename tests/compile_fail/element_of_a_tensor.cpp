// A part of a tensor by its number.
// expect: a part of a tensor is slice<window{{0, 8}, {1, 8}}>(x)
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
#ifdef OK
    auto y = slice<window{{0, 3, 0, 0}, {1, 1, 8, 8}}>(x);
#else
    auto y = x[3];
#endif
    g.output("y"_s, y);
});

int main() {}
