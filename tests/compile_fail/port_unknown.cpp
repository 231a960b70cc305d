// A port name that the model does not have.
// expect: the model has no input port of this name
#include <anemone/backend/program.hpp>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 4>);
    g.output("y"_s, relu(x));
});

ndarray<shape<1, 4>> value;
#ifdef OK
arguments<model> bound{"x"_s = value};
#else
arguments<model> bound{"image"_s = value};
#endif
