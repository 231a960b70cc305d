// A tensor is read as if it were a state.
// expect: a tensor is its value already: read is for a state, g.state("s"_s, f16<1, 8>)
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
#ifdef OK
    auto y = relu(x);
#else
    auto y = relu(read(x));
#endif
    g.output("y"_s, y);
});

int main() {}
