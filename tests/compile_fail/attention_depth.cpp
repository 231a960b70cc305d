// Query and key of different depths.
// expect: shape_fault<ane::op::attention, ane::fault::query_and_key_must_have_the_same_depth, 32, 64>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto q = g.input("q"_s, f16<1, 8, 64>);
    auto k = g.input("k"_s, f16<1, 16, 64>);
    auto n = g.input("n"_s, f16<1, 16, 32>);
#ifdef OK
    (void)n;
    auto y = attention(q, k, k);
#else
    (void)k;
    auto y = attention(q, n, n);
#endif
    g.output("y"_s, y);
});

int main() {}
