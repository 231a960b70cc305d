// A program for a chip, which is no backend.
// expect: a target is no backend: compile<model>(backend::oracle{h13}, weights)
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) { g.output("y"_s, relu(g.input("x"_s, f16<1, 16>))); });

inline void run() {
#ifdef OK
    auto program = compile<model>(backend::oracle{h13});
#else
    auto program = compile<model>(h13);
#endif
    (void)program;
}
