// A shape in braces.
// expect: a shape is a constant, not a list: g.input("x"_s, f16<1, 3, 224, 224>)
// except-gcc: errors 3: g++ tells twice of an unavailable function
// except-clang: errors 3: clang tells twice of an unavailable member
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
#ifdef OK
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
#else
    auto x = g.input("x"_s, {1, 16, 8, 8});
#endif
    g.output("y"_s, relu(x));
});

int main() {}
