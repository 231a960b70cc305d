// A letter of the result that no operand has.
// expect: einsum: each letter of the result must be one of an operand's
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto a = g.input("a"_s, f16<4, 8>);
    auto b = g.input("b"_s, f16<8, 5>);
#ifdef OK
    auto y = einsum<"ij,jk->ik">(a, b);
#else
    auto y = einsum<"ij,jk->iz">(a, b);
#endif
    g.output("y"_s, y);
});

int main() {}
