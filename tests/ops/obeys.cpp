// Rules of shapes are constraints: programs can ask for them.
#include <anemone/model.hpp>

#include <doctest/doctest.h>

#include <type_traits>

namespace {

using namespace ane;

template <class A, class B>
concept addable = requires(A a, B b) {
    add(a, b);
    a + b;
};
template <class X, class W>
concept convolvable = requires(X x, W w) {
    conv2d(x, w);
};
template <class X, class W, class B>
concept convolvable_with_bias = requires(X x, W w, B b) {
    conv2d(x, w, b);
};
template <class X>
concept activable = requires(X x) {
    relu(x);
};

using image_tensor = tensor<shape<1, 16, 8, 8>>;
using bytes = tensor<shape<1, 16, 8, 8>, dtype::uint8>;

static_assert(addable<image_tensor, image_tensor> && addable<image_tensor, tensor<shape<1, 16, 1, 1>>> &&
              addable<image_tensor, double>);
static_assert(!addable<image_tensor, tensor<shape<1, 24, 8, 8>>> && !addable<image_tensor, bytes> &&
              !addable<image_tensor, const char*>);
static_assert(convolvable<image_tensor, tensor<shape<32, 16, 3, 3>>> &&
              !convolvable<image_tensor, tensor<shape<32, 8, 3, 3>>>);
static_assert(!convolvable<image_tensor, double> && !convolvable<tensor<shape<16, 8, 8>>, tensor<shape<32, 16, 3, 3>>>);
static_assert(convolvable_with_bias<image_tensor, tensor<shape<32, 16, 3, 3>>, tensor<shape<32>>>);
static_assert(!convolvable_with_bias<image_tensor, tensor<shape<32, 16, 3, 3>>, tensor<shape<16>>>);
static_assert(convolvable<image_tensor, scaled_tensor<6, shape<32, 16, 3, 3>, dtype::f16>>);
static_assert(!convolvable<image_tensor, scaled_tensor<6, shape<32, 8, 3, 3>, dtype::f16>>);
static_assert(activable<image_tensor> && !activable<bytes> && !activable<int>);

template <class A, class B>
concept accumulates = requires(A a, B b) {
    a += b;
    a -= b;
    a *= b;
    a /= b;
};
template <class A, class B>
concept comparable = requires(A a, B b) {
    a < b;
    a <= b;
    a > b;
    a >= b;
};
static_assert(accumulates<image_tensor&, image_tensor> && accumulates<image_tensor&, tensor<shape<1, 16, 1, 1>>> &&
              accumulates<image_tensor&, int>);
static_assert(!accumulates<tensor<shape<1, 16, 1, 1>>&, image_tensor> &&
              !accumulates<tensor<shape<8, 8>>&, image_tensor>);
static_assert(!accumulates<bytes&, int> && !accumulates<const image_tensor&, image_tensor> &&
              !accumulates<double&, tensor<shape<>>>);
static_assert(comparable<image_tensor, tensor<shape<8>>> && comparable<image_tensor, int> &&
              comparable<double, image_tensor>);
static_assert(!comparable<image_tensor, tensor<shape<7>>> && !comparable<image_tensor, bytes> &&
              !comparable<image_tensor, const char*>);

/// The mask of an attention is no operand that may be scaled.
template <class M>
concept masks = requires(tensor<shape<1, 4, 8>> q, M m) {
    attention(q, q, q, m);
};
static_assert(masks<tensor<shape<4, 4>>> && !masks<scaled_tensor<1, shape<4, 4>, dtype::f16>> && masks<double>);

} // namespace

TEST_CASE("a refused model says at run time what its type says in a constant") {
    constexpr int second = __LINE__ + 3;
    const auto twice = [](builder& g) {
        auto x = g.input("x"_s, f16<4>);
        auto z = g.input("x"_s, f16<4>);
        g.output("y"_s, x + z);
    };
    CHECK_THROWS_WITH(build_graph(twice), "graph: x: two inputs of the graph have this name");
    CHECK_THROWS_WITH(build_graph([](builder& g) { g.input("x"_s, f16<4>); }),
                      "graph: graph: needs at least one output: call g.output(name, value)");
    using refused =
        refused_model<model_rule::two_inputs_have_this_name, named<"x">, in_line<second>, in_file<named<"obeys.cpp">>>;
    static_assert(std::is_same_v<decltype(graph(twice)), refused>);
}
