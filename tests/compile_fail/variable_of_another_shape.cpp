// A variable is given a tensor of another shape.
// expect: a variable keeps the shape and the element type of its first value: write a new name, as in auto z = ...
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
    auto h = relu(x);
#ifdef OK
    auto y = max_pool<pool{.kernel = 2}>(h);
#else
    auto y = h = max_pool<pool{.kernel = 2}>(h);
#endif
    g.output("y"_s, y);
});

int main() {}
