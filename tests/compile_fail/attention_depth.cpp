// Query and key of different depths.
// expect: attention: query and key must have the same depth
// expect-gcc: (32 == 64)
// expect-clang: '32L == 64L'
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
