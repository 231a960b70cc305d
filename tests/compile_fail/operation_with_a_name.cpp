// An operation is given a name as an argument.
// expect: an operation is not named by an argument: g.layer("name", value) names it
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
#ifdef OK
    auto y = g.layer("sum", add(x, x));
#else
    auto y = add(x, x, "sum");
#endif
    g.output("y"_s, y);
});

int main() {}
