// A model that is a variable of a function is compiled.
// expect: the model must be static constexpr, or stand outside of functions: a variable of a function has no address in constants
// except-gcc: errors 3: g++ tells twice of an unavailable function
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/model.hpp>

using namespace ane;

inline void run() {
#ifdef OK
    static constexpr auto model = graph([](ane::builder& g) { g.output("y"_s, relu(g.input("x"_s, f16<1, 4>))); });
#else
    constexpr auto model = graph([](ane::builder& g) { g.output("y"_s, relu(g.input("x"_s, f16<1, 4>))); });
#endif
    auto program = compile<model>(backend::cpu{}); // here
    ndarray<shape<1, 4>> x;
    program({"x"_s = x});
}
