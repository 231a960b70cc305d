// An activation is compressed as if it were a weight.
// expect: refused_model<ane::model_rule::only_a_weight_is_stored_compressed
// expect-gcc: {"compressed"}
// expect-clang: 'c', 'o', 'm', 'p', 'r', 'e', 's', 's', 'e', 'd'
// expect: in_line<17>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<4, 8>);
    auto w = g.weight("w"_s, f16<16, 8>);
#ifdef OK
    auto y = linear(x, compressed<palette<4>>(w));
#else
    auto y = linear(x, w) + reduce_sum(compressed<palette<4>>(x));
#endif
    g.output("y"_s, y);
});

int main() {}
