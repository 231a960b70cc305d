// A mask that is larger than the scores.
// expect: shape_fault<ane::op::attention, ane::fault::mask_must_have_the_extents_of_the_scores_or_1, 3, 1>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto q = g.input("q"_s, f16<1, 2, 4, 8>);
    auto wide = g.input("wide"_s, f16<3, 2, 4, 4>);
    auto mask = g.input("mask"_s, f16<1, 1, 4, 4>);
#ifdef OK
    auto y = attention(q, q, q, mask + reduce_max(wide));
#else
    (void)mask;
    auto y = attention(q, q, q, wide);
#endif
    g.output("y"_s, y);
});
