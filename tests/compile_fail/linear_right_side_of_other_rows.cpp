// A system whose right side has not as many rows as its matrix.
// expect: refused_operands<ane::linalg::fault::the_right_side_must_have_as_many_rows_as_the_matrix, 3, 4
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
