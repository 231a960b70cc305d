// An input of 32-bit integers.
// expect: no tensor has 32-bit integers: ane::f16<...> holds whole numbers up to 2048 exactly, ane::u8<...> bytes
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
#ifdef OK
    auto y = gather(x, g.input("ids"_s, f16<4>));
#else
    auto y = gather(x, g.input("ids"_s, i32<4>));
#endif
    g.output("y"_s, y);
});

int main() {}
