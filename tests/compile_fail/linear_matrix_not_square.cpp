// A factorization of a matrix that is not square.
// expect: refused_operands<ane::linalg::fault::the_matrix_must_be_square, 4, 3
#include <anemone/build.hpp>
#include <anemone/linalg/linalg.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
#ifdef OK
    auto a = g.input("a"_s, f16<4, 4>);
#else
    auto a = g.input("a"_s, f16<4, 3>);
#endif
    g.output("l"_s, linalg::cholesky(a)); // here
});

int main() {}
