// A value of another shape than the port it is bound to.
// expect: port_fault<ane::port_rule::the_value_must_have_the_shape_of_the_port
// expect-gcc: {"x"}
// expect-clang: 'x'
// expect: ane::shape<4, 1>
// expect: ane::shape<1, 4>
#include <anemone/backend/program.hpp>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 4>);
    g.output("y"_s, relu(x));
});

#ifdef OK
ndarray<shape<1, 4>> value;
#else
ndarray<shape<4, 1>> value;
#endif
arguments<model> bound{"x"_s = value}; // here
