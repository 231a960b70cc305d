// Axes with the same letter and different extents.
// expect: shape_fault<ane::op::matmul, ane::fault::axes_of_one_letter_must_have_equal_extents, 7, 8>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto a = g.input("a"_s, f16<4, 8>);
    auto b = g.input("b"_s, f16<8, 5>);
    auto c = g.input("c"_s, f16<7, 5>);
#ifdef OK
    (void)c;
    auto y = einsum<"ij,jk->ik">(a, b);
#else
    (void)b;
    auto y = einsum<"ij,jk->ik">(a, c);
#endif
    g.output("y"_s, y);
});

int main() {}
