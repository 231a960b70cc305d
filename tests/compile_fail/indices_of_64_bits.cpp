// Indices of 64 bits.
// expect: no tensor has 64-bit integers: ane::f16<...> holds whole numbers up to 2048 exactly
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
#ifdef OK
    auto y = gather<axis{1}>(x, g.input("i"_s, f16<4>));
#else
    auto y = gather<axis{1}>(x, g.input("i"_s, i64<4>));
#endif
    g.output("y"_s, y);
});

int main() {}
