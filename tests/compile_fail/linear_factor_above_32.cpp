// A factorization of more rows than are unrolled.
// expect: linalg: a factorization is unrolled to 32 rows at most; iterations take larger ones
#include <anemone/build.hpp>
#include <anemone/linalg/linalg.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
#ifdef OK
    auto a = g.input("a"_s, f16<32, 32>);
#else
    auto a = g.input("a"_s, f16<33, 33>);
#endif
    g.output("l"_s, linalg::lu(a).u); // here
});

int main() {}
