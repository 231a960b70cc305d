// A tensor is written as if it were a state.
// expect: a tensor never changes: write is for a state, g.state("s"_s, f16<1, 8>), and a new value has a new name
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
#ifdef OK
    auto y = x + 1;
#else
    auto y = x;
    write(x, x + 1);
#endif
    g.output("y"_s, y);
});

int main() {}
