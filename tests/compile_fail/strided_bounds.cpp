// A strided slice that ends behind the tensor.
// expect: shape_fault<ane::op::strided_slice, ane::fault::slice_must_end_within_the_tensor_R094, 9, 8>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<4, 8>);
#ifdef OK
    auto y = strided_slice<index_range{{0, 1}, {4, 8}, {1, 2}}>(x);
#else
    auto y = strided_slice<index_range{{0, 1}, {4, 9}, {1, 2}}>(x);
#endif
    g.output("y"_s, y);
});

int main() {}
