// A clamp whose ends are given the wrong way round.
// expect: refused_model<ane::model_rule::the_low_end_is_above_the_high_end
// expect: in_line<15>
// expect-gcc: {"clamp"}
// expect-clang: 'c', 'l', 'a', 'm', 'p'
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<8>);
#ifdef OK
    g.output("y"_s, clamp(x, -1, 1));
#else
    g.output("y"_s, clamp(x, 1, -1));
#endif
});

int main() {}
