// A gradient whose way leads through an operation without a derivative.
// expect: refused_model<ane::model_rule::the_operation_has_no_derivative
// expect-gcc: {"floor -> reduce_mean -> loss"}
// expect-clang: spelled<floor -> reduce_mean -> loss>
// expect: in_line<19>
// expect-gcc: write_instead<ane::named<ane::fixed_string<63>{"x + (rounded - x) with rounded as an input, which passes it by"}> >
// expect-clang: write_instead<ane::spelled<
#include <anemone/gradient/gradient.hpp>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<4, 8>);
    auto w = g.weight("w", f16<2, 8>);
#ifdef OK
    auto y = sigmoid(linear(x, w));
#else
    auto y = floor(linear(x, w));
#endif
    auto [dw] = gradient(reduce_mean<axes{0, 1}>(y), w);
    g.output("dw"_s, dw);
});

int main() {}
