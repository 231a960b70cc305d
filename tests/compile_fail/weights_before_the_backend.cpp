// The weights stand before the backend.
// expect: the backend stands before the weights: compile<model>(backend::cpu{}, weights)
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    g.output("y"_s, linear(g.input("x"_s, f16<1, 16>), g.weight("w", f16<4, 16>)));
});

inline void run(const weight_store& weights) {
#ifdef OK
    auto program = compile<model>(backend::cpu{}, weights);
#else
    auto program = compile<model>(weights, backend::cpu{});
#endif
    (void)program;
}

int main() {}
