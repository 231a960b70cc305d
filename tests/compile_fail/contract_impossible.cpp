// A contract that no tensor can keep.
// expect: refused_model<ane::model_rule::a_contract_has_its_low_end_above_its_high_end
// expect-gcc: {"x"}
// expect-clang: 'x'
// expect: in_line<15>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
#ifdef OK
    auto x = g.input("x"_s, f16<4, 8>, within(-1, 1));
#else
    auto x = g.input("x"_s, f16<4, 8>, within(1, -1));
#endif
    g.output("y"_s, relu(x));
});

int main() {}
