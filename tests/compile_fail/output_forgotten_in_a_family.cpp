// A family of models in which no member has an output.
// expect: refused_model<ane::model_rule::the_model_has_no_output
#include <anemone/model.hpp>

using namespace ane;

template <int Length>
constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("tokens"_s, f16<1, Length, 64>);
    auto y = linear(x, g.weight("w", f16<64, 64>));
#ifdef OK
    g.output("y"_s, y);
#else
    (void)y;
#endif
});
static_assert(conforms<model<128>, h13>);

int main() {}
