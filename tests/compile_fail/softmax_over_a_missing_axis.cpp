// A softmax over axis 2 of logits [1, 10].
// expect: shape_fault<ane::op::softmax, ane::fault::axis_must_be_one_of_the_tensor, 2, 2>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("logits"_s, f16<1, 10>);
#ifdef OK
    auto y = softmax<axis{1}>(x);
#else
    auto y = softmax<axis{2}>(x);
#endif
    g.output("y"_s, y);
});

int main() {}
