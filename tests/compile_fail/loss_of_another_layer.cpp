// A gradient by a weight that the loss was not computed from.
// expect: refused_model<ane::model_rule::the_loss_does_not_depend_on_it
// expect-gcc: {"v"}
// expect-clang: spelled<v>
// expect: in_line<14>
#include <anemone/gradient/gradient.hpp>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<4, 8>);
    auto w = g.weight("w", f16<2, 8>);
    auto v = g.weight("v", f16<2, 8>); // here
#ifdef OK
    auto loss = reduce_mean<axes{0, 1}>(square(linear(x, w) - linear(x, v)));
#else
    auto loss = reduce_mean<axes{0, 1}>(square(linear(x, w)));
#endif
    auto [dv] = gradient(loss, v);
    g.output("dv"_s, dv);
});

int main() {}
