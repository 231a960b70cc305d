// An element type by another library's name.
// expect: half precision is ane::f16<...>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
#ifdef OK
    auto y = add(x, g.input("z"_s, f16<1, 16, 8, 8>));
#else
    auto y = add(x, g.input("z"_s, fp16<1, 16, 8, 8>));
#endif
    g.output("y"_s, y);
});

int main() {}
