// A slice that ends behind the tensor.
// expect: a slice must end within the tensor
// expect-gcc: (17 <= 16)
// expect-clang: '17L <= 16L'
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<4, 16>);
#ifdef OK
    auto y = slice<window{{0, 8}, {4, 8}}>(x);
#else
    auto y = slice<window{{0, 8}, {4, 9}}>(x);
#endif
    g.output("y"_s, y);
});

int main() {}
