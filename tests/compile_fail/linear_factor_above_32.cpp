// A factorization of more rows than are unrolled.
// expect: refused_operands<ane::linalg::fault::a_factorization_is_unrolled_to_32_columns, 33, 32
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
