// A model without an output.
// expect: refused_model<ane::model_rule::the_model_has_no_output
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<4, 8>);
#ifdef OK
    g.output("y"_s, relu(x));
#else
    relu(x);
#endif

});

int main() {}
