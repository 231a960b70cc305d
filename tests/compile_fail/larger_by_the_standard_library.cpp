// The larger of two by the standard library, which compares them.
// expect: a tensor has no truth value while its model is described
// expect: maximum(a, b) the larger
// except-gcc: place 10: g++ tells of the function of the standard library first
// except-clang: place 12: clang tells of the function of the standard library first
#include <anemone/model.hpp>

#include <algorithm>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 16>);
    auto z = g.input("z"_s, f16<1, 16>);
#ifdef OK
    auto y = maximum(x, z);
#else
    auto y = std::max(x, z);
#endif
    g.output("y"_s, y);
});

int main() {}
