// Two layers of different widths in one scope.
// expect: refused_model<ane::model_rule::a_weight_is_asked_for_with_two_shapes
// expect-gcc: {"layer.0.weight"}
// expect-clang: 'l', 'a', 'y', 'e', 'r', '.', '0', '.', 'w', 'e', 'i', 'g', 'h', 't'
// expect: in_line<13>
// expect: asked_for<ane::shape<20, 40>
// expect: known_as<ane::shape<40, 30>
#include <anemone/model.hpp>

using namespace ane;

template <int Out, class Tensor> constexpr auto dense(builder g, Tensor x) {
    return relu(linear(x, g.weight("weight", f16<Out, Tensor::extent.width()>)));
}

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 30>);
    auto h = dense<40>(g.scope("layer", 0), x);
#ifdef OK
    auto y = dense<20>(g.scope("layer", 1), h);
#else
    auto y = dense<20>(g.scope("layer", 0), h);
#endif
    g.output("y"_s, y);
});

int main() {}
