// A slice that ends behind the tensor.
// expect: shape_fault<ane::op::slice, ane::fault::slice_must_end_within_the_tensor_R094, 17, 16>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<4, 16>);
#ifdef OK
    auto y = slice<window{{0, 8}, {4, 8}}>(x);
#else
    auto y = slice<window{{0, 8}, {4, 9}}>(x);
#endif
    g.output("y"_s, y);
});

int main() {}
