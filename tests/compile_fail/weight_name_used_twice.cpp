// One name for the weights of two layers.
// expect: refused_model<ane::model_rule::a_weight_is_asked_for_with_two_shapes
// expect-gcc: {"fc1.weight"}
// expect-clang: 'f', 'c', '1', '.', 'w', 'e', 'i', 'g', 'h', 't'
// expect: in_line<18>
// expect: asked_for<ane::shape<10, 64>
// expect: known_as<ane::shape<64, 784>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 784>);
    auto h = relu(linear(x, g.weight("fc1.weight", f16<64, 784>)));
#ifdef OK
    auto y = linear(h, g.weight("fc2.weight", f16<10, 64>));
#else
    auto y = linear(h, g.weight("fc1.weight", f16<10, 64>));
#endif
    g.output("y"_s, y);
});

int main() {}
