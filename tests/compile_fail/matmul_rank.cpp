// A batched matrix product of rank five.
// expect: design_rule<ane::op::matmul, ane::rule::matmul_rank_exceeds_four, ane::target::h13, 18, 1, 5, 4
// forbid: exceeds maximum
// forbid: step limit
// forbid: called in a constant expression
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/rules/conforms.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
#ifdef OK
    auto a = g.input("a"_s, f16<2, 3, 4, 4>);
    auto y = matmul(a, a);
#else
    auto a = g.input("a"_s, f16<1, 2, 3, 4, 4>);
    auto y = matmul(a, a);
#endif
    g.output("y"_s, y);
});
static_assert(conforms<model, h13>);

int main() {}
