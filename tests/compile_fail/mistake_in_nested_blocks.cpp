// A weight of other channels in a block that stands in five others.
// expect: shape_fault<ane::op::conv2d, ane::fault::weight_channels_times_groups_must_equal_the_input_channels, 8, 16>
// except-gcc: place 7: g++ lists the blocks before the error
#include <anemone/model.hpp>

using namespace ane;

template <class T> constexpr auto convolution(const builder& g, T x) {
#ifdef OK
    return relu(conv2d(x, g.weight("w", f16<16, 16, 1, 1>)));
#else
    return relu(conv2d(x, g.weight("w", f16<16, 8, 1, 1>)));
#endif
}
template <class T> constexpr auto residual(const builder& g, T x) { return add(x, convolution(g.scope("main"), x)); }
template <class T> constexpr auto stage(const builder& g, T x) { return residual(g.scope("block"), x); }
template <class T> constexpr auto encoder(const builder& g, T x) { return stage(g.scope("stage"), x); }
template <class T> constexpr auto network(const builder& g, T x) { return encoder(g.scope("encoder"), x); }

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
    g.output("y"_s, network(g.scope("net"), x));
});

int main() {}
