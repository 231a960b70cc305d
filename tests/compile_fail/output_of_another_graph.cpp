// An output that is a value of another graph.
// expect: refused_model<ane::model_rule::an_output_is_a_value_of_another_graph
// expect-gcc: {"y"}
// expect-clang: 'y'
// expect: in_line<20>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    dynamic_graph other;
    const ane::builder aside(other);
    auto x = g.output("x"_s, relu(g.input("image"_s, f16<1, 3, 32, 32>)));
    auto h = aside.output("h"_s, relu(aside.input("image"_s, f16<1, 3, 32, 32>)));
#ifdef OK
    g.output("y"_s, relu(x));
    aside.output("y"_s, relu(h));
#else
    aside.output("z"_s, relu(h)), g.output("z"_s, relu(x));
    g.output("y"_s, relu(h));
#endif
});

int main() {}
