// A loop over a tensor.
// expect: a tensor has no elements while its model is described: unstack<axis{0}>(x) gives its parts along an axis, as an array
// except-gcc: errors 5: g++ tells twice of an unavailable function, and a loop calls two
// except-clang: errors 3: a loop calls two functions
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<4, 16>);
    auto y = reduce_sum<axes{0}>(x);
#ifdef OK
    for (auto row : unstack<axis{0}>(x)) {
        y = y + row;
    }
#else
    for (auto row : x) {
        y = y + reduce_sum<axes{0}>(row);
    }
#endif
    g.output("y"_s, y);
});

int main() {}
