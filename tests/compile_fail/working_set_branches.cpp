// A sum of twelve branches written as a chain, in a model that declares slow compilation an error.
// expect: design_rule<ane::op::add, ane::rule::fan_in_exceeds, ane::target::h13, 21, 23, 12, 11
// forbid: exceeds maximum
// forbid: step limit
// forbid: called in a constant expression
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/rules/conforms.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
#ifdef OK
    constexpr int branches = 11;
#else
    constexpr int branches = 12;
#endif
    auto x = g.input("x"_s, f16<1, 8>);
    auto sum = relu(x);
    for (int i = 1; i < branches; ++i) {
        sum = add(sum, relu(x));
    }
    g.output("y"_s, sum);
});
static_assert(conforms<model, h13, as_error(rule::fan_in_exceeds)>);

int main() {}
