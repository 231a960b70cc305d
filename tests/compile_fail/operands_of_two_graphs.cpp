// A sum of values of two graphs.
// expect: refused_model<ane::model_rule::the_operands_belong_to_different_graphs
// expect-gcc: {"add"}
// expect-clang: spelled<add>
// expect: in_line<19>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    dynamic_graph other;
    [[maybe_unused]] const ane::builder aside(other);
    auto x = g.input("x"_s, f16<1, 3, 8, 8>);
#ifdef OK
    auto z = g.input("z"_s, f16<1, 3, 8, 8>);
    auto y = relu(x) + z;
#else
    auto z = aside.input("z"_s, f16<1, 3, 8, 8>);
    auto y = relu(x) + z;
#endif
    g.output("y"_s, y);
});

int main() {}
