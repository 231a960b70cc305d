// A softmax over the fifth axis from the end of four.
// expect: shape_fault<ane::op::softmax, ane::fault::axis_must_be_one_of_the_tensor, -5, 4>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
#ifdef OK
    auto y = softmax<-4>(x);
#else
    auto y = softmax<-5>(x);
#endif
    g.output("y"_s, y);
});

int main() {}
