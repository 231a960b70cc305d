// A mean over axis 4 of an image, which has the axes 0 to 3.
// expect: shape_fault<ane::op::reduce_mean, ane::fault::axis_must_be_one_of_the_tensor, 4, 4>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
#ifdef OK
    auto y = reduce_mean<axes{2, 3}>(x);
#else
    auto y = reduce_mean<axes{3, 4}>(x);
#endif
    g.output("y"_s, y);
});

int main() {}
