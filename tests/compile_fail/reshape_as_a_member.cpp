// A shape by the member that PyTorch has.
// expect: operations are functions of tensors: reshape<1, 64>(x)
// except-clang: errors 3: clang tells twice of an unavailable member
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 16, 2, 2>);
#ifdef OK
    auto y = reshape<1, 64>(x);
#else
    auto y = x.view(1, 64);
#endif
    g.output("y"_s, y);
});

int main() {}
