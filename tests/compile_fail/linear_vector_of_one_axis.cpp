// A vector written with one axis.
// expect: linalg: a matrix has two axes at least, [..., rows, columns]; a vector is a matrix of one column, [..., n, 1]
#include <anemone/build.hpp>
#include <anemone/linalg/linalg.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
#ifdef OK
    auto x = g.input("x"_s, f16<8, 1>);
#else
    auto x = g.input("x"_s, f16<8>);
#endif
    g.output("n"_s, linalg::norm_2(x)); // here
});

int main() {}
