// An input that a call leaves out.
// expect: an input port of the model is left out
#include <anemone/backend/program.hpp>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 4>);
    auto z = g.input("z"_s, f16<1, 4>);
    g.output("y"_s, x + z);
});

ndarray<shape<1, 4>> value;
#ifdef OK
arguments<model> bound{"x"_s = value, "z"_s = value};
#else
arguments<model> bound{"x"_s = value};
#endif
