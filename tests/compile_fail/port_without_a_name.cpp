// A value is given to a program without the name of its port.
// expect: an input is bound by its name: program({"x"_s = x})
#include <anemone/backend/program.hpp>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 4>);
    g.output("y"_s, relu(x));
});

ndarray<shape<1, 4>> value;
#ifdef OK
arguments<model> bound = {"x"_s = value};
#else
arguments<model> bound = value;
#endif
