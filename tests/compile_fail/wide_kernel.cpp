// A kernel of width 15, which the M1 does not take.
// expect: design_rule<ane::op::conv2d, ane::rule::kernel_width_exceeds, ane::target::h13, 14, 2, 15, 13
// expect-gcc: in_file<ane::named<{"wide_kernel.cpp"}> >, ane::reads<ane::named<{"stem.w"}> >
// expect-clang: 's', 't', 'e', 'm', '.', 'w'
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("signal"_s, f16<1, 1, 8, 400>);
#ifdef OK
    auto y = conv2d(x, g.weight("stem.w", f16<16, 1, 1, 13>));
#else
    auto y = conv2d(x, g.weight("stem.w", f16<16, 1, 1, 15>)); // here
#endif
    g.output("y"_s, y);
});
static_assert(conforms<model, h13>);

int main() {}
