// Operations on indices, on shapes and on volumes.
// expect: one_hot has no path on any target (R130); instead: equal(x, range) with a constant range, or gather rows
// expect: scatter has no path on any target (R130); instead: a product with a one-hot matrix, or select with a constant
// expect: runtime_shape has no path on any target (R130); instead: the extents themselves: every shape is a constant
// expect: reduce_prod has no path on any target (R130); instead: exp(reduce_sum(log(x))) for positive x
// expect: conv3d has no path on any target (R040); instead: depth folded into channels, or conv2d for each slice
// forbid: called in a constant expression
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 4>, within(1, 3));
    auto w = g.weight("w", f16<4, 4>);
    auto volume = g.input("v"_s, f16<1, 2, 8, 8>);
#ifdef OK
    auto a = to_f16(equal(reshape<4, 1>(x), g.constant(f16<1, 4>, {0, 1, 2, 3})));
    auto b = select(equal(g.constant(f16<1, 4>, {0, 1, 0, 0}), 1), x, w);
    auto c = g.constant(f16<2>, {1, 4});
    auto d = exp(reduce_sum<axes{1}>(log(x)));
    auto e = conv2d(volume, g.weight("k", f16<4, 2, 3, 3>));
#endif
#ifndef OK
    auto a = one_hot<4>(x);
    auto b = scatter<axis{0}>(w, x, x);
    auto c = runtime_shape(x);
    auto d = reduce_prod<axes{1}>(x);
    auto e = conv3d<conv{}>(volume, g.weight("k", f16<4, 2, 3, 3>));
#endif
    g.output("a"_s, a), g.output("b"_s, b), g.output("c"_s, relu(c)), g.output("d"_s, d), g.output("e"_s, e);
});

int main() {}
