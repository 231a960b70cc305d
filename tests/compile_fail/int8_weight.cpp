// A weight of bytes.
// expect: a weight of a model is fp16; how a file stores it is one of its forms: compressed<affine_int8>(g.weight("w"_s, f16<8, 16>))
// except-gcc: errors 3: g++ tells twice of an unavailable function
// except-clang: errors 3: clang tells twice of an unavailable member
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 16>);
#ifdef OK
    auto w = compressed<affine_int8>(g.weight("w"_s, f16<8, 16>));
#else
    auto w = g.weight("w"_s, i8<8, 16>);
#endif
    g.output("y"_s, linear(x, w));
});

int main() {}
