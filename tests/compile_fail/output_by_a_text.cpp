// An output that is read by a text.
// expect: an output is read by its name: results["y"_s]
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) { g.output("y"_s, relu(g.input("x"_s, f16<1, 4>))); });

inline half first() {
    auto program = compile<model>(backend::cpu{});
    ndarray<shape<1, 4>> x;
#ifdef OK
    return program({"x"_s = x})["y"_s][0];
#else
    return program({"x"_s = x})["y"][0];
#endif
}
