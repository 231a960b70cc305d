// A matrix without rows.
// expect: linalg: a matrix has at least one row and one column
#include <anemone/build.hpp>
#include <anemone/linalg/linalg.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
#ifdef OK
    auto a = g.input("a"_s, f16<1, 1>);
#else
    auto a = g.input("a"_s, f16<0, 0>);
#endif
    g.output("l"_s, linalg::cholesky(a)); // here
});

int main() {}
