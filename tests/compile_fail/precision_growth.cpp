// A long sum of products of which nothing is declared, a warning that was raised to an error; declared, it is computed.
// expect: design_rule<ane::op::matmul, ane::rule::products_are_many, ane::target::h13, 15, 2, 256, 256
// forbid: step limit
// forbid: called in a constant expression
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/rules/conforms.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
#ifdef OK
    g.output("y"_s, matmul(g.input("x"_s, f16<8, 256>, bounded(1)), g.weight("w", f16<256, 8>, bounded(1))));
#else
    g.output("y"_s, matmul(g.input("x"_s, f16<8, 256>), g.weight("w", f16<256, 8>)));
#endif
});
static_assert(conforms<model, h13, as_error(rule::products_are_many)>);

int main() {}
