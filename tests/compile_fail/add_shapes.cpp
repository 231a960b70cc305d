// Two tensors of different channel counts are added.
// expect: shape_fault<ane::op::add, ane::fault::extents_must_be_equal_or_one_R026, 16, 24>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
    auto z = g.input("z"_s, f16<1, 24, 8, 8>);
    auto s = g.input("s"_s, f16<1, 16, 1, 1>);
#ifdef OK
    (void)z;
    auto y = x + s;
#else
    (void)s;
    auto y = x + z;
#endif
    g.output("y"_s, y);
});

int main() {}
