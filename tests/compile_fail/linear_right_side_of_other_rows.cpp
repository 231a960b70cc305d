// A system whose right side has not as many rows as its matrix.
// expect: linalg: the right side must have as many rows as the matrix
#include <anemone/build.hpp>
#include <anemone/linalg/linalg.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto a = g.input("a"_s, f16<4, 4>);
#ifdef OK
    auto b = g.input("b"_s, f16<4, 1>);
#else
    auto b = g.input("b"_s, f16<3, 1>);
#endif
    g.output("x"_s, linalg::solve_lower(a, b)); // here
});

int main() {}
