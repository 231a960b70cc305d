// The inner extents of a matrix product differ.
// expect: matmul: the inner extents must be equal
// expect-gcc: (64 == 32)
// expect-clang: '64L == 32L'
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto a = g.input("a"_s, f16<8, 64>);
    auto b = g.input("b"_s, f16<32, 64>);
#ifdef OK
    auto y = matmul<transposed{.b = true}>(a, b);
#else
    auto y = matmul(a, b);
#endif
    g.output("y"_s, y);
});

int main() {}
