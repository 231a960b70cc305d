// A mask that is larger than the scores.
// expect: attention: the mask's extents must be those of the scores
// expect-gcc: (3 == 1)
// expect-clang: '3L == 1L'
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
    auto y = attention(q, q, q, wide);
#endif
    g.output("y"_s, y);
});
