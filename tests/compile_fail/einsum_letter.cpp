// A letter of the result that no operand has.
// expect: letter_fault<ane::op::matmul, ane::fault::letter_of_the_result_must_be_one_of_an_operand, 'z'>
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
