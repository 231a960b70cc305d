// Attention by hand, without the subtraction of the maximum: scores up to 30.
// expect: design_rule<ane::op::exp, ane::rule::exponential_may_overflow, ane::target::h13, 19, 5, 30, 11
// forbid: exceeds maximum
// forbid: step limit
// forbid: called in a constant expression
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/rules/conforms.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto q = g.input("q"_s, f16<1, 4, 16, 64>, within(-1, 1));
    auto k = g.input("k"_s, f16<1, 4, 16, 64>, within(-1, 1));
    auto scores = mul(matmul<transposed{.b = true}>(q, k), 0.46875);
#ifdef OK
    g.output("y"_s, softmax(scores));
#else
    auto e = exp(scores); // line
    g.output("y"_s, div(e, reduce_sum<axes{-1}>(e)));
#endif
});
static_assert(conforms<model, h13>);

int main() {}
