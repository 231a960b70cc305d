// A slice with a negative stride: reverse does that.
// expect: shape_fault<ane::op::strided_slice, ane::fault::stride_must_be_at_least_1, -1, 1>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<4, 8>);
#ifdef OK
    auto y = reverse<axes{1}>(x);
#else
    auto y = strided_slice<index_range{{0, 0}, {4, 8}, {1, -1}}>(x);
#endif
    g.output("y"_s, y);
});

int main() {}
