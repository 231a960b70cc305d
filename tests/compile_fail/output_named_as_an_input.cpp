// An output with the name of an input.
// expect: refused_model<ane::model_rule::an_output_has_the_name_of_another_port
// expect-gcc: {"x"}
// expect-clang: 'x'
// expect: in_line<15>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 3, 32, 32>);
#ifdef OK
    g.output("y"_s, relu(x));
#else
    g.output("x"_s, relu(x));
#endif
});

int main() {}
