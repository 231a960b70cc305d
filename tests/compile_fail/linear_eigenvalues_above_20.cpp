// Eigenvalues of more rows than are unrolled.
// expect: refused_operands<ane::linalg::fault::a_spectral_decomposition_is_unrolled_to_20_columns, 21, 20
#include <anemone/build.hpp>
#include <anemone/linalg/linalg.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
#ifdef OK
    auto a = g.input("a"_s, f16<2, 2>);
#else
    auto a = g.input("a"_s, f16<21, 21>);
#endif
    g.output("l"_s, linalg::eigen_decomposition<1>(a).values); // here
});

int main() {}
