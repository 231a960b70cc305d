// An output before its name.
// expect: the name of an output comes first: g.output("y"_s, y)
// except-gcc: errors 3: g++ tells twice of an unavailable function
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto y = relu(g.input("x"_s, f16<1, 16>));
#ifdef OK
    g.output("y"_s, y);
#else
    g.output(y, "y"_s);
#endif
});

int main() {}
