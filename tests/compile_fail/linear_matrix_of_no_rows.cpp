// A matrix without rows.
// expect: refused_operands<ane::linalg::fault::a_matrix_has_at_least_one_row_and_one_column, 0, 1
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
