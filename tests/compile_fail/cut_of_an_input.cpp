// An input is cut, which no operation computes.
// expect: refused_model<ane::model_rule::only_an_operation_has_a_place
// expect-gcc: {"cut"}
// expect-clang: 'c', 'u', 't'
// expect: in_line<14>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
#ifdef OK
    auto x = cut(relu(g.input("x"_s, f16<1, 3, 32, 32>)));
#else
    auto x = cut(g.input("x"_s, f16<1, 3, 32, 32>));
#endif
    g.output("y"_s, x * x);
});

int main() {}
