// Scores of an attention without the transpose of the key.
// expect: shape_fault<ane::op::matmul, ane::fault::inner_extents_must_be_equal_R053, 64, 128>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto q = g.input("q"_s, f16<1, 8, 128, 64>);
    auto k = g.input("k"_s, f16<1, 8, 128, 64>);
#ifdef OK
    auto scores = matmul<transposed{.b = true}>(q, k);
#else
    auto scores = matmul(q, k);
#endif
    g.output("y"_s, softmax(scores));
});

int main() {}
