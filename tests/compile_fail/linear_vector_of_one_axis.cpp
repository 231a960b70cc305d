// A vector written with one axis.
// expect: refused_operands<ane::linalg::fault::a_matrix_has_two_axes_at_least_and_a_vector_is_n_by_1, 1, 2
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
