// An input that a call leaves out.
// expect: port_fault<ane::port_rule::an_input_of_the_model_is_left_out
// expect-gcc: {"z"}
// expect-clang: 'z'
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
