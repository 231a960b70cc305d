// A port name with a character that MIL text does not allow.
// expect: the name of a port is made of letters, digits and underscores
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<4, 8>);
#ifdef OK
    auto y = g.output("first_half"_s, relu(x));
#else
    auto y = g.output("first-half"_s, relu(x));
#endif
    (void)y;
});

int main() {}
