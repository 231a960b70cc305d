// The inner extents of a matrix product differ.
// expect: shape_fault<ane::op::matmul, ane::fault::inner_extents_must_be_equal_R053, 64, 32>
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
