// A block that is used twice, the second time with a kernel too wide for the M1.
// expect: design_rule<ane::op::conv2d, ane::rule::kernel_width_exceeds, ane::target::h13, 10, 5, 14, 13
// expect-gcc: in_file<ane::named<{"wide_kernel_in_a_block.cpp"}> >, ane::reads<ane::named<{"second.w"}> >
// expect-clang: 's', 'e', 'c', 'o', 'n', 'd', '.', 'w'
#include <anemone/model.hpp>

using namespace ane;

template <int Width, class Tensor> constexpr auto separable(builder g, Tensor x) {
    return relu(conv2d(x, g.weight("w", f16<16, 16, 1, Width>))); // here
}

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("signal"_s, f16<1, 16, 8, 400>);
    auto h = separable<5>(g.scope("first"), x);
#ifdef OK
    auto y = separable<13>(g.scope("second"), h);
#else
    auto y = separable<14>(g.scope("second"), h);
#endif
    g.output("y"_s, y);
});
static_assert(conforms<model, macs>);

int main() {}
