// A weight that two places of a model promise different things about.
// expect: refused_model<ane::model_rule::a_weight_is_asked_for_with_two_contracts
// expect-gcc: {"w"}
// expect-clang: 'w'
// expect: in_line<17>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<4, 8>);
    auto a = linear(x, g.weight("w"_s, f16<8, 8>, row_l1(3)));
#ifdef OK
    auto b = linear(a, g.weight("w"_s, f16<8, 8>, row_l1(3) & deviating(0.25)));
#else
    auto b = linear(a, g.weight("w"_s, f16<8, 8>, row_l1(2)));
#endif
    g.output("y"_s, b);
});

int main() {}
