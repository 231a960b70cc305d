// A resize by a number.
// expect: a factor is that of resize<rescaling{.by = 2}>(x), extents are those of resize_bilinear<size2{16, 16}>(x)
// except-gcc: errors 3: g++ tells twice of an unavailable function
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
#ifdef OK
    auto y = resize<rescaling{.by = 2}>(x);
#else
    auto y = resize<2>(x);
#endif
    g.output("y"_s, y);
});

int main() {}
