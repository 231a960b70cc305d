// A model that computes and gives nothing out.
// expect: refused_model<ane::model_rule::the_model_has_no_output
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<4, 8>);
    auto h = linear(x, g.weight("w", f16<16, 8>));
#ifdef OK
    g.output("y"_s, relu(h));
#else
    relu(h);
#endif
});

int main() {}
