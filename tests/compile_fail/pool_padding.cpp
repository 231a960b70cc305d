// The padding of a pool reaches its kernel.
// expect: shape_fault<ane::op::max_pool, ane::fault::pool_padding_must_be_smaller_than_the_kernel_R060, 2, 2>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
#ifdef OK
    auto y = max_pool<pool{.kernel = 2, .padding = 1}>(x);
#else
    auto y = max_pool<pool{.kernel = 2, .padding = 2}>(x);
#endif
    g.output("y"_s, y);
});

int main() {}
