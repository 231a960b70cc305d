// Features are reshaped with the extents before the pool.
// expect: shape_fault<ane::op::reshape, ane::fault::reshape_must_keep_the_number_of_elements, 784, 196>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 4, 14, 14>);
    auto h = max_pool<pool{.kernel = 2}>(x);
#ifdef OK
    auto y = reshape<1, 784>(x);
    (void)h;
#else
    auto y = reshape<1, 784>(h);
#endif
    g.output("y"_s, y);
});

int main() {}
