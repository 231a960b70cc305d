// Two inputs of one name.
// expect: refused_model<ane::model_rule::two_inputs_have_this_name
// expect-gcc: {"image"}
// expect-clang: 'i', 'm', 'a', 'g', 'e'
// expect: in_line<15>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("image"_s, f16<1, 3, 32, 32>);
#ifdef OK
    auto z = g.input("mask"_s, f16<1, 3, 32, 32>);
#else
    auto z = g.input("image"_s, f16<1, 3, 32, 32>);
#endif
    g.output("y"_s, x * z);
});

int main() {}
