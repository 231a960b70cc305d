// A port name that the model does not have.
// expect: port_fault<ane::port_rule::the_model_has_no_input_of_this_name
// expect-gcc: {"image"}
// expect-clang: 'i', 'm', 'a', 'g', 'e'
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
