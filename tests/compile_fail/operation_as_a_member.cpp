// An operation as a member of a tensor, which only has its shape.
// expect-gcc: struct ane::tensor<ane::shape<1, 16>, ane::dtype::f16>’ has no member named ‘relu’
// expect-clang: no member named 'relu' in 'ane::tensor<ane::shape<1, 16>, ane::dtype::f16>'
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 16>);
#ifdef OK
    auto y = relu(x);
#else
    auto y = x.relu();
#endif
    g.output("y"_s, y);
});

int main() {}
