// A model that is a variable of a function is checked.
// expect-gcc: is not a valid template argument because it does not have static storage duration
// expect-clang: add 'static' to give it a constant address
#include <anemone/model.hpp>

using namespace ane;

void judged() {
#ifdef OK
    static constexpr auto model = graph([](ane::builder& g) { g.output("y"_s, relu(g.input("x"_s, f16<1, 4>))); });
#else
    constexpr auto model = graph([](ane::builder& g) { g.output("y"_s, relu(g.input("x"_s, f16<1, 4>))); });
#endif
    static_assert(conforms<model, h13>); // here
}

int main() {}
