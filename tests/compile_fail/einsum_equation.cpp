// An equation without its result.
// expect: shape_fault<ane::op::matmul, ane::fault::equation_must_be_letters_comma_letters_arrow_letters, 5, 5>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto a = g.input("a"_s, f16<4, 8>);
    auto b = g.input("b"_s, f16<8, 5>);
#ifdef OK
    auto y = einsum<"ij,jk->ik">(a, b);
#else
    auto y = einsum<"ij,jk">(a, b);
#endif
    g.output("y"_s, y);
});

int main() {}
