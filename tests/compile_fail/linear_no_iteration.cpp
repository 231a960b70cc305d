// Conjugate gradients of no iteration.
// expect: refused_operands<ane::linalg::fault::an_iteration_runs_at_least_once, 0, 1
#include <anemone/build.hpp>
#include <anemone/linalg/linalg.hpp>

using namespace ane;

#ifdef OK
constexpr int iterations = 1;
#else
constexpr int iterations = 0;
#endif

constexpr auto model = graph([](auto& g) {
    auto a = g.input("a"_s, f16<4, 4>);
    auto b = g.input("b"_s, f16<4, 1>);
    g.output("x"_s, linalg::conjugate_gradients<iterations>(a, b)); // here
});

int main() {}
