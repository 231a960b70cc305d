// A value of another shape than the port it is bound to.
// expect: the value bound to this port has another shape than the port
// expect-gcc: Given = ane::shape<4, 1>; Wanted = ane::shape<1, 4>
// expect-clang: std::is_same_v<ane::shape<4, 1>, ane::shape<1, 4>>
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
arguments<model> bound{"x"_s = value};
